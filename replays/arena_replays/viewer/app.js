/** The viewer of one match: board, timeline, panels, keys. `main.js` passes the replays to it. */

import { Beliefs } from "arena/beliefs";
import { Board } from "arena/board";
import { Charts } from "arena/charts";
import { Beside } from "arena/compare";
import { Controls, help } from "arena/controls";
import { clip, el, fill, namesIn, nameTag } from "arena/dom";
import { listen } from "arena/input";
import { Inspector } from "arena/inspector";
import { Playback } from "arena/playback";
import { endingWords, headline, resultCard } from "arena/result";
import { States } from "arena/states";
import { loggedNumbers } from "arena/thoughts";
import { Timeline } from "arena/timeline";
import { TurnPanel } from "arena/turn_panel";
import { Why } from "arena/why";
import { actionInWords } from "arena/wording";

/** @typedef {import("arena/reader").Content} Content */
/** @typedef {{name: string, color: string, index: number, role?: string}} Player */
/** These colours can be distinguished with any colour vision, on light and dark. */
const COLORS = ["#3d8bf2", "#e8791c", "#2ba77c", "#b46bd6", "#d9536f", "#a3942a", "#5fb8d4", "#8a6d5b"];

/** @type {Record<string, string>} */
const TABS = { why: "Why", turn: "Turn", charts: "Charts", inspect: "Inspect", result: "Result" };

export class App {
  /** @param {HTMLElement} host @param {import("arena/match").Match} match the app shows its current leg */
  constructor(host, match) {
    this.host = host;
    this.match = match;
    this.look = match.look;
    this.leg = match.legs[match.leg];
    this.header = this.content.header;
    this.schema = this.header.schema ?? null;
    this.players = playersOf(this.content, match.leg);
    this.stream = 0;
    this.streams = this.content.streams.map((frames) => new States(frames));
    this.playback = new Playback(match.speed);
    /** @type {string | null} */
    this.selected = null;
    /** @type {number | null} the player whose actions and notes are shown; null for all players */
    this.only = null;
    this.drawn = this.players.map(() => true);
    /** @type {any[] | null} the series of the renderer */
    this.series = null;
    this.shownTurn = this.shownTurns = -2;
    this.shownScores = "";
    this.dirty = true;
    this.tab = match.tab;
    /** @type {() => void} goes to the position in the address */
    this.followLink = () => undefined;
    /** @type {() => void} writes the position into the address after a short delay */
    this.writeLink = () => undefined;
    /** Whether the position stays at the end of a running match. */
    this.following = match.legs[match.leg].live;
    this.closed = new AbortController();
    this.timeline = new Timeline(this);
    this.turnPanel = new TurnPanel(this);
    this.charts = new Charts(this);
    this.inspector = new Inspector(this);
    this.beliefs = new Beliefs(this);
    this.controls = new Controls(this);
    this.resultNode = el("div");
    this.why = new Why(this);
    /** @type {import("arena/timeline").Mark[]} the marks of the match itself, without turning points */
    this.known = [];
    /** @type {{key: string, found: import("arena/thoughts").Logged[]}} */
    this.numbers = { key: "", found: [] };
    this.caption = el("p.caption", { "aria-live": "polite" });
    this.notice = el("p.notice", { role: "status", hidden: true });
    this.scores = el("div.scores");
    this.stage = el("div.stage");
    this.liveButton = el("button.live", { hidden: true, onclick: () => this.jumpToLive() }, "Live");
    /** Whether the page has a button that leads to the newest turn. At the end, the button shows the result. */
    this.wasLive = this.following;
    this.help = help();
    this.stages = el("div.stages", {}, this.stage);
    this.stages.style.setProperty("--tall", String(this.tall()));
    this.lay();
    const context = { players: this.players, schema: this.schema, header: this.header, assets: {} };
    this.board = new Board(this.stage, match.createRenderer, context, () => this.writeLink());
    this.players.forEach((player, at) => (player.role = this.board.ask("roles")?.[at]));
    this.playback.pauseOf = (frame) => this.board.pauseOf(this.states.frames[frame]?.events ?? []);
    this.stage.append(this.liveButton);
    this.other = match.beside && new Beside(this, match.beside);
    this.scores.hidden = Boolean(this.other);
    this.connect();
    this.extend();
  }

  get content() {
    return this.leg.content;
  }

  get explained() {
    return this.leg.found ?? null;
  }

  get live() {
    return this.leg.live;
  }

  get states() {
    return this.streams[this.stream] ?? this.streams[0];
  }

