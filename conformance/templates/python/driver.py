"""A driver: through it the suite reaches your agents.

The suite owns the model, the tools and the host; your agent is given a model and tools that ask the suite
(`self.host`). Nothing is written yet, and every method says so: no scenario passes by accident. To see what
to write next, and then what is still wrong, in the folder of this file:

    outlast doctor --driver python:driver:create

# [agent]
A whole driver to look at is `conformance/drivers/reference.py`.
# [runtime]
A whole driver to look at is `conformance/drivers/reference_runtime.py`, which has all verbs of runtimes.
# [client]
A whole driver to look at is `conformance/drivers/reference_client.py`, which has all verbs of clients.
# [all]
"""

from __future__ import annotations

# [agent]
from collections.abc import Sequence

# [all]
from conformance import (
    # [agent]
    AgentOptions,
    # [all]
    Driver,
    Host,
    Implementation,
    # [agent]
    InboxItem,
    # [all]
    NotWritten,
    PartialDriver,
    sdk,
)
from conformance.scenario import Json

Object = dict[str, Json]
"""What crosses is JSON: messages, events, calls. schemas/protocol.schema.json describes it."""


def create() -> Driver:
    """The factory that `--driver python:driver:create` names."""
    return MyDriver()


def not_written(method: str) -> NotWritten:
    """What is raised by a method that is still to be written."""
    return NotWritten(f"{method} is not written yet, see driver.py")


