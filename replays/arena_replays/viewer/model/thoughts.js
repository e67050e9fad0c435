/** Numbers that bots logged as `value=3.2`: one series for each name. Any kit can log them. */

const PAIR = /(?:^|\s)([A-Za-z_][\w.]{0,30})=(-?\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,2})?)(?=[\s,;]|$)/g;
const MOST_NAMES = 8;

/** @typedef {{name: string, values: (number | null)[][]}} Logged the last number in each turn, by player and turn */

/**
 * @param {import("arena/reader").Content} content @param {number} players
 * @param {(player: number) => boolean} knows whether the logs of a player are shown
 * @returns {Logged[]} the names that were logged most often, in the order of their first appearance
 */
function loggedNumbers(content, players, knows) {
  const turns = content.allTurns.length;
  /** @type {Map<string, {count: number, values: (number | null)[][]}>} */
  const found = new Map();
  for (const note of content.notes) {
    if (note.kind !== "log" || typeof note.payload !== "string" || !knows(note.player)) continue;
    const turn = content.turnAt(note.turn);
    if (turn >= turns || note.player < 0 || note.player >= players) continue;
    for (const [, name, value] of note.payload.slice(0, 20_000).matchAll(PAIR)) {
      let one = found.get(name);
      if (!one) {
        if (found.size >= 100) continue;
        one = { count: 0, values: Array.from({ length: players }, () => Array(turns).fill(null)) };
        found.set(name, one);
      }
      one.count++;
      one.values[note.player][turn] = Number(value);
    }
  }
  const often = [...found.values()].map(({ count }) => count).sort((one, other) => other - one)[MOST_NAMES - 1] ?? 0;
  const kept = [...found].filter(([, { count }]) => count >= often).slice(0, MOST_NAMES);
  return kept.map(([name, { values }]) => ({ name, values }));
}

/** The numbers that bots logged, as far as the view that is shown includes them. */
export class LoggedNumbers {
  /** @param {import("arena/position").Position} position */
  constructor(position) {
    this.position = position;
    this.made = "";
    /** @type {Logged[]} */
    this.found = [];
  }

  get all() {
    const { replay, stream } = this.position;
    const { content, players } = replay;
    const key = `${content.noted} ${content.allTurns.length} ${stream}`;
    if (key !== this.made) {
      this.made = key;
      this.found = loggedNumbers(content, players.length, (player) => this.position.knows(player));
    }
    return this.found;
  }
}
