/**
 * A driver: through it the suite reaches your agents.
 *
 * The suite owns the model, the tools and the host; your agent is given a model and tools that ask the suite
 * (`ask`). Nothing is written yet, and every method says so: no scenario passes by accident. To see what to
 * write next, and then what is still wrong, in the folder of this file:
 *
 *     outlast doctor --driver "stdio:node driver.mjs"
 *
 * Both sides speak JSON-RPC 2.0, one object a line: schemas/protocol.schema.json has each method, with examples.
 * stdout belongs to the protocol; print to stderr (console.error).
 */

// What your agents ask of the suite, and tell it:
//   await ask("model/generate", { agent, messages })                   {chunks, tool_calls, usage}
// [agent]
//   await ask("tool/execute", { agent, call_id, tool, arguments })     {content, pending}
//   tell("event", { agent, event: { type: "AgentStart" } })            each event of a run, as it is emitted
// [runtime client]
//   await ask("tool/execute", { agent, call_id, tool, arguments, answer })
//                                                                      {content, pending} or {suspends}
//   await ask("host/wait_for", { agent, request })                     {answer}, where `interprets` was true
// [runtime]
//   tell("runtime/moved", { runtime, handle, before, after })          a step of a handle (state-traces)
// [all]
// `ask` throws where the model or the tool fails, or where the run was stopped: deal with it as your agent deals with
// such a failure; a run that fails by it throws Refused.

