/** Why a match was lost: what `arena explain` found about it. See docs/explaining-a-loss.md. */

import { clip, el, fill, nameTag } from "arena/dom";
import { whyOf } from "arena/match_card";

/** @typedef {{turn: number, before: number, after: number}} Chance the win probability before and after a turn */
/**
 * @typedef {{player: number, turn: number, gain: number, low: number, high: number,
 *   done: {words: string[], win: number}, instead: {bot: string, words: string[], win: number}}} TurningPoint
 */
/**
 * @typedef {{cause: {kind: string, message: string, turn: number | null}[], win: Chance[][],
 *   turning_points: TurningPoint[], summary: string[]}} Explanation
 */

/** @param {import("arena/app").App} app @param {string | undefined} url @returns {Promise<Explanation | null>} */
export async function explanationAt(app, url) {
  const answer = url && app.content.ended ? await fetch(url).catch(() => null) : null;
  const found = answer?.ok ? await answer.json() : {};
  return Array.isArray(found.cause) && Array.isArray(found.turning_points) ? found : null;
}

/** @param {import("arena/app").App} app @param {Explanation} found @param {HTMLElement} node */
export function showWhy(app, found, node) {
  const winner = app.content.footer?.outcome?.winner;
  const lost = app.players.filter(({ index }) => index !== winner);
  fill(node, ...lost.map((player) => card(app, found, player)));
}

/** @param {import("arena/app").App} app @param {Explanation} found @param {import("arena/app").Player} player */
function card(app, found, player) {
  const cause = found.cause[player.index];
  const points = found.turning_points.filter((point) => point.player === player.index);
  const { outcome } = app.content.footer ?? {};
  const outplayed = !cause || cause.kind === "outplayed";
  const refused = new Map();
  for (const { player: who, code } of app.content.refusals)
    if (who === player.index) refused.set(code, (refused.get(code) ?? 0) + 1);
  const codes = [...refused].map(([code, count]) => `${clip(code, 60)} (${count})`).join(", ");
  const node = el(
    "article.player",
    {},
    el("header", {}, nameTag(player)),
    el(
      "p",
      {},
      clip(outplayed ? `The program played to the end. ${whyOf(app, outcome)}` : String(cause.message), 1000),
    ),
    !outplayed && cause.turn && turnButton(app, cause.turn, `Show turn ${cause.turn}`),
    codes && el("p.dim", {}, `Refused: ${codes}.`),
    points.length === 0 && el("p.dim", {}, clip(String(found.summary?.[player.index] ?? ""), 1000)),
    ...points.map((point) => pointNode(app, point)),
  );
  node.style.setProperty("--team", player.color);
  return node;
}

/** @param {import("arena/app").App} app @param {TurningPoint} point */
function pointNode(app, { turn, gain, low, high, done, instead }) {
  return el(
    "section.point",
    {},
    turnButton(app, turn, `Turn ${turn}: ${percent(gain)} lost`),
    el("small", {}, `between ${percent(low)} and ${percent(high)}`),
    el("p", {}, `Done (${percent(done.win)} to win): ${clip(done.words.join("; "), 600)}`),
    el("p", {}, `${clip(instead.bot, 40)} would (${percent(instead.win)}): ${clip(instead.words.join("; "), 600)}`),
  );
}

/** @param {import("arena/app").App} app @param {number} turn @param {string} text */
function turnButton(app, turn, text) {
  const show = () => {
    app.playback.pause();
    app.playback.seekTurn(turn - 1);
  };
  return el("button.show-turn", { onclick: show }, text);
}

/** @param {number} value */
const percent = (value) => `${Math.round(100 * value)} %`;
