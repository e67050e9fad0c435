/** The turns that cost much; and the events of a turn, in order: actions, refusals, and notes of the bots. */

import { clip, el, fill, namesIn, nameTag, short } from "arena/dom";
import { lessonMarks } from "arena/marks";
import { meantBy } from "arena/wording";

const MOST_EVENTS = 400;

export class TurnPanel {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/board").Board} board
   */
  constructor(position, playback, board) {
    this.position = position;
    this.replay = position.replay;
    this.playback = playback;
    this.board = board;
    this.node = el("div.turn-panel");
    this.made = "";
    /** The frame and the hovered thing for which the rows are marked. */
    this.marked = "";
    /** @type {{frame: number, node: HTMLElement}[]} */
    this.rows = [];
  }

  show() {
    const { turn, frame, only, stream } = this.position;
    const { content, explained } = this.replay;
    const index = Math.max(0, turn);
    const grown = [content.actions.length, content.noted, content.entries, explained?.lessons?.length];
    const key = [index, only, stream, ...grown].join("-");
    if (key !== this.made) {
      this.made = key;
      this.marked = "";
      this.build(index);
    }
    const { hovered } = this.board;
    if (this.marked === `${frame} ${hovered}`) return;
    this.marked = `${frame} ${hovered}`;
    for (const row of this.rows) {
      const now = row.frame === frame;
      if (now && !row.node.classList.contains("now")) show(row.node);
      row.node.classList.toggle("now", now);
      const about = hovered !== null && (row.node.dataset.means ?? "").includes(JSON.stringify(hovered));
      row.node.classList.toggle("meant", about);
    }
  }

  /** @param {number} index */
  build(index) {
    const { content, players } = this.replay;
    const { only } = this.position;
    const turn = content.allTurns[index];
    if (!turn) return fill(this.node, el("p.empty", {}, "Nothing has happened yet."));
    const rows = this.collect(turn);
    this.rows = rows.filter((row) => row.frame >= 0);
    const list = el("ol.rows", {}, ...rows.slice(0, MOST_EVENTS).map((row) => row.node));
    const more = rows.length > MOST_EVENTS && el("p.empty", {}, `${rows.length - MOST_EVENTS} more are not shown.`);
    const player = turn.times.length === 1 && players[turn.times[0].player];
    const who = player ? nameTag(player) : el("span.dim", {}, namesIn(turn, players));
    const own = turn.number + content.origin - 1; // NaN before the end of the first turn
    const title = own >= 0 && own !== turn.number && `Bots read the game's own number of this turn: ${own}`;
    const marks = lessonMarks(this.position);
    const here = marks.filter((mark) => mark.turn === index);
    const signs = here.map(({ sign }) => el("b.sign-of", {}, sign));
    const head = el("header.turn-head", {}, el("b", { title }, `Turn ${turn.number}`), ...signs, who);
    fill(
      this.node,
      ...(marks.length ? [this.list(marks, index)] : []),
      head,
      ...here.map(({ label }) => el("p.cost", {}, clip(label, 600))),
      rows.length
        ? list
        : el(
            "p.empty",
            {},
            `Nothing was done or said ${only === null ? "" : `by ${clip(players[only].name, 40)} `}in this turn.`,
          ),
      ...(more ? [more] : []),
      ...(turn.ended ? [] : [el("p.empty", {}, "The turn was cut short.")]),
    );
  }

  /** The turns with a mark; the one that is shown is pressed. @param {import("arena/timeline").Mark[]} marks */
  list(marks, /** @type {number} */ index) {
    const ordered = [...marks].sort((one, other) => one.turn - other.turn);
    const turns = ordered.map(({ turn, last, sign, label }) => {
      const number = this.replay.content.numberOf(turn);
      const show = { onclick: () => this.playback.showTurns(turn, last), "aria-pressed": String(turn === index) };
      return el("button.marked", { ...show, title: clip(label, 300) }, `${number} `, el("b", {}, sign));
    });
    return el("nav", { "aria-label": "Marked turns" }, ...turns);
  }

