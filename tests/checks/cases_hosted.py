"""Plays for the checks of the profiles `runtime` and `client`: handles, results, and halted runs."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.transcript import Message
from tests.checks.case import Breaks, Holds, LeftOpen
from tests.checks.hosted import WORKER, HostedPlay, request, run_result, task_result, view
from tests.checks.plays import CALLING, DONE, assistant, placeholder, result, user

BELOW = f"{WORKER}/worker.1"
ASKED = [user("Go"), CALLING]
ANSWERED = [*ASKED, result("c1", "out/")]


def client() -> HostedPlay:
    """A play with a client."""
    return HostedPlay("client")


def gone_on(given: Sequence[Message], *, messages: Sequence[Message] = (*ANSWERED, DONE)) -> HostedPlay:
    """A client's run goes on; the model is given some messages, and the whole transcript comes of it."""
    return client().asked(given).did("client/run_with_answer", run_result(messages=[*messages]))


HOLDS: list[Holds] = [
    Holds(
        "id",
        "an id is under its parent's",
        HostedPlay().spawned().spawned(BELOW, under=WORKER),
    ),
    Holds("id-layout", "an id ends with the name and a number", HostedPlay().spawned()),
    Holds("state-names", "a state is one of four", HostedPlay().seen("suspended", pending_kind="approval")),
    Holds(
        "transitions",
        "a handle is suspended, goes on and comes to rest",
        HostedPlay()
        .went("idle", "running", "suspended")
        .went("suspended", "running", "idle", answering=True),
    ),
    Holds(
        "only-answer",
        "an Answer gets a handle out of suspended",
        HostedPlay()
        .went("idle", "running", "suspended")
        .went("suspended", "running", "idle", answering=True),
    ),
    Holds(
        "only-answer",
        "an interpreter's Answer gets a handle out of suspended",
        HostedPlay()
        .went("idle", "running", "suspended")
        .interpreted(ok=False)
        .went("suspended", "running", "idle"),
    ),
    Holds("closed-final", "what was closed is closed later", HostedPlay().seen("closed").seen("closed")),
    Holds(
        "close",
        "a child is closed before its parent",
        HostedPlay().went("idle", "closed", id=BELOW).went("idle", "closed"),
    ),
    Holds(
        "depth",
        "a handle at rest has one depth",
        HostedPlay()
        .waited()
        .did("runtime/inbox_len", {"inbox": 2}, step=2)
        .did("runtime/list", {"views": [view(inbox=2)]}, step=2, handle="")
        .seen(step=2, inbox=2),
    ),
    Holds(
        "list-views", "the list has views", HostedPlay().did("runtime/list", {"views": [view()]}, handle="")
    ),
    Holds("inspect", "a view is whole", HostedPlay().seen()),
    Holds("pending-kind-cleared", "an idle handle has no pending kind", HostedPlay().seen()),
    Holds("fields", "a result has all its fields", HostedPlay().waited("pending")),
    Holds("status-vocabulary", "a status is one of the words", HostedPlay().waited("interrupted")),
    Holds("cumulative", "counts grow", HostedPlay().waited(turns=1).waited(turns=2, total_tokens=7)),
    Holds("limit", "what stopped a run is named", HostedPlay().waited("incomplete", limit="maxTurns")),
    Holds("limit-empty", "a run that came to its end names no limit", HostedPlay().waited()),
    Holds("pending", "a halted run has its request", client().did("client/run", run_result("pending"))),
    Holds("one-result-each", "the model is given one result for a call", gone_on(ANSWERED)),
]

