/** What happens in the wreck: shots, assaults and their dice, and what becomes of who is hit. */

import { pulse } from "arena/effects";
import { between, isNumber } from "arena/grid";
import { room } from "arena/rolls";
import { BAD, FIRE, placeOf } from "./scene.js";

/** @typedef {import("./scene.js").GameEvent} GameEvent */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {{value?: number, text: string, tone: string}} Part a die, or a text */

const FAIR = "#fff3c4";

/** @param {GameEvent} event */
const isShot = ({ label }) => label === "shoot" || label === "overwatch";

/**
 * Shots as tracers, and assaults as a clash. A faint line of a shot remains and shows its target.
 * @param {Scene} scene @param {GameEvent} event @param {number} part
 */
export function drawFight(scene, event, part) {
  if (part <= 0) return;
  const { grid } = scene.painter;
  const unit = placeOf(scene, event.unit ?? event.attacker);
  const target = placeOf(scene, event.target ?? event.defender);
  if (!isNumber(unit?.x) || !isNumber(target?.x)) return;
  const ends = [grid.place(unit.x + 0.5, unit.y + 0.5), grid.place(target.x + 0.5, target.y + 0.5)];
  if (isShot(event)) drawTracer(scene, event, part, ends);
  if (part >= 1 || scene.look.still) return;
  if (isShot(event)) drawMuzzle(scene, /** @type {{x: number, y: number}} */ (unit), part);
  drawImpact(scene, event, part, ends);
}

/** @param {Scene} scene @param {GameEvent} event @param {number} part @param {number[][]} ends */
function drawTracer({ painter }, event, part, [[x, y], [tx, ty]]) {
  const { color, g, grid, line } = painter;
  const wide = Math.max(2, grid.tile * 0.09);
  g.save();
  g.lineCap = "round";
  g.globalAlpha = part < 1 ? 1 - 0.5 * part : 0.55;
  if (part < 1) {
    g.setLineDash([grid.tile * 0.5, grid.tile * 0.35]);
    g.lineDashOffset = -part * grid.tile * 6;
  } else if (!event.result) g.setLineDash([wide, wide * 1.6]);
  line(x, y, tx, ty, wide * 1.5, color(0));
  line(x, y, tx, ty, wide * 0.6, "#fff8d6");
  g.restore();
}

/** @param {Scene} scene @param {{x: number, y: number}} unit @param {number} part */
function drawMuzzle({ painter }, unit, part) {
  const { g, glow, grid, smoke } = painter;
  grid.inTile(g, unit.x, unit.y, () => {
    if (part < 0.5) glow(0.8, "255, 220, 140", pulse(part, 0.16));
    smoke(part, 4);
  });
}

/** @param {Scene} scene @param {GameEvent} event @param {number} part @param {number[][]} ends */
function drawImpact({ painter }, event, part, [[x, y], [tx, ty]]) {
  const { g, grid, hit, sparks } = painter;
  const isClash = event.kind === "assault" || event.label === "assault_door";
  const [mx, my] = isClash ? [(x + tx) / 2, (y + ty) / 2] : [tx, ty];
  grid.inTile(g, (mx - grid.left) / grid.tile - 0.5, (my - grid.top) / grid.tile - 0.5, () => {
    g.globalAlpha = 1 - part * part;
    if (isClash || event.result) hit(part, FAIR, isClash ? BAD : "#d8791f");
    else sparks(part, 7, "#c5cfdb", 0.45);
  });
}

/** @param {Scene} scene @param {GameEvent} event */
export function drawEvent({ after, fraction, painter, plan }, event) {
  const { banner, color, g, grid, ring } = painter;
  const due = plan.due.get(event.unit) ?? 0;
  const part = (fraction - due) / (1 - due);
  const unit = after.get(event.unit);
  const [x, y] = isNumber(event.x) ? [event.x, event.y] : [unit?.x, unit?.y];
  if (event.kind === "turn") {
    const isMarines = event.side === "marine";
    const size = Math.max(16, Math.min(34, grid.tile * grid.columns * 0.045));
    const word = `Game turn ${event.turn}: ${isMarines ? "marines" : "aliens"}`;
    banner(grid, word, color(isMarines ? 0 : 1), size, fraction);
  }
  if (event.kind === "flames")
    for (const [fx, fy] of event.cells ?? [])
      grid.inTile(g, fx, fy, () => ring(0.6 * fraction, FIRE[1], 0, 0, 0.12 * (1 - fraction)));
  if (!isNumber(x) || part < 0) return;
  grid.inTile(g, x, y, () => {
    g.globalAlpha = 1 - part * part;
    drawFate(painter, event, part);
  });
}

