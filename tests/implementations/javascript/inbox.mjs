/**
 * The inbox: how an agent is reached from outside its run.
 *
 * Putting something in never waits and never looks at the conversation. Whether a result is of use is found
 * out when the agent reads it.
 */

/** A handle of an agent's inbox. All handles of one agent put into the same list, which the agent empties. */
export class Inbox {
  #items;

  constructor(items) {
    this.#items = items;
  }

  /** A user message. */
  push(text) {
    this.#items.push({ text });
  }

  /** The result of a pending call. */
  resolve(callId, content) {
    this.#items.push({ callId, result: { content } });
  }

  /** The failure of a pending call. */
  reject(callId, content) {
    this.#items.push({ callId, result: { content, is_error: true } });
  }

  clone() {
    return new Inbox(this.#items);
  }
}