BREAKS: list[Breaks] = [
    Breaks(
        "id",
        "an id is not under its parent's",
        HostedPlay().spawned().spawned("root/worker.2", under=WORKER),
        "not one under",
    ),
    Breaks("id", "an id is under nothing", HostedPlay().spawned("worker.1"), "not one under"),
    Breaks(
        "id",
        "two ids have nothing in common",
        HostedPlay().spawned().spawned("other/worker.2", step=2),
        "not one under",
        step=2,
    ),
    Breaks("id", "an id is given twice", HostedPlay().spawned().spawned(step=2), "given twice", step=2),
    Breaks("id-layout", "an id ends with something else", HostedPlay().spawned("root/w-1"), "last segment"),
    Breaks("id-layout", "an id ends without a number", HostedPlay().spawned("root/worker.x"), "last segment"),
    Breaks(
        "state-names",
        "a state has a name of its own",
        HostedPlay().did("runtime/state_of", {"state": "Idle"}),
        "expected one of idle, running, suspended, closed",
    ),
    Breaks(
        "transitions",
        "a handle is suspended without having run",
        HostedPlay().went("idle", "suspended"),
        "no pinned step",
    ),
    Breaks(
        "transitions",
        "a step begins where no step has ended",
        HostedPlay().went("running", "idle"),
        "was idle and then",
    ),
    Breaks(
        "transitions",
        "a suspended handle comes to rest without running",
        HostedPlay().went("idle", "running", "suspended").went("suspended", "idle", answering=True),
        "from suspended to idle",
    ),
    Breaks(
        "transitions",
        "a closed handle runs",
        HostedPlay().went("idle", "closed", "running"),
        "from closed to running",
    ),
    Breaks(
        "only-answer",
        "a wake gets a handle out of suspended",
        HostedPlay().went("idle", "running", "suspended", "running", step=3),
        "without an Answer",
        step=3,
    ),
    Breaks(
        "only-answer",
        "an Answer that came before does not count for the next suspension",
        HostedPlay()
        .went("idle", "running", "suspended")
        .interpreted()
        .went("suspended", "running", "suspended", "running"),
        "without an Answer",
    ),
    Breaks(
        "closed-final",
        "a closed handle is idle again",
        HostedPlay().seen("closed").seen(step=2),
        "is idle now",
        step=2,
    ),
    Breaks(
        "close",
        "a child is closed after its parent",
        HostedPlay().went("idle", "closed").went("idle", "closed", id=BELOW, step=2),
        "was closed after",
        step=2,
    ),
    Breaks(
        "depth",
        "the view has another depth than inbox_len",
        HostedPlay().did("runtime/inbox_len", {"inbox": 1}).seen(inbox=0),
        "inspect of root/worker.1 does not agree with inbox_len",
    ),
    Breaks(
        "inspect",
        "the view shows another state than state_of",
        HostedPlay().waited().did("runtime/state_of", {"state": "suspended"}, step=2).seen(step=2),
        "inspect of root/worker.1 does not agree with state_of",
        step=2,
    ),
    Breaks(
        "list-views",
        "an entry of the list has no pending kind",
        HostedPlay().did("runtime/list", {"views": [{"id": WORKER, "state": "idle"}]}, handle=""),
        "pending_kind",
    ),
    Breaks(
        "inspect",
        "a view lacks the depth of the inbox",
        HostedPlay().did("runtime/inspect", {key: item for key, item in view().items() if key != "inbox"}),
        "inbox",
    ),
    Breaks(
        "inspect", "a view is another handle's", HostedPlay().seen(id="root/worker.2"), "the view of another"
    ),
    Breaks(
        "pending-kind-cleared",
        "an idle handle has a pending kind",
        HostedPlay().seen(pending_kind="approval"),
        "pending kind",
    ),
    Breaks(
        "fields",
        "a result does not say what it cost",
        HostedPlay().did("runtime/wait", {k: v for k, v in task_result().items() if k != "own_tokens"}),
        "own_tokens",
    ),
    Breaks(
        "status-vocabulary",
        "a status is another word",
        HostedPlay().waited("finished"),
        "expected one of done",
    ),
    Breaks(
        "cumulative",
        "turns begin anew",
        HostedPlay().waited(turns=2).waited(turns=1, step=2),
        "turns",
        step=2,
    ),
    Breaks(
        "cumulative",
        "tokens of a view begin anew",
        HostedPlay().seen(tokens=6).seen(tokens=0, step=2),
        "tokens",
        step=2,
    ),
    Breaks(
        "limit", "what stopped a run is not named", HostedPlay().waited("incomplete"), "no limit is named"
    ),
    Breaks("limit", "a time-out is not named", HostedPlay().waited("timeout"), "no limit is named"),
    Breaks(
        "limit-empty",
        "a run that came to its end names a limit",
        HostedPlay().waited(limit="maxTurns"),
        "a limit is named",
    ),
    Breaks(
        "pending",
        "a halted run has no request",
        client().did("client/run", run_result("pending", pending=None)),
        "the request",
    ),
    Breaks("one-result-each", "the model is given no result for a call", gone_on(ASKED), "has 0 results"),
    Breaks(
        "one-result-each",
        "the model is given two results for a call",
        gone_on([*ANSWERED, result("c1", "more")]),
        "has 2 results",
    ),
    Breaks(
        "one-result-each",
        "a transcript keeps its placeholder",
        gone_on(ANSWERED, messages=[*ASKED, placeholder("c1"), DONE]),
        "placeholder",
    ),
]

