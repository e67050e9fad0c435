/** Describes legal actions in the words of the log, with the things and tiles that they name, for any game. */

import { clip } from "arena/dom";

/** @typedef {Record<string, any>} Action */
/**
 * @typedef {{thing: string | null, tile: [number, number] | null}} Clicked
 * @typedef {{number: number, action: Action, title: string, argument: string, words: string, things: string[],
 *   tiles: [number, number][]}} Choice
 */

/**
 * @param {Action[]} actions @param {any} schema @param {import("arena/states").State} state
 * @param {(action: Action) => any} hint what the renderer adds to an action, or undefined
 * @param {(action: Action) => string} say the words of the log for an action
 * @returns {Choice[]}
 */
export function choices(actions, schema, state, hint, say) {
  return actions.map((action, number) => {
    const about = schemaOf(action, schema);
    const rest = new Map(Object.entries(action).filter(([key]) => key !== "type"));
    const things = [...rest.values()].filter((value) => typeof value === "string" && state.has(value));
    /** @type {[number, number][]} */
    const tiles = [];
    for (const parameter of about?.parameters ?? []) {
      const keys = parameter.keys ?? [parameter.name];
      const values = keys.map((/** @type {string} */ key) => rest.get(key));
      if (values.every((/** @type {any} */ value) => value === undefined || value === null)) continue;
      const tile = parameter.type.replace("?", "") === "tile" ? (values.length > 1 ? values : values[0]) : null;
      if (tile) tiles.push([tile[0], tile[1]]);
    }
    const title = clip(say(action), 120);
    const said = hint(action);
    const argument = typeof said === "string" ? clip(said, 120) : "";
    // Also the names of the protocol are found, such as `call_in`.
    const words = `${title} ${argument} ${Object.values(action).join(" ")}`.toLowerCase();
    return { number, action, title, argument, words, things, tiles };
  });
}

/** @param {Action} action @param {any} schema */
function schemaOf(action, schema) {
  const found = Object.values(schema.classes).flatMap((/** @type {any} */ entry) =>
    entry.actions?.[action.type] ? [entry.actions[action.type]] : [],
  );
  return found.find((entry) => entry.receiver in action) ?? found[0];
}

/** @param {Choice} choice @param {[number, number] | null} tile */
export const isAt = (choice, tile) => tile !== null && choice.tiles.some(([x, y]) => x === tile[0] && y === tile[1]);

/** Whether a choice is about a clicked thing or tile. @param {Choice} choice @param {Clicked} clicked */
export const meets = (choice, { thing, tile }) =>
  (thing !== null && choice.things.includes(thing)) || isAt(choice, tile);