  /** Lays the page out. */
  lay() {
    const nodes = {
      why: this.why.node,
      turn: this.turnPanel.node,
      charts: this.charts.node,
      inspect: this.inspector.node,
      result: this.resultNode,
    };
    const tabs = Object.entries(TABS).map(([name, title]) =>
      el(
        "button",
        {
          role: "tab",
          id: `tab-${name}`,
          "aria-controls": `panel-${name}`,
          hidden: name === "why" && !this.explained,
          onclick: () => this.openTab(name),
        },
        title,
      ),
    );
    const panels = Object.entries(nodes).map(([name, node]) =>
      el("section.panel", { id: `panel-${name}`, role: "tabpanel", "aria-label": TABS[name], tabindex: 0 }, node),
    );
    const title = el("h1", {}, clip(String(this.header.title ?? this.header.game ?? "Replay"), 60));
    const captions = el("div.captions", {}, this.caption);
    const below = [this.beliefs.legend, captions, this.controls.transport, this.timeline.node];
    const main = el("main.main", {}, this.notice, this.stages, ...below);
    const bar = el("header.bar", {}, title, this.controls.legs(), this.scores, this.controls.settings);
    fill(
      this.host,
      bar,
      main,
      el("aside.side", {}, el("nav.tabs", { role: "tablist" }, ...tabs), ...panels),
      this.help,
    );
  }

  /** The ratio of the board's height to its width, for layouts without a fixed height. */
  tall() {
    const names = this.schema?.grid ?? { width: "width", height: "height" };
    const root = [...this.states.at(0).values()].find((thing) => Number(thing[names.width]) > 0);
    return root ? Math.max(0.5, Math.min(1, root[names.height] / root[names.width])) || 1 : 1;
  }

