/** Many matches against each built-in bot, and the ladder of built-in bots. */

import { button, fill, make } from "./make.js";
import { Python } from "./python.js";

const MANY = 100;
const CLIMB = 10;
/** The matches that a Python plays before it asks for more. */
const AT_ONCE = 4;
/** Points of ten that beat a boss. */
const ENOUGH = 6;
/** The quantile of the normal distribution for an interval of 95 %. */
const Z = 1.96;

/** @typedef {{number: number, place: number, points: number, problem?: any}} Game */

export class Series {
  /** @param {any} page */
  constructor(page) {
    this.page = page;
    /** @type {Map<string, Game[]>} the matches against each bot */
    this.games = new Map();
    /** @type {Python | null} a second Python, for a long series */
    this.second = null;
  }

  /** Shows both panels for the current bot. */
  show() {
    this.games.clear();
    this.showMany();
    this.showLadder();
  }

  /** The seed of the first match. */
  get first() {
    return 1000 * this.page.seed;
  }

  /** The seats of a series: the user's bot first; its place changes from match to match. @param {string} boss */
  seats(boss) {
    return [this.page.bot(), ...Array(this.page.game.players[0] - 1).fill(boss)];
  }

  /** @param {string} boss @param {number} count @param {(games: Game[]) => void} heard @returns {Promise<any>} */
  async play(boss, count, heard) {
    const { page } = this;
    /** @type {Game[]} */
    const games = [];
    const request = { game: page.game.name, players: this.seats(boss), seed: this.first, options: {} };
    let next = 0;
    /** @type {any} */
    let last = {};
    const work = async (/** @type {Python} */ python) => {
      while (next < count) {
        const part = { ...request, first: next, count: Math.min(AT_ONCE, count - next) };
        next += part.count;
        const found = await python.call("series", part, (/** @type {string} */ kind, /** @type {any} */ game) => {
          if (kind !== "game" || last.mishap) return;
          games.push(game);
          heard(games.sort((one, other) => one.number - other.number));
        });
        if (found.restart) python.stop("");
        if (!last.mishap) last = found;
        if (last.mishap) next = count;
      }
    };
    /** @type {Promise<void>[]} */
    const crew = [];
    const join = (/** @type {Python} */ python) => {
      const one = work(python);
      one.catch(() => {}); // if another one fails first, nobody waits for this one
      crew.push(one);
    };
    join(page.python);
    if (count > CLIMB && navigator.hardwareConcurrency > 1) {
      this.second ??= new Python(page.python.packages);
      const { second } = this;
      second.ready.then(() => join(second)).catch(() => {}); // without it, the series only takes longer
    }
    try {
      for (const one of crew) await one; // also one that joins later
    } finally {
      next = count;
    }
    if (last.mishap) {
      page.report(last);
      page.tab("output");
    }
    return { games, ...last };
  }

  // -- 100 matches ---------------------------------------------------------------------------------

  async runMany() {
    const { page } = this;
    this.games.clear();
    page.store.keep();
    await this.work(async () => {
      for (const { name } of page.game.bots) {
        const found = await this.play(name, MANY, (games) => {
          this.games.set(name, games);
          this.showMany();
        });
        if (found.mishap) return;
      }
      page.say(`${MANY} matches against each bot are played.`);
    });
  }

  showMany() {
    const { page } = this;
    const rows = page.game.bots.map(({ name }) => this.rate(name, this.games.get(name) ?? []));
    fill(
      document.getElementById("many"),
      make("p", {}, `${MANY} matches against each built-in bot, from both sides. The bar is the 95 % interval. `),
      button(`Play ${MANY} matches`, () => this.runMany()),
      ...rows,
    );
  }

