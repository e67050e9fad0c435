/** What is wrong with the file or with its renderer, in words above the board. */

import { el } from "arena/dom";

export class Notice {
  /** @param {import("arena/replay").Replay} replay @param {import("arena/board").Board} board */
  constructor(replay, board) {
    this.board = board;
    this.node = el("p.notice", { role: "status", hidden: true });
    replay.addEventListener("grow", () => this.say(wrongWith(replay)));
  }

  /** Reports a renderer that failed, unless there is something more important. */
  show() {
    if (this.board.failure && this.node.hidden) this.say(this.board.failure);
  }

  /** @param {string} text */
  say(text) {
    this.node.textContent = text;
    this.node.hidden = !text;
  }
}

/** @param {import("arena/replay").Replay} replay */
function wrongWith({ content, live }) {
  const wrong = [
    content.problem && !live && `This file is damaged: ${content.problem}.`,
    content.notice,
    !content.streams[0].length &&
      content.turns.length &&
      "This file holds the actions alone. Bring its pictures back with: arena replay expand",
    !content.ended && !live && !content.problem && "This recording ends before the match does.",
  ];
  return wrong.filter(Boolean).join(" ");
}
