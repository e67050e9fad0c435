/**
 * Requests to the server.
 * @module
 */

/** An error for a request that the server refused, with the server's message. */
export class Refused extends Error {
  /** @param {any} answer */
  constructor(answer) {
    super([answer?.message, answer?.hint].filter(Boolean).join(" ") || "The server did not answer.");
    this.answer = answer;
  }
}

/**
 * Returns the address of a path of this server. Every address contains a secret key, which is taken from the address of
 * this module.
 * @param {string} path @returns {string}
 */
export function address(path) {
  return new URL(`../${path}`, import.meta.url).href;
}

/** @param {string} path @param {any} [body] sent with POST; without it, GET @returns {Promise<any>} */
export async function ask(path, body) {
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(
      address(path),
      body === undefined
        ? {}
        : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) },
    );
  } catch {
    throw new Refused({
      message: "The server of this page does not answer any more.",
      hint: "Download the map if you draw one, and start the command again.",
    });
  }
  const read = await answer.json().catch(() => null);
  if (!answer.ok || read === null) throw new Refused(read);
  return read;
}
