/**
 * Why a match was lost: what the replay says, and the explanation of `arena explain`. A server can compute the
 * explanation while the page shows the results so far. See docs/explaining-a-loss.md.
 */

import { clip, el, fill, nameTag } from "arena/dom";
import { endingWords, scoreOf, whyOf, winnerOf } from "arena/outcome";
import { refusedBy, refusedIn, traceback } from "arena/result";
import { spark } from "arena/spark";

/** @typedef {import("arena/replay").Difference} Difference */
/** @typedef {import("arena/replay").Explanation} Explanation */
/** @typedef {import("arena/replay").Lesson} Lesson */
/** @typedef {import("arena/replay").Player} Player */
/** @typedef {import("arena/replay").Replay} Replay */
/** @typedef {import("arena/replay").TurningPoint} TurningPoint */

const POLL = 700;
const MOST_ACTIONS = 5;
const MOST_GROUPS = 6;

export class Why {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/board").Board} board @param {import("arena/legs").Legs} legs
   * @param {import("arena/tabs").Tabs} tabs @param {AbortSignal} closed
   */
  constructor(position, playback, board, legs, tabs, closed) {
    this.position = position;
    this.replay = position.replay;
    this.playback = playback;
    this.board = board;
    this.legs = legs;
    this.tabs = tabs;
    this.closed = closed;
    this.status = el("div.why-status");
    this.cards = el("div");
    this.node = el("div.why", {}, this.status, this.cards);
    /** @type {number | null} the share of the computation that is done, from 0 to 1; null if nothing is computed */
    this.share = null;
    this.message = "";
    /** @type {number | null} the position to which this tab has scrolled the page; null after the user has scrolled */
    this.scrolled = null;
    if (this.found) tabs.offerWhy();
  }

  /** @returns {Explanation | null} */
  get found() {
    return this.replay.explained;
  }

  get source() {
    return this.replay.leg.source;
  }

  /**
   * Shows the explanation. Opens this tab if the page has an explanation, or if the page is for the study of a loss.
   * @param {boolean} linked whether the address of the page names a position or a tab; then this tab is not opened
   */
  async begin(linked) {
    const { replay, source } = this;
    if (!replay.content.ended || !losers(replay).length) return;
    this.tabs.offerWhy();
    this.build();
    const lost = losers(replay).filter(({ index }) => isOwn(replay, index));
    const opened = !linked && Boolean(source?.study) && lost.length > 0;
    if (opened) this.open();
    await this.fetch();
    if (this.closed.aborted) return;
    if (this.found && !linked && !opened) this.open();
    // The playouts say nothing about a program that failed.
    const outplayed = lost.some(({ index }) => !failureOf(replay, index));
    if (opened && outplayed && !this.found && source?.explain) this.start();
    else if (this.share !== null) this.poll();
  }

  /** Opens the tab. A program that failed is shown in its last turn. */
  open() {
    const { replay } = this;
    const { content } = replay;
    this.tabs.open("why");
    this.scrolled = scrollY;
    this.reveal();
    const failed = losers(replay).map(({ index }) => failureOf(replay, index));
    const turn = failed.find((one) => one)?.turn;
    if (turn !== undefined) this.position.seekTurn(Math.min(content.turnAt(turn), content.allTurns.length - 1));
  }

  /** Scrolls to the tab, which is below the board on a phone. Called again when results have made the page longer. */
  reveal() {
    if (this.scrolled !== scrollY) this.scrolled = null;
    if (this.scrolled === null) return;
    this.tabs.bar.scrollIntoView();
    this.scrolled = scrollY;
  }

  async fetch() {
    const url = this.source?.explained;
    const answer = url ? await fetch(url).catch(() => null) : null;
    const found = answer?.ok ? await answer.json() : (this.source?.found ?? {});
    this.share = typeof found.share === "number" ? found.share : null;
    this.message = clip(String(found.message ?? ""), 600);
    this.replay.explain(Array.isArray(found.cause) && Array.isArray(found.turning_points) ? found : null);
    this.build();
  }

