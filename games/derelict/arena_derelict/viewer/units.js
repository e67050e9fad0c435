/** Units from above: marines and aliens with their facings, contacts as on a radar screen, and the marks of each. */

import { ease, isNumber, SIDES } from "arena/grid";
import { drawMarine } from "./marines.js";
import { BAD, CHOSEN, sideOf } from "./scene.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("./scene.js").Painter} Painter */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Thing} Thing */

const SHELL = "#2a1420";

/** @param {Scene} scene @param {Placed} piece */
export function drawUnit({ fraction, game, look, painter, palette }, piece) {
  const { color, g, grid, oval, ring } = painter;
  const unit = piece.thing;
  const isActive = game.active === unit.id;
  grid.inTile(g, piece.x, piece.y, () => {
    g.globalAlpha = piece.gone ? 1 - piece.gone : Math.min(1, 0.15 + piece.born);
    if (isActive) {
      ring(0.49, "#ffffff", 0, 0, 0.05);
      oval(0, 0, 0.47, 0.47, `${color(sideOf(unit))}55`);
    }
    if (look.selected === unit.id) ring(0.52, CHOSEN, 0, 0, 0.07);
    g.save();
    g.scale(1.22, 1.22);
    if (unit.kind === "blip") drawContact(painter, unit, look.beat);
    else {
      g.rotate(angle(piece.before ?? unit, unit, fraction));
      if (unit.deactivated && !piece.gone) g.globalAlpha *= 0.62;
      if (unit.kind === "marine")
        drawMarine(painter, String(unit.marine_type ?? "").replace("marine_", ""), palette.armour);
      else drawAlien(painter);
    }
    g.restore();
    if (!piece.gone) drawMarks(painter, unit, isActive ? String(game.ap) : null);
  });
}

/**
 * A unit's facing between two states, in radians from north. The unit turns by the smaller angle.
 * @param {Thing} before @param {Thing} unit @param {number} fraction
 */
function angle(before, unit, fraction) {
  const names = Object.keys(SIDES);
  const [from, to] = [names.indexOf(before.facing), names.indexOf(unit.facing)];
  if (from < 0 || to < 0) return 0;
  const turn = ((to - from + 5) % 4) - 1;
  return ((from + turn * ease(Math.min(1, fraction * 1.5))) * Math.PI) / 2;
}

/** @param {Painter} painter @param {Thing} unit @param {string | null} points of the active unit */
function drawMarks(painter, unit, points) {
  const { color, eye, line, polygon, text } = painter;
  if (unit.overwatch) badge(painter, -0.36, -0.36, color(0), () => eye(0, 0, 0.12, "#ffffff"));
  if (unit.guard)
    badge(painter, -0.36, -0.36, "#2f8f5b", () => {
      const shield = [
        [0, -0.11],
        [0.1, -0.07],
        [0.08, 0.04],
        [0, 0.12],
        [-0.08, 0.04],
        [-0.1, -0.07],
      ];
      polygon(shield, "#ffffff");
    });
  if (unit.jam)
    badge(painter, 0.36, -0.36, BAD, () => {
      for (const side of [-1, 1]) line(-0.07, -0.07 * side, 0.07, 0.07 * side, 0.05, "#ffffff");
    });
  if (unit.deactivated)
    badge(painter, 0.36, 0.36, "#555f6e", () => {
      for (const x of [-0.045, 0.045]) line(x, -0.08, x, 0.08, 0.045, "#ffffff");
    });
  if (points !== null) badge(painter, 0.36, 0.36, "#101820", () => text(points, 0, 0.015, 0.24, CHOSEN));
}

/** @param {Painter} painter @param {number} x @param {number} y @param {string} fill @param {() => void} sign */
function badge({ dot, g }, x, y, fill, sign) {
  g.save();
  g.translate(x, y);
  dot(0, 0, 0.19, "#ffffff");
  dot(0, 0, 0.165, fill);
  sign();
  g.restore();
}

/** An alien from above, facing north. @param {Painter} painter */
function drawAlien({ color, dot, line, oval, polygon }) {
  const team = color(1);
  oval(0.02, 0.08, 0.34, 0.3, "rgba(0,0,0,.4)");
  for (const side of [-1, 1]) {
    for (const [y, far] of [
      [-0.06, 0.42],
      [0.08, 0.44],
      [0.2, 0.38],
    ]) {
      line(side * 0.12, y, side * far * 0.75, y - 0.08, 0.06, `${team}cc`);
      line(side * far * 0.75, y - 0.08, side * far, y + 0.1, 0.045, `${team}99`);
    }
    polygon(
      [
        [side * 0.12, -0.16],
        [side * 0.32, -0.2],
        [side * 0.34, -0.46],
        [side * 0.25, -0.27],
        [side * 0.1, -0.24],
      ],
      team,
      SHELL,
      0.03,
    );
  }
  polygon(
    [
      [-0.08, 0.2],
      [0.08, 0.2],
      [0.03, 0.46],
      [-0.03, 0.46],
    ],
    team,
    SHELL,
    0.03,
  );
  oval(0, 0.1, 0.19, 0.19, team, SHELL, 0.035);
  for (const y of [0.04, 0.14]) line(-0.12, y, 0.12, y, 0.025, SHELL);
  oval(0, -0.17, 0.135, 0.21, team, SHELL, 0.035);
  oval(0, -0.12, 0.06, 0.13, "rgba(255,255,255,.3)");
  for (const side of [-1, 1]) dot(side * 0.06, -0.29, 0.035, "#fff6a8");
}

/**
 * A contact on the radar, with the number of aliens behind it if that is known.
 * @param {Painter} painter @param {Thing} unit @param {number} beat
 */
function drawContact({ arrow, color, dot, line, ring, text }, unit, beat) {
  const team = color(1);
  dot(0, 0, 0.36, "#0a1710");
  ring(0.36, team, 0, 0, 0.05);
  ring(0.22, `${team}88`, 0, 0, 0.025);
  // Its echo on the radar: a ring that runs outwards, and a beam that turns.
  const turn = beat / 8 + (unit.x + unit.y) / 7;
  const echo = beat ? turn % 1 : 0;
  const faint = Math.round(255 * (1 - echo));
  ring(0.36 + 0.2 * echo, `${team}${faint.toString(16).padStart(2, "0")}`, 0, 0, 0.04);
  line(0, 0, 0.34 * Math.cos(6.283 * turn), 0.34 * Math.sin(6.283 * turn), 0.05, `${team}aa`);
  line(-0.34, 0, 0.34, 0, 0.018, `${team}66`);
  line(0, -0.34, 0, 0.34, 0.018, `${team}66`);
  arrow(SIDES[unit.facing] ?? SIDES.North, 0.38, 0.09, team);
  text(isNumber(unit.count) ? String(unit.count) : "?", 0, 0.02, 0.44, "#ffffff");
}
