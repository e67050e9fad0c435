/** The floor of the hall with its walls, covers and bases, painted once. */

import { isNumber } from "arena/grid";
import { brush } from "arena/shapes";

/** @typedef {import("./hall.js").Hall} Hall */
/** @typedef {import("./scene.js").Painter} Painter */
/** @typedef {import("./scene.js").Palette} Palette */
/** @typedef {import("./scene.js").Thing} Thing */

/**
 * @param {CanvasRenderingContext2D} to @param {Painter} painter @param {Hall} hall @param {Thing[]} bases
 * @param {Palette} palette
 */
export function paintFloor(to, painter, hall, bases, palette) {
  const { grid } = painter;
  const { tile } = grid;
  const { rounded } = brush(to);
  const box = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ inset,
    /** @type {string} */ fill,
    radius = 0,
    dy = 0,
  ) => {
    const [px, py] = grid.place(x + inset, y + inset + dy);
    const size = tile * (1 - 2 * inset) + (inset ? 0 : 0.5);
    rounded(px, py, size, size, tile * radius, fill);
  };
  hall.each((x, y, kind) => {
    if (kind === "_") return;
    box(x, y, 0, palette.seam);
    box(x, y, 0.02, palette.floor[(x + y) % 2]);
    if (kind === "o") {
      box(x, y, 0.05, palette.edge, 0.12, 0.035);
      box(x, y, 0.07, palette.cover, 0.11);
      box(x, y, 0.14, palette.top, 0.08);
    }
  });
  /** @type {[number, number][]} */
  const walls = [];
  hall.each((x, y, kind) => {
    if (kind === "#") walls.push([x, y]);
  });
  for (const [x, y] of walls) box(x, y, 0, "rgba(0,0,0,.28)", 0, 0.14);
  for (const [x, y] of walls) box(x, y, 0, palette.side);
  for (const [x, y] of walls) {
    const [px, py] = grid.place(x, y);
    const low = hall.kind(x, y + 1) === "#" ? 1 : 0.8;
    to.fillStyle = palette.wall;
    to.fillRect(px, py, tile + 0.5, tile * low + 0.5);
    to.fillStyle = palette.face;
    const [left, up] = [hall.kind(x - 1, y) === "#" ? 0 : 0.1, hall.kind(x, y - 1) === "#" ? 0 : 0.1];
    const [right, down] = [hall.kind(x + 1, y) === "#" ? 1 : 0.9, low === 1 ? 1 : 0.7];
    to.fillRect(px + left * tile, py + up * tile, (right - left) * tile + 0.5, (down - up) * tile + 0.5);
  }
  for (const base of bases) paintBase(to, painter, base, palette);
}

/**
 * A frame with a bolt in the colour of the base's owner. A base of both teams has another colour.
 * @param {CanvasRenderingContext2D} to @param {Painter} painter @param {Thing} base @param {Palette} palette
 */
function paintBase(to, { color, grid }, { x, y, owner }, palette) {
  const tone = isNumber(owner) ? color(owner) : palette.base;
  const { polygon, ring, rounded } = brush(to);
  to.save();
  to.translate(...grid.place(x + 0.5, y + 0.5));
  to.scale(grid.tile, grid.tile);
  rounded(-0.47, -0.47, 0.94, 0.94, 0.16, `${tone}44`);
  to.strokeStyle = tone;
  to.lineWidth = 0.075;
  for (const [sx, sy] of [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ]) {
    to.beginPath();
    for (const [px, py] of [
      [0.46, 0.2],
      [0.46, 0.46],
      [0.2, 0.46],
    ])
      to.lineTo(sx * px, sy * py);
    to.stroke();
  }
  ring(0.31, tone, 0, 0, 0.035);
  polygon(
    [
      [0.06, -0.26],
      [-0.15, 0.05],
      [-0.02, 0.05],
      [-0.06, 0.26],
      [0.15, -0.06],
      [0.02, -0.06],
    ],
    tone,
  );
  to.restore();
}