  /** Starts or continues the explanation of the match on the server. */
  async start() {
    this.share = 0;
    this.build();
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
    const { replay } = this;
    const focus = document.activeElement?.getAttribute("data-key");
    fill(this.status, ...this.progress());
    const lost = losers(replay);
    const own = lost.filter(({ index }) => isOwn(replay, index));
    const others = lost.filter((player) => !own.includes(player));
    fill(this.cards, ...[...own, ...others].map((player) => this.card(player)));
    if (focus) /** @type {any} */ (this.node.querySelector(`[data-key="${CSS.escape(focus)}"]`))?.focus();
    this.reveal();
  }

  /** @returns {HTMLElement[]} */
  progress() {
    const { found, share } = this;
    const count = found ? `${found.playouts.count.toLocaleString("en")} playouts` : "";
    const playing = `Playing on from the positions of this match${count && `: ${count}`}`;
    const reference = "Playing matches of built-in bots, to know what winners have";
    if (share !== null)
      return shown([
        el("p", { role: "status" }, found && found.stage !== "norms" ? playing : reference),
        el("progress", { max: 1, value: share, "aria-label": "Explaining" }),
      ]);
    const text = found ? "Look closer" : "Explain this match";
    const title = "Play on from the positions of this match, with built-in bots on all cores";
    const start = () => this.start();
    const parts = [
      this.message && el("p.wrong", { role: "alert" }, this.message),
      this.source?.explain && el("button.explain", { onclick: start, title, "data-key": "explain" }, text),
      found && el("p.dim", {}, `From ${count}.`),
    ];
    return shown(parts);
  }

  /** @param {Player} player */
  card(player) {
    const { found, replay } = this;
    const { content, streams } = replay;
    const { index } = player;
    const failure = failureOf(replay, index);
    const end = content.footer?.players?.[index] ?? {};
    const reason = whyOf(this.board, content.footer);
    const ending = endingWords(failure?.ending ?? "");
    const words = failure?.detail && !ending.includes(failure.detail) ? `${ending}: ${failure.detail}` : ending;
    const said = failure && (found?.cause[index]?.message ?? `It ${words}.`);
    const played = ["The program played to the end.", reason].filter(Boolean).join(" ");
    const own = (/** @type {any[] | undefined} */ all) => (all ?? []).filter((one) => one.player === index);
    const known = streams.length < 2 || this.position.knows(index);
    const summary = clip(String(found?.summary?.[index] ?? ""), 1000);
    const node = el(
      "article.player",
      {},
      el("header", {}, nameTag(player), el("em", {}, endingWords(String(end.ending ?? "lost")))),
      summary && el("p.conclusion", {}, summary),
      el("p", {}, clip(said || found?.cause[index]?.message || played, 1000)),
      failure &&
        content.turns.length > 0 &&
        this.turnButton(content.turnAt(failure.turn), "Show the last turn", `failed-${index}`),
      failure && known && traceback(content, index, end),
      failure && found?.cause[index]?.commands && advice(found.cause[index].commands),
      ...own(found?.lessons).map((one) => this.lesson(one)),
      ...own(found?.differences).map((one) => this.difference(one)),
      ...own(found?.turning_points).map((point) => this.point(point)),
      ...own(found?.dice).map((one) => el("p", {}, `The dice of turn ${one.turn} were worth ${chance(one)}.`)),
      ...(known ? this.refusals(index) : []),
      this.otherLeg(index),
    );
    node.style.setProperty("--team", player.color);
    return node;
  }

  /** A mistake, and what it cost. @param {Lesson} lesson */
  lesson({ player, kind, from_turn: first, to_turn: last, text, price, count }) {
    const index = this.replay.content.indexOf(first);
    const turns = first === last ? `Turn ${first}` : `Turns ${first} to ${last}`;
    const times = count > 1 ? `, ${count} times together` : "";
    return el(
      "section.point",
      {},
      this.turnButton(index, turns, `lesson-${player}-${clip(kind, 60)}`),
      el("p", {}, clip(text, 600)),
      el("p.dim", {}, `That cost ${chance(price)}${times}.`),
    );
  }

