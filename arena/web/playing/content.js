/** A match as one seat sees it, in the form of a replay, so that the viewer can show it. */

import { Content } from "arena/reader";

const MOST_STEPS = 200;

/** @typedef {Record<string, any>} Message of the protocol */

export class SeatContent extends Content {
  /** @param {Message} welcome @param {string[]} names @param {number} first the game's number of its first turn */
  constructor(welcome, names, first) {
    super();
    this.first = first;
    this.me = welcome.player;
    this.others = names.map((_, at) => at).filter((at) => at !== this.me);
    this.header = {
      game: welcome.game,
      title: welcome.schema.title,
      version: welcome.version,
      schema: welcome.schema,
      options: welcome.options,
      players: names.map((name) => ({ name })),
      clock: welcome.clock,
    };
    this.streams = [/** @type {import("arena/reader").Frame[]} */ ([])];
    /** @type {any[]} shapes on the board that mark the player's choices */
    this.marks = [];
    this.number = 0;
    /** Whether the others move in the same turns, as in Snakes. */
    this.isCommon = false;
  }

  /** The number of the turn that is not closed, also if a position is the start of the match. */
  get nextTurn() {
    return Math.max(1, this.number);
  }

  /**
   * Returns the drawings of bots, and the marks on top of them.
   * @param {import("arena/reader").Turn | undefined} turn
   */
  drawingsIn(turn) {
    const marks = { turn: 0, frame: 0, player: this.me, kind: "draw", refused: 0, payload: this.marks };
    return [...super.drawingsIn(turn), marks];
  }

  /** @param {Message} message the `start` */
  begin(message) {
    this.streams[0].push({ delta: message.view, events: [] });
  }

  /** Adds what the other players did since the last message. @param {Message} message */
  othersMoved(message) {
    const next = this.number + (this.isCommon ? 1 : 2);
    const number = message.turn === undefined ? next : message.turn - this.first + 1;
    this.isCommon = this.number > 0 && number === this.number + 1;
    if (!this.isCommon) this.endTurn([this.me]);
    const other = this.others[0] ?? this.me;
    for (const step of steps(message.delta, message.events)) this.push(other, { type: "moves" }, step);
    this.number = number - 1;
    this.endTurn(this.isCommon ? [this.me, ...this.others] : this.others);
    if (message.turn !== undefined) this.number = number;
  }

  /** Adds the effects of an action of this player. @param {Message} message the `result` @param {any} action */
  moved(message, action) {
    const [result] = message.results;
    if (!result?.code) this.push(this.me, action, { delta: message.delta, events: message.events });
    else {
      const { code, message: why } = result;
      const here = { turn: this.turnOfEntry.length, frame: this.actions.length + 1 };
      this.refusals.push({ ...here, player: this.me, action, code, message: why });
    }
  }

  /** @param {Message} message the `over` */
  finish(message) {
    this.othersMoved(message);
    this.footer = { outcome: message.outcome, players: message.players };
    this.header.players.forEach((/** @type {any} */ player, /** @type {number} */ at) => {
      player.name = message.players[at]?.name ?? player.name;
    });
  }

  /** @param {number} player @param {any} action @param {import("arena/reader").Frame} frame */
  push(player, action, frame) {
    this.actions.push([player, action, []]);
    if (!this.acting.includes(player)) this.acting.push(player);
    this.streams[0].push(frame);
  }

  /** Closes a turn, unless nothing was done in it. @param {number[]} players */
  endTurn(players) {
    const last = this.actions.length + 1;
    if (last === this.turnStart) return;
    const index = this.turns.length;
    const times = players.map((player) => ({ player, wall: null, cpu: null, bank: null }));
    const entry = this.turnOfEntry.length;
    this.turns.push({ index, number: this.number, entry, first: this.turnStart, last, times, ended: true });
    this.turnOfEntry.push(index);
    this.turnStart = last;
    this.acting = [];
  }
}

/**
 * Splits the changes of several actions into steps: a field that changes a second time begins a new step.
 * @param {any[]} delta @param {any[]} events
 */
export function steps(delta, events) {
  /** @type {import("arena/reader").Frame[]} */
  const made = [];
  let seen = new Set();
  for (let at = 0; at + 2 < delta.length; at += 3) {
    const key = `${delta[at]} ${delta[at + 1]}`;
    if (!made.length || (seen.has(key) && made.length < MOST_STEPS)) {
      made.push({ delta: [], events: [] });
      seen = new Set();
    }
    seen.add(key);
    made[made.length - 1].delta.push(delta[at], delta[at + 1], delta[at + 2]);
  }
  if (!made.length && events.length) made.push({ delta: [], events: [] });
  events.forEach((event, at) => made[Math.floor((at * made.length) / events.length)].events.push(event));
  return made;
}
