/** The players with their scores, above the board. Whoever moves in the turn that is shown is highlighted. */

import { clip, el, fill, finite, nameTag } from "arena/dom";

export class Scores {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/board").Board} board
   * @param {import("arena/compare").Beside | null} beside another match, which has its scores above its board
   */
  constructor(position, board, beside) {
    this.position = position;
    this.board = board;
    this.beside = beside;
    /** The score that all players reach together, in a cooperative game. */
    this.together = el("div.score", { hidden: true, title: "the score of all players together" });
    this.node = el("div.scores", { hidden: Boolean(beside) });
    /** @type {any[] | null} the series of the renderer */
    this.series = null;
    this.made = "";
  }

  show() {
    this.series ??= this.board.ask("series") ?? [];
    const first = this.series?.[0];
    const { replay, state, turn } = this.position;
    const now = replay.content.allTurns[turn]?.times.map(({ player }) => player) ?? [];
    const values = replay.players.map((_, at) => first?.value(state, at));
    const { frame, last } = this.position;
    const { footer } = replay.content;
    const common = finite(footer?.outcome?.common);
    const outs = replay.players.map((_, at) => isOut(footer, at, frame));
    const key = `${values.join()} ${now.join()} ${common} ${frame >= last} ${outs.join()}`;
    if (key === this.made) return;
    this.made = key;
    const title = first ? String(first.title ?? first.name) : null;
    const lit = (/** @type {number} */ at) => now.includes(at) && now.length < replay.players.length;
    this.together.hidden = common === null;
    const reached = common !== null && frame >= last ? Number(common.toPrecision(6)) : "";
    fill(this.together, el("b", {}, "Together"), el("output", {}, reached));
    const boxes = replay.players.map((player, at) => box(player, values[at], title, lit(at), outs[at]));
    fill(this.node, ...boxes, this.together);
    this.beside?.showScores(first, state);
  }
}

/**
 * Whether a player is out by the rules after a frame, as far as the end of the file says.
 * @param {Record<string, any> | null} footer @param {number} player @param {number} frame
 */
function isOut(footer, player, frame) {
  const since = finite(footer?.players?.[player]?.out);
  return since !== null && since <= frame;
}

/**
 * @param {import("arena/replay").Player} player @param {any} value @param {string | null} title
 * @param {boolean} lit @param {boolean} out
 */
function box(player, value, title, lit, out) {
  const role = out ? el("small.out", {}, "out") : player.role && el("small", {}, clip(player.role, 20));
  const score = el("output", {}, typeof value === "number" ? value : "");
  const node = el(`div.score${lit ? ".now" : ""}`, { title }, nameTag(player), role, score);
  node.style.setProperty("--team", player.color);
  return node;
}
