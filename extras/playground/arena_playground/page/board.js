/** The board: the viewer of replays, in a frame of the page. The page calls `show` with the bytes of a replay. */

import { Coach } from "arena/coach";
import { el, fill } from "arena/dom";
import { Match } from "arena/match";
import { read, Unreadable } from "arena/reader";
import { createRenderer } from "arena/renderer";
import { Panel } from "./playing/panel.js";

class Board {
  constructor() {
    this.host = /** @type {HTMLElement} */ (document.getElementById("viewer"));
    /** @type {Match | null} */
    this.match = null;
    this.coach = new Coach("../coach.html");
    /** @type {any} */
    this.leg = null;
    /** @type {Panel | null} where a person chooses actions */
    this.panel = null;
    /** @type {any[]} shapes on the board that mark the person's choices */
    this.marks = [];
    /** The player of the person. */
    this.seat = 0;
    /** Called when another position is shown. */
    this.moved = () => {};
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
      const content = this.marked(await read(bytes));
      const { speed } = this.match?.app.playback ?? {};
      this.match?.app.close();
      this.leg = { content, live: !content.ended, source: {}, coach: this.coach };
      this.panel = null;
      this.match = new Match(this.host, [this.leg], createRenderer);
      this.match.app.position.addEventListener("change", () => this.moved());
      const { following, playback } = this.match.app;
      following.stays = false; // the match is played from its start, also while it is still computed
      if (speed) playback.setSpeed(speed);
      playback.play();
      document.documentElement.dataset.ready = "true";
      this.moved();
      this.explains(bytes);
      return;
    }
    this.leg.content = await (whole
      ? read(bytes).then((content) => this.marked(content))
      : read(bytes, this.leg.content));
    if (this.leg.content.ended) this.leg.live = false;
    this.match.app.following.grow();
    this.explains(bytes);
  }

  /** Offers the tab Why when a match is over. @param {Uint8Array} bytes */
  explains(bytes) {
    this.leg.bytes = bytes;
    if (this.leg.content.ended) this.match?.app.why.begin(true);
  }

  /** Shows who was ahead, as the game estimates it. @param {number[][] | null | undefined} advantage */
  weigh(advantage) {
    this.work = this.work.then(() => {
      if (!advantage || !this.match) return;
      this.leg.advantage = advantage;
      this.match.app.replay.explain(this.leg.found ?? null);
    });
  }

  /** The frame that is shown, the number of its turn, and whether it is the end; null without a match. */
  get place() {
    const position = this.match?.app.position;
    if (!position) return null;
    const { frame, last, replay, turn } = position;
    return { frame, turn: replay.content.numberOf(turn), over: frame >= last && replay.content.ended };
  }

  /**
   * Lets a person choose an action. Returns the panel, whose place the caller chooses.
   * @param {{player: number, actions: any[]}} ask @param {import("./playing/panel.js").Orders} orders
   */
  async ask({ player, actions }, orders) {
    await this.work;
    const match = /** @type {Match} */ (this.match);
    if (!this.panel) {
      this.panel = new Panel(match.app, this, orders);
      match.app.position.setStream(1 + player); // not what is hidden from the person
      match.app.following.stays = true; // who chooses an action sees the newest position
      match.app.following.grow();
    }
    this.seat = player;
    this.panel.offer(actions, `Your move, player ${player + 1}`);
    return this.panel;
  }

  /** Draws the person's choices on top of what bots draw. @param {any} content */
  marked(content) {
    const drawings = content.drawingsIn.bind(content);
    const own = () => ({ turn: 0, frame: 0, player: this.seat, kind: "draw", refused: 0, payload: this.marks });
    content.drawingsIn = (/** @type {any} */ turn) => [...drawings(turn), own()];
    return content;
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