/** @param {import("./scene.js").Painter} painter @param {GameEvent} event @param {number} part */
function drawFate({ color, ring, shards, smoke, spray, text, wave }, event, part) {
  if (event.kind === "destroyed") {
    const tone = event.what === "alien" ? "#a6e05a" : event.what === "door" ? "#8795a8" : color(0);
    const burns = event.by === "flames";
    wave(part, burns ? FIRE[1] : tone, 1);
    shards(part, 16, burns ? FIRE[0] : tone, 1.1);
    if (event.what === "alien") spray(part, 10, tone, 0.8);
    smoke(part, 7);
  } else if (event.kind === "revealed") {
    for (const late of [0, 0.3]) ring(1.1 * Math.max(0, part - late), color(1), 0, 0, 0.09);
    text("!", 0, -0.6 - 0.3 * part, 0.6, color(1));
  } else if (event.kind === "placed") ring(0.9 - 0.5 * part, color(event.what === "marine" ? 0 : 1), 0, 0, 0.06);
  else if (event.kind === "jam") text("jam!", 0, -0.5 - 0.4 * part, 0.5, BAD);
}

/** Every roll as a card: its dice, the value needed, and the result. @param {Scene} scene */
export function drawRolls(scene) {
  const { fraction, look, painter, plan } = scene;
  const { grid } = painter;
  const size = Math.max(13, Math.min(24, grid.tile * 0.5));
  const taken = [[0, 0, look.width, Math.max(0, grid.top - grid.tile * 0.15)]]; // the line above the ship
  for (const { event } of plan.slots)
    for (const id of [event.unit, event.target, event.attacker, event.defender]) {
      const place = placeOf(scene, id);
      if (isNumber(place?.x)) taken.push([...grid.place(place.x, place.y), grid.tile, grid.tile]);
    }
  for (const { event, from, to } of plan.slots) {
    if (fraction < between(from, to, 0.15)) continue;
    const place = placeOf(scene, event.target ?? event.defender ?? event.unit);
    const parts = partsOf(scene, event);
    const width = parts.reduce((sum, part) => sum + widthOf(part), 0.3) * size;
    const [x, y] = isNumber(place?.x) ? grid.place(place.x + 0.5, place.y) : [look.width / 2, grid.top + size * 2];
    const left = Math.max(grid.left, Math.min(look.width - width - 3, x - width / 2));
    const top = room(taken, left, y - size * 1.5, width, size * 1.45, y + grid.tile * 1.1);
    drawCard(scene, event, parts, left, top, width, size);
  }
}

/** @param {Part} part */
const widthOf = ({ value, text }) => (value ? 1.06 : 0.3 + 0.62 * text.length);

/**
 * @param {Scene} scene @param {GameEvent} event @param {Part[]} parts @param {number} left @param {number} top
 * @param {number} width @param {number} size
 */
function drawCard({ painter, palette }, event, parts, left, top, width, size) {
  const { caption, card, color, die } = painter;
  card(left, top, width, size * 1.28, size * 0.3, palette.card, toneOf(event, color));
  let far = left + size * 0.15;
  for (const part of parts) {
    if (part.value) die(far + size * 0.05, top + size * 0.17, size * 0.94, part.value, part.tone);
    else caption(part.text, far + size * (0.15 + 0.31 * part.text.length), top + size * 0.67, size * 0.74, part.tone);
    far += widthOf(part) * size;
  }
}

/** The colour of a result. @param {GameEvent} event @param {(player: number) => string} color */
function toneOf({ kind, result }, color) {
  if (result === false || (kind === "assault" && result === "tie")) return "#7b869b";
  if (kind === "assault") return color(result === "marine" ? 0 : 1);
  return result === true ? "#1f9d63" : "#f4b630";
}

/** @param {Scene} scene @param {GameEvent} event @returns {Part[]} */
function partsOf({ painter, palette }, event) {
  const { color } = painter;
  const diceOf = (/** @type {number[]} */ values, /** @type {string} */ tone) =>
    (values ?? []).slice(0, 6).map((value) => ({ value, text: "", tone }));
  if (event.kind === "assault") {
    const sign = event.result === "tie" ? "=" : event.result === "marine" ? ">" : "<";
    return [
      ...diceOf(event.marine_dice, color(0)),
      { text: sign, tone: palette.ink },
      ...diceOf(event.alien_dice, color(1)),
    ];
  }
  const dice = diceOf(event.dice, "#ffffff");
  if (!isNumber(event.needed)) return [...dice, { text: "command", tone: palette.dim }];
  const result = event.result ? { text: "✓", tone: "#1f9d63" } : { text: "✗", tone: BAD };
  return [...dice, { text: `≥${event.needed}`, tone: palette.ink }, result];
}
