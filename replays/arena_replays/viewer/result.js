/** The result: the outcome, and the ending of each player's program. */

import { clip, duration, el, fill, finite, nameTag, short } from "arena/dom";
import { listed } from "arena/labels";
import { matchCard } from "arena/match_card";
import { endingWords, isVoid, whyOf, winnerOf } from "arena/outcome";

const MOST_PRINTED = 100000;
const MOST_ENDINGS = 200; // the turns of a bot that fails in each of them
/** @typedef {import("arena/replay").Replay} Replay */
/** @typedef {import("arena/reader").Ending} Ending */
/** @typedef {import("arena/legs").Legs} Legs */

export class Result {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/board").Board} board @param {Legs} legs @param {import("arena/tabs").Tabs} tabs
   */
  constructor(position, playback, board, legs, tabs) {
    this.position = position;
    this.replay = position.replay;
    this.playback = playback;
    this.board = board;
    this.legs = legs;
    this.tabs = tabs;
    this.node = el("div");
    this.replay.addEventListener("grow", () => fill(this.node, this.card()));
  }

  /** @returns {HTMLElement} */
  card() {
    const { board, legs, replay } = this;
    const { content, header, players } = replay;
    const text = whyOf(board, content.footer);
    return el(
      "div.result",
      {},
      legs.all.length > 1 && matchCard(legs, board),
      el("h2", {}, headline(replay, legs)),
      text && el("p.reason", {}, text),
      ...byRank(replay).map((at) => this.playerCard(at)),
      technical(
        "Technical facts",
        facts({
          game: `${header.title ?? header.game ?? "?"} ${header.version ?? ""}`,
          seed: content.footer?.seed,
          turns: content.turns.length,
          actions: content.actions.length,
          "refused actions": players.reduce((all, { index }) => all + refusedIn(content, index), 0),
          clock: clockText(header.clock),
          options: optionsOf(header.options),
        }),
        ...players.map((player) => [
          el("h3", {}, nameTag(player)),
          facts({
            ...timesOf(content, player.index),
            program: content.header.players?.[player.index]?.bot,
            isolation: content.header.players?.[player.index]?.isolation?.name,
          }),
        ]),
      ),
    );
  }

  /** @param {number} at */
  playerCard(at) {
    const { content, players } = this.replay;
    const end = content.footer?.players?.[at] ?? {};
    const fell = content.endings.filter((ending) => ending.player === at);
    const place = placeOf(content.footer, at);
    const named = endingWords(end.ending);
    const word =
      place && ["won", "lost", "drawn"].includes(end.ending) ? place : [named, place].filter(Boolean).join(", ");
    const card = el(
      "article.player",
      {},
      el("header", {}, nameTag(players[at]), word && el("em", {}, clip(String(word), 40))),
      facts({
        payoff: payoffOf(content.footer?.outcome, at),
        team: teamOf(this.replay, at),
        score: end.score,
        "refused actions": refusedIn(content, at) || undefined,
        "what happened": end.detail || this.fateOf(at, end),
      }),
      ...(content.allTurns.length ? grouped(fell) : []).map((endings) => this.endingButtons(endings)),
      traceback(content, at, end),
    );
    card.style.setProperty("--team", players[at].color);
    return card;
  }

  /** How the rules put a player out, in the words of the game; else undefined. @param {number} at @param {any} end */
  fateOf(at, end) {
    const { last, states } = this.position;
    const frame = finite(end.out) ?? (end.ending === "lost" ? last : -1);
    const events = states.frames[frame]?.events ?? [];
    const marks = events.map((event) => this.board.ask("mark", event, () => states.at(frame - 1)));
    return marks.find((mark) => mark?.player === at)?.label;
  }

