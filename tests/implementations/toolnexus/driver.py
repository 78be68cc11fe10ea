"""Scenarios played against the package toolnexus: its runtime of sub-agents, and its client.

It is driven by its public names only, with a model in its own process. That is asked in threads, of which no
two work at once here. What this version of the package does not have (relay tools, a client's answers, a
store on disk, a budget or an interpreter of the runtime's own) is not made up for here: it is not claimed,
and refused where it is asked for all the same, which `outlast doctor` does. README.md tells what else was
found.

    outlast run runtime client --driver python:driver:Toolnexus --known-failures known-failures.yaml
"""

import asyncio
import re
from importlib.metadata import version

from messages import neutral, reply, request_of, run_result, task_result
from threads import Threads
from toolnexus import Answer, Tool, ToolResult, create_in_process_client, create_toolkit, pending
from toolnexus.agents import AgentDef, AgentRuntime, Budget, InboxItem, SpawnError

from conformance import HostError, Implementation, ImplementationError, PartialDriver, ProtocolError

SCHEMA = {"type": "object", "properties": {}}
STEP = re.compile(r"(\S+): (idle|running|suspended|closed)→(idle|running|suspended|closed)\b")
"""A step of a handle, as a runtime's `trace` has it."""
CLOSING_MS = 3_600_000
"""How long a turn may go on that is to close when it ends: the suite decides when that is."""


