/** A small drawing of one number of a player over the match, with the range of winners behind it. */

import { shape } from "arena/dom";

const WIDTH = 240;
const HEIGHT = 44;
const EDGE = 4;

/**
 * @param {{turn: number, value: number, low: number, high: number}[]} rows @param {number} marked a turn
 * @param {string} label
 */
export function spark(rows, marked, label) {
  const most = rows.reduce((most, { value, high }) => Math.max(most, value, high), 0);
  const least = rows.reduce((least, { value, low }) => Math.min(least, value, low), 0);
  const [first, last] = [rows[0]?.turn ?? 0, rows[rows.length - 1]?.turn ?? 0];
  const x = (/** @type {number} */ turn) => EDGE + ((turn - first) / Math.max(1, last - first)) * (WIDTH - 2 * EDGE);
  const y = (/** @type {number} */ value) =>
    HEIGHT - EDGE - ((value - least) / (most - least || 1)) * (HEIGHT - 2 * EDGE);
  const path = (/** @type {[number, number][]} */ points) =>
    points.length ? `M${points.map(([turn, value]) => `${x(turn).toFixed(1)} ${y(value).toFixed(1)}`).join("L")}` : "";
  const upper = rows.map(({ turn, high }) => /** @type {[number, number]} */ ([turn, high]));
  const lower = rows.map(({ turn, low }) => /** @type {[number, number]} */ ([turn, low])).reverse();
  const here = rows.findLast(({ turn }) => turn <= marked);
  const svg = shape("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  svg.append(
    shape("path", { class: "range", d: `${path([...upper, ...lower])}Z` }),
    shape("path", { class: "line", d: path(rows.map(({ turn, value }) => [turn, value])) }),
  );
  if (here) svg.append(shape("circle", { cx: x(here.turn), cy: y(here.value), r: 3.5 }));
  return svg;
}