LEFT_OPEN: list[LeftOpen] = [
    LeftOpen(
        "how a durable resume leaves suspended",
        "a handle passes through idle",
        HostedPlay()
        .went("idle", "running", "suspended")
        .went("suspended", "idle", "running", "idle", answering=True),
    ),
    LeftOpen(
        "what becomes of a handle whose interpreter fails",
        "it goes on",
        HostedPlay()
        .went("idle", "running", "suspended")
        .interpreted(ok=None)
        .went("suspended", "running", "idle"),
    ),
    LeftOpen(
        "what becomes of a suspended handle that is closed",
        "it is closed",
        HostedPlay().went("idle", "running", "suspended", "closed"),
    ),
    LeftOpen(
        "what becomes of a suspended handle that is closed",
        "it passes through idle",
        HostedPlay().went("idle", "running", "suspended", "idle", "closed"),
    ),
    LeftOpen(
        "what becomes of a suspended handle that is interrupted",
        "it waits for nothing any more",
        HostedPlay()
        .went("idle", "running", "suspended")
        .did("runtime/interrupt", {})
        .went("suspended", "idle"),
    ),
    LeftOpen(
        "what stands between the id of a parent and that of its child",
        "a segment",
        HostedPlay().spawned("r/top/worker.1").spawned("r/top/worker.1/children/1", under="r/top/worker.1"),
        may_break=("id-layout",),
    ),
    LeftOpen(
        "what the root is called",
        "it has a slash in it",
        HostedPlay().spawned("a/b/worker.1").spawned("a/b/worker.2"),
    ),
    LeftOpen(
        "how a handle stands while a turn goes on",
        "it is seen on its way",
        HostedPlay()
        .did("runtime/wake", {})
        .did("runtime/state_of", {"state": "running"})
        .did("runtime/inbox_len", {"inbox": 1})
        .seen(),
    ),
    LeftOpen(
        "the form of data.path",
        "a path is a list of segments",
        HostedPlay().waited("pending", pending=request(data={"path": WORKER.split("/")})),
    ),
    LeftOpen(
        "whether closed handles are listed",
        "a closed handle is listed",
        HostedPlay().did("runtime/list", {"views": [view("closed")]}, handle=""),
    ),
    LeftOpen(
        "how many placeholders a halted transcript has",
        "a call has none",
        client().did("client/run", run_result("pending", messages=[*ASKED])),
    ),
    LeftOpen(
        "whether a run that has come to its end still has a request",
        "it has the one that was answered",
        client().did("client/run_with_answer", run_result(pending=request())),
    ),
    LeftOpen(
        "what becomes of a halted turn that nobody has answered",
        "its placeholder stays",
        gone_on([*ASKED, placeholder("c1"), user("Never mind"), assistant("", "c2"), result("c2", "yes")]),
    ),
    LeftOpen(
        "what a model is given in a run that does not go on",
        "a placeholder",
        client().asked([*ASKED, placeholder("c1"), user("And now?")]).did("client/ask", run_result()),
    ),
]