  /** Buttons that show the turns of equal endings. @param {Ending[]} endings */
  endingButtons(endings) {
    const { content } = this.replay;
    const [first, ...rest] = endings.map(({ turn }) => content.turnAt(turn));
    const what = clip(endings[0].ending, 40).replaceAll("_", " ");
    const button = (/** @type {number} */ index, /** @type {string} */ text) => {
      const show = () => {
        this.playback.pause();
        this.position.seekTurn(Math.min(index, content.allTurns.length - 1));
        this.tabs.open("turn");
      };
      return el("button.show-turn", { onclick: show }, text);
    };
    if (!rest.length) return button(first, `${what} in turn ${content.numberOf(first)}: show it`);
    const turns = [first, ...rest].slice(0, MOST_ENDINGS);
    return el(
      "details.endings",
      {},
      el("summary", {}, `${what} in ${endings.length} turns, first in turn ${content.numberOf(first)}`),
      ...turns.map((index) => button(index, content.numberOf(index).toString())),
      turns.length <= rest.length && el("p", {}, `These are the first ${turns.length}.`),
    );
  }
}

/** The endings of each kind. @param {Ending[]} endings @returns {Ending[][]} */
function grouped(endings) {
  const kinds = new Map(endings.map(({ ending }) => [ending, /** @type {Ending[]} */ ([])]));
  for (const one of endings) kinds.get(one.ending)?.push(one);
  return [...kinds.values()];
}

/** Who won, in a few words. @param {Replay} replay @param {Legs} legs @returns {string} */
export function headline({ content, live, players }, { all, number }) {
  const { footer } = content;
  const what = all.length > 1 ? `Leg ${number + 1}` : "The match";
  if (!footer) return live ? `${what} is running` : "The recording ends before the match does";
  const common = footer.outcome?.common;
  if (typeof common === "number" && !isVoid(footer)) return `Together ${Number(common.toPrecision(6))}`;
  const best = winnersOf({ content, players });
  if (best.length && players[winnerOf(footer)])
    return `${clip(best[0]?.name ?? "", 60)} wins${all.length > 1 ? ` leg ${number + 1}` : ""}`;
  if (best.length) {
    const tied = players.some((_, at) => placeOf(footer, at) === "1st (tied)");
    return `${inOneLine(best.map(({ name }) => name))} ${tied ? "share the first place" : "win"}`;
  }
  if (!footer.outcome) return `${what} was not played to its end`;
  return isVoid(footer) ? `${what} is void and does not count` : "A draw";
}

/**
 * The players who won; none without a verdict, and for a draw of all.
 * @param {{content: import("arena/reader").Content, players: import("arena/replay").Player[]}} replay
 */
export function winnersOf({ content, players }) {
  const { footer } = content;
  if (!footer || isVoid(footer)) return [];
  const winner = players[winnerOf(footer)];
  if (winner) return [winner];
  const best = players.filter((_, at) => placeOf(footer, at).startsWith("1st"));
  return best.length < players.length ? best : [];
}

/** The place of a player, where more than two played. @param {any} footer @param {number} at @returns {string} */
export function placeOf(footer, at) {
  const place = footer?.players?.[at]?.place;
  return typeof place === "string" ? clip(place, 40) : "";
}

/** @param {string[]} names */
function inOneLine(names) {
  const short = names.map((name) => clip(name, 40));
  return listed(short, " and ");
}

/** The players, the best first. @param {Replay} replay @returns {number[]} */
export function byRank({ content, players }) {
  const ranks = content.footer?.outcome?.ranks;
  const rankOf = (/** @type {number} */ at) => finite(ranks?.[at]) ?? players.length;
  return players.map((_, at) => at).sort((one, other) => rankOf(one) - rankOf(other) || one - other);
}

/** The players who are in a team with a player. @param {Replay} replay @param {number} at */
function teamOf({ content, players }, at) {
  const teams = content.footer?.outcome?.teams;
  const number = Array.isArray(teams) ? teams.findIndex((team) => Array.isArray(team) && team.includes(at)) : -1;
  if (number < 0) return undefined;
  const others = teams[number].filter((/** @type {any} */ one) => one !== at && players[one]);
  const names = inOneLine(others.map((/** @type {number} */ one) => players[one].name));
  return `${number + 1}${names ? `, with ${names}` : ""}`;
}

/** @param {any} outcome @param {number} at */
function payoffOf(outcome, at) {
  const payoff = finite(outcome?.payoffs?.[at]);
  return payoff === null ? undefined : `${payoff > 0 ? "+" : ""}${String(payoff).replace("-", "−")}`;
}