  /** What this player had or did and winners do not. @param {Difference} difference */
  difference({ player, turn, words, measure, rows, commands }) {
    const index = this.replay.content.indexOf(turn);
    return el(
      "section.difference",
      {},
      this.turnButton(index, `Turn ${turn}`, `difference-${player}-${measure.join("-")}`),
      el("p", {}, clip(words, 600)),
      spark(rows, turn, "This player over the match, and the range of winners"),
      advice(commands),
    );
  }

  /** @param {TurningPoint} point */
  point({ player, turn, before, after, done, instead, bots, commands, gain }) {
    const index = this.replay.content.indexOf(turn);
    const line = (/** @type {any[]} */ actions) => this.line(actions, index);
    const held = bots.map(({ bot }) => clip(bot.replace("builtin:", ""), 40));
    return el(
      "section.point",
      {},
      this.turnButton(index, `Turn ${turn}`, `point-${player}-${turn}`),
      el("b.gain", {}, `${chance(before)} → ${chance(after)}`),
      el("h4", {}, "Played"),
      line(done.actions),
      el("h4", {}, "A bot would have"),
      line(instead.actions),
      el("p.dim", {}, `Worth ${chance(gain)}, if ${held.join(" and ")} play on in this place.`),
      advice(commands),
    );
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

  /** Lists repeated refusals, grouped by code. @param {number} player @returns {HTMLElement[]} */
  refusals(player) {
    const { content } = this.replay;
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
        el("small", {}, clip(`${this.words(first.action, first.frame)}: ${first.message}`, 300)),
      );
    });
    const all = refusedIn(content, player);
    const total = `${all} refused action${all > 1 ? "s" : ""}`;
    return [el("section.groups", {}, el("h4", {}, total), el("ul", {}, ...rows))];
  }

  /** How the other leg differs. @param {number} seat */
  otherLeg(seat) {
    const { legs } = this;
    const other = legs.other?.content.footer;
    if (!other) return null;
    const here = this.replay.content.footer;
    const winner = winnerOf(other);
    const word = winner < 0 ? "drew" : winner === 1 - seat ? "won" : "lost as well";
    const score = (/** @type {any} */ footer, /** @type {number} */ at) =>
      `${scoreOf(footer, at)} to ${scoreOf(footer, 1 - at)}`;
    const text = `In leg ${2 - legs.number} it ${word}, ${score(other, 1 - seat)}; here it was ${score(here, seat)}. `;
    const both = el("button.link", { onclick: () => legs.toggleTwin(), "data-key": `both-${seat}` }, "Compare");
    return el("p.dim", {}, text, both);
  }

  /** @param {number} index of the turn @param {string} text @param {string} key @param {string} [look] */
  turnButton(index, text, key, look = "show-turn") {
    const { content } = this.replay;
    const show = () => {
      this.playback.pause();
      this.board.host.scrollIntoView({ block: "nearest" });
      this.position.seekTurn(Math.min(index, content.allTurns.length - 1));
    };
    return el(`button.${look}`, { onclick: show, "data-key": key }, text);
  }
}

/** The players who lost or drew, in the order of seats. @param {Replay} replay @returns {Player[]} */
function losers({ content, players }) {
  const { footer } = content;
  const ends = footer?.players ?? [];
  return players.filter(({ index }) => !/^(won|void)?$/.test(ends[index]?.ending ?? "") && winnerOf(footer) !== index);
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

/** @param {any[]} parts @returns {HTMLElement[]} */
const shown = (parts) => parts.filter(Boolean);
/** The commands that show a turn and play on from it. @param {string[]} commands */
const advice = (commands) =>
  el("details", {}, el("summary", {}, "Try it"), ...commands.map((one) => el("code.try", {}, clip(one, 400))));

/** A probability with its interval. @param {import("arena/replay").Interval} one */
const chance = ({ value, low, high }) =>
  `${Math.round(100 * value)} % (${Math.round(100 * low)} to ${Math.round(100 * high)})`;
