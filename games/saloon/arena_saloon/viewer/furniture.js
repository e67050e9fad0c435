/**
 * Tables, pianos and bottles; and the signs on the floor: where somebody can be called in, and whom a shot could hit.
 */

import { pulse } from "arena/effects";
import { between, ease, SIDES, stepOf } from "arena/grid";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/states").Thing} Thing */

/**
 * @param {Painter} painter @param {Placed} piece @param {number} fraction @param {number} fullHealth
 * @param {number} beat
 */
export function drawFurnishing(painter, { thing, before }, fraction, fullHealth, beat) {
  const { bar, oval } = painter;
  oval(0, 0.33, 0.44, 0.13, "rgba(0,0,0,.35)");
  if (thing.is_piano) drawPiano(painter, thing.is_playing, fraction, beat);
  else drawTable(painter);
  bar(between(before?.health ?? thing.health, thing.health, fraction) / fullHealth, -0.48);
}

/** @param {Painter} painter */
function drawTable({ dot, line, oval, polygon }) {
  line(0, 0, 0, 0.32, 0.12, "#4d2f19");
  line(-0.2, 0.35, 0.2, 0.35, 0.07, "#4d2f19");
  oval(0, -0.02, 0.4, 0.24, "#2f6b4a", "#7b4b27", 0.07);
  polygon(
    [
      [-0.2, -0.06],
      [-0.08, -0.12],
      [-0.03, 0.03],
      [-0.15, 0.08],
    ],
    "#faf6ea",
  );
  dot(0.14, -0.03, 0.055, "#d8463c");
  dot(0.22, 0.05, 0.055, "#3b6fd1");
}

/** @param {Painter} painter @param {boolean} playing @param {number} fraction @param {number} beat */
function drawPiano({ glow, line, note, ring, rounded }, playing, fraction, beat) {
  if (playing) glow(0.75, "255, 214, 90", 0.35 + 0.35 * pulse(beat, 8));
  if (playing) ring(0.5, "rgba(255,214,90,.85)", 0, 0, 0.05);
  rounded(-0.4, -0.34, 0.8, 0.66, 0.06, "#5d3216", "#22100a");
  rounded(-0.34, -0.29, 0.68, 0.2, 0.03, "#7c4721");
  rounded(-0.44, 0.0, 0.88, 0.2, 0.03, "#faf5ea", "#22100a");
  for (let key = 0; key < 8; key++) {
    line(-0.33 + key * 0.11, 0.01, -0.33 + key * 0.11, 0.19, 0.012, "#8c8378");
    if (key % 4 !== 2 && key < 7) line(-0.28 + key * 0.11, 0.01, -0.28 + key * 0.11, 0.11, 0.05, "#17110d");
  }
  line(-0.36, 0.3, -0.36, 0.4, 0.08, "#3a1d0d");
  line(0.36, 0.3, 0.36, 0.4, 0.08, "#3a1d0d");
  if (playing) for (const x of [-0.24, 0.22]) note(x, -0.42 - 0.12 * ((fraction + x * x * 7) % 1), 0.85, "#ffd65a");
}

/**
 * @param {Painter} painter @param {Placed & {high?: number}} piece `high`: how high it flies
 * @param {number} fraction
 */
export function drawBottle({ arrow, dot, g, line, oval, polygon, rounded }, { thing, high = 0 }, fraction) {
  const [dx, dy] = stepOf(thing.direction);
  oval(0, 0.28, 0.16, 0.06, "rgba(0,0,0,.3)");
  g.translate(0, -high);
  if (high)
    for (const back of [0.2, 0.34, 0.46]) dot(-dx * back, -dy * back + 0.3 * high * back, 0.05, "rgba(255,255,255,.3)");
  arrow(stepOf(thing.direction), 0.42, 0.13, "#ffffff", "rgba(0,0,0,.7)");
  g.save();
  g.rotate(0.5 + (high ? ease(fraction) * 12.566 : 0));
  const half = [
    [0.04, -0.25],
    [0.04, -0.12],
    [0.1, -0.04],
    [0.1, 0.22],
  ];
  polygon([...half, ...half.toReversed().map(([x, y]) => [-x, y])], "#3fa563", "#123d22");
  rounded(-0.085, 0.02, 0.17, 0.11, 0.01, "#f5ecd2");
  line(-0.06, -0.02, -0.06, 0.18, 0.025, "rgba(255,255,255,.5)");
  g.restore();
  dot(0.27, 0.27, 0.16, "#ffd23f");
  g.save();
  g.translate(0.27, 0.27);
  arrow(stepOf(thing.drunk_direction), 0.06, 0.12, "#3a2a00");
  g.restore();
}

/**
 * The tile where a young gun calls somebody in.
 * @param {Painter} painter @param {Thing} gun @param {Look} look
 */
export function drawCallIn({ color, g, grid }, gun, look) {
  const tile = gun.call_in_tile ?? gun.call_in;
  if (!Array.isArray(tile)) return;
  const [x, y] = grid.place(tile[0] + 0.5, tile[1] + 0.5);
  const size = grid.tile;
  g.globalAlpha = gun.can_call_in ? 0.95 : 0.4;
  g.strokeStyle = g.fillStyle = color(gun.owner);
  g.lineWidth = size * 0.06;
  g.setLineDash([size * 0.16, size * 0.11]);
  g.strokeRect(x - size * 0.44, y - size * 0.44, size * 0.88, size * 0.88);
  g.setLineDash([]);
  g.globalAlpha *= look.dark ? 0.22 : 0.3;
  g.fillRect(x - size * 0.44, y - size * 0.44, size * 0.88, size * 0.88);
  g.globalAlpha = 1;
}

/**
 * Lines over the tiles that a Sharpshooter could hit.
 * @param {Painter} painter @param {Placed} piece @param {Look} look
 */
export function drawFocus({ color, g, grid, line }, { thing, x, y }, look) {
  const chosen = look.selected === thing.id || look.hovered === thing.id;
  g.fillStyle = color(thing.owner);
  g.globalAlpha = chosen ? 0.95 : 0.38;
  for (const [dx, dy] of Object.values(SIDES)) {
    const room = dx > 0 ? grid.columns - 2 - x : dx < 0 ? x - 1 : dy > 0 ? grid.rows - 2 - y : y - 1;
    const reach = Math.min(thing.focus, room);
    if (reach <= 0) continue;
    const [tx, ty] = grid.place(x + 0.5 + dx * (reach + 0.35), y + 0.5 + dy * (reach + 0.35));
    g.setLineDash([grid.tile * 0.07, grid.tile * 0.13]);
    const from = grid.place(x + 0.5 + dx * 0.5, y + 0.5 + dy * 0.5);
    line(...from, tx, ty, grid.tile * (chosen ? 0.07 : 0.04), color(thing.owner));
    g.setLineDash([]);
    const [across, down] = [grid.tile * (dy ? 0.12 : 0.025), grid.tile * (dx ? 0.12 : 0.025)];
    g.fillRect(tx - across, ty - down, 2 * across, 2 * down);
  }
  g.globalAlpha = 1;
}
