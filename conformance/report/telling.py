"""The parts of a scenario in sentences: what the host does, what the model says, what a tool answers.

Each is a list of `Said`; how they are laid out is for `timeline`. Knows scenarios, not how they are played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.reading import list_at, text_at
from conformance.report import verbs, wording
from conformance.scenario import (
    ABSENT,
    MAIN,
    InterpreterEntry,
    Json,
    ModelEntry,
    Scenario,
    ScriptedCall,
    Step,
    ToolEntry,
)

Who = Literal["host", "model", "tool", "expect", "event", "note", "failed"]


@dataclass(frozen=True, slots=True)
class Said:
    """One thing in a play: who, what in a line, and the lines below it."""

    who: Who
    what: str
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells the parts of one scenario. Agents are named only where there are several."""

    scenario: Scenario

    # The host

    def step(self, step: Step) -> Iterator[Said]:
        """What the host does in a step or an action."""
        if step.word == "check":
            yield from self._check(step)
        elif step.word == "threads":
            threads = len(step.threads)
            yield Said("host", f"at once, from {threads} threads:")
            for number, actions in enumerate(step.threads, start=1):
                for said in (said for action in actions for said in self.step(action)):
                    yield Said("host", f"  {number}: {said.what}", said.below)
        else:
            yield Said("host", self._action(step), self._messages(step))

    def expectations(self, step: Step) -> Iterator[Said]:
        """What is expected of the run that a step began or saw to its end."""
        about = _about(step.covers)
        if step.emits is not None:
            if step.emits:
                yield Said("expect", f"emits{about}:", tuple(event_lines(step.emits)))
            else:
                yield Said("expect", f"emits nothing{about}")
        for word, pattern in (("result", step.result), ("error", step.error)):
            if pattern is not ABSENT:
                yield Said("expect", f"{_outcome(step.word, word, pattern)}{about}")

    def _action(self, step: Step) -> str:
        argument = step.argument if isinstance(step.argument, dict) else {}
        whom = "" if step.agent == MAIN and self._is_alone() else f" {step.agent}"
        match step.word:
            case "prompt":
                return f"prompts{whom}: {wording.printable(str(step.argument), keep='')}"
            case "resume" | "stop":
                return f"{step.word}s{whom or ' the agent'}"
            case "crash":
                return "kills the process"
            case "start" | "finish" if self.scenario.profile == "runtime":
                return verbs.doing(step, whom)
            case "start":
                prompt = argument.get("prompt")
                how = f"prompts{whom}: {prompt}" if "prompt" in argument else f"resumes{whom or ' the agent'}"
                return f"{how} (held at its first model call)"
            case "finish":
                return f"lets the run{f' of{whom}' if whom else ''} go on, and waits for its end"
            case "restore":
                return f"starts afresh{_for(whom)} with the saved conversation"
            case "new" if self.scenario.profile == "client":
                return f"starts afresh{_for(whom)}"
            case "new":
                return f"starts afresh{_for(whom)} without a conversation"
            case "replace_messages":
                return f"gives{whom or ' the agent'} this conversation:"
            case "push" | "resolve" | "reject":
                return self._put(step, argument, whom)
            case _:
                return verbs.doing(step, whom)

    def _put(self, step: Step, argument: Mapping[str, Json], whom: str) -> str:
        handle = {"copy": " (copied handle)", "second": " (second handle)"}.get(
            str(argument.get("handle")), ""
        )
        to = f" to{whom}" if whom else ""
        if step.word == "push":
            return f"pushes{to}{handle}: {wording.printable(text_at(step.argument, 'text'), keep='')}"
        call, text = text_at(step.argument, "call"), text_at(step.argument, "with")
        word = "resolves" if step.word == "resolve" else "rejects"
        return f"{word} {call}{to}{handle}: {wording.printable(text, keep='')}"

    def _messages(self, step: Step) -> tuple[str, ...]:
        if step.word != "replace_messages" or not isinstance(step.argument, list):
            return ()
        return tuple(wording.message(message) for message in step.argument) or ("(none)",)

    def _check(self, step: Step) -> Iterator[Said]:
        views = step.argument if isinstance(step.argument, dict) else {}
        of = "" if step.agent == MAIN and self._is_alone() else f" of {step.agent}"
        about = _about(step.covers)
        for view, pattern in views.items():
            if view == "needs_reply":
                yield Said("expect", f"{'a' if pattern is True else 'no'} reply is due{of}{about}")
                continue
            if self.scenario.profile != "agent":
                yield from self._later_view(step, view, pattern)
                continue
            name = {"emitted": "emitted so far", "pending_calls": "pending calls"}.get(view, view)
            items = pattern if isinstance(pattern, list) else [pattern]
            if not items:
                yield Said(
                    "expect", f"no {name}{of}{about}" if view == "pending_calls" else f"{name}: nothing"
                )
            else:
                lines = event_lines(items) if view == "emitted" else _items(items)
                yield Said("expect", f"{name}{of}{about}:", tuple(lines))

    def _later_view(self, step: Step, view: str, pattern: Json) -> Iterator[Said]:
        """A view of the profiles that have handles and stores."""
        about = _about(step.covers)
        if view == "stored" and isinstance(pattern, dict):
            of = "" if self._is_alone() else f" by {step.agent}"
            for name, messages in verbs.stored(pattern):
                lines = tuple(_items(messages)) if messages is not None else ()
                yield Said("expect", f"{name}{of}{about}{':' if lines else ''}", lines)
        elif view == "list" and isinstance(pattern, list):
            of = "" if step.runtime == MAIN else f" of the runtime {step.runtime}"
            yield Said("expect", f"list{of}{about}:", tuple(_items(pattern)))
        else:
            yield Said("expect", f"{view} of {step.handle}{about}: {wording.said(pattern)}")

    # The model

    def given(self, agent: str, entry: ModelEntry) -> Iterator[Said]:
        """What the model is expected to be given."""
        if entry.sees is not None:
            whose = "the model" if self._is_alone() else agent
            about = _about(entry.covers)
            if entry.sees:
                yield Said("expect", f"{whose} is given{about}:", tuple(_items(entry.sees)))
            else:
                yield Said("expect", f"{whose} is given nothing{about}")

    def reply(self, agent: str, entry: ModelEntry, names: Sequence[str] = ()) -> Iterator[Said]:
        """What the model replies; `names` are the references of its calls."""
        whose = "" if self._is_alone() else f"{agent} "
        if entry.raises is not None:
            yield Said("model", f"{whose}fails: {wording.printable(entry.raises, keep='')}")
        text = "".join(entry.chunks)
        if text or not (entry.calls or entry.raises is not None):
            pieces = f" (in {len(entry.chunks)} pieces)" if len(entry.chunks) > 1 else ""
            said = wording.printable(text, keep="") or "nothing"
            yield Said("model", f"{whose}says{pieces}: {said}")
        for number, call in enumerate(entry.calls):
            name = f" as {names[number]}" if number < len(names) else ""
            yield Said("model", f"{whose}calls {_called(call)}{name}")

    # Tools

    def found(self, tool: str, entry: ToolEntry) -> Iterator[Said]:
        """Which Answer a tool is expected to find in its context."""
        if entry.with_answer is not ABSENT:
            is_none = wording.operator_of(entry.with_answer) == "$absent"
            answer = "no Answer" if is_none else f"the Answer {wording.said(entry.with_answer)}"
            yield Said("expect", f"{tool} finds {answer}{_about(entry.covers)}")

    def progress(self, tool: str, entry: ToolEntry) -> Iterator[Said]:
        """What a tool reports while it executes. `tool` is its name, with the call's if that is known."""
        for partial in entry.updates:
            yield Said("tool", f"{tool} reports: {wording.printable(partial, keep='')}")

    def child(self, tool: str, entry: ToolEntry) -> Iterator[Said]:
        """That a tool runs another agent."""
        if entry.runs_child is not None:
            prompt = wording.printable(entry.runs_child.prompt, keep="")
            yield Said("tool", f"{tool} runs {entry.runs_child.agent}: {prompt}")

    def answer(self, tool: str, entry: ToolEntry) -> Iterator[Said]:
        """What a tool answers, and what is expected of the child that it ran."""
        child = entry.runs_child
        if child is not None:
            for word, pattern in (("result", child.result), ("error", child.error)):
                if pattern is not ABSENT:
                    yield Said("expect", _outcome("run_child", word, pattern))
        text = wording.printable(entry.text, keep="")
        words = {
            "returns": f"returns: {text}",
            "pending": f"is pending: {text}",
            "raises": f"fails: {text}",
            "denied": f"is not allowed: {text}",
            "reply": f"returns the reply of {child.agent}" if child is not None else "returns",
            "suspends": f"suspends for {verbs.request({**(entry.request or {})})}",
        }
        yield Said(
            "host" if entry.outcome == "denied" else "tool",
            f"{tool} {words.get(entry.outcome, entry.outcome)}",
        )

    def interpreter(self, agent: str, entry: InterpreterEntry) -> Iterator[Said]:
        """What an interpreter answers; that of the runtime has no agent."""
        whose = f"{agent}'s interpreter" if agent else "the runtime's interpreter"
        if entry.raises is not None:
            yield Said("host", f"{whose} fails: {wording.printable(entry.raises, keep='')}")
        else:
            fields: dict[str, Json] = {"ok": entry.ok, "reason": entry.reason}
            if entry.data is not None:
                fields["data"] = {**entry.data}
            yield Said("host", f"{whose} answers: {verbs.answer(fields)}")

    def asked(self, agent: str, entry: InterpreterEntry) -> Iterator[Said]:
        """What an interpreter is expected to be asked."""
        if entry.sees is not ABSENT:
            whose = f"{agent}'s interpreter" if agent else "the runtime's interpreter"
            yield Said("expect", f"{whose} is asked{_about(entry.covers)}: {wording.said(entry.sees)}")

    def _is_alone(self) -> bool:
        return len(self.scenario.agents) == 1


