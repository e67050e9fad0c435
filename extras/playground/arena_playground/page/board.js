/** The board: the viewer of replays, in a frame of the page. The page calls `show` with the bytes of a replay. */

import { el, fill } from "arena/dom";
import { Match } from "arena/match";
import { read, Unreadable } from "arena/reader";
import { createRenderer } from "arena/renderer";

class Board {
  constructor() {
    this.host = /** @type {HTMLElement} */ (document.getElementById("viewer"));
    /** @type {Match | null} */
    this.match = null;
    /** @type {any} */
    this.leg = null;
    this.work = Promise.resolve();
    let last = performance.now();
    const step = (/** @type {number} */ now) => {
      requestAnimationFrame(step);
      this.match?.app.tick(Math.min(100, Math.max(0, now - last)));
      last = now;
    };
    requestAnimationFrame(step);
  }

  /**
   * Shows a replay, or what was added to it.
   * @param {Uint8Array} bytes the whole replay so far @param {boolean} first whether it is another one than before
   * @param {boolean} whole whether its beginning was written anew, as at the end of a match
   */
  show(bytes, first, whole) {
    this.work = this.work.then(() => this.grow(bytes, first, whole)).catch((error) => this.complain(error));
    return this.work;
  }

  /** @param {Uint8Array} bytes @param {boolean} first @param {boolean} whole */
  async grow(bytes, first, whole) {
    if (first || !this.match) {
      const content = await read(bytes);
      this.match?.app.close();
      this.leg = { content, live: !content.ended, source: {} };
      this.match = new Match(this.host, [this.leg], createRenderer);
      this.match.app.playback.play();
      document.documentElement.dataset.ready = "true";
      return;
    }
    this.leg.content = await (whole ? read(bytes) : read(bytes, this.leg.content));
    if (this.leg.content.ended) this.leg.live = false;
    this.match.app.following.grow();
  }

  /** The number of the turn that is shown. */
  get turn() {
    const position = this.match?.app.position;
    return position ? position.replay.content.numberOf(position.turn) : 0;
  }

  /** Shows a turn. @param {number} number */
  seek(number) {
    this.match?.links.seek(number, null);
  }

  /** @param {unknown} error */
  complain(error) {
    const sentence = error instanceof Unreadable ? error.message : `This replay cannot be shown: ${error}`;
    fill(this.host, el("p.unreadable", { role: "alert" }, sentence));
  }
}

Object.assign(globalThis, { board: new Board() });
parent.postMessage({ kind: "board" }, location.origin);
