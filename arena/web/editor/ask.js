/**
 * Questions to the server.
 * @module
 */

/** The server said no, in a sentence. */
export class Refused extends Error {
  /** @param {any} answer */
  constructor(answer) {
    super([answer?.sentence, answer?.hint].filter(Boolean).join(" ") || "The server did not answer.");
    this.answer = answer;
  }
}

/** @param {string} address @param {any} [body] posts it, if there is any @returns {Promise<any>} */
export async function ask(address, body) {
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(
      address,
      body === undefined
        ? {}
        : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) },
    );
  } catch {
    throw new Refused({
      sentence: "The editor's server does not answer any more.",
      hint: "Download the map, and start `arena map edit` again.",
    });
  }
  const read = await answer.json().catch(() => null);
  if (!answer.ok || read === null) throw new Refused(read);
  return read;
}
