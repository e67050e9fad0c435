/** What is drawn over the hall: the fog, the tiles that reaction shots can hit, and what the selected unit could do. */

import { isNumber, SIDES } from "arena/grid";
import { room } from "arena/rolls";
import { canMove, chance, numbersOf, partsOf, reach } from "./abilities.js";
import { DANGER } from "./scene.js";

/** @typedef {import("./scene.js").Look} Look */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").State} State */
/** @typedef {import("./scene.js").Thing} Thing */

/** The colour of the range of a unit, by its action points. */
const RANGE = ["#9aa5b8", "#ff9d4d", "#ffd84d", "#57e0a5"];

/**
 * The player whose view is shown; null without fog, and for a view of everything. A state does not say whose view it
 * is: it lacks units of the other player.
 * @param {any} options @param {State} state @param {Look} look @returns {number | null}
 */
export function viewerOf(options, state, look) {
  if (!options.rules?.fog_of_war) return null;
  if (isNumber(look.player)) return look.player;
  const units = options.map?.units ?? [];
  const gone = new Set(state.get("game")?.eliminated ?? []);
  const missing = units.findIndex((/** @type {any} */ _, /** @type {number} */ at) => {
    return !gone.has(`u${at}`) && !state.has(`u${at}`);
  });
  return missing < 0 ? null : 1 - units[missing].player;
}

/** Hides what no unit of a player sees. @param {Scene} scene @param {number} player */
export function drawFog(scene, player) {
  const field = scene.hall.seenBy(scene.units.filter((unit) => unit.player === player));
  fillTiles(scene, field, scene.palette.fog, (value) => !value);
}

/**
 * Colours the tiles that a player's reaction shots can hit: more shots give more red.
 * @param {Scene} scene @param {Thing[]} units
 */
export function drawWatched(scene, units) {
  const { g, grid, text } = scene.painter;
  const shots = scene.hall.shots(units);
  g.globalAlpha = 0.13;
  for (const least of [1, 3, 7, 13]) fillTiles(scene, shots, DANGER, (value) => value >= least);
  g.globalAlpha = 1;
  if (grid.tile <= 24) return;
  scene.hall.each((x, y, _kind, at) => {
    if (!shots[at]) return;
    const [px, py] = grid.place(x + 1, y);
    text(String(shots[at]), px - grid.tile * 0.12, py + grid.tile * 0.14, grid.tile * 0.2, DANGER);
  });
}

/**
 * Marks those tiles of a unit's range that reaction shots can hit, each at one corner.
 * @param {Scene} scene @param {Thing[]} enemies @param {Uint8Array} range
 */
function drawDanger({ hall, painter }, enemies, range) {
  const { grid, polygon, text } = painter;
  const shots = hall.shots(enemies);
  const size = grid.tile * 0.36;
  hall.each((x, y, _kind, at) => {
    if (!shots[at] || !range[at]) return;
    const [px, py] = grid.place(x + 1, y);
    const corner = [
      [px, py],
      [px - size, py],
      [px, py + size],
    ];
    polygon(corner, DANGER);
    if (grid.tile > 24)
      text(String(shots[at]), px - grid.tile * 0.12, py + grid.tile * 0.14, grid.tile * 0.2, "#ffffff");
  });
}

/** What a unit sees, where it can go, and what threatens it there. @param {Scene} scene @param {Thing} unit */
export function drawAround(scene, unit) {
  const { hall, painter, palette, rules, units } = scene;
  const { color, g } = painter;
  const field = hall.seen(unit.x, unit.y);
  fillTiles(scene, field, `${palette.fog.slice(0, 7)}66`, (value) => !value);
  if (unit.overwatch > 0) {
    g.globalAlpha = 0.2;
    fillTiles(scene, field, color(unit.player));
    g.globalAlpha = 1;
  }
  if (!numbersOf(unit, rules)) return;
  const range = new Uint8Array(hall.width * hall.height);
  for (const at of reach(unit, hall, units, rules).keys()) range[at] = 1;
  const tint = RANGE[Math.min(3, unit.ap ?? 0)] ?? RANGE[0];
  g.globalAlpha = unit.ap > 0 && canMove(unit, rules) ? 0.34 : 0.13;
  fillTiles(scene, range, tint);
  g.globalAlpha = 1;
  drawOutline(scene, range, tint);
  const enemies = units.filter(({ player }) => player !== unit.player);
  if (unit.ap > 0) drawDanger(scene, enemies, range);
}

