/**
 * One run: from AgentStart to AgentEnd, turn by turn.
 *
 * A turn is one call of the model and the execution of the tools that it calls. The inbox is read when a run
 * starts, inside each further turn ahead of its model call, inside a turn with a final answer behind that,
 * and before a pause.
 */

import {
  assistantMessage,
  danglingCalls,
  lateResultMessage,
  pendingCalls,
  resultMessage,
  systemMessage,
  userMessage,
} from "./conversation.mjs";
import { AgentError } from "./errors.mjs";

const STOPPED = "Not executed: the run was stopped.";
const OVER_LIMIT = "Not executed: the run may call no more tools.";
const CUT_SHORT = "The call was cut short. Whether it has taken effect is not known.";

const failed = (content) => ({ content, is_error: true });

export class Run {
  #config;
  #messages;
  #items;
  #backend;
  #emit;
  #signal;
  #before; // How many messages there were before this run.

  constructor({ config, messages, items, backend, emit, signal }) {
    this.#config = config;
    this.#messages = messages;
    this.#items = items;
    this.#backend = backend;
    this.#emit = emit;
    this.#signal = signal;
    this.#before = messages.length;
  }

  /** Gives the final answer's message, or undefined where the run ends without one. */
  async start(text) {
    this.#emit({ type: "AgentStart" });
    try {
      this.#failDanglingCalls();
      this.#readInbox();
      if (text !== "") this.#add(userMessage(text));
      return await this.#takeTurns();
    } catch (error) {
      if (!this.#signal.aborted) this.#emit({ type: "Error", message: error.message });
      throw error;
    } finally {
      this.#emit({ type: "AgentEnd", messages: this.#messages.slice(this.#before) });
    }
  }

  async #takeTurns() {
    let rounds = 0;
    for (let turn = 1; ; turn += 1) {
      this.#emit({ type: "TurnStart" });
      if (turn > 1) this.#readInbox();
      const reply = await this.#generate();
      const calls = reply.tool_calls ?? [];
      const isFinal = calls.length === 0;
      const isOverLimit = !isFinal && rounds === this.#config.maxRounds;
      const results = await this.#answerAll(calls, isOverLimit);
      const hasNews = isFinal && this.#readInbox();
      this.#emit({ type: "TurnEnd", message: reply, tool_results: results });

      this.#mayGoOn();
      if (isOverLimit) {
        this.#warn(`the run has had its ${rounds} rounds of tool calls`);
        return undefined;
      }
      if (hasNews) continue;
      if (this.#pauses() || isFinal) return isFinal ? reply : undefined;
      rounds += 1;
    }
  }

  #mayGoOn() {
    if (this.#signal.aborted) throw new AgentError("aborted", "the run was stopped");
  }

  // The model

  async #generate() {
    const messages = this.#context();
    const began = performance.now();
    const { chunks, tool_calls, usage } = await this.#ask(messages);
    const took = performance.now() - began;

    const speed = (tokens) => (took > 0 ? (tokens * 1000) / took : 0);
    for (const [index, delta] of chunks.entries()) {
      const tokens = index + 1; // The backend does not say how many tokens a chunk has.
      this.#emit({ type: "MessageDelta", delta, tokens_generated: tokens, tokens_per_sec: speed(tokens) });
    }
    const tokens = usage.completion_tokens ?? chunks.length;
    this.#emit({
      type: "GenerationStats",
      tokens_generated: tokens,
      prompt_tokens: usage.prompt_tokens ?? 0,
      tokens_per_sec: speed(tokens),
      time_to_first_token_ms: chunks.length > 0 ? took : null,
      generation_time_ms: took,
    });
    const reply = assistantMessage(chunks.join(""), tool_calls);
    this.#messages.push(reply);
    this.#emit({ type: "MessageEnd", message: reply });
    return reply;
  }

  /** What the model is given: the conversation, behind the system prompt. */
  #context() {
    const { systemPrompt } = this.#config;
    const messages = [...(systemPrompt ? [systemMessage(systemPrompt)] : []), ...this.#messages];
    const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
    this.#emit({
      type: "ContextBudget",
      used_tokens: Math.ceil(characters / 4), // A rule of thumb; nothing is pruned by it.
      max_tokens: null,
      messages_in_context: messages.length,
      messages_pruned: 0,
    });
    return messages;
  }

  async #ask(messages) {
    let reply;
    try {
      reply = await this.#backend.generate(messages, this.#signal);
    } catch (error) {
      this.#mayGoOn();
      throw new AgentError("other", `the model failed: ${error.message}`, { cause: error });
    }
    // A reply to a run that has been stopped is dropped with its calls: nothing of it may take effect.
    this.#mayGoOn();
    return reply;
  }

  // The tools

  /** Gives every call a result, executed or not: without one the conversation would not be well formed. */
  async #answerAll(calls, isOverLimit) {
    const results = [];
    for (const call of calls) {
      const message = resultMessage(call, isOverLimit ? failed(OVER_LIMIT) : await this.#answer(call));
      this.#add(message);
      results.push(message.tool_result);
    }
    return results;
  }

  async #answer(call) {
    const execute = this.#config.tools.get(call.name);
    if (execute === undefined) return failed(`There is no tool ${call.name}.`);
    const naming = { tool_call_id: call.id, tool_name: call.name };
    const reason = this.#signal.aborted ? undefined : await this.#refusal(call);
    if (reason !== undefined) {
      this.#emit({ type: "ToolDenied", ...naming, reason });
      return failed(`Denied: ${reason}`);
    }
    if (this.#signal.aborted) return failed(STOPPED);
    this.#emit({ type: "ToolExecStart", ...naming, args: call.arguments });
    const result = await this.#execute(execute, call, naming);
    this.#emit({ type: "ToolExecEnd", ...naming, result });
    return result;
  }

  /** Why the call may not be executed; undefined where it may. */
  async #refusal(call) {
    try {
      return await this.#config.approve?.(call);
    } catch (error) {
      return error.message; // Nobody has said that it may.
    }
  }

  async #execute(execute, call, naming) {
    const context = {
      callId: call.id,
      signal: this.#signal,
      update: (partial) => this.#emit({ type: "ToolExecUpdate", ...naming, partial }),
      runChild: (child, prompt, backend) => this.#runChild(call, child, prompt, backend),
    };
    try {
      const output = await execute(call.arguments, context);
      return typeof output === "string" ? { content: output } : output;
    } catch (error) {
      return failed(error.message);
    }
  }

  /** Runs another agent inside a tool call, and gives the message of its reply. */
  async #runChild(call, child, prompt, backend) {
    this.#mayGoOn();
    const emit = (event) => this.#emit({ type: "Nested", tool_call_id: call.id, event });
    const reply = await child.prompt(prompt, backend, emit, { signal: this.#signal });
    if (reply === undefined) throw new AgentError("other", "the child has ended its run without a reply");
    return reply;
  }

  // The inbox, and what was left over

  /** Takes in all that is in the inbox. Gives whether there was anything that the model has to know. */
  #readInbox() {
    const items = this.#items.splice(0);
    if (items.length === 0) return false;
    const waiting = new Map(pendingCalls(this.#messages).map((call) => [call.id, call]));
    const dropped = [];
    for (const { text, callId, result } of items) {
      const call = waiting.get(callId);
      if (text !== undefined) {
        this.#add(userMessage(text));
      } else if (call === undefined) {
        dropped.push(callId);
      } else {
        waiting.delete(callId);
        this.#emit({ type: "ToolResolved", tool_call_id: call.id, tool_name: call.name, result });
        this.#add(lateResultMessage(call, result));
      }
    }
    if (dropped.length > 0) {
      this.#warn(`dropped results for calls that are not pending: ${dropped.join(", ")}`);
    }
    return dropped.length < items.length;
  }

  /** Ends the run, where that is asked for, at a turn that leaves calls pending. */
  #pauses() {
    if (!this.#config.pauseOnPending || pendingCalls(this.#messages).length === 0) return false;
    this.#readInbox(); // What has come during the turn may be all that was waited for.
    const pending = pendingCalls(this.#messages);
    if (pending.length > 0) this.#emit({ type: "Paused", pending });
    return pending.length > 0;
  }

  /** Settles what an earlier process left without a result. It is not run again: it may have taken effect. */
  #failDanglingCalls() {
    const dangling = danglingCalls(this.#messages);
    if (dangling.length === 0) return;
    const names = dangling.map(({ name, id }) => `${name} (${id})`).join(", ");
    this.#warn(`calls that were cut short are marked as failed: ${names}`);
    for (const call of dangling) this.#add(resultMessage(call, failed(CUT_SHORT)));
  }

  #add(message) {
    this.#messages.push(message);
    this.#emit({ type: "MessageStart", message });
    this.#emit({ type: "MessageEnd", message });
  }

  #warn(message) {
    this.#emit({ type: "Warning", message });
  }
}
