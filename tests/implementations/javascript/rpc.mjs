/**
 * JSON-RPC 2.0 over stdin and stdout, one object a line, both sides asking at once.
 *
 * A request is answered whenever its answer is there: the suite may ask a dozen things while it keeps one of
 * ours waiting. stdout belongs to the protocol; what is to be printed goes to stderr.
 */

import { AgentError } from "./errors.mjs";

const waiting = new Map(); // Our own requests that are not answered yet, by their ids.
let lastId = 0;

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Tells the suite something that is not answered. */
export function tell(method, params) {
  send({ method, params });
}

/** Asks the suite, and gives the result. Rejects with what the suite says is wrong. */
export function ask(method, params) {
  return new Promise((resolve, reject) => {
    lastId += 1;
    waiting.set(lastId, { resolve, reject });
    send({ id: lastId, method, params });
  });
}

/** An error of JSON-RPC's own: one side of the exchange is broken. */
export class DriverError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Answers what the suite asks, until stdin ends. A method gives its result, or a promise of it, or throws. */
export function serve(methods) {
  // Not node:readline, which ends a line at more characters than \n, some of which may stand in JSON.
  let rest = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) receive(methods, JSON.parse(line));
  });
}

function receive(methods, message) {
  if (message.method !== undefined) {
    answer(methods, message);
    return;
  }
  const { resolve, reject } = waiting.get(message.id);
  waiting.delete(message.id);
  if (message.error) reject(new Error(message.error.message));
  else resolve(message.result);
}

async function answer(methods, { id, method, params }) {
  try {
    if (!Object.hasOwn(methods, method)) throw new DriverError(-32601, `there is no method ${method}`);
    send({ id, result: (await methods[method](params)) ?? {} });
  } catch (error) {
    send({ id, error: inWords(error) });
  }
}

function inWords(error) {
  const { message, code, stack } = error;
  if (error instanceof AgentError) return { code: 1, message, data: { code } }; // An answer like any other.
  if (error instanceof DriverError) return { code, message };
  return { code: -32603, message: `${error}`, data: stack }; // For the suite, a crash of the agent.
}
