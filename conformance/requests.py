"""Requests and Answers as the host has them: in one form, whoever made them, and with ids for references.

Knows nothing of how they cross.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.reading import mapping_at, text_at
from conformance.scenario import Json, Step
from conformance.stage import Stage


def as_seen(result: dict[str, Json]) -> dict[str, Json]:
    """A result whose request, if it is pending, has the one form in which patterns and reports see it."""
    pending = result.get("pending")
    return {**result, "pending": request_seen(pending)} if isinstance(pending, dict) else result


def request_seen(request: dict[str, Json]) -> dict[str, Json]:
    """A Request whose `data.path` is one text. Whether it is that or a list of segments is left open."""
    data = request.get("data")
    path = data.get("path") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(path, list):
        return request
    return {**request, "data": {**data, "path": "/".join(map(str, path))}}


def answer_to(step: Step, reference: str, stage: Stage) -> dict[str, Json] | None:
    """The Answer that a step gives, with the id that `reference` stands for; None, and a failure, where no
    such request has been made."""
    id = stage.ids.get(reference)
    if id is None:
        message = f"{reference} was never made"
        stage.fail("play", message, step.covers, position=step.position, agent=step.agent)
        return None
    answer: dict[str, Json] = {"id": id, "ok": mapping_at({"step": step.argument}, "step").get("ok") is True}
    if "data" in (fields := mapping_at({"step": step.argument}, "step")):
        answer["data"] = with_ids(fields["data"], stage.ids)
    if reason := text_at(step.argument, "reason"):
        answer["reason"] = reason
    return answer


def with_ids(value: Json, ids: Mapping[str, str]) -> Json:
    """A value in which each text that is a reference is the id that it stands for."""
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, list):
        return [with_ids(item, ids) for item in value]
    if isinstance(value, dict):
        return {key: with_ids(item, ids) for key, item in value.items()}
    return value
