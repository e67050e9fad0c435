/** What happens in the hall: walks, beams, the dice of each shot, and what becomes of who is hit. */

import { shudder } from "arena/effects";
import { between, ease, isNumber } from "arena/grid";
import { room } from "arena/rolls";
import { numbersOf, onTheWay } from "./abilities.js";
import { DANGER, targetOf, unitsOf } from "./scene.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("./scene.js").GameEvent} GameEvent */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Thing} Thing */

/**
 * Moves the piece of a unit to where it is at this moment: on its path, at the place where it is eliminated, or shaken
 * by a hit. Returns the unit as it is at this moment.
 * @param {Scene} scene @param {Placed} piece @returns {Thing}
 */
export function settle({ before, fraction, hall, plan, rules }, piece) {
  const { thing } = piece;
  const due = plan.due.get(thing.id) ?? 0;
  const arrived = ease(Math.min(1, fraction / plan.arrives));
  const goal = piece.gone ? (plan.places.get(thing.id) ?? thing) : thing;
  if ((piece.gone || piece.moved) && piece.before && numbersOf(thing, rules)) {
    const place = onTheWay(piece.before, goal, hall, unitsOf(before), rules, arrived);
    if (place) [piece.x, piece.y] = place;
  }
  if (piece.gone) piece.gone = Math.max(0.001, (fraction - due) / (1.001 - due));
  if (due && fraction > due) piece.x += shudder((fraction - due) / (1 - due), 0.07);
  return fraction < due && piece.before ? piece.before : thing;
}

/**
 * A beam starts in the middle of the shooter and follows the line of sight. If it hits, it ends in the middle of the
 * target. A faint beam remains.
 * @param {Scene} scene @param {GameEvent} shot @param {number} part
 */
export function drawBeam(scene, shot, part) {
  const { after, before, look, painter } = scene;
  const { beam, color, g, grid } = painter;
  const path = shot.line;
  if (!Array.isArray(path) || !path.every(isNumber) || part <= 0) return;
  const middleOf = (/** @type {any} */ thing, /** @type {number} */ x, /** @type {number} */ y) => {
    const [cx, cy] = [thing?.x + 0.5, thing?.y + 0.5];
    const isOnIt = Math.abs(cx - x) <= 0.5 && Math.abs(cy - y) <= 0.5;
    return isOnIt ? grid.place(cx, cy) : grid.place(x, y);
  };
  const shooter = before.get(shot.shooter) ?? after.get(shot.shooter);
  const team = color(shooter?.player);
  const [x, y] = grid.place(path[0], path[1]);
  const [cx, cy] = grid.place(path[2], path[3]);
  const end = shot.hit ? middleOf(targetOf(shot, scene), path[2], path[3]) : [cx, cy];
  const head = Math.min(1, part * 3.5);
  const points = [middleOf(shooter, path[0], path[1]), [x, y], [between(x, cx, head), between(y, cy, head)]];
  if (head >= 1) points.push(end);
  const wide = Math.max(2.4, grid.tile * 0.1);
  g.save();
  g.lineCap = g.lineJoin = "round";
  if (!shot.hit && part >= 1) {
    g.lineCap = "butt"; // round ends would close the gaps
    g.setLineDash([wide * 1.6, wide * 1.6]);
  }
  beam(points, wide, team, look.dark ? "#ffd6f2" : team, part >= 1 ? 0.5 : 1 - 0.5 * part);
  g.restore();
  if (head >= 1 && part < 1 && !look.still) drawImpact(scene, shot.hit, end, part);
}

/** @param {Scene} scene @param {boolean} isHit @param {number[]} end @param {number} part */
function drawImpact({ look, painter }, isHit, [x, y], part) {
  const { g, grid, hit, smoke, sparks } = painter;
  const flash = (part - 1 / 3.5) * 1.4; // from the moment in which the beam arrives
  g.save();
  g.translate(x, y);
  g.scale(grid.tile, grid.tile);
  g.globalAlpha = 1 - part;
  if (isHit) hit(flash, "#fff3c4", DANGER);
  else sparks(flash, 8, look.dark ? "#e4ecff" : "#5a667d", 0.5);
  g.globalAlpha = 1;
  smoke(flash, isHit ? 7 : 4);
  g.restore();
}

