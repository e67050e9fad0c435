/**
 * Why a match was lost: what the replay says, and the explanation of `arena explain`. A server can compute the
 * explanation while the page shows the results so far. See docs/explaining-a-loss.md.
 */

import { clip, duration, el, fill, nameTag } from "arena/dom";
import { scoreOf, whyOf, winnerOf } from "arena/match_card";
import { endingWords, refusedBy, refusedIn, traceback } from "arena/result";

/** @typedef {{turn: number, before: number, after: number}} Chance the win probability before and after a turn */
/**
 * @typedef {{player: number, turn: number, gain: number, low: number, high: number,
 *   done: {words: string[], actions: any[], win: number},
 *   instead: {bot: string, words: string[], actions: any[], win: number}}} TurningPoint
 */
/**
 * @typedef {{cause: {kind: string, message: string, turn: number | null}[], win: Chance[][], seconds: number,
 *   turning_points: TurningPoint[], summary: string[], playouts: {count: number}, stage: string}} Explanation
 */
/** @typedef {import("arena/app").Player} Player */

const POLL = 700;
const MOST_ACTIONS = 5;
const MOST_GROUPS = 6;

export class Why {
  /** @param {import("arena/app").App} app */
  constructor(app) {
    this.app = app;
    this.status = el("div.why-status");
    this.cards = el("div");
    this.node = el("div.why", {}, this.status, this.cards);
    /** @type {number | null} the share of the computation that is done, from 0 to 1; null if nothing is computed */
    this.share = null;
    this.message = "";
    /** @type {number | null} the position to which this tab has scrolled the page; null after the user has scrolled */
    this.scrolled = null;
  }

  /** @returns {Explanation | null} */
  get found() {
    return this.app.leg.found ?? null;
  }

  /**
   * Shows the explanation. Opens this tab if the page has an explanation, or if the page is for the study of a loss.
   * @param {boolean} linked whether the address of the page names a position or a tab; then this tab is not opened
   */
  async begin(linked) {
    const { app } = this;
    const { source, content } = app.leg;
    if (!content.ended || !losers(app).length) return;
    app.host.querySelector("#tab-why")?.removeAttribute("hidden");
    this.show();
    const lost = losers(app).filter(({ index }) => isOwn(app, index));
    const opened = !linked && Boolean(source?.study) && lost.length > 0;
    if (opened) this.open();
    await this.fetch();
    if (app.closed.signal.aborted) return;
    if (this.found && !linked && !opened) this.open();
    // The playouts say nothing about a program that failed.
    const outplayed = lost.some(({ index }) => !failureOf(app, index));
    if (opened && outplayed && !this.found && source?.explain) this.start();
    else if (this.share !== null) this.poll();
  }

  /** Opens the tab. A program that failed is shown in its last turn. */
  open() {
    const { app } = this;
    app.openTab("why");
    this.scrolled = scrollY;
    this.reveal();
    const failed = losers(app).map(({ index }) => failureOf(app, index));
    const turn = failed.find((one) => one)?.turn;
    if (turn !== undefined) app.playback.seekTurn(Math.min(app.content.turnAt(turn), app.content.allTurns.length - 1));
  }

  /** Scrolls to the tab, which is below the board on a phone. Called again when results have made the page longer. */
  reveal() {
    if (this.scrolled !== scrollY) this.scrolled = null;
    if (this.scrolled === null) return;
    this.app.host.querySelector(".tabs")?.scrollIntoView();
    this.scrolled = scrollY;
  }

  async fetch() {
    const { leg } = this.app;
    const url = leg.source?.explained;
    const answer = url ? await fetch(url).catch(() => null) : null;
    const found = answer?.ok ? await answer.json() : (leg.source?.found ?? {});
    this.share = typeof found.share === "number" ? found.share : null;
    this.message = clip(String(found.message ?? ""), 600);
    if (Array.isArray(found.cause) && Array.isArray(found.turning_points)) leg.found = found;
    this.app.newMarks();
    this.show();
  }

  /** Starts or continues the explanation of the match on the server. */
  async start() {
    this.share = 0;
    this.show();
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(String(this.app.leg.source?.explain), { method: "POST", headers, body: "{}" });
    if (answer.ok) return this.poll();
    this.share = null;
    this.message = clip(String((await answer.json()).message), 600);
    this.show();
  }

