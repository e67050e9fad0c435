/** What a player could believe at the position that is shown, drawn over the board. The server samples the beliefs. */

import { clip, el } from "arena/dom";

/** @typedef {import("arena/believed").Believed} Believed */

const ASK_AFTER = 150; // milliseconds without a seek before the page asks the server

export class Beliefs {
  /** @param {import("arena/position").Position} position @param {import("arena/board").Board} board */
  constructor(position, board) {
    this.position = position;
    this.board = board;
    this.legend = el("p.believed", { role: "status", hidden: true });
    this.on = false;
    /** The position for which beliefs are shown; empty if they are switched off. */
    this.key = "";
    /** @type {any} */
    this.waiting = null;
    position.addEventListener("change", () => this.follow());
  }

  /** The first part of the address of beliefs; undefined without a server. */
  get address() {
    return this.position.replay.leg.source?.believed;
  }

  /** Whether the page can show beliefs: there is a server, and the game hides something. */
  get offered() {
    return Boolean(this.address && this.position.replay.schema?.hidden_information);
  }

  toggle() {
    if (!this.offered) return;
    this.on = !this.on;
    this.follow();
  }

  /** Shows the beliefs for the position that is shown now. */
  follow() {
    const { frame, stream } = this.position;
    const key = this.on ? `frame=${frame}${stream ? `&player=${stream - 1}` : ""}` : "";
    if (key === this.key) return;
    this.key = key;
    this.show(null, key && "Sampling what is hidden …");
    clearTimeout(this.waiting);
    if (key) this.waiting = setTimeout(() => this.ask(key), ASK_AFTER);
  }

  /** @param {string} key */
  async ask(key) {
    const answer = await fetch(this.address + key);
    const found = await answer.json();
    if (key !== this.key) return;
    if (answer.ok) this.show(found, this.words(found));
    else this.show(null, String(found.message));
  }

  /** @param {Believed} found */
  words({ player, tiles, numbers }) {
    const name = clip(this.position.replay.players[player]?.name ?? `player ${player}`, 30);
    const all = tiles.reduce((sum, [, , share]) => sum + share, 0);
    const most = tiles.reduce((high, [, , share]) => Math.max(high, share), 0);
    const parts = [
      ...(tiles.length ? [`${Math.round(all)} unseen, most likely tile ${Math.round(100 * most)} %`] : []),
      ...(numbers.length ? ["≈ expected value of a hidden number"] : []),
    ];
    return `What ${name} could believe: ${parts.join("; ") || "nothing on the board is hidden"}.`;
  }

  /** @param {Believed | null} found @param {string} text */
  show(found, text) {
    this.board.believed = found;
    this.board.stale = true;
    this.legend.textContent = text;
    this.legend.hidden = !text;
  }
}
