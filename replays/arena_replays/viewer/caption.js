/** What has happened so far in the turn that is shown, in one sentence. */

import { clip, el, namesIn } from "arena/dom";
import { endingWords } from "arena/outcome";

/** @typedef {import("arena/position").Position} Position */
/** @typedef {import("arena/playback").Playback} Playback */
/** @typedef {import("arena/board").Board} Board */

export class Caption {
  /** @param {Position} position @param {Playback} playback @param {Board} board */
  constructor(position, playback, board) {
    this.position = position;
    this.playback = playback;
    this.board = board;
    this.node = el("p.caption", { "aria-live": "polite" });
    this.made = "";
    position.addEventListener("change", () => this.show());
    playback.addEventListener("state", () => this.show());
  }

  show() {
    const { frame, turn, stream, replay } = this.position;
    const until = Math.min(replay.content.allTurns[turn]?.last ?? 0, frame + 1);
    const key = `${turn} ${until} ${replay.content.turns.length} ${stream}`;
    if (key === this.made) return;
    this.made = key;
    this.describe(turn, until);
  }

  /** @param {number} index of the turn @param {number} [until] the first frame that is not described */
  describe(index, until) {
    const quick = this.playback.running && this.playback.speed > 1;
    this.node.setAttribute("aria-live", quick ? "off" : "polite");
    this.node.textContent = this.of(index, until);
  }

  /** @param {number} index of the turn @param {number} [until] the first frame that is not described */
  of(index, until) {
    const { position, board } = this;
    const turn = position.replay.content.allTurns[index];
    const knows = (/** @type {number} */ at) => position.knows(at);
    return sentence(board, position.replay, position.states, turn, until, knows);
  }
}

/**
 * A short text about a turn, or about the start if there is no turn.
 * @param {Board} board
 * @param {{content: import("arena/reader").Content, players: import("arena/replay").Player[]}} replay
 * @param {import("arena/states").States} states @param {import("arena/reader").Turn | undefined} turn
 * @param {number} [until] the first frame that is not described: the board does not show it yet
 * @param {(player: number) => boolean} [knows] whether a player's actions are known
 */
export function sentence(board, { content, players }, states, turn, until = turn?.last ?? 0, knows = () => true) {
  if (!turn) {
    const position = content.header.start;
    return position ? `The match starts from a position in turn ${content.firstTurn}` : "The start of the game";
  }
  const actions = content.actions.slice(turn.first - 1, until - 1).filter(([player]) => knows(player));
  const last = content.allTurns.length - 1;
  const failed =
    until < turn.last ? [] : content.endings.filter((one) => Math.min(content.turnAt(one.turn), last) === turn.index);
  const ends = failed.map((one) => `${players[one.player]?.name ?? "A player"} ${endingWords(one.ending)}.`);
  const story = {
    number: turn.number,
    player: turn.times.length === 1 ? turn.times[0].player : null,
    name: namesIn(turn, players),
    actions: actions.map((action) => action[1]),
    actors: actions.map(([player]) => players[player]?.name ?? `player ${player}`),
    before: states.at(turn.first - 1),
    after: states.at(until - 1),
    events: states.frames.slice(turn.first, until).flatMap((frame) => frame.events),
  };
  // For a turn without actions, a renderer says that the player waits. This is wrong if the player's program failed.
  const words = ends.length && !actions.length ? "" : (board.ask("describe", story) ?? "");
  return clip([`Turn ${turn.number}.`, words, ...ends].filter(Boolean).join(" "), 300);
}
