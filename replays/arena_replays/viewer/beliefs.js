/** What a player could believe at the position that is shown, drawn over the board. The server samples the beliefs. */

import { clip, el } from "arena/dom";

/**
 * @typedef {{player: number, tiles: [number, number, number][], numbers: [number, number, number][]}} Believed
 * `tiles`: x, y and the expected number of hidden things there;
 * `numbers`: x, y and the expected value of a hidden number there
 */

const PAUSE = 150; // milliseconds without a seek before the page asks the server
const COLOR = "#d52bd5";
const MOST_SHARES = 3; // the largest number of tiles with a percentage on them

export class Beliefs {
  /** @param {import("arena/app").App} app */
  constructor(app) {
    this.app = app;
    this.legend = el("p.believed", { role: "status", hidden: true });
    this.on = false;
    /** The position for which beliefs are shown; empty if they are switched off. */
    this.key = "";
    /** @type {any} */
    this.waiting = null;
  }

  /** Whether the page can show beliefs: there is a server, and the game hides something. */
  get offered() {
    return Boolean(this.app.leg.source?.believed && this.app.schema?.hidden_information);
  }

  toggle() {
    if (!this.offered) return;
    this.on = !this.on;
    this.follow();
  }

  /** Shows the beliefs for the position that is shown now. */
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
      ...(tiles.length ? [`${Math.round(all)} unseen, most likely tile ${Math.round(100 * most)} %`] : []),
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
  const unit = place(1, 0)[0] - place(0, 0)[0];
  g.fillStyle = COLOR;
  for (const [x, y, share] of tiles) {
    const [left, top] = place(x, y);
    const [right, bottom] = place(x + 1, y + 1);
    g.globalAlpha = 0.06 + (0.4 * share) / most; // the units under it can still be seen
    g.fillRect(left, top, right - left, bottom - top);
  }
  g.globalAlpha = 1;
  const pixel = devicePixelRatio / g.getTransform().a; // one pixel of the screen, at any zoom
  if (unit < 20 * pixel) return; // too small to read
  const size = Math.max(9 * pixel, unit * 0.27);
  const likely = [...tiles].sort(([, , one], [, , other]) => other - one).slice(0, MOST_SHARES);
  for (const [x, y, share] of likely) drawLabel(g, place(x + 0.5, y + 0.1), size, `${Math.round(100 * share)} %`);
  for (const [x, y, value] of numbers) drawLabel(g, place(x + 0.5, y + 0.1), size, `≈ ${Number(value.toFixed(1))}`);
}

/**
 * Writes at the upper edge of a tile, so that the unit there can be seen.
 * @param {CanvasRenderingContext2D} g @param {[number, number]} at @param {number} size @param {string} text
 */
function drawLabel(g, [x, y], size, text) {
  [g.font, g.textAlign, g.textBaseline] = [`600 ${size}px system-ui, sans-serif`, "center", "middle"];
  const width = g.measureText(text).width + size;
  [g.fillStyle, g.strokeStyle, g.lineWidth] = ["#241426", COLOR, size * 0.1];
  g.beginPath();
  g.roundRect(x - width / 2, y - 0.7 * size, width, 1.4 * size, 0.7 * size);
  g.fill();
  g.stroke();
  g.fillStyle = "#ffffff";
  g.fillText(text, x, y + 0.05 * size);
}
