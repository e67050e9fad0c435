/** A match: one replay, or the replays of two legs, one of which is shown at a time. */

import { App } from "arena/app";
import { Legs } from "arena/legs";
import { Links } from "arena/links";
import { Look } from "arena/look";

/** Pause between the two legs, in milliseconds. */
const BREAK = 1500;

export class Match {
  /**
   * @param {HTMLElement} host @param {import("arena/replay").Leg[]} legs
   * @param {(canvas: HTMLCanvasElement, context: any) => any} createRenderer
   * @param {import("arena/replay").Leg | null} rival another match that is shown beside this one
   * @param {number} leg the leg that is shown first @param {import("arena/ending").Place} place where it belongs
   */
  constructor(host, legs, createRenderer, rival = null, leg = 0, place = {}) {
    this.host = host;
    this.createRenderer = createRenderer;
    this.place = place;
    this.legs = new Legs(legs, rival, leg);
    this.look = new Look();
    this.links = new Links(this.legs);
    this.app = this.show(legs.length > 1 ? "result" : "turn", 2);
    this.legs.addEventListener("show", () => this.change());
    this.legs.addEventListener("twin", () => {
      const { frame, fraction } = this.app.position;
      this.change();
      this.app.position.seek(frame, fraction);
    });
  }

  /** Shows the current leg from its start. @param {string} tab @param {number} speed */
  show(tab, speed) {
    const app = new App(this.host, this.legs, this.createRenderer, this.look, tab, speed, this.place);
    const { number } = this.legs;
    app.playback.addEventListener("end", () => setTimeout(() => this.app === app && this.goOn(number + 1), BREAK));
    this.links.watch(app);
    app.links = this.links;
    Object.assign(globalThis, { arena: app });
    return app;
  }

  /** Shows the current leg instead of the one before. */
  change() {
    const focused = document.activeElement?.closest(".legs");
    this.app.close();
    this.app = this.show(this.app.tabs.current, this.app.playback.speed);
    this.app.why.begin(true);
    if (focused) /** @type {HTMLElement | null} */ (this.host.querySelector('.legs [aria-pressed="true"]'))?.focus();
  }

  /** Shows and plays the next leg, if this leg was watched to its end. @param {number} leg the next leg */
  goOn(leg) {
    const { position, playback, replay } = this.app;
    if (!this.legs.all[leg] || this.legs.beside || replay.live || playback.playing || position.frame < position.last)
      return;
    this.legs.show(leg);
    this.app.playback.play();
  }
}