def event_lines(elements: Sequence[Json]) -> Iterator[str]:
    """A list pattern for events, the streams of children below their calls."""
    for written in elements:
        name, fields = wording.element(written, is_event=True)
        stream = list_at(fields, "events")
        if not isinstance(fields, dict) or not stream:
            yield wording.expected(written, is_event=True)
            continue
        own: dict[str, Json] = {key: pattern for key, pattern in fields.items() if key != "events"}
        yield f"{wording.expected({name: own}, is_event=True)}, all of them:"
        yield from (f"  {line}" for line in event_lines(stream))


def _items(written: Sequence[Json]) -> Iterator[str]:
    """A list pattern for messages or calls, with alternatives in lines of their own."""
    for each in written:
        if wording.operator_of(each) in ("$one_of", "$unordered"):
            yield "one of:" if wording.operator_of(each) == "$one_of" else "in any order:"
            inner = next(iter(each.values())) if isinstance(each, dict) else None
            yield from (f"  {line}" for line in _items(inner if isinstance(inner, list) else []))
        else:
            yield wording.expected(each, is_event=False)


def _called(call: ScriptedCall) -> str:
    return f"{call.name} {wording.flow(call.arguments)}" if call.arguments else call.name


def _outcome(word: str, kind: str, pattern: Json) -> str:
    if kind == "error":
        anything = isinstance(pattern, dict) and pattern.get("$any") is True
        return f"{word} answers with an error{'' if anything else f': {wording.said(pattern)}'}"
    return f"{word} answers: {wording.said(pattern)}"


def _about(covers: Sequence[str]) -> str:
    return f" (about {', '.join(covers)})" if covers else ""


def _for(whom: str) -> str:
    return f" for{whom}" if whom else ""
