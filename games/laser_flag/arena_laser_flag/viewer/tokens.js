/**
 * Units as tokens: the plate of the team, the sign of the class, and marks for laser, cover, height and actions left.
 */

import { pulse } from "arena/effects";
import { SIDES } from "arena/grid";
import { canMove } from "./abilities.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("./scene.js").Painter} Painter */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Thing} Thing */

/** @param {Scene} scene @param {Thing} unit as it is shown now @param {Placed} piece where it is */
export function drawToken({ look, painter, palette, rules }, unit, piece) {
  const { color, fall, g, grid, polygon, ring, smoke } = painter;
  const isOff = unit.laser !== "charged";
  const team = color(unit.player);
  g.save();
  g.translate(...grid.place(piece.x + 0.5, piece.y + 0.5));
  g.scale(grid.tile, grid.tile);
  g.globalAlpha = piece.gone ? 1 : Math.min(1, piece.born);
  if (piece.gone) fall(piece.gone, unit.player ? 1 : -1);
  if (look.selected === unit.id) ring(0.5, look.dark ? "#ffffff" : "#10151f", 0, 0, 0.07);
  const { elevated, player } = unit;
  if (elevated) drawPlate(painter, player, 0.43, 0.1, "rgba(0,0,0,.5)");
  drawPlate(painter, player, elevated ? 0.41 : 0.37, elevated ? 0.03 : 0.05, "rgba(0,0,0,.45)");
  const y = elevated ? -0.06 : 0;
  const fill = isOff ? (look.dark ? "#2c3240" : "#c9cfda") : team;
  drawPlate(painter, player, elevated ? 0.385 : 0.36, y, fill, isOff ? team : "#ffffff");
  g.save();
  g.translate(0, y);
  const ink = isOff ? (look.dark ? "#7d879a" : "#8791a3") : "#ffffff";
  drawSign(painter, unit.unit_class, ink, isOff ? "#2c3240" : team);
  if (unit.laser === "deactivated") drawCross(painter);
  else if (unit.laser === "charging") drawCharge(painter, look.beat);
  g.restore();
  for (const side of unit.cover ?? []) drawShelter(painter, SIDES[side], palette.edge);
  if (elevated)
    polygon(
      [
        [-0.47, 0.47],
        [-0.33, 0.22],
        [-0.19, 0.47],
      ],
      "#ffe08a",
      "#3a2c00",
      0.03,
    );
  if (unit.ap > 0) drawPoints(painter, unit.ap, canMove(unit, rules));
  if (unit.overwatch > 0) drawEyes(painter, unit.overwatch, unit.overwatch_mode === "regular");
  // A laser that is off smokes; the time of the smoke differs from unit to unit.
  if (unit.laser === "deactivated" && look.beat) smoke(((look.beat + unit.x * 3 + unit.y * 5) / 12) % 1, 3);
  g.restore();
}

/**
 * A disc for a unit of player 0, a diamond for a unit of player 1: the teams differ without colour too.
 * @param {Painter} painter @param {number} player @param {number} size @param {number} y @param {string} fill
 * @param {string} [stroke]
 */
function drawPlate({ g }, player, size, y, fill, stroke) {
  g.beginPath();
  if (player === 0) g.arc(0, y, size, 0, 7);
  else
    for (const [x, down] of [
      [0, -1.2],
      [1.2, 0],
      [0, 1.2],
      [-1.2, 0],
    ])
      g.lineTo(x * size, y + down * size);
  g.closePath();
  g.fillStyle = fill;
  g.fill();
  if (!stroke) return;
  g.lineJoin = "round";
  g.lineWidth = 0.045;
  g.strokeStyle = stroke;
  g.stroke();
}

/** @param {Painter} painter */
function drawCross({ line }) {
  for (const [width, stroke] of /** @type {[number, string][]} */ ([
    [0.13, "rgba(0,0,0,.6)"],
    [0.075, "#ff5c5c"],
  ])) {
    line(-0.2, -0.2, 0.2, 0.2, width, stroke);
    line(0.2, -0.2, -0.2, 0.2, width, stroke);
  }
}

