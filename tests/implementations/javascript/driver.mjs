/**
 * The driver: through it the suite reaches the agents of agent.mjs.
 *
 *     outlast run --driver "stdio:node tests/implementations/javascript/driver.mjs"
 *
 * What may be asked, by either side, and how it is answered: schemas/protocol.schema.json.
 */

import { Agent, pending } from "./agent.mjs";
import { ask, DriverError, serve, tell } from "./rpc.mjs";

const PROTOCOL_VERSION = 1;

/** One agent of a scenario. Its model, its tools and who watches its events are on the other side. */
class Actor {
  executing = new Map(); // The contexts of the tool calls that are being executed, by the calls' ids.
  isForgotten = false;

  constructor(name, { tools, pause_on_pending, max_rounds, system_prompt, approves }) {
    this.name = name;
    this.agent = new Agent({
      tools: Object.fromEntries(tools.map((tool) => [tool, this.#execute.bind(this, tool)])),
      pauseOnPending: pause_on_pending,
      maxRounds: max_rounds,
      systemPrompt: system_prompt,
      approve: approves ? (call) => this.#approve(call) : undefined,
    });
    const first = this.agent.inbox();
    this.inboxes = { first, copy: first.clone(), second: this.agent.inbox() };
    this.backend = { generate: (messages) => this.#ask("model/generate", { messages }) };
  }

  emit = (event) => {
    if (!this.isForgotten) tell("event", { agent: this.name, event });
  };

  async #execute(tool, args, context) {
    this.executing.set(context.callId, context);
    try {
      const call = { call_id: context.callId, tool, arguments: args };
      const outcome = await this.#ask("tool/execute", call);
      return outcome.pending ? pending(outcome.content) : outcome.content;
    } finally {
      this.executing.delete(context.callId);
    }
  }

  async #approve({ id, name, arguments: args }) {
    const call = { call_id: id, tool: name, arguments: args };
    const { approved, reason } = await this.#ask("tool/approve", call);
    return approved ? undefined : (reason ?? "no reason was given");
  }

  // A run that is stopped needs no care here: the suite answers its open requests itself.
  async #ask(method, params) {
    if (this.isForgotten) throw new Error("the scenario is over");
    return ask(method, { agent: this.name, ...params });
  }

  forget() {
    this.isForgotten = true;
    this.agent.stop();
  }
}

const actors = new Map(); // The agents of the scenario, by their names.

function actorOf(name) {
  const actor = actors.get(name);
  if (actor === undefined) throw new DriverError(-32602, `there is no agent ${name}`);
  return actor;
}

function inboxOf({ agent, handle }) {
  return actorOf(agent).inboxes[handle];
}

/** What a tool that is being executed was given. */
function contextOf({ agent, call_id }) {
  const context = actorOf(agent).executing.get(call_id);
  if (context === undefined) throw new DriverError(-32602, `${agent} is not executing ${call_id}`);
  return context;
}

serve({
  initialize({ protocol_versions }) {
    if (!protocol_versions.includes(PROTOCOL_VERSION)) {
      throw new DriverError(-32602, `this driver speaks version ${PROTOCOL_VERSION} of the protocol only`);
    }
    return {
      protocol_version: PROTOCOL_VERSION,
      name: "outlast example",
      version: "1.0.0",
      language: "javascript",
      profiles: ["agent"],
      // Not `threads`: what calls the inbox in JavaScript is on the thread of the run, always.
      capabilities: ["children", "denial", "live-views", "updates"],
    };
  },

  "agent/create"({ agent, ...options }) {
    actors.get(agent)?.forget();
    actors.set(agent, new Actor(agent, options));
  },

  async "agent/prompt"({ agent, text }) {
    const actor = actorOf(agent);
    return { message: await actor.agent.prompt(text, actor.backend, actor.emit) };
  },
  async "agent/resume"({ agent }) {
    const actor = actorOf(agent);
    return { message: await actor.agent.resume(actor.backend, actor.emit) };
  },
  "agent/stop": ({ agent }) => actorOf(agent).agent.stop(),

  "agent/messages": ({ agent }) => ({ messages: actorOf(agent).agent.messages }),
  "agent/replace_messages": ({ agent, messages }) => actorOf(agent).agent.replaceMessages(messages),
  "agent/pending_calls": ({ agent }) => ({ calls: actorOf(agent).agent.pendingCalls() }),
  "agent/needs_reply": ({ agent }) => ({ needs_reply: actorOf(agent).agent.needsReply() }),

  "inbox/push": (to) => inboxOf(to).push(to.text),
  "inbox/resolve": (to) => inboxOf(to).resolve(to.call_id, to.text),
  "inbox/reject": (to) => inboxOf(to).reject(to.call_id, to.text),

  async "context/run_child"({ child, prompt, ...call }) {
    const actor = actorOf(child);
    return { message: await contextOf(call).runChild(actor.agent, prompt, actor.backend) };
  },
  "tool/update": ({ partial, ...call }) => contextOf(call).update(partial),

  reset() {
    for (const actor of actors.values()) actor.forget();
    actors.clear();
  },
  shutdown() {
    process.stdin.destroy(); // With nothing left to wait for, the process ends when this is answered.
  },
});