  /** @param {string} boss @param {Game[]} games */
  rate(boss, games) {
    const total = games.reduce((sum, { points }) => sum + points, 0);
    const [low, high] = interval(total, games.length);
    const bar = make("div", { class: "bar", role: "img", "aria-label": `${percent(low)} to ${percent(high)}` });
    const band = make("i");
    const dot = make("b");
    Object.assign(band.style, { left: `${100 * low}%`, width: `${100 * (high - low)}%` });
    dot.style.left = `${(100 * total) / Math.max(1, games.length)}%`;
    if (games.length) fill(bar, band, dot);
    const text = games.length
      ? `${percent(total / games.length)} (${percent(low)} to ${percent(high)}), ${games.length} played`
      : "not played";
    const lost = games.filter(({ points }) => points < 0.5);
    const list = make(
      "details",
      {},
      make("summary", {}, `${lost.length} lost`),
      make("div", { class: "actions" }, ...lost.slice(0, MANY).map((one) => this.watch(boss, one))),
    );
    return make(
      "div",
      {},
      make("div", { class: "rate" }, make("strong", {}, boss), bar, make("small", {}, text)),
      lost.length > 0 && list,
    );
  }

  /** A button that plays a match of a series again, on the board. @param {string} boss @param {Game} game */
  watch(boss, { number, place }) {
    const { page } = this;
    return button(`match ${number + 1}`, () => {
      const seats = this.seats(boss);
      const turned = [...seats.slice(seats.length - place), ...seats.slice(0, seats.length - place)];
      const names = turned.map((_, at) => (at === place ? page.store.current : boss));
      page.match({ players: turned, names, seed: this.first + number, options: {} });
    });
  }

  // -- the ladder ----------------------------------------------------------------------------------

  showLadder() {
    const { page } = this;
    const { beaten } = page.store;
    const bosses = page.game.bots.map((/** @type {any} */ { name, doc, lesson }, /** @type {number} */ at) => {
      const open = at === 0 || beaten.includes(page.game.bots[at - 1].name) || beaten.includes(name);
      const won = beaten.includes(name);
      const state = make("small", {}, won ? "beaten" : open ? "" : "beat the boss before this one first");
      return make(
        "div",
        { class: won ? "boss beaten" : "boss" },
        make("strong", {}, `${at + 1}. ${name} `),
        state,
        make("p", {}, doc),
        open && lesson && make("p", { class: "dim" }, `What it takes: ${lesson}`),
        open && button(won ? "Challenge again" : "Challenge", () => this.challenge(name, state)),
      );
    });
    const lead = `Win ${ENOUGH} of ${CLIMB} matches against a boss to reach the next one.`;
    fill(document.getElementById("ladder"), make("p", {}, lead), ...bosses);
  }

  /** @param {string} boss @param {HTMLElement} state */
  async challenge(boss, state) {
    const { page } = this;
    page.store.keep();
    await this.work(async () => {
      const points = (/** @type {Game[]} */ games) => games.reduce((sum, one) => sum + one.points, 0);
      const found = await this.play(boss, CLIMB, (games) => {
        state.textContent = `${points(games)} of ${games.length}`;
      });
      if (found.mishap) return;
      const total = points(found.games);
      if (total >= ENOUGH && !page.store.beaten.includes(boss)) {
        page.store.beaten.push(boss);
        page.store.write();
      }
      this.showLadder();
      const lost = found.games.find((/** @type {Game} */ { points: one }) => one < 0.5);
      page.say(
        total >= ENOUGH ? `${boss} is beaten: ${total} of ${CLIMB}.` : `${total} of ${CLIMB} against ${boss}: not yet.`,
      );
      if (total < ENOUGH && lost)
        document.getElementById("ladder")?.prepend(make("p", {}, "Watch a lost one: ", this.watch(boss, lost)));
    });
  }

  /** @param {() => Promise<any>} code */
  async work(code) {
    const { page } = this;
    if (page.python.busy) return;
    page.busy(true);
    try {
      await code();
    } catch (error) {
      page.say(error instanceof Error ? error.message : String(error), true);
    } finally {
      page.busy(false);
    }
  }
}

/** The Wilson interval of a win rate. @param {number} points @param {number} count @returns {[number, number]} */
export function interval(points, count) {
  if (!count) return [0, 1];
  const rate = points / count;
  const root = Z * Math.sqrt((rate * (1 - rate)) / count + Z ** 2 / (4 * count ** 2));
  const [middle, scale] = [rate + Z ** 2 / (2 * count), 1 + Z ** 2 / count];
  return [Math.max(0, (middle - root) / scale), Math.min(1, (middle + root) / scale)];
}

/** @param {number} share */
function percent(share) {
  return `${Math.round(100 * share)} %`;
}
