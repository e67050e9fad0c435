/**
 * Why a match was lost: a failure of the program first, then one lesson at a time, the rest folded. This browser or
 * a server can compute the explanation while the page shows the results so far. See docs/explaining-a-loss.md.
 */

import { signOf } from "arena/chances";
import { clip, el, fill, nameTag, short } from "arena/dom";
import { endingWords, whyOf, winnerOf } from "arena/outcome";
import { refusedBy, refusedIn, traceback } from "arena/result";
import { byHand } from "arena/wording";

/** @typedef {import("arena/replay").Explanation} Explanation */
/** @typedef {import("arena/replay").Lesson} Lesson */
/** @typedef {import("arena/replay").Player} Player */
/** @typedef {import("arena/replay").Replay} Replay */

const POLL = 700;
const MOST_ACTIONS = 5;
const MOST_GROUPS = 6;
const MOST_COMMANDS = 2;

export class Why {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/board").Board} board @param {import("arena/tabs").Tabs} tabs @param {AbortSignal} closed
   */
  constructor(position, playback, board, tabs, closed) {
    this.position = position;
    this.replay = position.replay;
    this.playback = playback;
    this.board = board;
    this.tabs = tabs;
    this.closed = closed;
    this.status = el("div.why-status");
    this.cards = el("div");
    this.node = el("div.why");
    /** @type {number | null} the share of the computation that is done, from 0 to 1; null if nothing is computed */
    this.share = null;
    this.message = "";
    /** @type {Map<number, number>} which lesson of each player is shown */
    this.lesson = new Map();
    /** @type {import("arena/practice").Practices | null} */
    this.practices = null;
    /** Whether the page may still go to the dearest mistake by itself. */
    this.waits = false;
    if (this.found?.playouts) tabs.offerWhy();
  }

  /** @returns {Explanation | null} */
  get found() {
    return this.replay.explained;
  }

  get source() {
    return this.replay.leg.source;
  }

  /**
   * The players who lost or drew: first the one through whose eyes the page was opened, then possible own bots.
   * @returns {Player[]}
   */
  get losers() {
    const { content, players } = this.replay;
    const { footer } = content;
    const lost = ({ index } = players[0]) =>
      !/^(won|void)?$/.test(footer?.players?.[index]?.ending ?? "") && winnerOf(footer) !== index;
    const rank = ({ index } = players[0]) => (index === this.position.only ? 0 : isOwn(this.replay, index) ? 1 : 2);
    return players.filter(lost).sort((one, other) => rank(one) - rank(other));
  }

  /**
   * Shows the explanation. Opens this tab if the page has an explanation, or if the page is for the study of a loss.
   * @param {boolean} linked whether the address of the page names a position or a tab; then this tab is not opened
   */
  async begin(linked) {
    const { replay, source } = this;
    if (!replay.content.ended || !this.losers.length) return;
    this.tabs.offerWhy();
    this.build();
    const lost = this.losers.filter(({ index }) => isOwn(replay, index));
    const opened = !linked && Boolean(source?.study) && lost.length > 0;
    if (opened) this.open();
    this.waits = !linked && this.position.frame === 0;
    if (source?.what_if) this.practices = new (await import("arena/practice")).Practices(replay);
    await this.fetch();
    if (this.closed.aborted) return;
    if (this.found?.playouts && !linked && !opened) this.open();
    // The playouts say nothing about a program that failed.
    const byRules = lost.some(({ index }) => !failureOf(replay, index));
    if (opened && byRules && !this.found?.playouts && (replay.leg.coach || source?.explain)) this.start();
    else if (this.share !== null) this.poll();
  }

  /** Opens the tab. A program that failed is shown in its last turn. */
  open() {
    const { replay } = this;
    const { content } = replay;
    this.tabs.open("why");
    const failed = this.losers.map(({ index }) => failureOf(replay, index));
    const turn = failed.find((one) => one)?.turn;
    if (turn === undefined) return;
    this.playback.pause();
    this.position.seekTurn(Math.min(content.turnAt(turn), content.allTurns.length - 1));
  }