  /** @param {import("arena/reader").Turn} turn */
  collect(turn) {
    const { content } = this.replay;
    const { only, states } = this.position;
    const mine = (/** @type {{player: number}} */ { player }) =>
      (only === null || player === only) && this.position.knows(player);
    const rows = [];
    for (let frame = turn.first; frame < turn.last && rows.length <= MOST_EVENTS; frame++) {
      const [player, action] = content.actions[frame - 1];
      const seen = only === null && (states.frames[frame]?.events ?? []).length > 0;
      if (mine({ player }) || seen)
        rows.push({ at: frame + 0.5, second: 0, frame, node: this.actionRow(player, action, frame) });
    }
    content.refusals.forEach((refusal, second) => {
      if (content.turnAt(refusal.turn) === turn.index && mine(refusal))
        rows.push({ at: refusal.frame, second, frame: -1, node: this.refusalRow(refusal) });
    });
    for (const note of content.notes) {
      const wanted = content.turnAt(note.turn) === turn.index && mine(note) && rows.length < 5 * MOST_EVENTS;
      if (wanted) rows.push({ at: note.frame, second: note.refused - 0.5, frame: -1, node: this.noteRow(note) });
    }
    for (const ending of content.endings) {
      if (content.turnAt(ending.turn) === turn.index && mine(ending))
        rows.push({ at: 1e9, second: 0, frame: -1, node: this.endingRow(ending) });
    }
    return rows.sort((one, other) => one.at - other.at || one.second - other.second);
  }

  /** @param {number} player @param {any} action @param {number} frame */
  actionRow(player, action, frame) {
    const { states } = this.position;
    const events = states.frames[frame]?.events ?? [];
    const known = this.position.knows(player);
    const effects = events.slice(0, 40).map((event) => this.board.tell(event, () => states.at(frame - 1)));
    const seek = () => this.playback.goto(frame);
    const row = el(
      "li.row.action",
      {},
      el("button", { onclick: seek }, known ? this.words(action, frame) : "A move of the opponent"),
      ...effects.map((text) => text && el("small", {}, text)),
    );
    if (known) this.about(row, [action, ...events], frame);
    return this.colored(row, player);
  }

  /** @param {any} action @param {number} frame */
  words(action, frame) {
    return this.board.words(action, this.position.states.at(frame - 1));
  }

  /**
   * Stores in a row the things and tiles that it is about. The board can then frame them.
   * @param {HTMLElement} row @param {any[]} parts @param {number} frame
   */
  about(row, parts, frame) {
    const before = this.position.states.at(frame - 1);
    const all = parts.slice(0, 20).map((part) => meantBy(part, before));
    const ids = [...new Set(all.flatMap((one) => one.ids))].slice(0, 20);
    row.dataset.means = JSON.stringify({ ids, tiles: all[0].tiles });
  }

  /** @param {import("arena/reader").Refusal} refusal */
  refusalRow(refusal) {
    const row = el(
      "li.row.refusal",
      {},
      el("span", {}, this.words(refusal.action, refusal.frame)),
      el(
        "small",
        { title: refusal.code },
        el("b", {}, "Refused: "),
        refusal.message || refusal.code.replaceAll("_", " "),
      ),
    );
    this.about(row, [refusal.action], refusal.frame);
    return this.colored(row, refusal.player);
  }

  /** @param {import("arena/reader").Note} note */
  noteRow(note) {
    const text = note.kind === "draw" ? `${note.payload?.length ?? 0} shapes drawn` : short(note.payload, 4000);
    const row = el(
      `li.row.note.${/^(log|stdout|stderr|draw)$/.test(note.kind) ? note.kind : "log"}`,
      {},
      el("small.kind", {}, clip(note.kind, 12)),
      el("pre", {}, text),
    );
    return this.colored(row, note.player);
  }

  /** @param {import("arena/reader").Ending} ending */
  endingRow(ending) {
    const detail = ending.skipped ? `${ending.detail}; the referee finished the turn` : ending.detail;
    const row = el("li.row.ending", {}, el("b", {}, ending.ending.replaceAll("_", " ")), el("pre", {}, detail));
    return this.colored(row, ending.player);
  }

  /** @param {HTMLElement} row @param {number} player */
  colored(row, player) {
    row.style.setProperty("--team", this.replay.players[player]?.color ?? "#888888");
    return row;
  }
}

/** Scrolls a panel to a row. The browser's own way would let Tab go on from that row. @param {HTMLElement} row */
function show(row) {
  const panel = row.closest(".panel");
  const [seen, box] = [panel, row].map((node) => node?.getBoundingClientRect());
  if (panel && seen && box) panel.scrollTop += Math.min(0, box.top - seen.top) + Math.max(0, box.bottom - seen.bottom);
}
