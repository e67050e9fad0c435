/**
 * The coach in the reader's browser. The playground's Python, in a frame, plays on from the positions of the replay;
 * it is loaded when it is first asked. A contest gets the results, checks them, and shows them to all readers.
 */

import { el } from "arena/dom";

/** Seconds that an explanation takes: so long that most lessons are certain, and so short that a phone stays cool. */
const BUDGET = 15;

export class Coach {
  /** @param {string} url of the page `coach.html` of a playground */
  constructor(url) {
    this.url = url;
    /** @type {Promise<any> | null} */
    this.opened = null;
  }

  /** Loads the frame, once. */
  open() {
    this.opened ??= new Promise((resolve, reject) => {
      const frame = /** @type {HTMLIFrameElement} */ (el("iframe", { src: this.url, hidden: true, title: "Coach" }));
      frame.addEventListener("load", () => {
        const { coach } = /** @type {any} */ (frame.contentWindow);
        if (coach) resolve(coach);
        else reject(new Error("The playground is missing on this server."));
      });
      document.body.append(frame);
    });
    return this.opened;
  }

  /**
   * Explains the replay of a leg.
   * @param {import("arena/replay").Leg} leg
   * @param {(found: any) => void} show called with the explanation so far and its `share` of the time; at last without
   *   a share, or with a `message` why there is none @param {AbortSignal} signal stops the computation
   */
  async explain(leg, show, signal) {
    try {
      const coach = await this.open();
      signal.throwIfAborted();
      signal.addEventListener("abort", coach.stop, { once: true });
      const { document: found, sent } = await coach.ask("coach", { budget: BUDGET }, leg.bytes, show);
      signal.removeEventListener("abort", coach.stop);
      show(found);
      await send(leg.source, sent);
    } catch (error) {
      show({ message: error instanceof Error ? error.message : String(error) });
    }
  }
}

/**
 * Sends what was played to the contest, for other readers. If the contest does not take it, this reader has it anyway.
 * @param {import("arena/replay").Source | undefined} source @param {any} sent
 */
async function send(source, sent) {
  if (!source?.session) return;
  const { csrf } = await (await fetch(source.session)).json();
  const headers = { "Content-Type": "application/json", "X-CSRF": csrf ?? "" };
  await fetch(String(source.explained), { method: "POST", headers, body: JSON.stringify(sent) });
}