  /** Goes to the dearest mistake, unless the reader has gone elsewhere already. */
  showWorst() {
    const player = this.losers[0]?.index;
    const [lesson] = (this.found?.lessons ?? []).filter((one) => one.player === player);
    if (this.position.frame > 0 || this.playback.playing) this.waits = false;
    if (!this.waits || !lesson || signOf(lesson) !== "??") return;
    this.waits = false;
    this.playback.showTurns(...this.indicesOf(lesson));
  }

  async fetch() {
    const url = this.source?.explained;
    const answer = url ? await fetch(url).catch(() => null) : null;
    this.take(answer?.ok ? await answer.json() : (this.source?.found ?? {}));
  }

  /** @param {any} found an explanation, or a part of it with the share of the time, or a message */
  take(found) {
    if (this.closed.aborted) return;
    this.share = typeof found.share === "number" ? found.share : null;
    this.message = clip(String(found.message ?? ""), 600);
    this.replay.explain(Array.isArray(found.cause) ? found : null);
    this.build();
    this.showWorst();
  }

  /** Starts the explanation of the match. */
  async start() {
    this.share = 0;
    this.build();
    const { leg } = this.replay;
    if (leg.coach) return leg.coach.explain(leg, (found) => this.take(found), this.closed);
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(String(this.source?.explain), { method: "POST", headers, body: "{}" });
    if (answer.ok) return this.poll();
    this.share = null;
    this.message = clip(String((await answer.json()).message), 600);
    this.build();
  }

  async poll() {
    while (this.share !== null && !this.closed.aborted) {
      await new Promise((resolve) => setTimeout(resolve, POLL));
      await this.fetch();
    }
  }

  build() {
    const focus = document.activeElement?.getAttribute("data-key");
    fill(this.status, ...this.progress());
    const known = this.found?.playouts && this.share === null;
    fill(this.node, ...(known ? [this.cards, this.status] : [this.status, this.cards]));
    fill(this.cards, ...this.losers.map((player) => this.card(player)));
    if (focus) /** @type {any} */ (this.node.querySelector(`[data-key="${CSS.escape(focus)}"]`))?.focus();
  }

  /** @returns {HTMLElement[]} */
  progress() {
    const { found, share } = this;
    const count = found?.playouts ? `${found.playouts.count.toLocaleString("en")} playouts` : "";
    if (share !== null)
      return [
        el("p", { role: "status" }, `Playing on from the positions of this match${count && `: ${count}`}`),
        el("progress", { max: 1, value: share, "aria-label": "Explaining" }),
      ];
    const text = count ? "Look closer" : "Explain this match";
    const title = "Play on from the positions of this match, with built-in bots";
    const parts = [
      this.message && el("p.wrong", { role: "alert" }, this.message),
      (this.replay.leg.coach || this.source?.explain) &&
        el("button.explain", { onclick: () => this.start(), title, "data-key": "explain" }, text),
      count && el("p.dim", {}, `From ${count}.`),
    ];
    return parts.filter(Boolean);
  }

  /** @param {Player} player */
  card(player) {
    const { found, replay } = this;
    const { content, streams } = replay;
    const { index } = player;
    const failure = failureOf(replay, index);
    const end = content.footer?.players?.[index] ?? {};
    const known = streams.length < 2 || this.position.knows(index);
    const node = el(
      "article.player",
      {},
      el("header", {}, nameTag(player), el("em", {}, endingWords(String(end.ending ?? "lost")))),
      ...(failure ? this.failure(index, failure) : []),
      failure && known && traceback(content, index, end),
      failure && advice(found?.cause[index]?.commands),
      ...(known ? this.groups(index) : []),
      ...this.lessons(index, Boolean(failure)),
      this.numbers(index),
    );
    node.style.setProperty("--team", player.color);
    return node;
  }

  /** What ended a player's program. @param {number} index @param {import("arena/reader").Ending} failure */
  failure(index, { ending: word, detail, turn }) {
    const { content } = this.replay;
    const ending = endingWords(word);
    const words = detail && !ending.includes(detail) ? `${ending}: ${detail}` : ending;
    const text = clip(this.found?.cause[index]?.message ?? `It ${words}.`, 1000);
    const last = content.turnAt(turn);
    const button = this.turnButton(last, last, "Show the last turn", `failed-${index}`);
    return [el("p.conclusion", {}, text), content.turns.length > 0 && button];
  }

