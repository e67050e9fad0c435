/**
 * What the parts of a picture of Laser Flag share: the colours, the moment, and the order of what happens in a frame.
 */

import { between, thingsOf } from "arena/grid";
import { inTurn } from "arena/rolls";

/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {import("./hall.js").Hall} Hall */
/** @typedef {typeof PALETTES.dark} Palette */
/** @typedef {ReturnType<typeof schedule>} Plan */
/**
 * `units` are those of the state after the action, `fraction` is 1 for a user who wants no movement, and `taken` are
 * the rectangles that no label may cover.
 * @typedef {{painter: Painter, rules: any, hall: Hall, before: State, after: State, fraction: number, look: Look,
 *   palette: Palette, plan: Plan, taken: number[][], units: Thing[]}} Scene
 */

export const DANGER = "#ff4d6a";
const PALETTES = {
  dark: {
    floor: ["#1b2231", "#1f2738"],
    seam: "#2b3549",
    cover: "#44536f",
    top: "#5b6d8e",
    edge: "#0c1018",
    wall: "#8491aa",
    side: "#39435a",
    face: "#6f7d98",
    ink: "#e8edf6",
    dim: "#97a3b8",
    plate: "#0d121c",
    base: "#3fe0d2",
    fog: "#05070cb0",
  },
  light: {
    floor: ["#f3f5f9", "#e9edf3"],
    seam: "#d6dce6",
    cover: "#aab6cb",
    top: "#c8d1e0",
    edge: "#7c899f",
    wall: "#5a667d",
    side: "#364055",
    face: "#6c7991",
    ink: "#1d2534",
    dim: "#5f6b80",
    plate: "#ffffff",
    base: "#0d857b",
    fog: "#3c465ba0",
  },
};

/** @param {boolean} dark @returns {Palette} */
export const paletteOf = (dark) => PALETTES[dark ? "dark" : "light"];

/** @param {State} state */
export const unitsOf = (state) => thingsOf(state, "Unit");

/**
 * The part of a frame in which each event is shown: the path first, then one shot after the other. `due` has the time
 * at which a unit is hit, `places` the events that say where a unit was eliminated.
 * @param {GameEvent[]} events @param {State} before @param {State} after
 */
export function schedule(events, before, after) {
  const shots = events.filter(({ kind }) => kind === "shot");
  const places = new Map(events.filter(({ kind }) => kind === "eliminated").map((event) => [event.unit, event]));
  const moved = unitsOf(before).some(({ id, x, y }) => {
    const now = after.get(id) ?? places.get(id);
    return now && (now.x !== x || now.y !== y);
  });
  const { arrives, slots } = inTurn(shots, moved);
  /** @type {Map<string, number>} */
  const due = new Map();
  for (const { event, from, to } of slots) if (event.hit && event.target) due.set(event.target, between(from, to, 0.5));
  return { arrives, slots, due, places };
}

/** The target of a shot. @param {GameEvent} shot @param {Scene} scene */
export function targetOf(shot, { after, before, plan }) {
  if (shot.base) return { x: shot.base[0], y: shot.base[1] };
  return after.get(shot.target) ?? plan.places.get(shot.target) ?? before.get(shot.target);
}
