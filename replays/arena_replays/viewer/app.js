/** The viewer of one leg: makes its parts, connects them and lays them out. `match.js` says which leg. */

import { Beliefs } from "arena/beliefs";
import { Board } from "arena/board";
import { Caption } from "arena/caption";
import { Bar, Chances, turnPlace } from "arena/chances";
import { Charts } from "arena/charts";
import { Beside } from "arena/compare";
import { Controls, help, legButtons } from "arena/controls";
import { clip, el, fill } from "arena/dom";
import { crumbs, Ending } from "arena/ending";
import { Following } from "arena/following";
import { listen } from "arena/input";
import { Inspector } from "arena/inspector";
import { keepMarks } from "arena/marks";
import { Notice } from "arena/notice";
import { Playback } from "arena/playback";
import { Position } from "arena/position";
import { Replay } from "arena/replay";
import { Result } from "arena/result";
import { gridOf } from "arena/rulers";
import { Scores } from "arena/scores";
import { Sounds } from "arena/sounds";
import { Tabs } from "arena/tabs";
import { LoggedNumbers } from "arena/thoughts";
import { Timeline } from "arena/timeline";
import { TurnPanel } from "arena/turn_panel";
import { Why } from "arena/why";

/** @typedef {import("arena/legs").Legs} Legs */
/** @typedef {import("arena/look").Look} Look */

export class App {
  /**
   * @param {HTMLElement} host @param {Legs} legs
   * @param {(canvas: HTMLCanvasElement, context: any) => any} createRenderer
   * @param {Look} look @param {string} tab the tab that is open at first @param {number} speed of playing
   * @param {import("arena/ending").Place} place where the match belongs
   */
  constructor(host, legs, createRenderer, look, tab, speed, place = {}) {
    this.legs = legs;
    this.look = look;
    this.closed = new AbortController();
    const replay = new Replay(legs.current, legs.number);
    const position = new Position(replay);
    const playback = new Playback(position, speed);
    const board = new Board(el("div.stage"), createRenderer, replay);
    replay.players.forEach((player, at) => (player.role = board.ask("roles")?.[at]));
    this.replay = replay;
    this.position = position;
    this.playback = playback;
    this.board = board;
    this.other = legs.beside && new Beside(position, playback, legs, legs.beside, createRenderer);
    this.following = new Following(position, playback);
    this.notice = new Notice(replay, board);
    this.scores = new Scores(position, board, this.other);
    this.caption = new Caption(position, playback, board);
    const logged = new LoggedNumbers(position);
    this.chances = new Chances(replay.leg);
    this.bar = new Bar(this.chances, replay.players);
    this.timeline = new Timeline(position, playback, logged, this.chances);
    this.beliefs = new Beliefs(position, board);
    this.help = help();
    this.createRenderer = createRenderer;
    /** @type {import("arena/links").Links | null} */
    this.links = null;
    this.controls = new Controls(position, playback, this.beliefs, board, look, this.help, () => this.share());
    this.sounds = new Sounds(position, playback, board, look, this.closed.signal);
    this.tabs = new Tabs(tab);
    this.ending = new Ending(position, playback, board, legs, this.tabs, place);
    this.why = new Why(position, playback, board, this.tabs, this.closed.signal);
    this.turnPanel = new TurnPanel(position, playback, board);
    this.charts = new Charts(position, board, look, this.timeline, logged);
    this.dirty = true;
    this.lay(host, place);
    this.tabs.fill({
      why: this.why,
      turn: this.turnPanel,
      charts: this.charts,
      inspect: new Inspector(position, playback),
      result: new Result(position, playback, board, legs, this.tabs),
    });
    this.connect();
    replay.grow();
    for (const chances of [this.chances, this.other?.bar.chances])
      chances?.load().then(() => this.closed.signal.aborted || replay.explain(null));
  }

  /** Lays the page out. @param {HTMLElement} host @param {import("arena/ending").Place} place */
  lay(host, place) {
    const { board, other, replay } = this;
    const stages = el("div.stages", {}, board.host, other?.board.host);
    stages.style.setProperty("--tall", String(tall(replay)));
    other?.titleAbove(board.host);
    board.host.append(this.bar.node);
    const captions = el("div.captions", {}, this.caption.node, other?.caption, this.ending.node);
    this.controls.transport.append(this.following.node);
    const below = [this.beliefs.legend, captions, this.controls.transport, this.timeline.node];
    const main = el("main.main", {}, other?.sentence, this.notice.node, stages, ...below);
    const name = el("h1", {}, clip(String(replay.header.title ?? replay.header.game ?? "Replay"), 60));
    const title = el("div.title", {}, crumbs(place), name);
    const rules = replay.leg.source?.rules;
    const link = rules && el("a.rules-link", { href: rules, target: "_blank" }, "Rules");
    const { more, settings } = this.controls;
    settings.prepend(...[link, legButtons(this.legs)].filter(Boolean));
    const bar = el("header.bar", {}, title, this.scores.node, more, settings);
    fill(host, main, bar, this.tabs.node, this.help); // Tab begins at the board and Play
  }

  /** Listens to all that changes what is drawn, until the viewer is closed. */
  connect() {
    const { board, look, playback, position, replay, tabs } = this;
    const { signal } = this.closed;
    const redraw = () => {
      this.dirty = true;
    };
    position.addEventListener("change", redraw);
    playback.addEventListener("state", redraw);
    replay.addEventListener("explained", redraw);
    tabs.addEventListener("open", redraw);
    look.addEventListener("change", redraw, { signal });
    look.addEventListener("change", () => this.controls.show(), { signal });
    playback.pauseOf = (frame) => board.pauseOf(position.states.frames[frame]?.events ?? []);
    board.canvas.addEventListener("click", (event) => this.select(board.pick(event)));
    keepMarks(position, board, this.timeline, this.other?.mark ?? null);
    listen(this, signal);
  }

  /** Selects what was clicked on the board. @param {string | null} id */
  select(id) {
    this.position.select(id);
    if (id !== null) this.tabs.open("inspect");
  }

  /** Offers to send the match. Most readers do not, so its modules are loaded now. */
  async share() {
    (await import("arena/share")).share(this);
  }

  close() {
    this.charts.clear();
    this.closed.abort();
  }

  /** Moves the position on, and draws it. @param {number} elapsed milliseconds since the last call */
  tick(elapsed) {
    this.playback.advance(elapsed);
    if (!this.dirty && !this.board.stale && !this.other?.board.stale) return;
    this.dirty = false;
    this.board.show(this.position, this.look);
    const { turns, turn, frame, fraction } = this.position;
    this.bar.show(turnPlace(turns[turn], frame, fraction));
    this.notice.show();
    this.other?.show(this.look);
    this.timeline.draw();
    this.scores.show();
    this.ending.show();
    this.tabs.show();
  }
}

/** The ratio of the board's height to its width, for layouts without a fixed height. @param {Replay} replay */
function tall({ schema, streams }) {
  const [columns, rows] = gridOf(streams[0].at(0), schema) ?? [1, 1];
  return Math.max(0.5, Math.min(1, rows / columns));
}