/** Both dice, the number needed, and hit or miss, above each target. The latest roll is on top. @param {Scene} scene */
export function drawRolls(scene) {
  const { fraction, look, painter, plan, taken } = scene;
  const { grid } = painter;
  const size = Math.max(13, Math.min(24, grid.tile * 0.42));
  for (const { event: shot, from, to } of plan.slots) {
    const target = targetOf(shot, scene);
    const [x, y] = grid.place(target?.x + 0.5, target?.y + 0.5);
    if (fraction < between(from, to, 0.2) || !isNumber(x) || !Array.isArray(shot.dice)) continue;
    const width = size * (isNumber(shot.needed) ? 5.1 : 3.4);
    const left = Math.max(grid.left, Math.min(look.width - width - 2, x - width / 2));
    const top = room(taken, left, y - grid.tile * 0.55 - size * 1.4, width, size * 1.4, y + grid.tile * 0.6);
    drawRoll(scene, shot, left, top, size, width);
  }
}

/**
 * @param {Scene} scene @param {GameEvent} shot @param {number} left @param {number} top @param {number} size
 * @param {number} width
 */
function drawRoll({ painter, palette }, shot, left, top, size, width) {
  const { caption, card, die, dot, line } = painter;
  const tone = shot.hit ? "#1f9d63" : "#7b869b";
  card(left, top, width, size * 1.25, size * 0.3, palette.plate, tone);
  shot.dice.slice(0, 2).forEach((/** @type {number} */ value, /** @type {number} */ at) => {
    die(left + size * (0.2 + 1.05 * at), top + size * 0.16, size * 0.93, value);
  });
  if (isNumber(shot.needed))
    caption(`≥${shot.needed}`, left + size * 3.05, top + size * 0.66, size * 0.72, palette.ink);
  const [x, y, r] = [left + width - size * 0.62, top + size * 0.62, size * 0.4];
  dot(x, y, r, tone);
  if (shot.hit) {
    line(x - 0.5 * r, y, x - 0.1 * r, y + 0.4 * r, r * 0.28, "#ffffff");
    line(x - 0.1 * r, y + 0.4 * r, x + 0.5 * r, y - 0.4 * r, r * 0.28, "#ffffff");
    return;
  }
  for (const side of [-1, 1])
    line(x - r * 0.4, y - side * r * 0.4, x + r * 0.4, y + side * r * 0.4, r * 0.28, "#ffffff");
}

/** @param {Scene} scene @param {GameEvent} event */
export function drawEvent({ after, before, fraction, painter, plan }, event) {
  const { banner, color, g, glow, grid, ring, shards, smoke, star, wave } = painter;
  const due = plan.due.get(event.unit) ?? 0.2;
  const part = (fraction - due) / (1 - due);
  if (event.kind === "checkmate" && part > 0)
    banner(grid, "Checkmate", color(1 - event.player), Math.max(22, grid.tile), part);
  const unit = before.get(event.unit) ?? after.get(event.unit);
  if (!unit || part < 0) return;
  const now = after.get(event.unit);
  grid.inTile(g, event.x ?? now?.x ?? unit.x, event.y ?? now?.y ?? unit.y, () => {
    g.globalAlpha = 1 - part * part;
    if (event.kind === "deactivated") wave(part, DANGER);
    else if (event.kind === "eliminated") {
      wave(part, color(unit.player), 1.2);
      shards(part, 18, color(unit.player), 1.2);
      smoke(part, 9);
    } else if (event.kind === "charged") {
      glow(0.8, "255, 216, 77", 0.8 * (1 - part));
      ring(0.6 - 0.25 * part, "#ffd84d", 0, 0, 0.09);
      star(0.2 * (1 - part), "#fff3c4", "#e0a800");
    } else if (event.kind === "bump") star(0.2 + 0.2 * part, "#ffffff", DANGER);
  });
}
