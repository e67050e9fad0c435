/** The players with their scores, above the board. Whoever moves in the turn that is shown is highlighted. */

import { clip, el, fill, nameTag } from "arena/dom";

export class Scores {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/board").Board} board
   * @param {import("arena/compare").Beside | null} beside another match, which has its scores above its board
   */
  constructor(position, board, beside) {
    this.position = position;
    this.board = board;
    this.beside = beside;
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
    const key = `${values.join()} ${now.join()}`;
    if (key === this.made) return;
    this.made = key;
    const title = first ? String(first.title ?? first.name) : null;
    const lit = (/** @type {number} */ at) => now.includes(at) && now.length < replay.players.length;
    fill(this.node, ...replay.players.map((player, at) => box(player, values[at], title, lit(at))));
    this.beside?.showScores(first, state);
  }
}

/**
 * @param {import("arena/replay").Player} player @param {any} value @param {string | null} title
 * @param {boolean} lit
 */
function box(player, value, title, lit) {
  const role = player.role && el("small", {}, clip(player.role, 20));
  const score = el("output", {}, typeof value === "number" ? value : "");
  const node = el(`div.score${lit ? ".now" : ""}`, { title }, nameTag(player), role, score);
  node.style.setProperty("--team", player.color);
  return node;
}
