"""What an implementation asks and tells in lines, asked of the host and told it. Knows nothing of lines."""

from __future__ import annotations

from conformance.drivers import wire
from conformance.drivers.base import Host
from conformance.drivers.wire import Object


def tell(host: Host, method: str, params: Object) -> None:
    """A notification."""
    if method == "event":
        host.event(str(params["agent"]), wire.mapping(params["event"]))
    else:
        host.moved(str(params["runtime"]), str(params["handle"]), str(params["before"]), str(params["after"]))


async def ask(host: Host, method: str, params: Object) -> Object:
    """The result of a request. Raises what the host raises."""
    agent = str(params["agent"])
    if method == "model/generate":
        return wire.generation_to_json(await host.generate(agent, wire.objects(params["messages"])))
    if method == "host/wait_for":
        return {"answer": await host.wait_for(agent, wire.mapping(params["request"]))}
    call = agent, str(params["call_id"]), str(params["tool"]), wire.mapping(params["arguments"])
    if method == "tool/execute":
        answer = wire.mapping(params["answer"]) if "answer" in params else None
        return wire.outcome_to_json(await host.execute(*call, answer))
    refusal = await host.approve(*call)
    return {"approved": True} if refusal is None else {"approved": False, "reason": refusal}
