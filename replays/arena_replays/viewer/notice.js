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
    ...leftOut(content),
    !content.ended && !live && !content.problem && "This recording ends before the match does.",
  ];
  return wrong.filter(Boolean).join(" ");
}

/** What is missing because of a limit. @param {import("arena/reader").Content} content */
function leftOut(content) {
  const parts = Array.isArray(content.footer?.left_out) ? content.footer.left_out.map(String) : [];
  const actions = content.streams[0].length - 1;
  const views = actions >= 0 ? `its views end with action ${actions}` : "it has no views";
  return [
    parts.includes("truth") &&
      `An action of this match is larger than a replay can hold: the match is recorded up to turn ${content.lastTurn}.`,
    parts.includes("views") && `A change of this match is larger than a replay can hold: ${views}.`,
    parts.includes("notes") && !content.notice && "The bots wrote too much: some logs and drawings are left out.",
  ];
}