  /** Listens to all events that move the position, until the viewer is closed. */
  connect() {
    const { signal } = this.closed;
    this.board.canvas.addEventListener("click", (event) => this.select(this.board.pick(event), true));
    for (const name of ["seek", "state"]) this.playback.addEventListener(name, () => this.changed());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => this.setDark(event.matches), {
      signal,
    });
    listen(this, signal);
    this.setDark(this.look.dark);
    this.openTab(this.match.tab);
  }

  close() {
    this.match.speed = this.playback.speed;
    this.charts.clear();
    this.closed.abort();
  }

  /** Updates the page after the replay has grown. */
  extend() {
    const { content, playback } = this;
    playback.extend(content.streams[0].length, content.allTurns);
    this.known = this.marks();
    this.newMarks();
    playersOf(content, this.match.leg).forEach((player, at) => (this.players[at] = { ...this.players[at], ...player }));
    fill(this.resultNode, resultCard(this));
    const wrong = [
      content.problem && !this.live && `This file is damaged: ${content.problem}.`,
      content.notice,
      !content.streams[0].length &&
        content.turns.length &&
        "This file holds the actions alone. Bring its pictures back with: arena replay expand",
    ];
    const short = !content.ended && !this.live && !content.problem && "This recording ends before the match does.";
    const text = [...wrong, short].filter(Boolean).join(" ");
    this.notice.textContent = text;
    this.notice.hidden = !text;
    this.changed();
  }

  /** An action in words: from the renderer, or else from the schema. @param {any} action @param {number} frame */
  words(action, frame) {
    const before = this.states.at(frame - 1);
    return clip(String(this.board.ask("action", action, before) ?? actionInWords(action, before, this.schema)), 300);
  }

  /** Whether the view that is shown includes what only this player knows. @param {number} player */
  knows(player) {
    return this.stream === 0 || this.stream === 1 + player;
  }

  /** The numbers that bots logged, as far as the view that is shown includes them. */
  logged() {
    const { content, players } = this;
    const key = `${content.noted} ${content.allTurns.length} ${this.stream}`;
    if (key !== this.numbers.key)
      this.numbers = { key, found: loggedNumbers(content, players.length, (player) => this.knows(player)) };
    return this.numbers.found;
  }

  /**
   * The drawings to show at a position: for each player, the last drawings in this turn, at or before the position.
   * @param {import("arena/reader").Turn | undefined} turn @param {number} frame
   */
  drawingsAt(turn, frame) {
    const all = this.content.drawingsIn(turn).filter(({ player }) => this.drawn[player] && this.knows(player));
    const over = !turn || frame >= turn.last - 1;
    const shown = all.filter((one) => over || one.frame <= frame);
    const last = new Map(shown.map((one) => [one.player, one.frame]));
    return shown.filter((one) => one.frame === last.get(one.player));
  }

  marks() {
    const { content } = this;
    /** @type {import("arena/timeline").Mark[]} */
    const marks = [];
    const { frames } = this.states;
    for (const { turn, frame, player, code } of content.refusals.slice(0, 5000))
      if (this.knows(player))
        marks.push({ turn: content.turnAt(turn), frame, player, kind: "refusal", label: `refused: ${code}` });
    frames.forEach((one, frame) => {
      for (const event of one.events) {
        const found = marks.length < 20000 && this.board.ask("mark", event, () => this.states.at(frame - 1));
        if (found)
          marks.push({
            turn: this.playback.turnOf(frame),
            frame,
            player: found.player,
            kind: "game",
            label: String(found.label),
          });
      }
    });
    const last = content.allTurns.length - 1;
    for (const { turn, frame, player, ending } of content.endings)
      marks.push({
        turn: Math.min(content.turnAt(turn), last),
        frame,
        player,
        kind: "ending",
        label: ending.replaceAll("_", " "),
      });
    return this.other?.mark ? [...marks, this.other.mark] : marks;
  }

  /** Shows the marks on the timeline, also those of the turning points that are known so far. */
  newMarks() {
    const { content } = this;
    /** @type {import("arena/timeline").Mark[]} */
    const turning = (this.explained?.turning_points ?? []).flatMap(({ player, turn: number, gain }) => {
      const turn = content.indexOf(number);
      const label = `turning point: ${Math.round(100 * gain)} %`;
      return content.allTurns[turn] ? [{ turn, frame: this.playback.endOf(turn), player, kind: "turning", label }] : [];
    });
    this.timeline.setMarks([...this.known, ...turning]);
    this.dirty = true;
  }

  /** Updates everything except the board after the position has changed. */
  changed() {
    this.dirty = true;
    const turn = this.playback.turn;
    if (turn !== this.shownTurn || this.content.turns.length !== this.shownTurns) {
      this.shownTurn = turn;
      this.shownTurns = this.content.turns.length;
      this.describe(turn);
    }
    this.controls.show();
    this.beliefs.follow();
    this.showLive();
  }

  /** @param {number} index */
  describe(index) {
    const turn = this.content.allTurns[index];
    const quick = this.playback.playing && this.playback.until === Infinity && this.playback.speed > 1;
    this.caption.setAttribute("aria-live", quick ? "off" : "polite");
    this.caption.textContent = sentence(this.board, this, this.states, turn, (player) => this.knows(player));
    this.other?.describe(index);
  }

  /** Moves the position on, and draws the board. @param {number} elapsed milliseconds since the last call */
  tick(elapsed) {
    if (this.playback.advance(elapsed)) this.changed();
    if (!this.dirty && !this.board.stale && !this.other?.board.stale) return;
    this.dirty = false;
    const { playback } = this;
    const turn = this.content.allTurns[Math.max(0, playback.turn)];
    const drawings = this.drawingsAt(turn, playback.frame);
    const player = this.stream ? this.stream - 1 : null;
    const since = this.states.at(Math.max(0, (turn?.first ?? 1) - 1));
    this.board.draw(
      this.states,
      playback.frame,
      this.look.still ? 1 : playback.fraction,
      { ...this.look, selected: this.selected, player, since },
      drawings,
    );
    if (this.board.failure && this.notice.hidden) {
      this.notice.textContent = this.board.failure;
      this.notice.hidden = false;
    }
    this.other?.draw();
    this.timeline.draw();
    this.showScores();
    if (this.tab === "turn") this.turnPanel.show();
    else if (this.tab === "charts") this.charts.show();
    else if (this.tab === "inspect") this.inspector.show();
  }

  showScores() {
    const series = this.series ?? this.board.ask("series") ?? [];
    this.series = series;
    const first = series[0];
    const state = this.states.at(this.playback.frame);
    const now = this.content.allTurns[this.playback.turn]?.times.map(({ player }) => player) ?? [];
    const values = this.players.map((_, at) => first?.value(state, at));
    const key = `${values.join()} ${now.join()}`;
    if (key === this.shownScores) return;
    this.shownScores = key;
    const tags = this.players.map((player, at) => {
      const value = typeof values[at] === "number" ? values[at] : "";
      const role = player.role && el("small", {}, clip(player.role, 20));
      const box = el(
        `div.score${now.includes(at) && now.length < this.players.length ? ".now" : ""}`,
        { title: first ? String(first.title ?? first.name) : null },
        nameTag(player),
        role,
        el("output", {}, value),
      );
      box.style.setProperty("--team", player.color);
      return box;
    });
    fill(this.scores, ...tags);
    this.other?.showScores(first, state);
  }

  /** Updates the button that leads to the newest turn of a running match. At the end, the button shows the result. */
  showLive() {
    const { playback } = this;
    if (!this.wasLive) return;
    const behind = playback.turns.length - 1 - playback.turn;
    const over = !this.live && playback.frame >= playback.last;
    const text = over ? headline(this) : this.live && behind < 2 ? "Live" : `Go to turn ${this.content.lastTurn}`;
    this.liveButton.hidden = false;
    this.liveButton.classList.toggle("ended", over);
    if (this.liveButton.textContent !== text) this.liveButton.textContent = text;
  }

  jumpToLive() {
    this.following = true;
    this.playback.seekTurn(this.playback.turns.length - 1);
  }

  /** @param {number} frame */
  goto(frame) {
    this.playback.pause();
    this.playback.seek(frame);
    if (frame > 0) this.playback.run(frame);
  }

  /** @param {string | null} id @param {boolean} [open] */
  select(id, open = false) {
    this.selected = id;
    if (id !== null && open) this.openTab("inspect");
    this.dirty = true;
    this.writeLink();
  }

  /** @param {string} name */
  openTab(name) {
    if (!(name in TABS)) return;
    this.tab = this.match.tab = name;
    for (const other of Object.keys(TABS)) {
      const shown = other === name;
      this.host.querySelector(`#panel-${other}`)?.toggleAttribute("hidden", !shown);
      this.host.querySelector(`#tab-${other}`)?.setAttribute("aria-selected", String(shown));
    }
    this.dirty = true;
    this.writeLink();
  }

  /** @param {boolean} dark */
  setDark(dark) {
    this.look.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.dirty = true;
  }

  /** Chooses what is seen: 0 for everything, 1 + p for what player p saw. @param {number} stream */
  setStream(stream) {
    if (!this.streams[stream]) return;
    this.stream = stream;
    this.turnPanel.made = "";
    this.known = this.marks();
    this.newMarks();
    this.shownTurn = -2;
    this.changed();
  }
}

