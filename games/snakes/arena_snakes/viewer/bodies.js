/** Snakes as they move: each body is one piece from head to tail. */

import { between } from "arena/grid";
import { bodyOf, STEPS } from "./state.js";

/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {number[]} Point */

/** The patterns of the bodies, in tiles: snakes differ without colour too. */
const PATTERNS = [
  [0.02, 0.5],
  [],
  [0.3, 0.2],
  [0.02, 0.25],
  [0.5, 0.25, 0.02, 0.25],
  [0.7, 0.5],
  [0.12, 0.12],
  [0.02, 1],
];

/**
 * @param {Painter} painter @param {Thing} snake @param {Thing | undefined} was @param {number} fraction @param {Look}
 * look
 */
export function drawSnake(painter, snake, was, fraction, look) {
  const { color, g, grid } = painter;
  const points = course(snake, was, fraction, look);
  const spine = curve(grid, points);
  const { tile } = grid;
  g.save();
  g.lineJoin = g.lineCap = "round";
  outline(painter, spine, 0.74);
  const marked = look.selected === snake.id || look.hovered === snake.id;
  g.lineWidth = tile * 0.1;
  g.strokeStyle = marked ? (look.dark ? "#ffffff" : "#101010") : "rgba(0,0,0,.45)";
  g.stroke();
  g.fillStyle = color(snake.owner);
  g.fill();
  g.setLineDash(PATTERNS[snake.owner % PATTERNS.length].map((part) => part * tile));
  g.lineWidth = tile * 0.26;
  g.strokeStyle = "rgba(255,255,255,.3)";
  g.beginPath();
  for (const [x, y] of spine.slice(0, Math.max(2, spine.length - 6))) g.lineTo(x, y);
  g.stroke();
  g.restore();
  drawHead(painter, snake, was, points, fraction);
}

/**
 * The points of a body between two states, from head to tail, in tiles. The head moves forward, the tail follows along
 * the bends, and the tiles between sway a little.
 * @param {Thing} snake @param {Thing | undefined} was @param {number} fraction @param {Look} look @returns {Point[]}
 */
function course(snake, was, fraction, look) {
  const body = bodyOf(snake);
  const old = bodyOf(was);
  const slide = (/** @type {Point} */ from, /** @type {Point} */ to) => [
    between(from[0], to[0], fraction),
    between(from[1], to[1], fraction),
  ];
  const moves = old.length > 0 && fraction < 1;
  const points = moves
    ? [slide(old[0], body[0]), ...body.slice(1), slide(old[old.length - 1], body[body.length - 1])]
    : body;
  if (look.still) return points;
  return points.map(([x, y], at) => {
    const [before, next] = [points[at - 1], points[at + 1]];
    if (!before || !next) return [x, y];
    const far = 0.07 * Math.sin(0.5 * look.beat + 1.9 * x + 2.6 * y);
    return [x + far * Math.sign(next[1] - before[1]), y - far * Math.sign(next[0] - before[0])];
  });
}

/**
 * Points, in pixels, along a line that bends in the tiles where it turns.
 * @param {import("arena/grid").Grid} grid @param {Point[]} points @returns {Point[]}
 */
function curve(grid, points) {
  const middle = (/** @type {Point} */ [x, y], /** @type {Point} */ [tx, ty]) => [(x + tx) / 2, (y + ty) / 2];
  const corners = points.map(([x, y]) => grid.place(x + 0.5, y + 0.5));
  /** @type {Point[]} */
  const bent = [corners[0]];
  for (let at = 1; at + 1 < corners.length; at++) {
    const [from, over] = [bent[bent.length - 1], corners[at]];
    const to = at + 2 < corners.length ? middle(over, corners[at + 1]) : corners[at + 1];
    for (let step = 1; step <= 5; step++) {
      const [t, u] = [step / 5, 1 - step / 5];
      bent.push([0, 1].map((axis) => u * u * from[axis] + 2 * u * t * over[axis] + t * t * to[axis]));
    }
  }
  if (corners.length === 2) bent.push(corners[1]);
  return bent;
}

