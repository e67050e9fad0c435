/** What a player could believe at the position that is shown, drawn over the board. The server samples it. */

import { clip, el } from "arena/dom";

/**
 * @typedef {{player: number, tiles: [number, number, number][], numbers: [number, number, number][]}} Believed
 * how many hidden things are expected on a tile, and the expected value of a hidden number there
 */

const PAUSE = 150; // milliseconds without a seek

export class Beliefs {
  /** @param {import("arena/app").App} app */
  constructor(app) {
    this.app = app;
    this.legend = el("p.believed", { role: "status", hidden: true });
    this.on = false;
    /** The position that is shown; empty if it is switched off. */
    this.key = "";
    /** @type {any} */
    this.waiting = null;
  }

  /** Whether the page can show it: there is a server, and the game hides something. */
  get offered() {
    return Boolean(this.app.leg.source?.believed && this.app.schema?.hidden_information);
  }

  toggle() {
    if (!this.offered) return;
    this.on = !this.on;
    this.follow();
  }

  /** Shows it for the position that is shown now. */
  follow() {
    const { playback, stream } = this.app;
    const key = this.on ? `frame=${playback.frame}${stream ? `&player=${stream - 1}` : ""}` : "";
    if (key === this.key) return;
    this.key = key;
    this.show(null, key && "Sampling what is hidden …");
    clearTimeout(this.waiting);
    if (key) this.waiting = setTimeout(() => this.ask(key), PAUSE);
  }

  /** @param {string} key */
  async ask(key) {
    const answer = await fetch(this.app.leg.source?.believed + key);
    const found = await answer.json();
    if (key !== this.key) return;
    if (answer.ok) this.show(found, this.words(found));
    else this.show(null, String(found.message));
  }

  /** @param {Believed} found */
  words({ player, tiles, numbers }) {
    const name = clip(this.app.players[player]?.name ?? `player ${player}`, 30);
    const all = tiles.reduce((sum, [, , share]) => sum + share, 0);
    const most = tiles.reduce((high, [, , share]) => Math.max(high, share), 0);
    const parts = [
      ...(tiles.length ? [`${Math.round(all)} unseen, strongest tile ${Math.round(100 * most)} %`] : []),
      ...(numbers.length ? ["≈ expected value of a hidden number"] : []),
    ];
    return `What ${name} could believe: ${parts.join("; ") || "nothing on the board is hidden"}.`;
  }

  /** @param {Believed | null} found @param {string} text */
  show(found, text) {
    this.app.board.believed = found;
    this.app.dirty = true;
    this.legend.textContent = text;
    this.legend.hidden = !text;
  }
}

/**
 * @param {CanvasRenderingContext2D} g @param {Believed} believed
 * @param {(x: number, y: number) => [number, number]} place
 */
export function drawBeliefs(g, { tiles, numbers }, place) {
  const most = tiles.reduce((high, [, , share]) => Math.max(high, share), 0);
  const words = numbers.map(([x, y, value]) => ({ x, y, text: `≈${Number(value.toFixed(1))}` }));
  g.fillStyle = "#d52bd5";
  for (const [x, y, share] of tiles) {
    const [left, top] = place(x, y);
    const [right, bottom] = place(x + 1, y + 1);
    g.globalAlpha = 0.12 + (0.6 * share) / most;
    g.fillRect(left, top, right - left, bottom - top);
    if (share > 0.7 * most) words.push({ x, y, text: `${Math.round(100 * share)}%` });
  }
  g.globalAlpha = 1;
  const unit = place(1, 0)[0] - place(0, 0)[0];
  if (unit < 20) return; // too small to read
  [g.font, g.textAlign, g.textBaseline] = [
    `600 ${Math.max(9, unit * 0.3)}px system-ui, sans-serif`,
    "center",
    "middle",
  ];
  [g.lineWidth, g.lineJoin, g.strokeStyle, g.fillStyle] = [3, "round", "rgba(0,0,0,.75)", "#ffffff"];
  for (const { x, y, text } of words) {
    const [px, py] = place(x + 0.5, y + 0.5);
    g.strokeText(text, px, py);
    g.fillText(text, px, py);
  }
}
