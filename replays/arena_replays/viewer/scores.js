/**
 * The players above the board, each with one number and its unit. A dot marks who moves in the turn that is shown; at
 * the end of the match, the winner wears a crown.
 */

import { clip, el, fill, finite, nameTag } from "arena/dom";
import { crown } from "arena/ending";
import { endingWords, isRegular } from "arena/outcome";
import { winnersOf } from "arena/result";

/** @typedef {{name: string, title?: string, unit?: string, value(state: any, player: number): any}} Series */

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
    /** @type {Series | null | undefined} what the number of a player is; null if no number says who is ahead */
    this.series = undefined;
    this.made = "";
  }

  show() {
    if (this.series === undefined) this.series = standing(this.board.ask("series"));
    const { series } = this;
    const { replay, state, turn } = this.position;
    const now = replay.content.allTurns[turn]?.times.map(({ player }) => player) ?? [];
    const values = replay.players.map((_, at) => series?.value(state, at));
    const { frame, last } = this.position;
    const { footer } = replay.content;
    const common = finite(footer?.outcome?.common);
    const outs = replay.players.map((_, at) => isOut(footer, at, frame));
    const over = Boolean(footer) && !replay.live && frame >= last;
    const key = `${values.join()} ${now.join()} ${common} ${over} ${outs.join()}`;
    if (key === this.made) return;
    this.made = key;
    const winners = over ? winnersOf(replay) : [];
    const among = replay.players.filter((_, at) => !outs[at] || now.includes(at)).length;
    const moves = (/** @type {number} */ at) => !over && now.includes(at) && now.length < among;
    this.together.hidden = common === null;
    const reached = common !== null && frame >= last ? Number(common.toPrecision(6)) : "";
    fill(this.together, el("b", {}, "Together"), el("output", {}, reached));
    const boxes = replay.players.map((player, at) => {
      const end = over ? (footer?.players?.[at]?.ending ?? "") : "";
      const won = winners.includes(player);
      return box(player, values[at], series, {
        moves: moves(at),
        won,
        lost: winners.length > 0 && !won,
        failed: end && !isRegular(end) ? endingWords(end) : "",
        out: outs[at],
      });
    });
    fill(this.node, ...boxes, this.together);
    const first = boxes[replay.players.findIndex((one) => winners.includes(one))];
    // On a phone, the row of many players is wider than the page.
    if (first) this.node.scrollLeft = first.offsetLeft - this.node.offsetLeft;
    this.beside?.showScores(series, state);
  }
}

/**
 * The series whose number stands beside the players' names: the first one, unless its renderer says that it does not
 * tell who is ahead.
 * @param {any} series @returns {Series | null}
 */
export const standing = (series) => (series?.[0] && series[0].standing !== false ? series[0] : null);

/**
 * Whether a player is out by the rules after a frame, as far as the end of the file says.
 * @param {Record<string, any> | null} footer @param {number} player @param {number} frame
 */
function isOut(footer, player, frame) {
  const since = finite(footer?.players?.[player]?.out);
  return since !== null && since <= frame;
}

/**
 * @param {import("arena/replay").Player} player @param {any} value @param {Series | null} series
 * @param {{moves: boolean, won: boolean, lost: boolean, failed: string, out: boolean}} how
 */
function box(player, value, series, { moves, won, lost, failed, out }) {
  const what = failed ? el("small.failed", {}, failed) : out && el("small.out", {}, "out");
  const role = what || (player.role && el("small.role", {}, clip(player.role, 20)));
  const known = typeof value === "number";
  const unit = known && series ? String(series.unit ?? series.title ?? series.name) : "";
  const score = el("output", {}, known ? value : "");
  const node = el(
    `div.score${moves ? ".now" : ""}${won ? ".won" : ""}${lost ? ".lost" : ""}`,
    { title: unit || null },
    won && crown(),
    won && el("span.unseen", {}, "Winner: "),
    nameTag(player),
    moves && el("i.moves", { role: "img", "aria-label": "to move", title: "moves in this turn" }),
    role,
    known && el("span.number", {}, score, unit && el("small.unit", {}, clip(unit, 16))),
  );
  node.style.setProperty("--team", player.color);
  return node;
}
