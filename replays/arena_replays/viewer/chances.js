/**
 * Who is likely to win: by the playouts of the explanation, else by the game's own estimate. Both are known for the
 * places between turns: place 3 is before the turn with index 3, and place 3.5 is in the middle of it.
 */

import { el, fill } from "arena/dom";

/** @typedef {import("arena/replay").Leg} Leg */
/** @typedef {{value: number, low: number, high: number, sure: boolean}} Point `sure`: confirmed by playouts */

/** A lesson that cost so much is marked. @type {[number, string][]} */
const PRICE_SIGNS = [
  [0.2, "??"],
  [0.05, "?"],
];
const NARROWEST = 0.1; // a smaller share of the bar has no room for its number

/** The sign of a lesson: `??`, `?` or "". @param {import("arena/replay").Lesson} lesson */
export const signOf = ({ price }) => PRICE_SIGNS.find(([least]) => price.value >= least)?.[1] ?? "";

/** The win probabilities of a leg. */
export class Chances {
  /** @param {Leg} leg */
  constructor(leg) {
    this.leg = leg;
    /** @type {any[]} */
    this.made = [];
    /** @type {(Point | undefined)[][]} */
    this.known = [];
  }

  /** Loads the game's estimates, if the page has them and they are not known yet. */
  async load() {
    const { source } = this.leg;
    if (!this.offered || !source || this.leg.advantage || !this.leg.content.ended) return;
    const answer = source.advantage ? await fetch(source.advantage).catch(() => null) : null;
    const found = answer?.ok ? await answer.json() : source.found?.advantage;
    if (Array.isArray(found)) this.leg.advantage = found;
    else source.advantage = "";
  }

  /** Whether there is something to show, or will be. */
  get offered() {
    const { advantage, content, found, source } = this.leg;
    const coming = content.ended && (source?.advantage || source?.found?.advantage);
    return Boolean(advantage ?? (found?.win?.length || coming));
  }

  /** For each player, what is known at each place. */
  get points() {
    const { content, found, advantage } = this.leg;
    const made = [content.allTurns.length, found, advantage];
    if (made.every((part, at) => part === this.made[at])) return this.known;
    this.made = made;
    const players = Math.max(advantage?.length ?? 0, found?.win?.length ?? 0);
    this.known = Array.from({ length: players }, (_, player) => {
      /** @type {Point[]} */
      const points = (advantage?.[player] ?? []).map((value) => ({ value, low: value, high: value, sure: false }));
      for (const { turn, before, low, high, after } of found?.win?.[player] ?? []) {
        const place = Math.max(0, content.indexOf(turn));
        points[place] = { value: before, low, high, sure: true };
        points[place + 1] = { value: after, low: after, high: after, sure: true };
      }
      return points;
    });
    return this.known;
  }

  /** @param {number} place @returns {{values: number[], sure: boolean} | null} for each player; null if not known */
  at(place) {
    const first = Math.floor(place);
    const pairs = this.points.map((points) => [points[first], points[Math.min(first + 1, points.length - 1)]]);
    if (!pairs.length || pairs.some(([before, after]) => !before || !after)) return null;
    const both = /** @type {Point[][]} */ (pairs);
    const values = both.map(([before, after]) => before.value + (after.value - before.value) * (place - first));
    return { values, sure: both.flat().every(({ sure }) => sure) };
  }
}

/** The bar above a board: each player's share. It is hatched until playouts have confirmed the game's estimate. */
export class Bar {
  /** @param {Chances} chances @param {import("arena/replay").Player[]} players */
  constructor(chances, players) {
    this.chances = chances;
    this.players = players;
    this.node = el("div.advantage", { role: "img", hidden: !chances.offered });
    this.made = "";
  }

  /** @param {number} place */
  show(place) {
    const found = this.chances.at(place);
    this.node.hidden = !found && !this.chances.offered;
    const shares = found?.values.map((value) => Math.round(100 * value)) ?? [];
    const key = `${shares.join()} ${found?.sure}`;
    if (key === this.made) return;
    this.made = key;
    const what = found?.sure ? "Win probability" : "Win probability as the game estimates it, without playouts";
    const each = shares.map((share, at) => `${this.players[at]?.name} ${share} %`);
    this.node.title = this.node.ariaLabel = `${what}: ${each.join(", ")}`;
    this.node.classList.toggle("unsure", !found?.sure);
    const all = found?.values.reduce((sum, value) => sum + value, 0) || 1;
    const parts = (found?.values ?? []).map((value, at) => {
      const part = el("span", {}, value / all > NARROWEST && el("b", {}, `${shares[at]} %`));
      part.style.flexGrow = String(value / all);
      part.style.setProperty("--team", this.players[at]?.color ?? "#888888");
      return part;
    });
    fill(this.node, ...parts);
  }
}

/**
 * The place of a frame between the turns.
 * @param {import("arena/reader").Turn | undefined} turn @param {number} frame @param {number} fraction
 */
export function turnPlace(turn, frame, fraction) {
  if (!turn) return 0;
  const inside = (frame - turn.first + fraction) / Math.max(1, turn.last - turn.first);
  return turn.index + Math.max(0, Math.min(1, inside));
}
