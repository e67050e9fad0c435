/** Light and sight: what the lamps of the marines and fires light, which cells are watched, and the lines of sight. */

import { darkness, pulse } from "arena/effects";
import { isNumber, stepOf } from "arena/grid";
import { CHOSEN, sideOf } from "./scene.js";
import { sightOf } from "./sight.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Thing} Thing */
/** @typedef {CanvasRenderingContext2D} To */

/**
 * Returns a function that darkens the ship: least what marines see ahead, in the light of their lamps, and most what no
 * marine sees. Fire gives light, too. While a unit moves, `part` goes from 0 to 1, and the light changes from one state
 * to the other.
 * @param {HTMLCanvasElement} canvas
 */
export function shade(canvas) {
  const darken = darkness(canvas);
  return (/** @type {Scene} */ scene, /** @type {Placed[]} */ pieces, /** @type {number} */ part) => {
    const { width, cells } = sightOf(scene.after);
    const dark = (/** @type {To} */ to) => {
      to.fillStyle = scene.palette.dusk;
      to.beginPath();
      for (let cell = 0; cell < cells.length; cell++) if (cells[cell] === ".") addCell(to, cell, width);
      to.fill();
    };
    darken(scene.painter.grid, dark, (to) => {
      lightSeen(to, scene, part);
      for (const piece of pieces) if (piece.thing.kind === "marine" && !piece.gone) lightLamp(to, scene, piece);
      for (const [x, y] of scene.game.flames ?? []) {
        const radius = 2.4 + 0.5 * pulse(scene.look.beat, 3, (x * 3 + y) / 7);
        pool(to, x + 0.5, y + 0.5, radius, 0.9);
      }
    });
  };
}

/** @param {To | Path2D} to @param {number} cell @param {number} width of the ship */
const addCell = (to, cell, width) => to.rect(cell % width, Math.floor(cell / width), 1, 1);

/** @param {To} to @param {number} x @param {number} y @param {number} radius @param {number} strength */
function pool(to, x, y, radius, strength) {
  const light = to.createRadialGradient(x, y, 0, x, y, radius);
  light.addColorStop(0, `rgba(0,0,0,${strength})`);
  light.addColorStop(1, "rgba(0,0,0,0)");
  to.fillStyle = light;
  to.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
}

/**
 * Lights the cells seen before and after, those seen only before, and those seen only after.
 * @param {To} to @param {Scene} scene @param {number} part
 */
function lightSeen(to, { after, before }, part) {
  const { width } = sightOf(after);
  const [old, fresh] = [before, after].map((state) => sightOf(state).all(state));
  /** @type {[Iterable<number>, number][]} */
  const lit = [
    [[...fresh].filter((cell) => old.has(cell)), 1],
    [[...fresh].filter((cell) => !old.has(cell)), part],
    [[...old].filter((cell) => !fresh.has(cell)), 1 - part],
  ];
  for (const [cells, strength] of lit) {
    to.beginPath();
    for (const cell of cells) addCell(to, cell, width);
    to.fillStyle = `rgba(0,0,0,${0.6 * strength})`;
    to.fill();
  }
}

/** @param {To} to @param {Scene} scene @param {Placed} piece */
function lightLamp(to, { after }, { thing, x, y }) {
  const sight = sightOf(after);
  const [dx, dy] = stepOf(thing.facing);
  to.save();
  to.beginPath();
  for (const cell of sight.seen(thing)) addCell(to, cell, sight.width);
  to.clip();
  pool(to, x + 0.5 + 1.7 * dx, y + 0.5 + 1.7 * dy, 5, thing.deactivated ? 0.7 : 1);
  to.restore();
}

/** Tints the cells that marines on overwatch watch, and those that the chosen marine sees. @param {Scene} scene */
export function drawWatched({ after, look, options, painter, units }) {
  const { color, g, grid } = painter;
  const sight = sightOf(after);
  const reach = isNumber(options.overwatch_range) ? options.overwatch_range : 12;
  /** @type {Set<number>} */
  const watched = new Set();
  /** @type {Set<number>} */
  const chosen = new Set();
  for (const unit of units.filter(({ kind }) => kind === "marine"))
    for (const cell of sight.seen(unit)) {
      if (unit.overwatch && sight.far(unit, cell) <= reach) watched.add(cell);
      if (unit.id === look.selected || unit.id === look.hovered) chosen.add(cell);
    }
  const fill = (/** @type {Set<number>} */ cells, /** @type {string} */ style) => {
    const path = new Path2D();
    for (const cell of cells) {
      const [x, y] = grid.place(cell % sight.width, Math.floor(cell / sight.width));
      path.rect(x, y, grid.tile + 0.4, grid.tile + 0.4);
    }
    g.fillStyle = style;
    g.fill(path);
  };
  fill(watched, `${color(0)}38`);
  fill(chosen, "rgba(255,214,64,.3)");
}

/**
 * The lines of sight between a unit and the units of the other side. Only the sight of marines counts.
 * @param {Scene} scene @param {Thing} unit
 */
export function drawRays({ after, painter, units }, unit) {
  const { grid, line, ring } = painter;
  const sight = sightOf(after);
  for (const other of units) {
    if (sideOf(other) === sideOf(unit)) continue;
    const [marine, target] = unit.kind === "marine" ? [unit, other] : [other, unit];
    if (!sight.seen(marine).includes(sight.at(target.x, target.y))) continue;
    const [x, y] = grid.place(marine.x + 0.5, marine.y + 0.5);
    const [tx, ty] = grid.place(target.x + 0.5, target.y + 0.5);
    line(x, y, tx, ty, Math.max(2.5, grid.tile * 0.12), "rgba(0,0,0,.45)");
    line(x, y, tx, ty, Math.max(1.2, grid.tile * 0.05), CHOSEN);
    ring(grid.tile * 0.46, CHOSEN, tx, ty, Math.max(1.5, grid.tile * 0.06));
  }
}
