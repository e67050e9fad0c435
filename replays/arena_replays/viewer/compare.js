/** A second match or the other leg, shown beside the first one. Also finds the first difference. */

import { playersOf, sentence } from "arena/app";
import { Board } from "arena/board";
import { el, fill, nameTag } from "arena/dom";
import { meetingOf } from "arena/meeting";
import { States } from "arena/states";

/** @typedef {import("arena/reader").Content} Content */

export class Beside {
  /** @param {import("arena/app").App} app @param {Content} content */
  constructor(app, content) {
    this.app = app;
    this.content = content;
    this.turns = content.allTurns;
    this.states = new States(content.streams[0]);
    this.players = playersOf(content, app.match.rival ? 0 : 1 - app.match.leg);
    const { players } = this;
    if (app.match.rival) sameColors(app.players, players);
    this.caption = el("p.caption");
    app.caption.after(this.caption);
    /** @type {HTMLElement[]} names and scores above the two boards */
    this.titles = [];
    const stage = el("div.stage");
    app.stage.after(stage);
    for (const place of [app.stage, stage]) {
      place.classList.add("titled");
      this.titles.push(el("div.stage-title"));
      place.append(this.titles[this.titles.length - 1]);
    }
    this.meeting = meetingOf(app.content, content);
    this.board = new Board(stage, app.match.createRenderer, {
      players,
      schema: content.header.schema ?? null,
      header: content.header,
      assets: {},
    });
    this.mark = app.match.rival ? this.difference() : null;
    if (app.match.rival) app.notice.before(this.sentence());
  }

  sentence() {
    const { mark, app } = this;
    const text = mark
      ? `The two matches part in turn ${app.content.numberOf(mark.turn)}.`
      : "The two matches are the same.";
    return el("p.notice", {}, text, mark && el("button.link", { onclick: () => app.goto(mark.frame) }, "Show it"));
  }

  /** @returns {import("arena/timeline").Mark | null} */
  difference() {
    const { content } = this.app; // the playback does not have these turns yet
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

  /** @param {any} series the scores @param {import("arena/states").State} state the current state of the first match */
  showScores(series, state) {
    /** @type {[import("arena/app").Player[], import("arena/states").State][]} */
    const sides = [
      [this.app.players, state],
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
    return this.turns[Math.min(this.content.indexOf(this.app.content.numberOf(index)), this.turns.length - 1)];
  }

  /** @param {number} index of the turn of the first match */
  describe(index) {
    this.caption.textContent = sentence(this.board, this, this.states, this.turnAt(index));
  }

  /** The frame of the second match that is shown: the same action of the same turn, or the nearest one before. */
  get frame() {
    const { playback, content } = this.app;
    const here = content.allTurns[playback.turn];
    const there = this.turnAt(playback.turn);
    const { meeting } = this;
    if (!here || !there) return meeting.here ? 0 : meeting.there;
    if (there.number !== here.number) return there.number < here.number ? there.last - 1 : there.first - 1;
    const shift = here.number === meeting.number ? meeting.there - meeting.here : there.first - here.first;
    return Math.max(0, Math.min(playback.frame + shift, there.last - 1));
  }

  draw() {
    const { playback, look } = this.app;
    const { frame } = this;
    const there = this.turnAt(playback.turn);
    const since = this.states.at(Math.max(0, (there?.first ?? 1) - 1));
    this.board.draw(
      this.states,
      frame,
      look.still ? 1 : playback.fraction,
      { ...look, selected: this.app.selected, player: null, since },
      [],
    );
  }
}

/**
 * Gives the bots of a second match the colours that they have in the first one.
 * @param {import("arena/app").Player[]} known @param {import("arena/app").Player[]} players
 */
function sameColors(known, players) {
  const colors = players.map(({ color }) => color);
  const found = players.map(({ name }) => known.find((one) => one.name === name)?.color);
  const free = colors.filter((color) => !found.includes(color));
  if (new Set(found).size < found.filter(Boolean).length) return;
  players.forEach((player, at) => (player.color = found[at] ?? free.shift() ?? player.color));
}