class Toolnexus(PartialDriver):
    async def start(self, host):
        self.host, self.threads, self.tasks = host, Threads(), set()
        asyncio.get_running_loop().set_default_executor(self.threads)
        self.runtimes, self.clients, self.clock, self.failed = {}, {}, Clock(), {}
        capabilities = {"clock", "state-traces"}
        return Implementation(
            "toolnexus", version("toolnexus"), "python", {"runtime", "client"}, capabilities
        )

    async def reset(self):
        self.threads.forget()
        for task in self.tasks:
            task.cancel()
        for held in self.runtimes.values():
            await held.runtime.close(held.runtime.root, force=True)
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.runtimes, self.clients, self.clock, self.failed = {}, {}, Clock(), {}

    async def crash(self):
        await self.reset()

    async def perform(self, method, params):
        profile, _, verb = method.partition("/")
        if method == "clock/advance":
            self.clock.advance(params["seconds"])
            await asyncio.sleep(0)
            answer = {}
        elif method == "runtime/create":
            self.runtimes[params["runtime"]] = Held(self, params)
            answer = {}
        elif method == "client/create":
            self.clients[params["agent"]] = await self.client(**params)
            answer = {}
        else:
            held = self.runtimes[params["runtime"]] if profile == "runtime" else self.clients[params["agent"]]
            work = getattr(held, verb, None)
            if work is None:  # an Answer to a client
                raise ProtocolError(f"toolnexus has no {verb} in this version")
            task = self.keep(work(params))
            answer = await task
        self.tell_moves()
        return answer

    def keep(self, work):
        """Do something that ends with the scenario, if not before."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def tell_moves(self):
        """Tell what the traces say that has happened since they were looked at last."""
        for name, held in self.runtimes.items():
            for handle, before, after in held.moves():
                self.host.moved(name, handle, before, after)

    # What asks the suite.

    def model(self):
        """The model of all, which is called in a thread; its name is that of the definition or the client."""

        async def ask(request):
            self.tell_moves()
            messages = self.neutral(request["model"], request["messages"])
            return reply(await self.host.generate(request["model"], messages))

        def generate(request):
            return self.threads.ask(lambda: ask(request))

        return generate

    def hooks(self, owner):
        """A transcript does not say which calls have failed; this does, while they are made."""

        def after_tool(event):
            if event["result"].is_error:
                self.failed.setdefault(owner, set()).add((event["id"], event["result"].output))

        return {"after_tool": after_tool}

    def neutral(self, owner, messages):
        return neutral(messages, self.failed.get(owner, ()))

    def tool(self, owner, name):
        async def execute(arguments=None, context=None):
            self.tell_moves()
            answer = None if context is None or context.answer is None else without_none(vars(context.answer))
            try:
                outcome = await self.host.execute(owner, "", name, arguments or {}, answer)
            except HostError as error:
                return ToolResult(error.message, True)
            if outcome.request is not None:
                return pending(**outcome.request)
            return ToolResult(outcome.content, False)

        return Tool(name, name, SCHEMA, "custom", execute)

    def interpreter(self, owner, is_there):
        async def wait_for(request):
            self.tell_moves()
            return Answer(**await self.host.wait_for(owner, request_of(request)))

        return wait_for if is_there else None

    async def client(self, agent, tools, relays, interprets, system_prompt=None, max_turns=None, store=None):
        if relays:
            raise ProtocolError("toolnexus has no relay tools in this version")
        if store is not None:
            raise ProtocolError("toolnexus has no store on disk")
        toolkit = await create_toolkit(builtins=False, extra_tools=[self.tool(agent, each) for each in tools])
        client = create_in_process_client(
            model=agent,
            generate=self.model(),
            system_prompt=system_prompt,
            wait_for=self.interpreter(agent, interprets),
            hooks=self.hooks(agent),
            **({} if max_turns is None else {"max_turns": max_turns}),
        )
        return ClientHeld(client, toolkit, lambda messages: self.neutral(agent, messages))


class Held:
    """A runtime, and its handles by their ids."""

    def __init__(self, driver, params):
        if params["interprets"]:
            raise ProtocolError("a runtime of toolnexus has no interpreter of its own in this version")
        if params["budget"]:
            raise ProtocolError("a runtime of toolnexus has no budget of its own in this version")
        registry = {
            name: AgentDef(
                name,
                found["does"],
                found.get("system_prompt", ""),
                name,
                Budget(**found["budget"]),
                [driver.tool(name, tool) for tool in found["tools"]],
                driver.interpreter(name, found["interprets"]),
                task_targets=found["team"],
                hooks=driver.hooks(name),
            )
            for name, found in params["definitions"].items()
        }
        options = {"inbox_cap": params["inbox_cap"]} if "inbox_cap" in params else {}
        self.driver = driver
        self.runtime = AgentRuntime(
            registry=registry,
            in_process=driver.model(),
            clock=driver.clock,
            shutdown_ms=CLOSING_MS,
            **options,
        )
        self.handles = {"root": self.runtime.root}
        self.seen = 0
        self.last = {}

    def moves(self):
        """The steps in the trace that have not been seen yet. An interrupt is noted twice: when it is asked
        for, and when the turn has ended."""
        lines, self.seen = self.runtime.trace[self.seen :], len(self.runtime.trace)
        for line in lines:
            step = STEP.match(line)
            if step and not ("(interrupted" in line and self.last.get(step[1]) == step.groups()):
                self.last[step[1]] = step.groups()
                yield step.groups()

    async def spawn(self, params):
        parent = self.handles[params.get("under", "root")]
        budget = Budget(**params["budget"]) if "budget" in params else None
        handle = self.runtime.spawn(parent, params["name"], budget)
        if isinstance(handle, SpawnError):
            raise ImplementationError("other", handle.error)
        self.handles[handle.id] = handle
        return {"handle": handle.id}

    async def post(self, params):
        sender, channel = (params["from"], "peer") if "from" in params else ("external", "external")
        return posted(
            self.runtime.post(self.handles[params["handle"]], InboxItem(sender, channel, params["text"]))
        )

    async def wake(self, params):
        return posted(self.runtime.wake(self.handles[params["handle"]], params["prompt"]))

    async def wait(self, params):
        timeout = params["timeout"] * 1000 if "timeout" in params else None
        return task_result(await self.runtime.wait(self.handles[params["handle"]], timeout))

    async def interrupt(self, params):
        """The handle is idle as soon as its turn has been told."""
        handle = self.handles[params["handle"]]
        was_running = self.runtime.inspect(handle).state == "running"
        self.runtime.interrupt(handle)
        if was_running:
            await self.runtime.wait(handle)
        return {}

    async def close(self, params):
        """A close that is not forced waits for the turn that runs, and the host does not wait for that."""
        handle = self.handles[params["handle"]]
        closing = self.driver.keep(self.runtime.close(handle, force=params["force"]))
        running = any(view.state == "running" for view in self.runtime.list(handle))
        if params["force"] or not running:
            await closing
        else:
            await asyncio.sleep(0)
        return {}

    async def resume(self, params):
        try:
            return task_result(await self.runtime.resume(Answer(**params["answer"])))
        except RuntimeError as error:  # nothing is suspended
            raise ImplementationError("nothing-to-do", str(error)) from error

    async def list(self, params):
        return {"views": [vars(view) for view in self.runtime.list()]}

    async def inspect(self, params):
        return vars(self.runtime.inspect(self.handles[params["handle"]]))

    async def state_of(self, params):
        return {"state": self.runtime.inspect(self.handles[params["handle"]]).state}

    async def inbox_len(self, params):
        return {"inbox": self.runtime.inspect(self.handles[params["handle"]]).inbox}

    async def pool_tokens(self, params):
        tokens = self.handles[params["handle"]].pool.tokens
        return {"tokens": None if tokens == float("inf") else int(tokens)}

    async def usage_tokens(self, params):
        return {"tokens": self.runtime.inspect(self.handles[params["handle"]]).tokens}


class ClientHeld:
    """A client and its tools."""

    def __init__(self, client, toolkit, neutral):
        self.made, self.toolkit, self.neutral = client, toolkit, neutral

    async def run(self, params):
        return await self.told(self.made.run(params["prompt"], self.toolkit))

    async def ask(self, params):
        return await self.told(self.made.ask(params["prompt"], self.toolkit, id=params["conversation"]))

    async def stored(self, params):
        kept = await self.made.conversation_store.get(params["conversation"])
        return {"messages": None if kept is None else self.neutral(kept)}

    async def told(self, run):
        try:
            result = await run
            return run_result(result, self.neutral(result.messages))
        except HostError as error:  # the model failed, which is let through
            raise ImplementationError("other", error.message) from error


class Clock:
    """Time that goes on only by `advance`, as a runtime of toolnexus wants to have it."""

    def __init__(self):
        self.time, self.timers, self.made = 0.0, [], 0

    def now(self):
        return self.time

    async def sleep(self, seconds):
        woken = asyncio.get_running_loop().create_future()
        self.call_later(seconds, lambda: woken.done() or woken.set_result(None))
        await woken

    def call_later(self, seconds, callback):
        self.made += 1
        timer = Timer(self.time + seconds, self.made, callback)
        self.timers.append(timer)
        return timer

    def advance(self, seconds):
        until = self.time + seconds
        for timer in sorted(self.timers, key=lambda timer: (timer.due, timer.number)):
            if timer.due <= until:
                self.timers.remove(timer)
                self.time = timer.due
                timer.run()
        self.time = until


class Timer:
    def __init__(self, due, number, callback):
        self.due, self.number, self.callback = due, number, callback

    def run(self):
        if self.callback is not None:
            self.callback()

    def cancel(self):
        self.callback = None


def posted(result):
    if not result.ok:
        raise ImplementationError("other", result.error)
    return {}


def without_none(fields):
    return {name: value for name, value in fields.items() if value is not None}
