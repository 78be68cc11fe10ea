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
//   await ask("tool/execute", { agent, call_id, tool, arguments })     {content, pending}
//   tell("event", { agent, event: { type: "AgentStart" } })            each event of a run, as it is emitted

// What the suite asks of your agents, which it calls by name (`main`, and whatever a scenario needs). A method
// gives its result, or a promise of it. Where your agent refuses something: throw new Refused(code, message).
const methods = {
  initialize: () => ({
    protocol_version: 1,
    name: "my agent",
    version: "0.1",
    language: "javascript",
    profiles: ["agent"],
    // What it can do besides: children, denial, live-views, threads, updates. Claim nothing before it works;
    // `outlast doctor` says when it does.
    capabilities: [],
  }),

  // A new scenario begins: forget all agents, whatever they are doing.
  reset: () => ({}),

  // The end: leave nothing running.
  shutdown: () => {
    process.stdin.destroy();
    return {};
  },

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