/**
 * A short text about a turn, or about the start if there is no turn.
 * @param {Board} board @param {{content: Content, players: Player[]}} match @param {States} states
 * @param {import("arena/reader").Turn | undefined} turn
 * @param {(player: number) => boolean} [knows] whether a player's actions are known
 */
export function sentence(board, { content, players }, states, turn, knows = () => true) {
  if (!turn) {
    const position = content.header.start;
    return position ? `The match starts from a position in turn ${content.firstTurn}` : "The start of the game";
  }
  const actions = content.actions.slice(turn.first - 1, turn.last - 1).filter(([player]) => knows(player));
  const last = content.allTurns.length - 1;
  const failed = content.endings.filter((one) => Math.min(content.turnAt(one.turn), last) === turn.index);
  const ends = failed.map((one) => `${players[one.player]?.name ?? "A player"} ${endingWords(one.ending)}.`);
  const story = {
    number: turn.number,
    player: turn.times.length === 1 ? turn.times[0].player : null,
    name: namesIn(turn, players),
    actions: actions.map((action) => action[1]),
    actors: actions.map(([player]) => players[player]?.name ?? `player ${player}`),
    before: states.at(turn.first - 1),
    after: states.at(turn.last - 1),
    events: states.frames.slice(turn.first, turn.last).flatMap((frame) => frame.events),
  };
  // For a turn without actions, a renderer says that the player waits. This is wrong if the player's program failed.
  const words = ends.length && !actions.length ? "" : (board.ask("describe", story) ?? "");
  return clip([`Turn ${turn.number}.`, words, ...ends].filter(Boolean).join(" "), 300);
}

/**
 * The players in the order of seats. A player keeps the colour when the seats are swapped in the second leg.
 * @param {Content} content @param {number} [leg]
 * @returns {Player[]}
 */
export function playersOf(content, leg = 0) {
  const listed = Array.isArray(content.header.players) ? content.header.players.slice(0, 64) : [];
  const most = content.turns.flatMap(({ times }) => times).reduce((high, { player }) => Math.max(high, player), -1);
  const count = Math.max(listed.length, Math.min(64, most + 1));
  return Array.from({ length: count }, (_, index) => {
    const name = typeof listed[index] === "object" ? listed[index]?.name : listed[index];
    return {
      index,
      name: clip(typeof name === "string" && name ? name : `Player ${index + 1}`, 80),
      color: COLORS[(index ^ leg) % COLORS.length],
    };
  });
}