  /** One lesson of a player; without any, where the match was lost. @param {number} index @param {boolean} failed */
  lessons(index, failed) {
    const { found, replay } = this;
    const all = (found?.lessons ?? []).filter(({ player }) => player === index);
    const number = Math.min(this.lesson.get(index) ?? 0, all.length - 1);
    const state = found?.stage && found.playouts && el("p.provisional", {}, "Provisional: not all has been computed.");
    const lesson = all.length ? this.lessonParts(all[number], number, all) : [];
    const fall = found?.fall?.[index];
    if (all.length && !(all[0].recovered && fall)) return [state, ...lesson];
    const summary = clip(String(found?.summary?.[index] ?? ""), 1000);
    const { out, idle } = found?.cause[index] ?? {};
    const also = [out, !summary && idle].flatMap((text) => (text ? `${text}.` : []));
    const reason = [whyOf(this.board, replay.content.footer), ...also].join(" ");
    return [
      state,
      summary && !failed && el("p.conclusion", {}, summary),
      !failed && reason && el("p", {}, clip(reason, 1000)),
      fall && this.stretchButton(fall, `fall-${index}`),
      fall && el("b.gain", {}, `${chance(fall.before)} → ${chance(fall.after)}`),
      ...(fall?.words ?? []).slice(0, MOST_GROUPS).map((words) => el("p", {}, clip(words, 600))),
      fall && el("p.dim", {}, `Win probability${this.meaning}.`),
      ...lesson,
    ];
  }

  /** Who plays on in the playouts: what all probabilities mean. */
  get meaning() {
    const bot = this.found?.playouts?.bot;
    const all = this.replay.players.length === 2 ? "both" : "all";
    return bot ? `, if ${clip(bot.replace("builtin:", ""), 40)} plays on for ${all}` : "";
  }

  /** A mistake, and what it cost. @param {Lesson} lesson @param {number} number @param {Lesson[]} all */
  lessonParts(lesson, number, all) {
    const { player, kind, text, price, count, recovered, instead, better, commands } = lesson;
    const times = count > 1 ? `, on average of ${count} times` : "";
    const others = better ?? instead?.actions;
    const actions = others && this.line(others, Math.max(0, this.replay.content.indexOf(lesson.from_turn)));
    const next = () => {
      this.lesson.set(player, (number + 1) % all.length);
      this.build();
      this.playback.showTurns(...this.indicesOf(all[(number + 1) % all.length]));
    };
    return [
      el(
        "section.point",
        { "data-kind": clip(kind, 60) },
        el("h4", {}, all.length > 1 ? `Lesson ${number + 1} of ${all.length}` : "Lesson"),
        el("p.conclusion", {}, el("b.sign-of", {}, signOf(lesson)), clip(text, 600)),
        this.stretchButton(lesson, `lesson-${player}`),
        el("p.dim", {}, `That cost ${chance(price)} win probability${times}${this.meaning}.`),
        recovered && el("p.dim", {}, "Later it stood as well again."),
        actions && el("h4", {}, kind === "bots_choice" ? "A bot would have" : "Better"),
        actions,
        this.practices?.of(lesson),
        advice(this.source?.what_if ? commands : [byHand(this.replay, lesson), ...(commands ?? [])]),
        all.length > 1 && el("button.next", { onclick: next, "data-key": `next-${player}` }, "Next lesson"),
      ),
    ];
  }

  /** This player beside the winner, folded. @param {number} index */
  numbers(index) {
    const rows = (this.found?.numbers ?? []).filter(({ player }) => player === index);
    if (!rows.length) return null;
    const cell = (/** @type {any} */ value) =>
      el("td", {}, typeof value === "number" ? round(value) : short(value, 40));
    const each = rows.map(({ words, own, others }) =>
      el("tr", {}, el("th", { scope: "row" }, clip(words, 200)), cell(own), cell(others)),
    );
    const names = ["", "own", "winner"].map((name) => el("th", { scope: "col" }, name));
    const table = el("table.fields", {}, el("thead", {}, el("tr", {}, ...names)), el("tbody", {}, ...each));
    return el("details.numbers", {}, el("summary", {}, "In numbers"), table);
  }