// What the suite asks of your agents, which it calls by name (`main`, and whatever a scenario needs). A method
// gives its result, or a promise of it. Where your agent refuses something: throw new Refused(code, message).
const methods = {
  initialize: () => ({
    protocol_version: 1,
    name: "my agent",
    version: "0.1",
    language: "javascript",
    profiles: ["agent"],
    // [agent]
    // What it can do besides: children, denial, live-views, threads, updates.
    // [runtime]
    // What it can do besides: clock, runtime-budget, runtime-interpreter, state-traces.
    // [client]
    // What it can do besides: answers, disk-store, relays.
    // [all]
    // Claim nothing before it works; `outlast doctor` says when it does.
    capabilities: [],
  }),

  // A new scenario begins: forget all agents, whatever they are doing.
  reset: () => ({}),

  // The end: leave nothing running.
  shutdown: () => {
    process.stdin.destroy();
    return {};
  },

  // [agent]
  // Make a fresh agent of that name, with an empty conversation and these tools. {}
  "agent/create": ({ agent, tools, pause_on_pending, max_rounds, system_prompt, approves }) =>
    notWritten("agent/create"),

  // Run it with new user text. {message: the reply}, after the run's last event.
  "agent/prompt": ({ agent, text }) => notWritten("agent/prompt"),

  // The conversation so far. {messages}
  "agent/messages": ({ agent }) => notWritten("agent/messages"),

  // Put a message, or the result of a call that is pending, into the inbox. Answered at once. {}
  "inbox/push": ({ agent, text, handle }) => notWritten("inbox/push"),
  "inbox/resolve": ({ agent, call_id, text, handle }) => notWritten("inbox/resolve"),
  "inbox/reject": ({ agent, call_id, text, handle }) => notWritten("inbox/reject"),

  // Run it without new user text, on what has come into the inbox. As agent/prompt.
  "agent/resume": ({ agent }) => notWritten("agent/resume"),

  // The calls whose result is still owed, each with its id. {calls}
  "agent/pending_calls": ({ agent }) => notWritten("agent/pending_calls"),

  // Whether the conversation ends in something that the model has not answered. {needs_reply}
  "agent/needs_reply": ({ agent }) => notWritten("agent/needs_reply"),

  // Put a saved conversation in the place of the present one, as after a restart. {}
  "agent/replace_messages": ({ agent, messages }) => notWritten("agent/replace_messages"),

  // Ask a run in progress to stop. Answered at once, and the run ends soon after. {}
  "agent/stop": ({ agent }) => notWritten("agent/stop"),

  // Only for the capabilities children, updates and threads: context/run_child, tool/update, inbox/threads.
  // [runtime client]
  // The verbs. Above each stand the params that it is given and its result; conformance/PROTOCOL.md tells the rest.
  // [runtime]
  // runtime, definitions, interprets, budget; perhaps inbox_cap -> {}
  "runtime/create": (params) => notWritten("runtime/create"),
  // runtime, name; perhaps under, budget -> {handle: its id}
  "runtime/spawn": (params) => notWritten("runtime/spawn"),
  // runtime, handle, text; perhaps from -> {}, at once
  "runtime/post": (params) => notWritten("runtime/post"),
  // runtime, handle, prompt -> {}, at once: the turn goes on behind it
  "runtime/wake": (params) => notWritten("runtime/wake"),
  // runtime, handle; perhaps timeout -> a TaskResult
  "runtime/wait": (params) => notWritten("runtime/wait"),
  // runtime, handle -> {}, at once
  "runtime/interrupt": (params) => notWritten("runtime/interrupt"),
  // runtime, handle, force -> {}, at once
  "runtime/close": (params) => notWritten("runtime/close"),
  // runtime, answer -> a TaskResult
  "runtime/resume": (params) => notWritten("runtime/resume"),
  // runtime -> {views}
  "runtime/list": (params) => notWritten("runtime/list"),
  // runtime, handle -> a HandleView
  "runtime/inspect": (params) => notWritten("runtime/inspect"),
  // runtime, handle -> {state}
  "runtime/state_of": (params) => notWritten("runtime/state_of"),
  // runtime, handle -> {inbox}
  "runtime/inbox_len": (params) => notWritten("runtime/inbox_len"),
  // runtime, handle -> {tokens: a number, or null}
  "runtime/pool_tokens": (params) => notWritten("runtime/pool_tokens"),
  // runtime, handle -> {tokens}
  "runtime/usage_tokens": (params) => notWritten("runtime/usage_tokens"),
  // seconds -> {}; for the capability clock
  "clock/advance": (params) => notWritten("clock/advance"),
  // [client]
  // agent, tools, relays, interprets; perhaps system_prompt, store -> {}
  "client/create": (params) => notWritten("client/create"),
  // agent, prompt -> a RunResult
  "client/run": (params) => notWritten("client/run"),
  // agent, prompt, conversation -> a RunResult
  "client/ask": (params) => notWritten("client/ask"),
  // agent, history, pending, answer -> a RunResult
  "client/run_with_answer": (params) => notWritten("client/run_with_answer"),
  // agent, conversation, pending, answer -> a RunResult
  "client/ask_with_answer": (params) => notWritten("client/ask_with_answer"),
  // agent, conversation -> {messages: a list, or null}
  "client/stored": (params) => notWritten("client/stored"),
  // [all]
};

/** An answer like any other. Codes: aborted (the run was stopped), nothing-to-do, empty-prompt, busy, other. */
class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.answer = { code: 1, message, data: { code } };
  }
}

function notWritten(method) {
  const answer = { code: -32601, message: `${method} is not written yet, see driver.mjs` };
  throw Object.assign(new Error(answer.message), { answer });
}

// JSON-RPC, which can stay as it is. While the suite keeps a request of ours waiting it may ask other things.

const waiting = new Map();
let lastId = 0;

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function tell(method, params) {
  send({ method, params });
}

function ask(method, params) {
  return new Promise((resolve, reject) => {
    lastId += 1;
    waiting.set(lastId, { resolve, reject });
    send({ id: lastId, method, params });
  });
}

async function answer({ id, method, params }) {
  try {
    if (!Object.hasOwn(methods, method)) notWritten(method);
    send({ id, result: (await methods[method](params)) ?? {} });
  } catch (error) {
    send({ id, error: error.answer ?? { code: -32603, message: String(error), data: error.stack } });
  }
}

function receive(message) {
  if (message.method !== undefined) {
    answer(message);
    return;
  }
  const { resolve, reject } = waiting.get(message.id);
  waiting.delete(message.id);
  if (message.error) reject(new Error(message.error.message)); // error.data.code is "aborted" in a stopped run
  else resolve(message.result);
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) receive(JSON.parse(line));
});
