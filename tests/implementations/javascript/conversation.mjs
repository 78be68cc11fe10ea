/**
 * Conversations: how messages are made, and what follows from them.
 *
 * A conversation is a list of messages in the form in which they are also written out, and it is the whole
 * of an agent's state. What is still owed, what was cut short and whose turn it is are functions of the
 * list: a restored conversation needs nothing beside itself. Messages are only ever added at its end.
 *
 * Knows nothing of runs, inboxes and events.
 */

import { randomUUID } from "node:crypto";

function message(role, content, more = {}) {
  // Random ids cannot collide with those of a restored conversation, nor with ids that were lost in a crash
  // and that the host still knows.
  return { id: `m-${randomUUID()}`, role, content, timestamp: Date.now(), ...more };
}

/** What the model is told about itself; it is given with a conversation and not kept in it. */
export function systemMessage(content) {
  return message("system", content);
}

/** What the user says. */
export function userMessage(content) {
  return message("user", content);
}

/** What the model says; the calls that it makes get their ids here. */
export function assistantMessage(content, calls) {
  if (calls.length === 0) return message("assistant", content);
  const tool_calls = calls.map(({ name, arguments: args }) => {
    return { id: `c-${randomUUID()}`, name, arguments: args };
  });
  return message("assistant", content, { tool_calls });
}

/** What a call has given, be it a placeholder, its result or its failure. */
export function resultMessage(call, result, content = result.content) {
  return message("tool_result", content, {
    tool_result: { tool_call_id: call.id, tool_name: call.name, ...result },
  });
}

/** The real result of a pending call, headed so that the model can tell which call it answers. */
export function lateResultMessage(call, result) {
  const heading = `This is what your earlier call of ${call.name} (${call.id}) has come to:`;
  return resultMessage(call, result, `${heading}\n\n${result.content}`);
}

/** The calls whose only result is a placeholder, in the order in which they were made. */
export function pendingCalls(messages) {
  return callsThatHave("placeholder", messages).map(({ id, name }) => ({ id, name }));
}

/** The calls that have no result at all: a process has died before they had one. */
export function danglingCalls(messages) {
  return callsThatHave("nothing", messages);
}

function callsThatHave(what, messages) {
  const calls = new Map();
  for (const { tool_calls, tool_result } of messages) {
    for (const call of tool_calls ?? []) calls.set(call.id, { call, has: "nothing" });
    const entry = calls.get(tool_result?.tool_call_id);
    if (entry) entry.has = tool_result.pending ? "placeholder" : "result";
  }
  return [...calls.values()].filter(({ has }) => has === what).map(({ call }) => call);
}

/** Whether the conversation ends in something that the model has still to respond to. */
export function needsReply(messages) {
  const last = messages.findLast(({ role }) => role !== "system");
  return last !== undefined && (last.role !== "assistant" || last.tool_calls?.length > 0);
}
