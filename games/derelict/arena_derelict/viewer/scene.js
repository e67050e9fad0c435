/** What the parts of a picture of Derelict share: the colours, the moment, and the order of what happens in a frame. */

import { between, isNumber, thingsOf } from "arena/grid";
import { inTurn } from "arena/rolls";

/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {typeof PALETTES.dark} Palette */
/** @typedef {ReturnType<typeof schedule>} Plan */
/**
 * `units` are those of the state after the action; `fraction` is 1 for a user who wants no movement.
 * @typedef {{painter: Painter, options: any, game: Thing, before: State, after: State, fraction: number, look: Look,
 *   palette: Palette, plan: Plan, units: Thing[]}} Scene
 */

export const BAD = "#e5484d";
export const CHOSEN = "#ffe14d";
export const FIRE = ["#ff5a1f", "#ff9a2e", "#ffe08a"];
const PALETTES = {
  dark: {
    hull: "#0a0d12",
    wall: "#3b4757",
    rim: "#596a80",
    floor: ["#313d4c", "#364354"],
    seam: "#455466",
    ink: "#e6edf5",
    dim: "#93a1b3",
    card: "#0d1219",
    dusk: "rgba(3,5,10,.58)",
    armour: "#d9e2ec",
  },
  light: {
    hull: "#d9dde4",
    wall: "#5d6a7d",
    rim: "#b3bcc9",
    floor: ["#f2f4f7", "#e9edf2"],
    seam: "#d3dae3",
    ink: "#1c242e",
    dim: "#5d6978",
    card: "#ffffff",
    dusk: "rgba(40,50,66,.3)",
    armour: "#ffffff",
  },
};

/** @param {boolean} dark @returns {Palette} */
export const paletteOf = (dark) => PALETTES[dark ? "dark" : "light"];

/** @param {State} state */
export const unitsOf = (state) => thingsOf(state, "Unit");

/** The player of a unit. @param {Thing} unit */
export const sideOf = (unit) => (unit.kind === "marine" ? 0 : 1);

/** Whether an event is shown as dice. @param {{kind: string, label?: string}} event */
export const isRoll = ({ kind, label }) => (kind === "roll" && label !== "blip_type") || kind === "assault";

/**
 * The part of a frame in which each event is shown: steps first, then one roll after the other. `due` has the time at
 * which something happens to a unit, `places` where the events say that a unit is.
 * @param {GameEvent[]} events @param {State} before @param {State} after
 */
export function schedule(events, before, after) {
  /** @type {Map<string, {x: number, y: number}>} */
  const places = new Map();
  for (const { kind, unit, target, x, y } of events)
    if (isNumber(x) && isNumber(y)) places.set(kind === "shot" || kind === "overwatch_shot" ? target : unit, { x, y });
  const stirs = (/** @type {Thing} */ { id, x, y, facing }) => {
    const now = after.get(id) ?? { facing, ...(places.get(id) ?? { x, y }) };
    return now.x !== x || now.y !== y || now.facing !== facing;
  };
  const { arrives, slots } = inTurn(events.filter(isRoll), unitsOf(before).some(stirs));
  /** @type {Map<string, number>} */
  const due = new Map();
  for (const { event, from, to } of slots)
    for (const id of [event.target, event.attacker, event.defender]) if (id) due.set(id, between(from, to, 0.5));
  return { arrives, slots, due, places };
}

/** Where a unit is at the end of the action, or was last. @param {Scene} scene @param {string} id */
export const placeOf = ({ after, before, plan }, id) => after.get(id) ?? plan.places.get(id) ?? before.get(id);