/**
 * Makes the outline of a body along a line the path. The body is thinner at the tail.
 * @param {Painter} painter @param {Point[]} spine @param {number} wide
 */
function outline({ g, grid }, spine, wide) {
  const sides = spine.map(([x, y], at) => {
    const [[fx, fy], [tx, ty]] = [spine[Math.max(0, at - 1)], spine[Math.min(spine.length - 1, at + 1)]];
    const long = Math.hypot(tx - fx, ty - fy) || 1;
    const half = (grid.tile * wide * Math.min(1, 0.35 + 0.065 * (spine.length - 1 - at))) / 2;
    return [x, y, (half * (ty - fy)) / long, (half * (tx - fx)) / long];
  });
  g.beginPath();
  for (const [x, y, ax, ay] of sides) g.lineTo(x + ax, y - ay);
  const [x, y, ax, ay] = sides[sides.length - 1];
  g.quadraticCurveTo(x + 2 * ay, y + 2 * ax, x - ax, y + ay); // a round tail
  for (const [x, y, ax, ay] of sides.toReversed()) g.lineTo(x - ax, y + ay);
  g.closePath();
}

/**
 * @param {Painter} painter @param {Thing} snake @param {Thing | undefined} was @param {Point[]} points
 * @param {number} fraction
 */
function drawHead({ arrow, color, dot, g, grid, ring, text }, snake, was, points, fraction) {
  const [at, ...others] = points;
  const neck = others.find(([x, y]) => Math.abs(x - at[0]) + Math.abs(y - at[1]) > 0.05) ?? [at[0], at[1] + 1];
  const angle = Math.atan2(at[1] - neck[1], at[0] - neck[0]);
  const eats = was !== undefined && snake.health > was.health; // it grows by what it has eaten
  grid.inTile(g, at[0], at[1], () => {
    const open = eats && fraction > 0 && fraction < 1 ? Math.sin(Math.PI * fraction) : 0;
    g.scale(1 + 0.18 * open, 1 + 0.18 * open);
    dot(0, 0, 0.46, color(snake.owner));
    ring(0.46, "rgba(0,0,0,.5)", 0, 0, 0.05);
    text(String(snake.owner + 1).slice(0, 2), -0.16 * Math.cos(angle), -0.16 * Math.sin(angle), 0.34, "#ffffff");
    g.save();
    g.rotate(angle);
    for (const side of [-1, 1]) {
      dot(0.2, 0.23 * side, 0.12, "#ffffff");
      dot(0.24, 0.23 * side, 0.06, "#111111");
    }
    g.restore();
    const step = STEPS[snake.chosen];
    if (step && fraction > 0) arrow(step, 0.58, 0.13, "#ffffff", "#222222");
  });
}

/** A body falls to pieces, from head to tail. @param {Painter} painter @param {Thing} snake @param {number} fraction */
export function burst({ color, g, grid, hit, shards }, snake, fraction) {
  bodyOf(snake).forEach(([x, y], at, body) => {
    const part = (fraction - 0.25 - (0.35 * at) / body.length) / 0.4;
    if (part > 0 && part < 1)
      grid.inTile(g, x, y, () => (at ? shards(part, 4, color(snake.owner), 0.6, at) : hit(part)));
  });
}

/**
 * Draws a cross on the neck of a snake that was eliminated, within the board: where the head was, the head of the
 * winner can be.
 * @param {Painter} painter @param {Thing} snake @param {number} fraction @param {{board: string, food: string}} tone
 */
export function drawCross({ g, grid, line }, snake, fraction, tone) {
  const [head, neck] = bodyOf(snake);
  const [x, y] = neck ?? head;
  const column = Math.max(-0.3, Math.min(grid.columns - 0.7, x));
  const row = Math.max(-0.3, Math.min(grid.rows - 0.7, y));
  grid.inTile(g, column, row, () => {
    const size = 0.3 * Math.min(1, fraction * 1.5);
    for (const side of [-1, 1]) {
      line(-size, -size * side, size, size * side, 0.2, tone.board);
      line(-size, -size * side, size, size * side, 0.11, tone.food);
    }
  });
}
