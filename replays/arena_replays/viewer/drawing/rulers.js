/** The numbers of columns and rows at the edges of a board, and the ids of things on it. */

import { textScale } from "arena/dom";

/** @typedef {import("arena/states").State} State */
/** @typedef {(x: number, y: number) => [number, number]} Placing the place of a tile's corner on the canvas */

/** How much room a grid leaves for the numbers, at its left and below it, in pixels. */
export const RULER = 16;

/**
 * The columns and rows of a game on a grid, and the id of the thing that has them; null for other games.
 * @param {State} state @param {any} schema @param {string} [likely] the id of the thing that had them before
 * @returns {[number, number, string] | null}
 */
export function gridOf(state, schema, likely = "") {
  const names = schema?.grid ?? { width: "width", height: "height" };
  const known = state.get(likely);
  for (const thing of known ? [known] : state.values()) {
    const [columns, rows] = [Number(thing[names.width]), Number(thing[names.height])];
    if (columns > 0 && rows > 0) return [columns, rows, thing.id];
  }
  return known ? gridOf(state, schema) : null;
}

/**
 * Draws the numbers below and at the left of the board. A part of a zoomed board has them at the edges of the canvas.
 * @param {CanvasRenderingContext2D} g @param {Placing} place @param {[number, number, ...any]} size columns and rows
 * @param {{scale: number, x: number, y: number}} zoom @param {number} height of the canvas @param {boolean} dark
 */
export function drawRulers(g, place, [columns, rows], zoom, height, dark) {
  const [[left, top], [right], [, bottom]] = [place(0, 0), place(columns, 0), place(0, rows)];
  if (!(right > left && bottom > top) || place(0, rows)[0] !== left) return;
  const tile = ((right - left) / columns) * zoom.scale;
  const edge = Math.max(3, Math.min(8, tile * 0.2)) + 2;
  const seen = (/** @type {number} */ x, /** @type {number} */ y) => [zoom.x + zoom.scale * x, zoom.y + zoom.scale * y];
  const size = 10 * Math.min(1.6, textScale());
  g.font = `600 ${size}px system-ui, sans-serif`;
  [g.textBaseline, g.fillStyle] = ["middle", dark ? "#b3a89d" : "#62584e"];
  const step = [1, 2, 5, 10, 20, 50, 100].find((one) => one * tile >= 2.2 * size) ?? 200;
  g.textAlign = "center";
  const under = Math.min(height - 6, seen(left, bottom)[1] + edge + 4);
  for (let x = 0; x < columns; x += step) g.fillText(String(x), seen(place(x + 0.5, 0)[0], 0)[0], under);
  g.textAlign = "right";
  const beside = Math.max(g.measureText(String(rows - 1)).width + 1, seen(left, top)[0] - edge);
  for (let y = 0; y < rows; y += step) g.fillText(String(y), beside, seen(0, place(0, y + 0.5)[1])[1]);
}

/**
 * Draws the id of a thing as a small label at the lower edge of its tile.
 * @param {CanvasRenderingContext2D} g @param {Placing} place @param {string} id @param {number} x @param {number} y
 */
export function drawId(g, place, id, x, y) {
  const [[px, py], [right]] = [place(x + 0.5, y + 1), place(x + 1, y)];
  const size = Math.max(9, Math.min(13, (right - px) * 0.5));
  g.font = `700 ${size}px ui-monospace, monospace`;
  [g.textAlign, g.textBaseline] = ["center", "middle"];
  const width = g.measureText(id).width + size * 0.7;
  g.fillStyle = "rgb(10 10 14 / 82%)";
  g.beginPath();
  g.roundRect(px - width / 2, py - size * 0.75, width, size * 1.35, size * 0.35);
  g.fill();
  g.fillStyle = "#ffffff";
  g.fillText(id, px, py - size * 0.02);
}