  /** A line of actions in the words of the game. @param {any[]} actions @param {number} index of the turn */
  line(actions, index) {
    const first = this.replay.content.allTurns[index]?.first ?? 1;
    const words = actions.slice(0, MOST_ACTIONS).map((action) => this.words(action, first));
    const more = actions.length - words.length;
    const items = words.length ? words : ["Nothing"];
    return el("ul", {}, ...items.map((text) => el("li", {}, text)), more > 0 && el("li.dim", {}, `and ${more} more`));
  }

  /** @param {any} action @param {number} frame */
  words(action, frame) {
    return this.board.words(action, this.position.states.at(frame - 1));
  }

  /** Time-outs and refused actions, grouped. @param {number} player @returns {HTMLElement[]} */
  groups(player) {
    const { content } = this.replay;
    const mine = content.refusals.filter((one) => one.player === player);
    const counts = refusedBy(content, player);
    const late = content.endings.filter((one) => one.player === player && one.skipped);
    const row = (/** @type {number} */ times, /** @type {string} */ what, /** @type {number} */ entry, text = "") => {
      const index = content.turnAt(entry);
      const first = `first in turn ${content.numberOf(index)}`;
      const words = `${times} × ${clip(what, 60).replaceAll("_", " ")} `;
      const button = this.turnButton(index, index, first, `refused-${player}-${what}`, "link");
      return el("li", {}, el("b", {}, words), button, text && el("small", {}, clip(text, 300)));
    };
    const times = (/** @type {string} */ code) => counts.get(code) ?? 0;
    const groups = [...Map.groupBy(mine, ({ code }) => code)].sort(([one], [other]) => times(other) - times(one));
    const rows = groups
      .slice(0, MOST_GROUPS)
      .map(([code, [{ turn, action, frame, message }]]) =>
        row(times(code), code, turn, `${this.words(action, frame)}: ${message}`),
      );
    if (late.length) rows.unshift(row(late.length, late[0].ending, late[0].turn, late[0].detail));
    if (!rows.length) return [];
    const all = refusedIn(content, player);
    const total = all > 0 && el("h4", {}, `${all} refused action${all > 1 ? "s" : ""}`);
    return [el("section.groups", {}, total, el("ul", {}, ...rows))];
  }

  /**
   * A button that plays some turns.
   * @param {number} first index @param {number} last @param {string} text @param {string} key @param {string} [look]
   */
  turnButton(first, last, text, key, look = "show-turn") {
    const onclick = () => this.playback.showTurns(first, last);
    return el(`button.${look}`, { onclick, "data-key": key }, text);
  }

  /** The same for a lesson or a fall. @param {{from_turn: number, to_turn: number}} stretch @param {string} key */
  stretchButton(stretch, key) {
    const { from_turn: first, to_turn: last } = stretch;
    const text = first === last ? `Turn ${first}` : `Turns ${first} to ${last}`;
    return this.turnButton(...this.indicesOf(stretch), text, key);
  }

  /** @returns {[number, number]} the first and the last turn of a lesson or a fall */
  indicesOf(/** @type {{from_turn: number, to_turn: number}} */ { from_turn: first, to_turn: last }) {
    const { content } = this.replay;
    return [content.indexOf(first), content.indexOf(last)];
  }
}

/** The ending of a player's program before the end of the match. @param {Replay} replay */
function failureOf({ content }, /** @type {number} */ player) {
  const ending = content.footer?.players?.[player]?.ending;
  return /^(won|lost|drawn)$/.test(ending) ? undefined : content.endings.findLast((one) => one.player === player);
}

/** Whether the reader of the page is possibly the author of a player's bot. @param {Replay} replay */
function isOwn({ content }, /** @type {number} */ player) {
  const bot = content.header.players?.[player]?.bot;
  return typeof bot === "string" && !/^(builtin:.*|human.*|replay|remote|)$/.test(bot);
}

/** The commands that show a turn and play on from it. @param {string[]} [commands] */
function advice(commands = []) {
  const some = commands
    .filter(Boolean)
    .slice(0, MOST_COMMANDS)
    .map((one) => el("code.try", {}, clip(one, 400)));
  return some.length > 0 && el("details", {}, el("summary", {}, "Try it"), ...some);
}

/** @param {number} value */
const round = (value) => String(Number(value.toPrecision(3)));
/** A probability with its interval. @param {import("arena/replay").Interval} one */
const chance = ({ value, low, high }) =>
  `${Math.round(100 * value)} % (${Math.round(100 * low)} to ${Math.round(100 * high)})`;
