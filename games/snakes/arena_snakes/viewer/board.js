/** The board of Snakes, its food, and the row above it with the length and health of each snake. */

import { between } from "arena/grid";
import { brush } from "arena/shapes";
import { bodyOf, FULL, isOut, tilesOf } from "./state.js";

/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {typeof LIGHT} Tone */

const LIGHT = {
  board: "#f4f1e6",
  other: "#ece8d9",
  edge: "#b9b39d",
  ink: "#3a3626",
  empty: "#d8d2bf",
  food: "#d23c4e",
};
const DARK = { board: "#20251f", other: "#262c25", edge: "#454d42", ink: "#dfe5d8", empty: "#3b4338", food: "#ff6b73" };

/** @param {boolean} dark @returns {Tone} */
export const toneOf = (dark) => (dark ? DARK : LIGHT);

/** @param {CanvasRenderingContext2D} to @param {import("arena/grid").Grid} grid @param {Tone} tone */
export function paintFloor(to, grid, tone) {
  const { left, top, tile, columns, rows } = grid;
  const rim = tile * 0.12;
  const { rounded } = brush(to);
  rounded(left - rim, top - rim, tile * columns + 2 * rim, tile * rows + 2 * rim, tile * 0.25, tone.edge);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      to.fillStyle = (x + y) % 2 ? tone.other : tone.board;
      to.fillRect(...grid.place(x, y), tile + 0.5, tile + 0.5);
    }
  }
}

/**
 * Eaten food shrinks at the end of the move, and new food grows.
 * @param {Painter} painter @param {State} before @param {State} after @param {number} fraction @param {Tone} tone
 */
export function drawFood(painter, before, after, fraction, tone) {
  const key = (/** @type {[number, number]} */ [x, y]) => `${x} ${y}`;
  const [old, now] = [before, after].map((state) => tilesOf(state.get("game")?.food));
  const [oldKeys, nowKeys] = [old, now].map((tiles) => new Set(tiles.map(key)));
  for (const tile of now) fruit(painter, tile, oldKeys.has(key(tile)) ? 1 : fraction, tone);
  if (fraction === 1) return;
  const size = fraction < 0.7 ? 1 : (1 - fraction) / 0.3;
  for (const [x, y] of old.filter((tile) => !nowKeys.has(key(tile)))) {
    fruit(painter, [x, y], size, tone);
    if (size > 0 && size < 1) painter.grid.inTile(painter.g, x, y, () => painter.shards(1 - size, 9, tone.food, 0.7));
  }
}

/** @param {Painter} painter @param {[number, number]} tile @param {number} size @param {Tone} tone */
function fruit({ dot, g, grid, line, oval }, [x, y], size, tone) {
  grid.inTile(g, x, y, () => {
    g.scale(size, size);
    oval(0, 0.27, 0.2, 0.06, "rgba(0,0,0,.25)");
    dot(0, 0.03, 0.25, tone.food);
    dot(-0.08, -0.06, 0.07, "rgba(255,255,255,.55)");
    line(0, -0.2, 0.07, -0.33, 0.05, "#7a5a34");
    oval(0.15, -0.29, 0.1, 0.045, "#5aa545");
  });
}

/**
 * Draws length and health of each snake in one row above the board.
 * @param {Painter} painter @param {Thing[]} snakes @param {State} before @param {number} fraction @param {Look} look
 * @param {number} strip the height above the board
 */
export function drawScores(painter, snakes, before, fraction, look, strip) {
  const { caption, color, dot, g, grid, text } = painter;
  const tone = toneOf(look.dark);
  const room = Math.max(look.width * 0.6, grid.tile * grid.columns);
  const wide = Math.min(room / Math.max(1, snakes.length), 220);
  const first = (look.width - wide * snakes.length) / 2;
  const size = Math.max(8, Math.min(16, strip * 0.36, wide * 0.15));
  const y = grid.top - grid.tile * 0.12 - strip * 0.55;
  snakes.forEach((snake, at) => {
    const x = first + wide * at;
    g.globalAlpha = isOut(snake) ? 0.4 : 1;
    dot(x + size * 0.9, y, size * 0.75, color(snake.owner));
    text(String(snake.owner + 1).slice(0, 2), x + size * 0.9, y + 0.5, size * 0.9, "#ffffff");
    const said = isOut(snake) && wide > 6.5 * size ? " · out" : ""; // on a phone, the shade alone says it
    const words = `${bodyOf(snake).length}${said}`;
    caption(words, x + size * 2, y, size, tone.ink, { align: "left", weight: 600 });
    if (!isOut(snake)) {
      const health = between(before.get(snake.id)?.health, snake.health, fraction) / FULL;
      healthBar(painter, health, [x + size * 3.6, y, wide - size * 4.4, size], tone);
    }
    g.globalAlpha = 1;
  });
}

/** @param {Painter} painter @param {number} health @param {number[]} place @param {Tone} tone */
function healthBar({ rounded }, health, [x, y, width, size], tone) {
  const part = Math.max(0, Math.min(1, health)) || 0;
  const fill = part > 0.5 ? "#4fb062" : part > 0.25 ? "#e2a32a" : "#e5484d";
  rounded(x, y - size * 0.3, width, size * 0.6, size * 0.2, tone.empty);
  rounded(x, y - size * 0.3, width * part, size * 0.6, size * 0.2, fill);
}
