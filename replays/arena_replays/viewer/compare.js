/** A second match or the other leg, shown beside the first one. Also finds the first difference. */

import { playersOf, sentence } from "arena/app";
import { Board } from "arena/board";
import { el, fill, nameTag } from "arena/dom";
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
    this.board = new Board(stage, app.match.createRenderer, {
      players,
      schema: content.header.schema ?? null,
      header: content.header,
      assets: {},
    });
    this.mark = app.match.rival ? this.difference(content) : null;
    if (app.match.rival) app.notice.before(this.sentence());
  }

  sentence() {
    const { mark, app } = this;
    const text = mark
      ? `The two matches part in turn ${app.content.allTurns[mark.turn]?.number ?? 0}.`
      : "The two matches are the same.";
    return el("p.notice", {}, text, mark && el("button.link", { onclick: () => app.goto(mark.frame) }, "Show it"));
  }

  /** @param {Content} content @returns {import("arena/timeline").Mark | null} */
  difference(content) {
    const [one, other] = [this.app.content.streams[0], content.streams[0]];
    for (let frame = 0; frame < Math.max(one.length, other.length); frame++) {
      if (one[frame] && other[frame] && JSON.stringify(one[frame].delta) === JSON.stringify(other[frame].delta))
        continue;
      const turns = this.app.content.allTurns; // the playback does not have these turns yet
      const turn = Math.max(0, frame < one.length ? turns.findIndex(({ last }) => frame < last) : turns.length - 1);
      return {
        turn,
        frame: Math.min(frame, one.length - 1),
        player: -1,
        kind: "difference",
        label: "here the two matches part",
      };
    }
    return null;
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

  /** @param {number} index of the turn */
  describe(index) {
    const turn = this.turns[Math.min(index, this.turns.length - 1)];
    this.caption.textContent = turn ? sentence(this.board, this, this.states, turn) : "";
  }

  /** The frame of the second match that is shown: the same action of the same turn, or the nearest one before. */
  get frame() {
    const { playback, content } = this.app;
    const here = content.allTurns[playback.turn];
    const there = this.turns[Math.min(playback.turn, this.turns.length - 1)];
    return here && there ? Math.min(there.first + playback.frame - here.first, there.last - 1) : 0;
  }

  draw() {
    const { playback, look } = this.app;
    const { frame } = this;
    const there = this.turns[Math.min(playback.turn, this.turns.length - 1)];
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
