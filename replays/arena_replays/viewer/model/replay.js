/**
 * The replay that is shown: one leg of a match, with its players and its states. Data flows one way: a replay knows
 * nothing of the position in it, and a position knows nothing of the panels that listen to it.
 */

import { clip } from "arena/dom";
import { colorOf } from "arena/player_colors";
import { States } from "arena/states";

/** @typedef {import("arena/reader").Content} Content */
/** @typedef {{name: string, color: string, index: number, role?: string}} Player */
/**
 * @typedef {{turn: number, before: number, low: number, high: number, after: number}} Chance
 * the win probability before and after a turn, and the interval of the first
 */
/** @typedef {{value: number, low: number, high: number}} Interval a probability with its interval */
/** @typedef {{words: string[], actions: any[]}} Line what was done, or could have been done, in a turn */
/**
 * @typedef {{player: number, kind: string, from_turn: number, to_turn: number, text: string, price: Interval,
 *   count: number, recovered?: boolean, better?: any[] | null, instead?: Line | null, commands?: string[]}} Lesson
 * what to learn, and what it cost each time; `recovered` if it was forgiven; `better`: all actions of its first turn
 */
/**
 * @typedef {{from_turn: number, to_turn: number, before: Interval, after: Interval, words: string[]}} Fall
 * where a player's win probability fell most, and what happened there
 */
/**
 * @typedef {object} Explanation
 * @property {{kind: string, message: string, turn: number | null, commands?: string[], out?: string,
 *   idle?: string}[]} cause
 * @property {Lesson[]} [lessons] the dearest first
 * @property {(Fall | null)[]} [fall]
 * @property {Chance[][]} [win]
 * @property {{player: number, words: string, own: any, others: any}[]} [numbers] of a player and of the winner
 * @property {string[]} [summary]
 * @property {{count: number, bot?: string}} [playouts] and the bot that plays on for all
 * @property {string} [stage] what is still computed; empty at the end
 * @property {number[][] | null} [advantage] the game's own estimates, in a page from a file
 */
/**
 * @typedef {{url?: string, inline?: string, common?: number, live?: boolean, study?: boolean, explained?: string,
 *   explain?: string, believed?: string, what_if?: string, found?: Explanation, rules?: string,
 *   advantage?: string, session?: string, pages?: {title: string, url: string}[]}} Source
 * where a replay is: at the address `url`, or in the block `inline` of the page
 * - `common`: the block continues the compressed stream of the shared block; the replay begins after this many bytes
 * - `found`: the explanation; `explained`: its address; `explain`: the address of the request to compute it
 * - `session`: the address of who is signed in; an explanation can be sent to `explained`
 * - `advantage`: the address of the game's own estimates
 * - `believed`: the first part of the address of a player's beliefs at a frame
 * - `what_if`: the address of the matches that are played on from the replay
 * - `rules`: the address of the rules of the game
 * - `pages`: files that the server makes of the match
 * - `study`: whether the page opens with the explanation of a loss
 */
/**
 * @typedef {{content: Content, live: boolean, source?: Source, found?: Explanation, advantage?: number[][],
 *   bytes?: Uint8Array,
 *   coach?: {explain: (leg: any, show: (found: any) => void, signal: AbortSignal) => void} | null}} Leg
 * one leg of a match, its explanation, and the game's estimate of each player's win probability before each turn and at
 * the end; its file, and who explains it in this browser; in the second leg the seats are swapped
 */

/** Dispatches `grow` when the file has grown, and `explained` when more is known about who was ahead and why. */
export class Replay extends EventTarget {
  /** @param {Leg} leg @param {number} number counts the legs from 0 */
  constructor(leg, number) {
    super();
    this.leg = leg;
    this.number = number;
    this.players = playersOf(this.content, number);
    this.folded = this.content;
    this.streams = this.folded.streams.map((frames) => new States(frames));
  }

  get content() {
    return this.leg.content;
  }

  get header() {
    return this.content.header;
  }

  get schema() {
    return this.header.schema ?? null;
  }

  get live() {
    return this.leg.live;
  }

  get explained() {
    return this.leg.found ?? null;
  }

  /** Takes over what was added to the content of the leg, or its new content. */
  grow() {
    const { content } = this;
    if (content !== this.folded) {
      this.folded = content;
      this.streams = content.streams.map((frames) => new States(frames));
    }
    playersOf(content, this.number).forEach((player, at) => (this.players[at] = { ...this.players[at], ...player }));
    this.dispatchEvent(new Event("grow"));
  }

  /** @param {Explanation | null} found null if nothing new is known */
  explain(found) {
    if (found) this.leg.found = found;
    this.dispatchEvent(new Event("explained"));
  }
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
      color: colorOf(index, leg),
    };
  });
}