  async poll() {
    while (this.share !== null && !this.app.closed.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, POLL));
      await this.fetch();
    }
  }

  show() {
    const { app } = this;
    const focus = document.activeElement?.getAttribute("data-key");
    fill(this.status, ...this.progress());
    const lost = losers(app);
    const own = lost.filter(({ index }) => isOwn(app, index));
    const others = lost.filter((player) => !own.includes(player));
    fill(this.cards, ...[...own, ...others].map((player) => this.card(player)));
    if (focus) /** @type {any} */ (this.node.querySelector(`[data-key="${CSS.escape(focus)}"]`))?.focus();
    this.reveal();
  }

  /** @returns {HTMLElement[]} */
  progress() {
    const { found, share } = this;
    const count = found ? `${found.playouts.count.toLocaleString("en")} playouts` : "";
    if (share !== null)
      return [
        el("p", { role: "status" }, `Playing on from the positions of this match${count && `: ${count}`}`),
        el("progress", { max: 1, value: share, "aria-label": "Explaining" }),
      ];
    const text = found ? "Look closer" : "Explain this match";
    const title = "Play on from the positions of this match for 30 seconds, with built-in bots on all cores";
    const start = () => this.start();
    const parts = [
      this.message && el("p.wrong", { role: "alert" }, this.message),
      this.app.leg.source?.explain && el("button.explain", { onclick: start, title, "data-key": "explain" }, text),
      found && el("p.dim", {}, `From ${count}.`),
    ];
    return /** @type {HTMLElement[]} */ (parts.filter(Boolean));
  }

  /** @param {Player} player */
  card(player) {
    const { app, found } = this;
    const { index } = player;
    const failure = failureOf(app, index);
    const end = app.content.footer?.players?.[index] ?? {};
    const reason = whyOf(app, app.content.footer?.outcome);
    const ending = endingWords(failure?.ending ?? "");
    const words = failure?.detail && !ending.includes(failure.detail) ? `${ending}: ${failure.detail}` : ending;
    const said = failure && (found?.cause[index]?.message ?? `It ${words}.`);
    const points = (found?.turning_points ?? []).filter((point) => point.player === index);
    const known = app.streams.length < 2 || app.knows(index);
    const node = el(
      "article.player",
      {},
      el("header", {}, nameTag(player), el("em", {}, endingWords(String(end.ending ?? "lost")))),
      el("p", {}, clip(said || ["The program played to the end.", reason].filter(Boolean).join(" "), 1000)),
      failure &&
        app.content.turns.length > 0 &&
        this.turnButton(app.content.turnAt(failure.turn), "Show the last turn", `failed-${index}`),
      failure && known && traceback(app, index, end),
      found && !points.length && el("p.dim", {}, clip(String(found.summary?.[index] ?? ""), 1000)),
      ...points.map((point) => this.point(point)),
      ...(known ? this.refusals(index) : []),
      this.slowest(index),
      this.otherLeg(index),
    );
    node.style.setProperty("--team", player.color);
    return node;
  }

  /** @param {TurningPoint} point */
  point({ player, turn, gain, low, high, done, instead }) {
    const index = this.app.content.indexOf(turn);
    const line = (/** @type {any[]} */ actions) => this.line(actions, index);
    return el(
      "section.point",
      {},
      this.turnButton(index, `Turn ${turn}`, `point-${player}-${turn}`),
      el("b.gain", { title: `between ${percent(low)} and ${percent(high)}` }, `−${percent(gain)}`),
      el("h4", {}, `Played, ${percent(done.win)} to win`),
      line(done.actions),
      el("h4", {}, `${clip(instead.bot, 40)} would have, ${percent(instead.win)}`),
      line(instead.actions),
    );
  }

  /** A line of actions in the words of the game. @param {any[]} actions @param {number} index of the turn */
  line(actions, index) {
    const { app } = this;
    const first = app.content.allTurns[index]?.first ?? 1;
    const words = actions.slice(0, MOST_ACTIONS).map((action) => app.words(action, first));
    const more = actions.length - words.length;
    const items = words.length ? words : ["Nothing"];
    return el("ul", {}, ...items.map((text) => el("li", {}, text)), more > 0 && el("li.dim", {}, `and ${more} more`));
  }

  /** Lists repeated refusals, grouped by code. @param {number} player @returns {HTMLElement[]} */
  refusals(player) {
    const { content } = this.app;
    const mine = content.refusals.filter((one) => one.player === player);
    const counts = refusedBy(content, player);
    const times = (/** @type {string} */ code) => counts.get(code) ?? 0;
    const groups = [...Map.groupBy(mine, ({ code }) => code)].sort(([one], [other]) => times(other) - times(one));
    if (!groups.length) return [];
    const rows = groups.slice(0, MOST_GROUPS).map(([code, [first]]) => {
      const index = content.turnAt(first.turn);
      return el(
        "li",
        {},
        el("b", {}, `${times(code)} × ${clip(code, 60).replaceAll("_", " ")} `),
        this.turnButton(index, `first in turn ${content.numberOf(index)}`, `refused-${player}-${code}`, "link"),
        el("small", {}, clip(`${this.app.words(first.action, first.frame)}: ${first.message}`, 300)),
      );
    });
    const all = refusedIn(content, player);
    const total = `${all} refused action${all > 1 ? "s" : ""}`;
    return [el("section.groups", {}, el("h4", {}, total), el("ul", {}, ...rows))];
  }

  /** @param {number} player */
  slowest(player) {
    const { content } = this.app;
    let most = { wall: -1, index: -1 };
    for (const { index, times } of content.turns)
      for (const time of times)
        if (time.player === player && (time.wall ?? -1) > most.wall) most = { wall: time.wall ?? -1, index };
    const turn = content.turns[most.index];
    if (!turn) return null;
    const limit = content.header.clock?.turn;
    const text = `turn ${turn.number}, ${duration(most.wall)}`;
    return el(
      "p.dim",
      {},
      "Slowest: ",
      this.turnButton(turn.index, text, `slowest-${player}`, "link"),
      typeof limit === "number" ? ` of ${limit} s` : "",
    );
  }

  /** How the other leg differs. @param {number} seat */
  otherLeg(seat) {
    const { match } = this.app;
    const other = match.legs.length > 1 ? match.legs[1 - match.leg].content.footer : null;
    if (!other) return null;
    const here = this.app.content.footer;
    const winner = winnerOf(other);
    const word = winner < 0 ? "drew" : winner === 1 - seat ? "won" : "lost as well";
    const score = (/** @type {any} */ footer, /** @type {number} */ at) =>
      `${scoreOf(footer, at)} to ${scoreOf(footer, 1 - at)}`;
    const text = `In leg ${2 - match.leg} it ${word}, ${score(other, 1 - seat)}; here it was ${score(here, seat)}. `;
    const both = el("button.link", { onclick: () => match.toggleTwin(), "data-key": `both-${seat}` }, "Compare");
    return el("p.dim", {}, text, both);
  }

  /** @param {number} index of the turn @param {string} text @param {string} key @param {string} [look] */
  turnButton(index, text, key, look = "show-turn") {
    const { playback, content } = this.app;
    const show = () => {
      playback.pause();
      this.app.stage.scrollIntoView({ block: "nearest" });
      playback.seekTurn(Math.min(index, content.allTurns.length - 1));
    };
    return el(`button.${look}`, { onclick: show, "data-key": key }, text);
  }
}

/** The players who lost or drew, in the order of seats. @param {import("arena/app").App} app @returns {Player[]} */
function losers({ content, players }) {
  const { footer } = content;
  const ends = footer?.players ?? [];
  return players.filter(({ index }) => !/^(won|void)?$/.test(ends[index]?.ending ?? "") && winnerOf(footer) !== index);
}

/** The ending of a player's program before the end of the match. @param {import("arena/app").App} app */
function failureOf({ content }, /** @type {number} */ player) {
  const ending = content.footer?.players?.[player]?.ending;
  return /^(won|lost|drawn)$/.test(ending) ? undefined : content.endings.findLast((one) => one.player === player);
}

/** Whether the reader of the page is possibly the author of a player's bot. @param {import("arena/app").App} app */
function isOwn({ content }, /** @type {number} */ player) {
  const bot = content.header.players?.[player]?.bot;
  return typeof bot === "string" && !/^(builtin:.*|human.*|replay|remote|)$/.test(bot);
}

/** @param {number} value */
const percent = (value) => `${Math.round(100 * value)} %`;
