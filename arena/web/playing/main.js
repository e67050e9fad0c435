/** The page of a person on a seat: the viewer with the seat's own view, and a panel to play. */

import { el, fill } from "arena/dom";
import { Match } from "arena/match";
import { endingWords } from "arena/outcome";
import { standing } from "arena/scores";
import { decode } from "msgpack";
import { SeatContent } from "./content.js";
import { Panel } from "./panel.js";

/** @typedef {{socket: string, next: string, names: string[], seat: number, first: number, rules: string,
 *   watch: string, again: string}} Config */
/** @typedef {Record<string, any>} Message */

class Game {
  /** @param {Config} config @param {(canvas: HTMLCanvasElement, context: any) => any} createRenderer */
  constructor(config, createRenderer) {
    this.config = config;
    this.createRenderer = createRenderer;
    this.host = /** @type {HTMLElement} */ (document.getElementById("viewer"));
    this.socket = open(config.socket);
    this.socket.addEventListener("message", (event) => this.receive(/** @type {any} */ (decode(event.data))));
    this.socket.addEventListener("close", () => this.lost());
    /** @type {Message | null} the open request */
    this.request = null;
    /** @type {any} the action that was sent last */
    this.sent = null;
    this.over = false;
    this.resigned = false;
    this.ends = 0;
    /** @type {number | null} milliseconds on the clock when it last stopped */
    this.left = null;
  }

  /** @param {Message} message */
  receive(message) {
    if (message.type === "welcome") {
      this.content = new SeatContent(message, turned(this.config, message.player), this.config.first);
      return;
    }
    const { content } = this;
    if (message.type === "refused" || !content) {
      fill(this.host, el("p.unreadable", { role: "alert" }, String(message.message ?? "The match did not begin.")));
      return;
    }
    if (message.type === "start") {
      content.begin(message);
      this.show(content);
    }
    const { panel, match } = this;
    if (!panel || !match) return;
    if (message.type === "notice") panel.status.textContent = String(message.message);
    else if (message.type === "turn") content.othersMoved(message);
    else if (message.type === "result") content.moved(message, this.sent);
    else if (message.type === "over") content.finish(message);
    if (message.type !== "notice") this.update(message);
  }

  /** @param {SeatContent} content */
  show(content) {
    const match = new Match(
      this.host,
      [{ content, live: true, source: { rules: this.config.rules } }],
      this.createRenderer,
    );
    this.match = match;
    this.panel = new Panel(match.app, content, {
      send: (choice) => this.send(choice),
      resign: () => this.resign(),
      next: () => location.reload(),
    });
    this.host.querySelector("header.bar .title")?.after(this.panel.clock);
    this.host.classList.add("plays"); // without the controls of a replay, until the match is over
    const narrow = matchMedia("(max-width: 860px)");
    narrow.addEventListener("change", () => this.place(narrow.matches));
    this.place(narrow.matches);
    this.panel.wait("The match begins.");
    animate(match, () => this.tick());
    document.documentElement.dataset.ready = "true";
  }

  resign() {
    this.resigned = true;
    this.socket.send(JSON.stringify({ resign: true }));
  }

  /** Puts the panel beside the board, or below the board in a narrow window. @param {boolean} narrow */
  place(narrow) {
    const node = /** @type {HTMLElement} */ (this.panel?.node);
    if (narrow) this.host.querySelector(".stages")?.after(node);
    else this.host.querySelector(".side")?.prepend(node);
  }

  /** @param {Message} message */
  update(message) {
    const { match, panel } = this;
    if (!match || !panel) return;
    const { playback, position, replay } = match.app;
    const atEnd = position.frame >= position.last || playback.playing;
    const { last } = position;
    replay.grow();
    if (atEnd && position.last > last && !playback.playing) playback.play();
    this.request = message.type === "turn" || message.your_move ? message : null;
    this.readClock(message);
    if (this.request) {
      const [result] = message.results ?? [];
      const why = result?.message ? `Refused: ${result.message}.` : "";
      panel.offer(message.legal_actions ?? [], why || `Turn ${this.content?.number}: your move`);
    } else if (message.type === "over" || message.type === "gone") this.end(message);
    else if (message.type === "result") panel.wait("The others move.");
  }

