/** What a unit could do, by the rules: where it can go, and which number it needs for a hit. */

import { isNumber } from "arena/grid";

/** @typedef {import("./hall.js").Hall} Hall */
/** @typedef {import("arena/states").Thing} Thing */

/** Of the 36 throws of two dice, those that reach a number: 36 for 2, 35 for 3, and so on. */
const CHANCES = [36, 35, 33, 30, 26, 21, 15, 10, 6, 3, 1];
/** @type {[number, number][]} */
const STEPS = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
  [1, -1],
  [1, 1],
  [-1, 1],
  [-1, -1],
];

/** The numbers of a unit's class, if they are known. @param {Thing} unit @param {any} rules */
export const numbersOf = (unit, rules) => rules.classes?.[unit.unit_class];

/** @param {Thing} unit @param {any} rules */
export const canMove = (unit, rules) => !unit.shots_fired || numbersOf(unit, rules)?.move_after_fire === true;

/** The chance of two dice, in percent. @param {number} needed */
export const chance = (needed) => Math.round(((needed <= 2 ? 36 : (CHANCES[needed - 2] ?? 0)) * 100) / 36);

/**
 * The parts of the number that a unit needs to hit another unit: value and name of each part; null if a class is
 * unknown.
 * @param {Thing} unit @param {Thing} target @param {any} rules @returns {[number, string][] | null}
 */
export function partsOf(unit, target, rules) {
  const [own, its] = [unit, target].map((one) => numbersOf(one, rules));
  if (!own || !its) return null;
  const toward = [
    target.y > unit.y && "North",
    target.x < unit.x && "East",
    target.y < unit.y && "South",
    target.x > unit.x && "West",
  ];
  /** @type {[number, string][]} */
  const parts = [[own.to_hit, ""]];
  if (unit.elevated) parts.push([own.elevated_attack, "high ground"]);
  if (toward.some((side) => side && target.cover?.includes(side))) parts.push([its.cover, "cover"]);
  if (target.elevated) parts.push([its.elevated_defense, "raised"]);
  if (unit.overwatch_mode === "snap") parts.push([own.overwatch_penalty + (rules.snap_penalty ?? 0), "reaction"]);
  if (unit.overwatch_mode === "regular") parts.push([rules.regular_penalty ?? 0, "reaction"]);
  return parts.filter(([value], at) => !at || value);
}

/**
 * The tiles in range of one action point, each with the tile before it.
 * @param {Thing} unit @param {Hall} hall @param {Thing[]} units all units @param {any} rules
 * @returns {Map<number, number>}
 */
export function reach(unit, hall, units, rules) {
  const { speed, free_climb: climbs } = numbersOf(unit, rules);
  const margin = rules.diagonal_margin;
  const far = isNumber(margin) ? (speed < margin ? -1 : (speed - margin) ** 2) : Infinity;
  const occupied = new Set(units.filter(({ id }) => id !== unit.id).map(({ x, y }) => hall.at(x, y)));
  const isCut = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ dx,
    /** @type {number} */ dy,
  ) => hall.opaque(x + dx, y) || hall.opaque(x, y + dy) || (x + dx - unit.x) ** 2 + (y + dy - unit.y) ** 2 > far;
  const start = hall.at(unit.x, unit.y);
  const range = new Map();
  const walked = new Set([start]);
  let edge = [start];
  for (let step = 0; step < Math.min(40, speed); step++) {
    const next = [];
    for (const from of edge) {
      const [x, y] = [from % hall.width, Math.floor(from / hall.width)];
      for (const [dx, dy] of STEPS) {
        const to = hall.at(x + dx, y + dy);
        if (to < 0 || walked.has(to) || occupied.has(to) || hall.opaque(x + dx, y + dy)) continue;
        if (dx && dy && isCut(x, y, dx, dy)) continue;
        if (!range.has(to)) range.set(to, from);
        if (!climbs && hall.kind(x + dx, y + dy) === "o" && hall.kind(x, y) !== "o") continue;
        walked.add(to);
        range.set(to, from);
        next.push(to);
      }
    }
    edge = next;
  }
  range.delete(start);
  return range;
}

/**
 * Where a unit is on its way between two positions, since it does not walk through walls. Null if no way is known.
 * @param {Thing} from the unit before @param {Thing} to its place after @param {Hall} hall @param {Thing[]} units
 * before
 * @param {any} rules @param {number} part 0 to 1 @returns {[number, number] | null}
 */
export function onTheWay(from, to, hall, units, rules, part) {
  const range = reach(from, hall, units, rules);
  const start = hall.at(from.x, from.y);
  const way = [];
  for (let at = hall.at(to.x, to.y); at !== start; at = /** @type {number} */ (range.get(at))) {
    if (at === undefined || way.length > 60) return null;
    way.unshift(at);
  }
  way.unshift(start);
  const far = part * (way.length - 1);
  const step = Math.min(way.length - 2, Math.floor(far));
  if (step < 0) return null;
  const point = (/** @type {number} */ tile) => [tile % hall.width, Math.floor(tile / hall.width)];
  const [[x, y], [tx, ty]] = [point(way[step]), point(way[step + 1])];
  return [x + (tx - x) * (far - step), y + (ty - y) * (far - step)];
}
