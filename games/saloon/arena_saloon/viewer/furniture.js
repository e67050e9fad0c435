/**
 * Tables, pianos and bottles; and what lies on the floor: where somebody can be called in, whom a shot could hit,
 * and the glass under somebody's feet.
 */

import { pulse } from "arena/effects";
import { SIDES, stepOf } from "arena/grid";
import { BOTTLE, PIANO, paintFigure, TABLE } from "./figures.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/states").Thing} Thing */

/** The feet of furniture in its tile. */
const FEET = 0.42;

/**
 * @param {Painter} painter @param {Placed} piece @param {number} part of its full health @param {string} tone of the
 * gang that plays @param {Look} look
 */
export function drawFurnishing(painter, { thing }, part, tone, look) {
  const { bar, g, glow, oval } = painter;
  if (thing.is_playing) glow(1, "255, 214, 120", 0.3 + 0.3 * pulse(look.beat, 8));
  g.save();
  g.translate(0, FEET);
  oval(0.04, 0, 0.5, 0.12, "rgba(0,0,0,.35)");
  paintFigure(g, thing.is_piano ? PIANO : TABLE, thing.is_piano ? 1.06 : 0.98);
  bar(part, thing.is_piano ? -0.26 : -0.06);
  if (thing.is_piano) drawPlaying(painter, thing.is_playing, tone, look);
  g.restore();
}

/**
 * The candles of a piano; and notes in the colour of the gang that plays it.
 * @param {Painter} painter @param {boolean} playing @param {string} tone @param {Look} look
 */
function drawPlaying({ dot, g, note, rounded }, playing, tone, look) {
  for (const side of [-1, 1]) {
    rounded(0.28 * side - 0.025, -0.78, 0.05, 0.12, 0.01, "#fff6dd");
    dot(0.28 * side, -0.83 - 0.012 * pulse(look.beat, 3), 0.045, "#ffd65a");
  }
  if (!playing) return;
  const seen = g.globalAlpha;
  for (const [at, x] of [-0.34, 0, 0.34].entries()) {
    const up = (0.13 * look.beat + at / 3) % 1;
    g.globalAlpha = seen * (1 - up * up);
    note(x + 0.02, -1.02 - 0.5 * up, 1.75, "#ffffff");
    note(x, -1.02 - 0.5 * up, 1.5, tone);
  }
  g.globalAlpha = seen;
}

/**
 * A bottle with its trail points the way that it flies. The yellow arrow is, as beside a drunk, where a drunk staggers.
 * @param {Painter} painter @param {Placed & {high?: number}} piece `high`: how high it flies
 */
export function drawBottle({ arrow, g, oval, polygon }, { thing, high = 0 }) {
  const [dx, dy] = stepOf(thing.direction);
  oval(0, 0.3, 0.26, 0.08, "rgba(0,0,0,.32)");
  g.translate(0, -0.06 - high);
  g.save();
  g.rotate(Math.atan2(dy, dx));
  for (const [y, long] of [
    [-0.1, 0.62],
    [0, 0.8],
    [0.1, 0.62],
  ]) {
    polygon(
      [
        [-0.32, y - 0.035],
        [-long, y],
        [-0.32, y + 0.035],
      ],
      "rgba(74,190,120,.75)",
    );
  }
  paintFigure(g, BOTTLE, 1.05);
  g.restore();
  arrow(stepOf(thing.drunk_direction), 0.46, 0.15, "#ffd23f", "#24130a");
}

/**
 * The glass under somebody's feet.
 * @param {Painter} painter @param {[number, number][]} hazards @param {Placed[]} pieces
 */
export function drawPain({ g, grid, ring }, hazards, pieces) {
  const places = new Set(pieces.filter(({ thing }) => thing.job).map(({ thing }) => `${thing.x} ${thing.y}`));
  for (const [x, y] of hazards)
    if (places.has(`${x} ${y}`)) grid.inTile(g, x, y, () => ring(0.44, "rgba(226,62,40,.85)", 0, 0.02, 0.07));
}

/**
 * The tile where a young gun calls somebody in.
 * @param {Painter} painter @param {Thing} gun
 */
export function drawCallIn({ color, g, grid }, gun) {
  const tile = gun.call_in_tile ?? gun.call_in;
  if (!Array.isArray(tile)) return;
  grid.inTile(g, tile[0], tile[1], () => {
    g.globalAlpha = gun.can_call_in ? 0.2 : 0.08;
    g.fillStyle = g.strokeStyle = color(gun.owner);
    g.fillRect(-0.45, -0.45, 0.9, 0.9);
    g.globalAlpha = gun.can_call_in ? 1 : 0.4;
    g.lineWidth = 0.07;
    g.beginPath();
    for (const [sx, sy] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ]) {
      g.moveTo(0.2 * sx, 0.44 * sy);
      g.lineTo(0.44 * sx, 0.44 * sy);
      g.lineTo(0.44 * sx, 0.2 * sy);
    }
    g.stroke();
  });
}

/**
 * Lines over the tiles that a Sharpshooter could hit.
 * @param {Painter} painter @param {Placed} piece @param {Look} look
 */
export function drawFocus({ color, g, grid, line }, { thing, x, y }, look) {
  const chosen = look.selected === thing.id || look.hovered === thing.id;
  g.fillStyle = color(thing.owner);
  g.globalAlpha = chosen ? 0.95 : 0.45;
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
