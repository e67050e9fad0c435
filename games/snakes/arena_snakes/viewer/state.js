/** What a state of Snakes has: bodies and food, of which only those with numbers can be drawn. */

import { isNumber } from "arena/grid";

/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {[number, number]} Tile */

/** The health of a snake that has just eaten. */
export const FULL = 100;
/** The steps of a head. @type {Record<string, [number, number]>} */
export const STEPS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };
/** A state from a file can have any number of snakes. */
const MOST_SNAKES = 64;

/** @param {any} list @returns {Tile[]} */
export const tilesOf = (list) =>
  Array.isArray(list) ? list.filter((tile) => Array.isArray(tile) && isNumber(tile[0]) && isNumber(tile[1])) : [];

/** The tiles of a snake, from head to tail. @param {Thing | undefined} snake */
export const bodyOf = (snake) => tilesOf(snake?.body);

/** @param {Thing | undefined} thing @returns {thing is Thing} */
export const isSnake = (thing) => thing?.class === "Snake" && bodyOf(thing).length > 0;

/** @param {State} state */
export const snakesOf = (state) => [...state.values()].filter(isSnake).slice(0, MOST_SNAKES);

/** Whether a snake was eliminated. @param {Thing | undefined} snake */
export const isOut = (snake) => Boolean(snake?.cause);
