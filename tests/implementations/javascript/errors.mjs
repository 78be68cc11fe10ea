/** The errors that an agent answers with. */

/** `code` is one of aborted, nothing-to-do, empty-prompt, busy and other. */
export class AgentError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "AgentError";
    this.code = code;
  }
}
