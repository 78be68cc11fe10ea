/**
 * An agent whose work can outlast a single run: pending results, an inbox, resuming, child agents.
 *
 * The agent owns a conversation and an inbox. What a run does, turn by turn, is in run.mjs.
 */

import { needsReply, pendingCalls } from "./conversation.mjs";
import { AgentError } from "./errors.mjs";
import { Inbox } from "./inbox.mjs";
import { Run } from "./run.mjs";

export { AgentError };

/** What a tool returns whose work goes on; the real result follows through the inbox. */
export function pending(content) {
  return { content, pending: true };
}

export class Agent {
  #config;
  #messages = [];
  #items = [];
  #running = null;

  /**
   * - tools: the tools by name, each a function (args, context) => text or pending(text); it fails by
   *   throwing. The context has callId, signal, update(partial) and runChild(agent, prompt, backend).
   * - pauseOnPending: whether a turn that leaves calls pending ends the run.
   * - maxRounds: after how many rounds of tool calls no more are executed.
   * - systemPrompt: what the model is given ahead of the conversation.
   * - approve: a function (call) => undefined, or the reason for which the call may not be executed.
   */
  constructor({ tools = {}, pauseOnPending = false, maxRounds = 8, systemPrompt, approve } = {}) {
    const byName = new Map(Object.entries(tools));
    this.#config = { tools: byName, pauseOnPending, maxRounds, systemPrompt, approve };
  }

  /**
   * Runs with new user text. `backend.generate(messages, signal)` is the model and gives {chunks,
   * tool_calls, usage}; `emit(event)` is called with every event; `signal` stops the run as stop() does.
   *
   * Gives the final answer's message, or undefined where the run paused or reached its limit. Rejects with
   * an AgentError where it did not begin, or after its last event where it was stopped or the model failed.
   */
  async prompt(text, backend, emit, { signal } = {}) {
    this.#mustBeIdle();
    // With something in the inbox there is something to say to the model even without text.
    if (text === "" && this.#items.length === 0) {
      throw new AgentError("empty-prompt", "the prompt has no text");
    }
    return this.#run(text, backend, emit, signal);
  }

  /** Runs on from where the conversation stands, with no new user text; otherwise as prompt() does. */
  async resume(backend, emit, { signal } = {}) {
    this.#mustBeIdle();
    if (this.#items.length === 0 && !this.needsReply()) {
      throw new AgentError("nothing-to-do", "the inbox is empty, and the model has replied to everything");
    }
    return this.#run("", backend, emit, signal);
  }

  /** Asks the run in progress to stop; it rejects with `aborted`. Does nothing where there is none. */
  stop() {
    this.#running?.abort();
  }

  /** A handle for reaching the agent from outside its run. */
  inbox() {
    return new Inbox(this.#items);
  }

  /** The calls whose real result is still owed. */
  pendingCalls() {
    return pendingCalls(this.#messages);
  }

  /** Whether the conversation ends in something that the model has still to respond to. */
  needsReply() {
    return needsReply(this.#messages);
  }

  /** The conversation, which may be saved as JSON. */
  get messages() {
    return [...this.#messages];
  }

  /** Puts a saved conversation in place of the agent's own. What is in the inbox stays there. */
  replaceMessages(messages) {
    this.#mustBeIdle();
    this.#messages = [...messages];
  }

  #mustBeIdle() {
    if (this.#running) throw new AgentError("busy", "the agent has a run in progress");
  }

  async #run(text, backend, emit, outerSignal) {
    this.#running = new AbortController();
    const signals = [this.#running.signal, ...(outerSignal ? [outerSignal] : [])];
    const run = new Run({
      config: this.#config,
      messages: this.#messages,
      items: this.#items,
      backend,
      emit,
      signal: AbortSignal.any(signals),
    });
    try {
      return await run.start(text);
    } finally {
      this.#running = null;
    }
  }
}