/**
 * @param {Scene} scene @param {Uint8Array} values a value for each tile @param {string} fill
 * @param {(value: number) => boolean} [only] whether a tile with this value is filled
 */
function fillTiles({ hall, painter }, values, fill, only = (value) => value > 0) {
  const { g, grid } = painter;
  const path = new Path2D();
  hall.each((x, y, kind, at) => {
    if (kind === "_" || !only(values[at])) return;
    const [px, py] = grid.place(x, y);
    path.rect(px, py, grid.tile + 0.4, grid.tile + 0.4);
  });
  g.fillStyle = fill;
  g.fill(path);
}

/** @param {Scene} scene @param {Uint8Array} mask @param {string} stroke */
function drawOutline({ hall, painter }, mask, stroke) {
  const { g, grid } = painter;
  g.beginPath();
  hall.each((x, y, _kind, at) => {
    if (!mask[at]) return;
    for (const [dx, dy] of Object.values(SIDES)) {
      const there = hall.at(x + dx, y + dy);
      if (there >= 0 && mask[there]) continue;
      const [mx, my] = [x + 0.5 + dx * 0.5, y + 0.5 + dy * 0.5];
      g.moveTo(...grid.place(mx - dy * 0.5, my - dx * 0.5));
      g.lineTo(...grid.place(mx + dy * 0.5, my + dx * 0.5));
    }
  });
  g.strokeStyle = stroke;
  g.lineWidth = Math.max(1.2, grid.tile * 0.05);
  g.stroke();
}

/**
 * Rings around the enemies in sight, with the number needed for a hit, its parts, and the chance.
 * @param {Scene} scene @param {Thing} unit
 */
export function drawAims(scene, unit) {
  const { hall, painter, rules, units } = scene;
  const { color, g, grid, line, ring } = painter;
  const field = hall.seen(unit.x, unit.y);
  for (const enemy of units) {
    if (enemy.player === unit.player || !field[hall.at(enemy.x, enemy.y)]) continue;
    const [x, y] = grid.place(enemy.x + 0.5, enemy.y + 0.5);
    g.setLineDash([grid.tile * 0.1, grid.tile * 0.1]);
    line(...grid.place(unit.x + 0.5, unit.y + 0.5), x, y, Math.max(1, grid.tile * 0.04), `${color(unit.player)}aa`);
    g.setLineDash([]);
    ring(grid.tile * 0.48, "#ffffff", x, y, Math.max(2, grid.tile * 0.1));
    ring(grid.tile * 0.48, DANGER, x, y, Math.max(1.2, grid.tile * 0.06));
    const parts = partsOf(unit, enemy, rules);
    if (!parts) continue;
    const needed = parts.reduce((sum, [value]) => sum + value, 0);
    const lines = [`${needed}+  ${chance(needed)} %`];
    if (grid.tile > 26 && parts.length > 1) {
      const [[base], ...more] = parts;
      lines.push(
        [base, ...more.map(([value, name]) => `${value < 0 ? "−" : "+"}${Math.abs(value)} ${name}`)].join(" "),
      );
    }
    drawLabel(scene, lines, x, y);
  }
}

/** @param {Scene} scene @param {string[]} lines @param {number} x @param {number} y */
function drawLabel({ look, painter, palette, taken }, lines, x, y) {
  const { caption, card, g, grid } = painter;
  const size = Math.max(9, Math.min(15, grid.tile * 0.28));
  g.font = `700 ${size}px system-ui, sans-serif`;
  const width = Math.max(...lines.map((line) => g.measureText(line).width)) + size;
  const height = size * 1.25 * lines.length + size * 0.3;
  const left = Math.max(grid.left, Math.min(look.width - width - 2, x - width / 2));
  const top = room(taken, left, y - grid.tile * 0.55 - height, width, height + 3, y + grid.tile * 0.6);
  card(left, top, width, height, size * 0.4, palette.plate, DANGER);
  lines.forEach((line, at) => {
    const y = top + size * (0.8 + 1.25 * at);
    if (at) caption(line, left + width / 2, y, size * 0.8, palette.dim, { weight: 500 });
    else caption(line, left + width / 2, y, size, palette.ink);
  });
}