/** @param {Painter} painter @param {number} beat */
function drawCharge({ glow, polygon }, beat) {
  glow(0.45, "255, 216, 77", 0.7 * pulse(beat, 8));
  polygon(
    [
      [0.08, -0.3],
      [-0.17, 0.05],
      [-0.02, 0.05],
      [-0.08, 0.3],
      [0.17, -0.07],
      [0.02, -0.07],
    ],
    "#ffd84d",
    "#3a2c00",
    0.035,
  );
}

/** The sign of a class. @param {Painter} painter @param {string} name @param {string} ink @param {string} team */
function drawSign({ arc, dot, line, polygon, ring }, name, ink, team) {
  if (name === "grunt") {
    polygon(
      [
        [0, -0.22],
        [0.18, -0.15],
        [0.16, 0.06],
        [0, 0.22],
        [-0.16, 0.06],
        [-0.18, -0.15],
      ],
      ink,
    );
    polygon(
      [
        [0, -0.12],
        [0.09, -0.08],
        [0.08, 0.03],
        [0, 0.11],
        [-0.08, 0.03],
        [-0.09, -0.08],
      ],
      team,
    );
  } else if (name === "sniper") {
    ring(0.135, ink, 0, 0, 0.05);
    for (const [dx, dy] of Object.values(SIDES)) line(dx * 0.08, dy * 0.08, dx * 0.235, dy * 0.235, 0.05, ink);
  } else if (name === "scout") {
    for (const x of [-0.17, 0.02])
      polygon(
        [
          [x, -0.18],
          [x + 0.16, 0],
          [x, 0.18],
          [x - 0.03, 0.18],
          [x + 0.05, 0],
          [x - 0.03, -0.18],
        ],
        ink,
        ink,
        0.04,
      );
  } else {
    dot(0, -0.1, 0.09, ink);
    arc(0, 0.19, 0.175, Math.PI, 0, ink);
  }
}

/**
 * The shelter towards one side.
 * @param {Painter} painter @param {[number, number]} side @param {string} edge
 */
function drawShelter({ g, line }, [dx, dy], edge) {
  const [x, y, ax, ay] = [dx * 0.455, dy * 0.455, Math.abs(dy) * 0.27, Math.abs(dx) * 0.27];
  g.lineCap = "round";
  line(x - ax, y - ay, x + ax, y + ay, 0.11, edge);
  line(x - ax, y - ay, x + ax, y + ay, 0.06, "#6fe3ff");
  g.lineCap = "butt";
}

/**
 * Action points, crossed out if the unit cannot move any more.
 * @param {Painter} painter @param {number} points @param {boolean} moves
 */
function drawPoints({ dot, line, rounded }, points, moves) {
  const most = Math.min(9, points);
  const width = most * 0.15 + 0.08;
  rounded(-width / 2, 0.29, width, 0.19, 0.09, "#0b0f18");
  for (let at = 0; at < most; at++) dot((at - (most - 1) / 2) * 0.15, 0.385, 0.058, "#ffe14d");
  if (!moves) line(-width / 2, 0.47, width / 2, 0.3, 0.045, "#ff5c5c");
}

/** Reaction shots as eyes. @param {Painter} painter @param {number} shots @param {boolean} steady */
function drawEyes({ eye, rounded, text }, shots, steady) {
  const most = Math.min(3, shots);
  const width = most * 0.24 + 0.06;
  rounded(-width / 2, -0.5, width, 0.2, 0.1, "#0b0f18");
  for (let at = 0; at < most; at++)
    eye((at - (most - 1) / 2) * 0.24, -0.4, 0.1, steady ? "#8cf5b0" : "#ffffff", "#c81e4a");
  if (shots > 3) text(String(shots), 0.3, -0.4, 0.2, "#ffffff");
}