/** @param {import("arena/reader").Content} content @param {number} at */
function timesOf({ turns }, at) {
  const times = turns.flatMap((turn) => turn.times.filter(({ player }) => player === at));
  const used = times.reduce((sum, { wall }) => sum + (wall ?? 0), 0);
  const slowest = times.reduce((most, { wall }) => Math.max(most, wall ?? 0), 0);
  const left = times.length ? times[times.length - 1].bank : null;
  return {
    "time used": `${duration(used)}, slowest turn ${duration(slowest)}`,
    "time left": left === null ? undefined : duration(left),
  };
}

/**
 * How many actions of a player were refused, by code. The footer has all counts; the entries are limited per turn.
 * @param {import("arena/reader").Content} content @param {number} player @returns {Map<string, number>}
 */
export function refusedBy({ footer, refusals }, player) {
  const counts = new Map();
  for (const one of refusals) if (one.player === player) counts.set(one.code, (counts.get(one.code) ?? 0) + 1);
  for (const [code, count] of Object.entries(footer?.players?.[player]?.refusals ?? {}))
    counts.set(code, Math.max(counts.get(code) ?? 0, finite(count) ?? 0));
  return counts;
}

/** @param {import("arena/reader").Content} content @param {number} player */
export const refusedIn = (content, player) =>
  [...refusedBy(content, player).values()].reduce((all, one) => all + one, 0);

/** @param {import("arena/reader").Content} content @param {number} at @param {any} end */
export function traceback({ notes }, at, end) {
  const pieces = notes.filter((note) => note.player === at && note.kind === "stderr");
  const text = pieces.map(({ payload }) => String(payload)).join("") || String(end.stderr ?? "");
  const short = folded(text);
  const trace = el("pre.trace", {}, clip(short, 6000));
  const showAll = () => {
    trace.textContent = text.slice(-MOST_PRINTED);
    all.remove();
  };
  const all = el("button.link", { onclick: showAll, hidden: short === text }, "Show all lines");
  const open = !/^(won|lost|drawn)$/.test(end.ending);
  return text && el("details", { open }, el("summary", {}, "Errors it printed"), trace, all);
}

/** The last traceback of a text. Of a long one, the frames in the middle are left out. @param {string} text */
function folded(text) {
  const all = text.trimEnd().split("\n");
  const lines = all.slice(
    Math.max(
      0,
      all.findLastIndex((line) => /^(Traceback|Exception in|Current thread) /.test(line)),
    ),
  );
  const frames = lines.flatMap((line, at) => (/^\s+(File "|at )/.test(line) ? [at] : []));
  // Python prints the last call last, faulthandler and other languages print it first.
  const newestFirst = frames.length > 0 && !lines[0].startsWith("Traceback");
  const last = newestFirst ? lines.length : Math.max(frames.at(-1) ?? 0, lines.length - 12);
  const runner = frames.find((at) => lines[at].includes("/arena_player/")); // the bot's own calls are before
  const first = newestFirst ? (runner ?? frames[6] ?? last) : (frames[1] ?? 0);
  if (last - first < 3) return all.length < 15 ? text : lines.join("\n");
  return [...lines.slice(0, first), `  … ${last - first} lines …`, ...lines.slice(last)].join("\n");
}

/** The options of the match. A value with a title or a name, such as a map, is replaced by it. @param {any} options */
function optionsOf(options) {
  const entries = Object.entries(options && typeof options === "object" ? options : {});
  if (!entries.length) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, value?.title ?? value?.name ?? value]));
}

/** @type {[string, string][]} */
const LIMITS = [
  ["bank", "s for the match"],
  ["increment", "s more after each turn"],
  ["turn", "s for a turn"],
];

/** @param {any} clock */
function clockText(clock) {
  if (!clock || typeof clock !== "object") return undefined;
  const parts = LIMITS.filter(([name]) => typeof clock[name] === "number");
  return parts.map(([name, words]) => `${clock[name]} ${words}`).join(", ") || "none";
}

/** @param {string} title @param {...any} content */
function technical(title, ...content) {
  return el("details.technical", {}, el("summary", {}, title), ...content.flat());
}

/** @param {Record<string, any>} values */
function facts(values) {
  const rows = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return el("dl.facts", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, short(value, 500))]));
}
