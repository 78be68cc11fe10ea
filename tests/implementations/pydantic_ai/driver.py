"""Scenarios played against an agent of pydantic-ai: its prompts, its tools and the events of its runs.

A driver for an agent that one has begins like this. pydantic-ai has no inbox, and a placeholder is a result
like any other to it: the scenarios about these do not pass, and say why.
"""

from importlib.metadata import version

from pydantic_ai import Agent, FunctionToolCallEvent, FunctionToolResultEvent, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from conformance import HostError, Implementation, ImplementationError, PartialDriver


class PydanticAI(PartialDriver):
    async def start(self, host):
        self.host, self.agents, self.history = host, {}, {}
        return Implementation("pydantic-ai", version("pydantic-ai-slim"), "python", {"agent"}, set())

    async def create(self, agent, options):
        async def model(history, info):
            reply = await self.host.generate(agent, neutral(history))
            calls = [ToolCallPart(call["name"], call["arguments"]) for call in reply.tool_calls]
            return ModelResponse([TextPart("".join(reply.chunks)), *calls])

        def tool(name):
            async def execute(context, **arguments):
                return (await self.host.execute(agent, context.tool_call_id, name, arguments)).content

            return Tool.from_schema(execute, name, None, {"type": "object"}, takes_ctx=True)

        self.agents[agent] = Agent(FunctionModel(model), tools=map(tool, options.tools))
        self.history[agent] = []

    async def prompt(self, agent, text):
        before = self.history[agent]
        try:
            async with self.agents[agent].iter(text, message_history=before) as run:
                self.host.event(agent, {"type": "AgentStart"})
                async for node in run:
                    async for event in events(node, run):
                        self.host.event(agent, event)
        except HostError as error:  # the model or a tool failed, and pydantic-ai lets that through
            raise ImplementationError("other", str(error)) from error
        self.history[agent] = run.all_messages()
        added = neutral(run.all_messages())[len(neutral(before)) :]
        self.host.event(agent, {"type": "AgentEnd", "messages": added})
        return {"message": added[-1]}

    async def messages(self, agent):
        return neutral(self.history[agent])


async def events(node, run):
    """What one step of a run is in the events of the suite."""
    if Agent.is_model_request_node(node):
        yield {"type": "TurnStart"}
        yield {"type": "ContextBudget"}
    elif Agent.is_call_tools_node(node):
        answer, results = neutral(run.all_messages())[-1], []
        yield {"type": "GenerationStats"}
        yield {"type": "MessageEnd", "message": answer}
        async with node.stream(run.ctx) as stream:
            async for event in stream:
                call = {"tool_call_id": event.tool_call_id, "tool_name": event.part.tool_name}
                if isinstance(event, FunctionToolCallEvent):
                    yield {"type": "ToolExecStart", **call, "args": event.part.args_as_dict()}
                elif isinstance(event, FunctionToolResultEvent):
                    results.append(of_tool(event.part))
                    yield {"type": "ToolExecEnd", **call, "result": {"content": results[-1]["content"]}}
                    yield {"type": "MessageStart", "message": results[-1]}
                    yield {"type": "MessageEnd", "message": results[-1]}
        yield {"type": "TurnEnd", "message": answer, "tool_results": results}


def neutral(history):
    """A conversation in the form that schemas/message.schema.json describes."""
    found = []
    for message in history:
        if isinstance(message, ModelResponse):
            found.append(of_model(message, len(found)))
        else:
            for part in message.parts:
                is_result = isinstance(part, ToolReturnPart)
                found.append(of_tool(part) if is_result else of_user(part, len(found)))
    return found


def of_model(message, number):
    calls = [
        {"id": call.tool_call_id, "name": call.tool_name, "arguments": call.args_as_dict()}
        for call in message.tool_calls
    ]
    return message_at(message, f"m{number}", "assistant", message.text or "") | {"tool_calls": calls}


def of_user(part, number):
    return message_at(part, f"m{number}", "user", str(part.content))


def of_tool(part):
    content = str(part.content)
    result = {"tool_call_id": part.tool_call_id, "tool_name": part.tool_name, "content": content}
    return message_at(part, f"r{part.tool_call_id}", "tool_result", content) | {"tool_result": result}


def message_at(made, id, role, content):
    timestamp = int(made.timestamp.timestamp() * 1000)
    return {"id": id, "role": role, "content": content, "timestamp": timestamp}
