/** For renderers of games with dice: rolls shown one after the other, dice, and cards that do not overlap. */

import { brush } from "arena/shapes";

/** The time to show one roll, in milliseconds. A renderer's `duration` returns it for a frame with a roll. */
export const ROLL = 700;
const PIPS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

/**
 * Returns the times of events in a frame, from 0 to 1: movements first, then one event after the other.
 * @template Event
 * @param {Event[]} events @param {boolean} moved
 */
export function inTurn(events, moved) {
  const list = events.slice(0, 40);
  const arrives = !list.length ? 1 : moved ? 1 / (1 + 2 * list.length) : 0.02;
  const slot = (1 - arrives) / Math.max(1, list.length);
  return {
    arrives,
    slots: list.map((event, at) => ({ event, from: arrives + at * slot, to: arrives + (at + 1) * slot })),
  };
}

/**
 * Finds a place for a card where it covers no other card: upwards from `top`, else downwards from `below`.
 * @param {number[][]} taken the cards so far, each as left, top, width and height; the new card is added
 * @param {number} left @param {number} top @param {number} width @param {number} height @param {number} below
 */
export function room(taken, left, top, width, height, below) {
  const meets = (/** @type {number} */ y) =>
    taken.some(
      ([x, other, wide, high]) => x < left + width && left < x + wide && other < y + height && y < other + high,
    );
  let at = top;
  while (at > 3 && meets(at)) at -= height / 4;
  if (at <= 3) for (at = below; meets(at); ) at += height / 4;
  taken.push([left, at, width, height]);
  return at;
}

/** @param {CanvasRenderingContext2D} g */
export function dice(g) {
  const { caption, dot, rounded } = brush(g);

  /**
   * @param {number} x @param {number} y @param {number} width @param {number} height @param {number} radius
   * @param {string} fill @param {string} edge
   */
  function card(x, y, width, height, radius, fill, edge) {
    rounded(x - 1.5, y - 1.5, width + 3, height + 3, radius + 1.5, edge);
    rounded(x, y, width, height, radius, fill);
  }

  /**
   * @param {string} text @param {number} x @param {number} y @param {number} size @param {string} fill
   * @param {number} [weight]
   */
  const word = (text, x, y, size, fill, weight) => caption(text, x, y, size, fill, { weight });

  /**
   * Draws a die. Values from 0 to 6 are drawn as dots, other values as a number.
   * @param {number} x @param {number} y @param {number} size @param {number} value @param {string} [fill]
   */
  function die(x, y, size, value, fill = "#ffffff") {
    const ink = fill === "#ffffff" ? "#1b2130" : "#ffffff";
    card(x, y, size, size, size * 0.2, fill, "#8e99ad");
    if (!PIPS[value]) caption(String(value), x + size / 2, y + size * 0.54, size * 0.7, ink);
    for (const pip of PIPS[value] ?? [])
      dot(x + size * (0.25 + 0.25 * (pip % 3)), y + size * (0.25 + 0.25 * Math.floor(pip / 3)), size * 0.1, ink);
  }

  return { card, word, die };
}
