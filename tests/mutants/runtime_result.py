"""Faults in what the results of handles say, and in their inboxes."""

from __future__ import annotations

from tests.mutants import Mutant

RESULT = """\
        return TaskResult(
            text, is_error, status, pending, self.turns, self.total_tokens, self.own_tokens, limit
        )
"""
INBOX_LEN = '{"inbox": at.inbox_len(handle)}'
FAILED = '                self._end(node.task_result("error", str(failure) or type(failure).__name__))\n'
WAIT = """\
            if node.result is None:
                raise NothingToDo(f"{node.id} has never been woken")
            return node.result
"""
NEXT = (
    WAIT
    + """\
        result = node.next_result()
        if timeout is None:
            return await result
"""
)
POST = """\
        refuse_if_closed(node)
        if len(node.inbox) >= self._tree.options.inbox_cap:
"""
ABORT = "            node.inbox.extendleft(reversed(self._items))\n"
SHOWN = """\
        return f"[from {item.sender}{'' if is_from_above else ', untrusted'}]\\n{item.text}"
"""
EVERYWHERE = "it is in every result"
WAITED = "whether a turn has ended when it is waited for hangs on how long a message takes"

MUTANTS: list[Mutant] = [
    Mutant(
        breaks="A result does not say what is its own",
        module="driver_runtime",
        old="isinstance(seconds, int | float) else None)).to_json()",
        new='isinstance(seconds, int | float) else None)).to_json() | {"own_tokens": None}',
        caught_by={"runtime/result/fields": "runtime.result.fields"},
        not_local=EVERYWHERE,
    ),
    Mutant(
        breaks="A turn that is interrupted is called cancelled",
        module="runtime",
        old='            node.turn.abort("interrupted")\n',
        new='            node.turn.abort("cancelled")\n',
        caught_by={"runtime/result/status-vocabulary": "runtime.result.status-vocabulary"},
    ),
    Mutant(
        breaks="A turn that a close breaks off is called cancelled",
        module="tree",
        old='                each.turn.abort("closed")\n',
        new='                each.turn.abort("cancelled")\n',
        caught_by={"runtime/result/status-vocabulary-when-closed": "runtime.result.status-vocabulary"},
    ),
    Mutant(
        breaks="Each wake begins to count anew",
        module="tree",
        old="        node.turn = Turn(self, node, prompt)\n",
        new="""\
        node.turns = node.total_tokens = 0
        node.turn = Turn(self, node, prompt)
""",
        caught_by={
            "runtime/result/cumulative": "runtime.result.cumulative",
            "runtime/result/cumulative-pending": "runtime.result.cumulative",
            "runtime/result/cumulative-error": "runtime.result.cumulative",
        },
        by_timing=WAITED,
    ),
    Mutant(
        breaks="An interrupted turn takes back all that has been counted",
        module="turn",
        old=ABORT,
        new=ABORT + "            node.turns = node.total_tokens = 0\n",
        caught_by={"runtime/result/cumulative-interrupted": "runtime.result.cumulative"},
    ),
    Mutant(
        breaks="own_tokens has the children's in it",
        module="node",
        old=RESULT,
        new=RESULT.replace("self.own_tokens", "self.total_tokens"),
        caught_by={"runtime/result/own-tokens": "runtime.result.own-tokens"},
    ),
    Mutant(
        breaks="A result that is incomplete does not say why",
        module="node",
        old=RESULT,
        new=RESULT.replace("limit\n", '"" if status == "incomplete" else limit\n'),
        caught_by={"runtime/result/limit": "runtime.result.limit"},
        not_local="each of the limits is shown by the limit that a result names",
    ),
    Mutant(
        breaks="A run that came to its end names a limit",
        module="node",
        old=RESULT,
        new=RESULT.replace("limit\n", 'limit or ("completion" if status == "done" else "")\n'),
        caught_by={"runtime/result/limit-empty": "runtime.result.limit-empty"},
        not_local=EVERYWHERE,
    ),
    Mutant(
        breaks="A run that waits for an Answer names a limit",
        module="node",
        old=RESULT,
        new=RESULT.replace("limit\n", 'limit or ("completion" if status == "pending" else "")\n'),
        caught_by={"runtime/result/limit-empty-pending": "runtime.result.limit-empty"},
        not_local="a check that is always on looks at the limit of every result that is pending",
    ),
    Mutant(
        breaks="A model's failure is raised where it is waited for",
        module="runtime",
        old=WAIT,
        new="""\
            if node.result is not None and node.result.is_error:
                raise NothingToDo(node.result.text)
"""
        + WAIT,
        caught_by={"runtime/result/never-raises": "runtime.result.never-raises"},
        by_timing=WAITED,
    ),
    Mutant(
        breaks="A child's failure is raised where its parent is waited for",
        module="runtime",
        old=NEXT,
        new="""\
            pass
        if timeout is None:
            found = await self._tree.settled(node)
            for message in node.conversation.view:
                if "not done: error" in message.content:
                    raise NothingToDo(message.content)
            return found
        if node.state is not State.RUNNING and node.result is not None:
            return node.result
        result = node.next_result()
""",
        caught_by={"runtime/result/never-raises-in-a-child": "runtime.result.never-raises"},
    ),
    Mutant(
        breaks="The status of a run that failed is failed",
        module="turn",
        old=FAILED,
        new=FAILED.replace('"error"', '"failed"'),
        caught_by={
            "runtime/result/error-word": "runtime.result.error-word",
            "runtime/result/never-raises": "runtime.result.never-raises",
        },
    ),
    Mutant(
        breaks="A result can be waited for only once",
        module="runtime",
        old=WAIT,
        new=WAIT.replace(
            "            return node.result\n",
            """\
            found, node.result = node.result, None
            return found
""",
        ),
        caught_by={"runtime/result/wait-last": "runtime.result.wait-last"},
        by_timing=WAITED,
    ),
    Mutant(
        breaks="A wait that times out ends the turn",
        module="runtime",
        old="            if not result.done():\n",
        new="""\
            if node.turn is not None:
                node.turn.abort("timeout", TIMEOUT)
            if not result.done():
""",
        caught_by={"runtime/result/wait-timeout": "runtime.result.wait-timeout"},
    ),
    Mutant(
        breaks="inbox_len says only whether there is something",
        module="driver_runtime",
        old=INBOX_LEN,
        new='{"inbox": min(at.inbox_len(handle), 1)}',
        caught_by={"runtime/inbox/depth": "runtime.inbox.depth"},
    ),
    Mutant(
        breaks="A turn leaves what it has read in the inbox",
        module="turn",
        old="        node.inbox.clear()\n",
        new="",
        caught_by={"runtime/inbox/post": "runtime.inbox.post"},
    ),
    Mutant(
        breaks="What is posted during a turn is thrown away when it ends",
        module="turn",
        old="        node.turn = None\n",
        new="        node.turn = None\n        node.inbox.clear()\n",
        caught_by={"runtime/inbox/post-while-running": "runtime.inbox.post"},
    ),
    Mutant(
        breaks="At the cap the oldest item gives way",
        module="runtime",
        old=POST,
        new=POST.replace(
            "        if len(",
            """\
        if len(node.inbox) == self._tree.options.inbox_cap:
            node.inbox.popleft()
        if len(""",
        ),
        caught_by={
            "runtime/inbox/full": "runtime.inbox.full",
            "runtime/inbox/full-by-default": "runtime.inbox.full",
        },
    ),
    Mutant(
        breaks="The default cap of an inbox is sixteen",
        module="definition",
        old="    inbox_cap: int = 8\n",
        new="    inbox_cap: int = 16\n",
        caught_by={"runtime/inbox/full-by-default": "runtime.inbox.full"},
    ),
    Mutant(
        breaks="A closed handle takes what is posted",
        module="runtime",
        old=POST,
        new=POST.replace("        refuse_if_closed(node)\n", ""),
        caught_by={"runtime/inbox/closed": "runtime.inbox.full"},
    ),
    Mutant(
        breaks="An interrupted turn does not put back what it had taken",
        module="turn",
        old=ABORT,
        new="            pass\n",
        caught_by={"runtime/inbox/restored": "runtime.inbox.restored"},
    ),
    Mutant(
        breaks="A stranger's item is not marked",
        module="turn",
        old=SHOWN,
        new=SHOWN.replace("', untrusted'", "''"),
        caught_by={"runtime/inbox/untrusted": "runtime.inbox.untrusted"},
    ),
]
