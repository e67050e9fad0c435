/** A match: one replay, or the replays of two legs, one of which is shown at a time. */

import { App } from "arena/app";

/** @typedef {import("arena/reader").Content} Content */
/**
 * @typedef {{url?: string, inline?: string, common?: number, live?: boolean, study?: boolean, explained?: string,
 *   explain?: string, believed?: string, found?: import("arena/why").Explanation}} Source
 * where a replay is: at the address `url`, or in the block `inline` of the page
 * - `common`: the block continues the compressed stream of the shared block; the replay begins after this many bytes
 * - `found`: the explanation; `explained`: its address; `explain`: the address of the request to compute it
 * - `believed`: the first part of the address of a player's beliefs at a frame
 * - `study`: whether the page opens with the explanation of a loss
 */
/**
 * @typedef {{content: Content, live: boolean, source?: Source,
 *   found?: import("arena/why").Explanation}} Leg
 * one leg of a match, and its explanation; in the second leg the seats are swapped
 */

/** Pause between the two legs, in milliseconds. */
const BREAK = 1500;

export class Match {
  /**
   * @param {HTMLElement} host @param {Leg[]} legs
   * @param {(canvas: HTMLCanvasElement, context: any) => any} createRenderer
   * @param {Content | null} rival another match that is shown beside this one
   * @param {number} leg the leg that is shown first
   */
  constructor(host, legs, createRenderer, rival = null, leg = 0) {
    this.host = host;
    this.legs = legs;
    this.createRenderer = createRenderer;
    this.rival = rival;
    /** Whether the other leg is shown beside this one. */
    this.twin = false;
    this.leg = leg;
    this.look = {
      dark: matchMedia("(prefers-color-scheme: dark)").matches,
      still: matchMedia("(prefers-reduced-motion: reduce)").matches,
    };
    this.tab = legs.length > 1 ? "result" : "turn";
    this.speed = 2;
    this.app = new App(host, this);
    this.shown();
  }

  /** The replay that is shown beside the current leg, or null. */
  get beside() {
    return this.rival ?? (this.twin ? (this.legs[1 - this.leg]?.content ?? null) : null);
  }

  /** Shows a leg from its start. @param {number} leg */
  show(leg) {
    const focused = document.activeElement?.closest(".legs");
    this.app.close();
    this.leg = leg;
    this.app = new App(this.host, this);
    this.shown();
    this.app.why.begin(true);
    this.app.playback.dispatchEvent(new Event("state"));
    if (focused) /** @type {HTMLElement | null} */ (this.host.querySelector('.legs [aria-pressed="true"]'))?.focus();
  }

  shown() {
    Object.assign(globalThis, { arena: this.app });
    const { app, leg } = this;
    app.playback.addEventListener("end", () => setTimeout(() => this.app === app && this.goOn(leg + 1), BREAK));
  }

  /** Shows and plays the next leg, if this leg was watched to its end. @param {number} leg the next leg */
  goOn(leg) {
    const { playback, live } = this.app;
    if (!this.legs[leg] || this.beside || live || playback.playing || playback.frame < playback.last) return;
    this.show(leg);
    this.app.playback.play();
  }

  other() {
    if (this.legs.length > 1) this.show(1 - this.leg);
  }

  /** Shows or hides the other leg beside this one, at the same position. */
  toggleTwin() {
    if (this.legs.length < 2) return;
    const { frame, fraction } = this.app.playback;
    this.twin = !this.twin;
    this.show(this.leg);
    this.app.playback.seek(frame, fraction);
  }
}