  /** @param {Message} message */
  end(message) {
    this.over = true;
    const { content } = this;
    const players = message.players ?? (this.resigned && content ? this.afterResignation(content) : null);
    const ending = players?.[content?.me ?? 0]?.ending;
    const own = `you ${endingWords(ending)}`.replace("you was", "you were");
    const how = ending === "drawn" ? "a draw" : ending === "void" ? "it does not count" : own;
    this.panel?.wait(ending ? `The match is over: ${how}.` : String(message.message), true);
    this.panel?.finish(this.config);
    if (this.match) {
      const { app } = this.match;
      app.replay.leg.live = false;
      app.following.show();
      this.fillScores();
      if (ending) app.tabs.open("result", false); // on a phone the board stays
    }
    this.host.classList.remove("plays");
    document.documentElement.dataset.over = "true";
    this.awaitNext();
  }

  /**
   * The end of a match of two that this player has resigned: nobody sends it, since the seat has left the match.
   * @param {SeatContent} content
   */
  afterResignation(content) {
    if (content.others.length !== 1) return null;
    const players = content.header.players.map((/** @type {any} */ { name }, /** @type {number} */ at) => ({
      name,
      ending: at === content.me ? "resigned" : "won",
      score: null,
      refusals: {},
    }));
    content.footer = { outcome: { winner: content.others[0], reason: "forfeit" }, players };
    this.match?.app.replay.grow();
    return players;
  }

  /** Adds the last scores to the result: the referee does not send them. */
  fillScores() {
    const { app } = /** @type {Match} */ (this.match);
    const series = standing(app.board.ask("series"));
    const players = this.content?.footer?.players ?? [];
    players.forEach((/** @type {any} */ player, /** @type {number} */ at) => {
      player.score = series?.value(this.panel?.newest, at) ?? undefined;
    });
    app.replay.grow();
  }

  /** Offers the next match, for example the second leg, when it has begun. */
  awaitNext() {
    if (!this.config.next) return;
    const socket = open(this.config.next);
    socket.addEventListener("message", () => {
      if (this.panel) this.panel.nextButton.hidden = false;
      socket.close();
    });
  }

  lost() {
    if (!this.over) this.panel?.wait("The connection to the match is lost. Load the page again to go on.", true);
  }

  /** @param {import("./actions.js").Choice} choice */
  send(choice) {
    if (!this.request) return;
    this.sent = choice.action;
    this.socket.send(JSON.stringify({ seq: this.request.seq, number: choice.number }));
    this.request = null;
    this.panel?.wait("Your action is on its way.");
  }

  /** @param {Message} message */
  readClock(message) {
    const limits = Object.values(message.clock ?? {}).filter((limit) => limit !== null);
    this.ends = this.request && limits.length ? performance.now() + 1000 * Math.min(...limits) : 0;
    if (message.clock) this.left = message.clock.bank === null ? null : 1000 * message.clock.bank;
    this.tick();
  }

  tick() {
    if (!this.panel) return;
    const milliseconds = this.ends ? this.ends - performance.now() : this.left;
    const left = Math.max(0, Math.ceil((milliseconds ?? 0) / 1000));
    const text = milliseconds !== null ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : "";
    if (this.panel.clock.textContent !== text) this.panel.clock.textContent = text;
  }
}

/** The names by seat: in a later leg, the seats are rotated. @param {Config} config @param {number} player */
function turned({ names, seat }, player) {
  const by = (seat - player + names.length) % names.length;
  return names.map((_, at) => names[(at + by) % names.length]);
}

/**
 * Opens a WebSocket of this server. Its address gets the secret key from the address of this module.
 * @param {string} path
 */
function open(path) {
  const socket = new WebSocket(new URL(`../${path}`, import.meta.url).href.replace(/^http/, "ws"));
  socket.binaryType = "arraybuffer";
  return socket;
}

/** @param {Match} match @param {() => void} tick */
function animate(match, tick) {
  let last = performance.now();
  const step = (/** @type {number} */ now) => {
    requestAnimationFrame(step);
    const elapsed = Math.min(100, Math.max(0, now - last));
    last = now;
    match.app.tick(elapsed);
    tick();
  };
  match.app.tick(0);
  requestAnimationFrame(step);
}

async function start() {
  const config = /** @type {Config} */ (JSON.parse(document.getElementById("arena-config")?.textContent ?? "{}"));
  const { createRenderer } = await import("arena/renderer");
  Object.assign(globalThis, { play: new Game(config, createRenderer) });
}

start();