class MyDriver(PartialDriver):
    """What the suite asks of your agents, which it calls by name (`main`, and whatever a scenario needs).

    Where your agent refuses something, raise ImplementationError: its code is `aborted` (the run was
    stopped), `nothing-to-do` (resume, with nothing to answer), `empty-prompt`, `busy` or `other`.
    """

    async def start(self, host: Host) -> Implementation:
        """The suite is there. Keep `host`: your agents' models and tools ask it, and it hears their events.

        await host.generate(agent, messages)                  the model's reply: text in chunks, tool calls
        # [agent]
        await host.execute(agent, call_id, tool, arguments)   what a tool gives; may be pending
        host.event(agent, {"type": "AgentStart"})             each event of a run, as it is emitted
        # [runtime client]
        await host.execute(agent, call_id, tool, arguments, answer)
                                                              what a tool gives; may be a request
        await host.wait_for(agent, request)                   the Answer, where `interprets` was true
        # [runtime]
        host.moved(runtime, handle, before, after)            a step of a handle (capability state-traces)
        # [all]

        Those that are awaited raise HostError where the model or the tool fails, or the run was stopped: deal
        with it as your agent does with such a failure. A run that fails by it raises ImplementationError.
        """
        self.host = host
        return Implementation(
            name="my agent",
            version="0.1",
            language="python",
            profiles=frozenset({"agent"}),
            # [agent]
            # What it can do besides: children, denial, live-views, threads, updates.
            # [runtime]
            # What it can do besides: clock, runtime-budget, runtime-interpreter, state-traces.
            # [client]
            # What it can do besides: answers, disk-store, relays.
            # [all]
            # Claim nothing before it works; `outlast doctor` says when it does.
            capabilities=frozenset(),
        )

    async def reset(self) -> None:
        """A new scenario begins: forget all agents, whatever they are doing."""

    async def shutdown(self) -> None:
        """The end: leave nothing running."""

    # [agent]
    async def create(self, agent: str, options: AgentOptions) -> None:
        """Make a fresh agent of that name, with an empty conversation and the tools in `options`."""
        raise not_written("create")

    async def prompt(self, agent: str, text: str) -> Object:
        """Run it with new user text. Return {"message": the reply} after the run's last event."""
        raise not_written("prompt")

    async def messages(self, agent: str) -> list[Object]:
        """The conversation so far."""
        raise not_written("messages")

    async def put(self, agent: str, item: InboxItem) -> None:
        """Put a message, or the result of a call that is pending, into the inbox. Answers at once."""
        raise not_written("put")

    async def resume(self, agent: str) -> Object:
        """Run it without new user text, on what has come into the inbox. Returns as `prompt` does."""
        raise not_written("resume")

    async def pending_calls(self, agent: str) -> list[Object]:
        """The calls whose result is still owed, each with its id."""
        raise not_written("pending_calls")

    async def needs_reply(self, agent: str) -> bool:
        """Whether the conversation ends in something that the model has not answered."""
        raise not_written("needs_reply")

    async def replace_messages(self, agent: str, messages: list[Object]) -> None:
        """Put a saved conversation in the place of the present one, as after a restart."""
        raise not_written("replace_messages")

    async def stop(self, agent: str) -> None:
        """Ask a run in progress to stop. Answers at once, and the run ends soon after."""
        raise not_written("stop")

    # [agent client]
    async def crash(self) -> None:
        """Drop everything where it stands, as if the process had been killed. (Over stdio it is.)"""
        raise not_written("crash")

    # [agent]
    # Only for the capabilities children, updates and threads.

    async def run_child(self, agent: str, call_id: str, child: str, prompt: str) -> Object:
        """Inside the execution of `call_id` by `agent`: run another agent as its child."""
        raise not_written("run_child")

    async def update(self, agent: str, call_id: str, partial: str) -> None:
        """Inside the execution of `call_id` by `agent`: report progress."""
        raise not_written("update")

    async def put_from_threads(self, agent: str, threads: Sequence[Sequence[InboxItem]]) -> None:
        """Put items in from threads of their own, one for each list."""
        raise not_written("put_from_threads")

    # [runtime client]
    async def perform(self, method: str, params: Object) -> Object:
        """A verb. Beside each stand its params and its result; conformance/PROTOCOL.md says the rest."""
        match method:
            # [runtime]
            case "runtime/create":  # runtime, definitions, interprets, budget; perhaps inbox_cap -> {}
                raise not_written(method)
            case "runtime/spawn":  # runtime, name; perhaps under, budget -> {handle: its id}
                raise not_written(method)
            case "runtime/post":  # runtime, handle, text; perhaps from -> {}, at once
                raise not_written(method)
            case "runtime/wake":  # runtime, handle, prompt -> {}, at once: the turn goes on behind it
                raise not_written(method)
            case "runtime/wait":  # runtime, handle; perhaps timeout -> a TaskResult
                raise not_written(method)
            case "runtime/interrupt":  # runtime, handle -> {}, at once
                raise not_written(method)
            case "runtime/close":  # runtime, handle, force -> {}, at once
                raise not_written(method)
            case "runtime/resume":  # runtime, answer -> a TaskResult
                raise not_written(method)
            case "runtime/list":  # runtime -> {views}
                raise not_written(method)
            case "runtime/inspect":  # runtime, handle -> a HandleView
                raise not_written(method)
            case "runtime/state_of":  # runtime, handle -> {state}
                raise not_written(method)
            case "runtime/inbox_len":  # runtime, handle -> {inbox}
                raise not_written(method)
            case "runtime/pool_tokens":  # runtime, handle -> {tokens: a number, or null}
                raise not_written(method)
            case "runtime/usage_tokens":  # runtime, handle -> {tokens}
                raise not_written(method)
            case "clock/advance":  # seconds -> {}; for the capability clock
                raise not_written(method)
            # [client]
            case "client/create":  # agent, tools, relays, interprets; perhaps system_prompt, store -> {}
                raise not_written(method)
            case "client/run":  # agent, prompt -> a RunResult
                raise not_written(method)
            case "client/ask":  # agent, prompt, conversation -> a RunResult
                raise not_written(method)
            case "client/run_with_answer":  # agent, history, pending, answer -> a RunResult
                raise not_written(method)
            case "client/ask_with_answer":  # agent, conversation, pending, answer -> a RunResult
                raise not_written(method)
            case "client/stored":  # agent, conversation -> {messages: a list, or null}
                raise not_written(method)
            # [runtime client]
            case _:
                raise not_written(method)

    # [all]


if __name__ == "__main__":  # for --driver "stdio:python driver.py"
    sdk.serve(create())
