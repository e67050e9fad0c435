/** A second match or the other leg, shown beside the first one. Also finds the first difference. */

import { Board } from "arena/board";
import { sentence } from "arena/caption";
import { Bar, Chances, turnPlace } from "arena/chances";
import { el, fill, nameTag } from "arena/dom";
import { meetingOf } from "arena/meeting";
import { playersOf } from "arena/replay";
import { States } from "arena/states";

/** @typedef {import("arena/reader").Content} Content */
/** @typedef {import("arena/replay").Player} Player */
/** @typedef {import("arena/states").State} State */

export class Beside {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/legs").Legs} legs @param {import("arena/replay").Leg} leg that is shown beside the first one
   * @param {(canvas: HTMLCanvasElement, context: any) => any} createRenderer
   */
  constructor(position, playback, legs, leg, createRenderer) {
    const { content } = leg;
    this.position = position;
    this.replay = position.replay;
    this.content = content;
    this.turns = content.allTurns;
    this.states = new States(content.streams[0]);
    this.players = playersOf(content, legs.rival ? 0 : 1 - legs.number);
    const { players } = this;
    if (legs.rival) sameColors(this.replay.players, players);
    this.caption = el("p.caption");
    /** Names and scores above the two boards. */
    this.titles = [el("div.stage-title"), el("div.stage-title")];
    const stage = el("div.stage.titled", {}, this.titles[1]);
    this.meeting = meetingOf(this.replay.content, content);
    const { header } = content;
    this.bar = new Bar(new Chances(leg), players);
    stage.append(this.bar.node);
    this.board = new Board(stage, createRenderer, { players, schema: header.schema ?? null, header });
    this.mark = legs.rival ? this.difference() : null;
    this.sentence = legs.rival && this.parting(playback);
    this.described = "";
    position.addEventListener("change", () => this.describe());
  }

  /** Puts names and scores above the board of the first match. @param {HTMLElement} stage */
  titleAbove(stage) {
    stage.classList.add("titled");
    stage.append(this.titles[0]);
  }

  /** @param {import("arena/playback").Playback} playback */
  parting(playback) {
    const { mark, replay } = this;
    const text = mark
      ? `The two matches part in turn ${replay.content.numberOf(mark.turn)}.`
      : "The two matches are the same.";
    return el("p.notice", {}, text, mark && el("button.link", { onclick: () => playback.goto(mark.frame) }, "Show it"));
  }

  /** @returns {import("arena/timeline").Mark | null} */
  difference() {
    const { content } = this.replay; // the position does not have these turns yet
    const [one, other] = [content.streams[0], this.content.streams[0]];
    const { number, here, there, same } = this.meeting;
    const length = Math.max(one.length - here, other.length - there);
    const equal = (/** @type {number} */ step) =>
      JSON.stringify(one[here + step]?.delta) === JSON.stringify(other[there + step]?.delta);
    let step = same ? 1 : 0;
    while (same && step < length && equal(step)) step++;
    if (same && step === length) return null;
    const frame = here + step;
    const turn = same ? content.allTurns.findIndex(({ last }) => frame < last) : content.indexOf(number);
    const last = content.allTurns.length - 1;
    return {
      turn: Math.max(0, turn < 0 ? last : Math.min(turn, last)),
      frame: Math.min(frame, one.length - 1),
      player: -1,
      kind: "difference",
      label: "here the two matches part",
    };
  }

  /** @param {any} series the scores @param {State} state the current state of the first match */
  showScores(series, state) {
    /** @type {[Player[], State][]} */
    const sides = [
      [this.replay.players, state],
      [this.players, this.states.at(this.frame)],
    ];
    sides.forEach(([players, now], side) => {
      const parts = players.flatMap((player, at) => {
        const value = series?.value(now, at);
        return [nameTag(player), el("output", {}, typeof value === "number" ? value : "")];
      });
      fill(this.titles[side], ...parts);
    });
  }

  /**
   * The turn of the second match with the number of a turn of the first one, or the nearest one.
   * @param {number} index of the turn of the first match @returns {import("arena/reader").Turn | undefined}
   */
  turnAt(index) {
    return this.turns[Math.min(this.content.indexOf(this.replay.content.numberOf(index)), this.turns.length - 1)];
  }

  /** Describes the turn that is shown. */
  describe() {
    const turn = this.turnAt(this.position.turn);
    const until = Math.min(turn?.last ?? 0, Math.max(turn?.first ?? 0, this.frame + 1));
    const key = `${turn?.index} ${until}`;
    if (key === this.described) return;
    this.described = key;
    this.caption.textContent = sentence(this.board, this, this.states, turn, until);
  }

  /** The frame of the second match that is shown: the same action of the same turn, or the nearest one before. */
  get frame() {
    const { position, meeting } = this;
    const here = this.replay.content.allTurns[position.turn];
    const there = this.turnAt(position.turn);
    if (!here || !there) return meeting.here ? 0 : meeting.there;
    if (there.number !== here.number) return there.number < here.number ? there.last - 1 : there.first - 1;
    const shift = here.number === meeting.number ? meeting.there - meeting.here : there.first - here.first;
    return Math.max(0, Math.min(position.frame + shift, there.last - 1));
  }

  /** @param {{dark: boolean, still: boolean}} look */
  show({ dark, still }) {
    const { fraction, selected, turn } = this.position;
    const since = this.states.at(Math.max(0, (this.turnAt(turn)?.first ?? 1) - 1));
    const look = { dark, still, selected, player: null, since };
    this.board.draw(this.states, this.frame, still ? 1 : fraction, look, []);
    this.bar.show(turnPlace(this.turnAt(turn), this.frame, fraction));
  }
}

/**
 * Gives the bots of a second match the colours that they have in the first one.
 * @param {Player[]} known @param {Player[]} players
 */
function sameColors(known, players) {
  const colors = players.map(({ color }) => color);
  const found = players.map(({ name }) => known.find((one) => one.name === name)?.color);
  const free = colors.filter((color) => !found.includes(color));
  if (new Set(found).size < found.filter(Boolean).length) return;
  players.forEach((player, at) => (player.color = found[at] ?? free.shift() ?? player.color));
}
