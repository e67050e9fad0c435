/** A second match or the other leg, shown beside the first one. Also finds the first difference. */

import { playersOf } from "arena/app";
import { Board } from "arena/board";
import { el, nameTag } from "arena/dom";
import { States } from "arena/states";

/** @typedef {import("arena/reader").Content} Content */

export class Beside {
  /** @param {import("arena/app").App} app @param {Content} content */
  constructor(app, content) {
    this.app = app;
    this.turns = content.allTurns;
    this.states = new States(content.streams[0]);
    const players = playersOf(content, app.match.rival ? 0 : 1 - app.match.leg);
    const stage = el("div.stage");
    app.stage.after(stage);
    for (const [place, people] of [
      [app.stage, app.players],
      [stage, players],
    ]) {
      place.classList.add("titled");
      place.append(el("div.stage-title", {}, ...people.map(nameTag)));
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
      const turns = this.app.content.allTurns; // the playback has not got them yet
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

  /** Draws the same action of the same turn. */
  draw() {
    const { playback, content, look } = this.app;
    const here = content.allTurns[playback.turn];
    const there = this.turns[Math.min(playback.turn, this.turns.length - 1)];
    const frame = here && there ? Math.min(there.first + playback.frame - here.first, there.last - 1) : 0;
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
