/** Doors, whose leaves slide into the walls beside them, and flames. */

import { pulse } from "arena/effects";
import { between, ease } from "arena/grid";
import { CHOSEN, FIRE } from "./scene.js";

/** @typedef {import("./scene.js").Painter} Painter */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Thing} Thing */

/** @param {Scene} scene @param {Thing} door @param {number} part how far a movement is, from 0 to 1 */
export function drawDoor({ before, game, look, painter }, door, part) {
  const { g, glow, grid, line, ring, rounded } = painter;
  const isUpright = [-1, 1].some((step) => game.cells[door.y * game.width + door.x + step] === ".");
  const open = between(Number((before.get(door.id) ?? door).open), Number(door.open), ease(part));
  const isOpen = open > 0.5;
  grid.inTile(g, door.x, door.y, () => {
    if (isUpright) g.rotate(Math.PI / 2);
    if (look.selected === door.id) ring(0.5, CHOSEN, 0, 0, 0.06);
    for (const side of [-1, 1]) {
      const from = side * (0.5 - 0.5 * (1 - 0.72 * open));
      rounded(Math.min(from, side * 0.5), -0.15, Math.abs(side * 0.5 - from), 0.3, 0.04, "#8795a8", "#1b222c");
      const end = from + side * 0.05;
      line(end, -0.14, end, 0.14, 0.07, isOpen ? "#54d18c" : "#f4b630");
    }
    glow(0.42, isOpen ? "84, 209, 140" : "244, 182, 48", 0.25 + 0.2 * pulse(look.beat, 10, door.x / 5));
    if (open < 0.5) line(0, -0.15, 0, 0.15, 0.025, "#1b222c");
  });
}

/** @param {Painter} painter @param {number} fraction @param {number} seed @param {number} beat */
export function drawFlame({ glow, polygon, rounded }, fraction, seed, beat) {
  const sway = 0.06 * Math.sin(seed + fraction * 6.283);
  glow(1.3, "255, 130, 40", 0.35 + 0.25 * pulse(beat, 3, seed / 7));
  rounded(-0.48, -0.48, 0.96, 0.96, 0.1, "rgba(255,90,20,.34)");
  [0.42, 0.3, 0.17].forEach((size, at) => {
    polygon(
      [
        [-size * 0.8, 0.36],
        [-size, 0.02],
        [-size * 0.45, -size * 0.2],
        [sway - size * 0.25, -size * 1.05],
        [size * 0.35, -size * 0.35],
        [size * 0.5 + sway, -size * 0.75],
        [size, 0.05],
        [size * 0.75, 0.36],
      ],
      FIRE[at],
    );
  });
}
