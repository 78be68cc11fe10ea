"""Relay tools, which the model can call and the host carries out; and the Answers that bring their results.

A relay tool has a schema and no behaviour. Its call suspends with a request of the kind `tool_call`, which
tells the host all relayed calls of the turn. Knows nothing of runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from reference._record import Json, Record, record
from reference.answer import Answer, Request, pending
from reference.errors import AnswerRejected
from reference.messages import ToolCall, ToolOutput
from reference.toolkit import CallContext, FunctionTool, Outcome, object_schema

KIND = "tool_call"
_NONE_GIVEN = ToolOutput("The host gave no result for this call.", is_error=True)


@record
class RelayResult(Record):
    """What the host has for one relayed call."""

    id: str
    output: str
    is_error: bool = False

    _wire_names: ClassVar[Mapping[str, str]] = {"is_error": "isError"}


def relay_tool(
    name: str, description: str = "", input_schema: Mapping[str, Json] | None = None
) -> FunctionTool:
    """A tool that runs nothing: its calls reach the host through the request, and no other way."""

    async def execute(args: Mapping[str, Json], ctx: CallContext) -> Outcome:
        call = ToolCall(ctx.call_id, name, args)
        return pending(relay_request([call])) if ctx.answer is None else results_of(ctx.answer, [call])[0]

    return FunctionTool(name, execute, description, input_schema or object_schema())


def relay_request(calls: Sequence[ToolCall]) -> Request:
    """The request for those calls. Each has its `input`, and the same as JSON text in `arguments`."""
    told: list[Json] = [
        {
            "id": each.id,
            "name": each.name,
            "input": {**each.arguments},
            "arguments": json.dumps(each.arguments),
        }
        for each in calls
    ]
    return Request(KIND, f"carry out {', '.join(each.name for each in calls)}", data={"calls": told})


def answer_output(request_id: str, output: str) -> Answer:
    """The Answer to a request for one call: its result."""
    return Answer(request_id, True, {"output": output})


def relay_answer(request_id: str, results: Iterable[RelayResult]) -> Answer:
    """The Answer to a request for several calls: their results."""
    return Answer(request_id, True, {"results": [each.to_json() for each in results]})


def check_answer(request: Request, answer: Answer) -> None:
    """See that it is an Answer to that request, and that an ok one has something in it.

    Raises:
        AnswerRejected: it is not.
    """
    if answer.id != request.id:
        raise AnswerRejected(f"the answer's id {answer.id!r} does not echo the request's, {request.id!r}")
    if answer.ok and not _has_output(answer) and not isinstance(_data(answer).get("results"), list):
        raise AnswerRejected("an ok answer carries data.output, a text, or data.results, a list")
    if answer.ok:
        _results(answer)


def results_of(answer: Answer, calls: Sequence[ToolCall]) -> list[ToolOutput]:
    """What an ok Answer has for each of those calls: the result with its id; for the first, the one `output`.
    A call that the host gave nothing for failed, and results for other calls are passed over.

    Raises:
        AnswerRejected: the results are not what they should be.
    """
    given = {each.id: ToolOutput(each.output, is_error=each.is_error) for each in _results(answer)}
    outputs = [given.get(each.id, _NONE_GIVEN) for each in calls]
    if outputs[0] is _NONE_GIVEN and _has_output(answer):
        data = _data(answer)
        outputs[0] = ToolOutput(str(data["output"]), is_error=data.get("isError") is True)
    return outputs


def _data(answer: Answer) -> Mapping[str, Json]:
    return answer.data or {}


def _has_output(answer: Answer) -> bool:
    return isinstance(_data(answer).get("output"), str)


def _results(answer: Answer) -> list[RelayResult]:
    found = _data(answer).get("results")
    if not isinstance(found, list):
        return []
    try:
        return [RelayResult.from_json(each) for each in found]
    except ValueError as error:
        raise AnswerRejected(f"data.results: {error}") from error
