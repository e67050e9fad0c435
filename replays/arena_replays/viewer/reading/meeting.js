/** The first moment that two matches share: where the one that starts later starts. */

import { States } from "arena/states";

/** @typedef {import("arena/reader").Content} Content */

/**
 * The moment at which the later of two matches starts, as a frame of each match. `number` is the number of the turn;
 * `same` is whether both matches have the same state then. A match that starts inside of a turn starts at the frame of
 * the other match with the same state.
 * @param {Content} one @param {Content} other
 * @returns {{number: number, here: number, there: number, same: boolean}}
 */
export function meetingOf(one, other) {
  const number = Math.max(one.firstTurn, other.firstTurn);
  const [here, there] = [frameBefore(one, number), frameBefore(other, number)];
  const inOther = frameLike(other, number, one);
  if (inOther !== undefined) return { number, here: 0, there: inOther, same: true };
  const inOne = frameLike(one, number, other);
  if (inOne !== undefined) return { number, here: inOne, there: 0, same: true };
  return { number, here, there, same: false };
}

/** The last frame before a turn. @param {Content} content @param {number} number */
function frameBefore(content, number) {
  const { allTurns } = content;
  const turn = allTurns[content.indexOf(number)];
  return turn ? turn.first - 1 : Math.max(0, content.streams[0].length - 1);
}

/**
 * The frame in a turn of a match, or right before the turn, with the state in which another match starts.
 * @param {Content} content @param {number} number of the turn @param {Content} later @returns {number | undefined}
 */
function frameLike(content, number, later) {
  if (later.firstTurn !== number) return undefined;
  const [states, start] = [new States(content.streams[0]), textOf(new States(later.streams[0]).at(0))];
  const first = frameBefore(content, number);
  const last = content.allTurns[content.indexOf(number)]?.last ?? first + 1;
  return Array.from({ length: last - first }, (_, at) => first + at).find(
    (frame) => textOf(states.at(frame)) === start,
  );
}

/** A text that is equal for equal states. @param {import("arena/states").State} state */
function textOf(state) {
  const byName = (/** @type {[string, any]} */ [one], /** @type {[string, any]} */ [other]) => (one < other ? -1 : 1);
  const things = [...state].sort(byName);
  return JSON.stringify(things.map(([id, thing]) => [id, Object.entries(thing).sort(byName)]));
}
