/** Beside a lesson, in the pages of a server: find a better turn by hand, and watch a pair of playouts side by side. */

import { clip, el, fill } from "arena/dom";

/** @typedef {import("arena/replay").Lesson} Lesson */
/** @typedef {import("arena/replay").Replay} Replay */
/** @typedef {{state: string, message?: string, human?: string[]}} Status of a match that was started from here */

const POLL = 1000;

/** What is offered beside the lessons of a replay. It stays while the tab is built again. */
export class Practices {
  /** @param {Replay} replay */
  constructor(replay) {
    this.replay = replay;
    /** @type {Map<string, Practice>} */
    this.all = new Map();
  }

  /** @param {Lesson} lesson */
  of(lesson) {
    const key = `${lesson.player} ${lesson.kind} ${lesson.from_turn}`;
    const made = this.all.get(key) ?? new Practice(this.replay, lesson);
    this.all.set(key, made);
    return made.node;
  }
}

class Practice {
  /** @param {Replay} replay @param {Lesson} lesson */
  constructor(replay, lesson) {
    this.replay = replay;
    this.lesson = lesson;
    this.status = el("p.practice-status", { role: "status" });
    const find = el("button", { onclick: () => this.begin() }, "Find a better turn");
    const watch = el(
      "button",
      { onclick: () => this.watch(), title: "Both playouts have the same dice" },
      "Show a pair",
    );
    this.node = el("div.practice", {}, find, lesson.instead && watch, this.status);
  }

  /** The number of the lesson in the explanation. */
  get number() {
    const { kind, from_turn: turn, player } = this.lesson;
    const all = this.replay.explained?.lessons ?? [];
    return all.findIndex((one) => one.kind === kind && one.from_turn === turn && one.player === player);
  }

  /** @param {string} kind of the request */
  url(kind) {
    return String(this.replay.leg.source?.what_if).replace(/what-if(\/\d+)$/, `${kind}$1`);
  }

  /** An address that does not depend on the leg. @param {string} path */
  page(path) {
    return this.url("what-if").replace(/what-if\/\d+$/, path);
  }

  /** Shows a text, and a link after it. @param {string} text @param {Node[]} more */
  say(text, ...more) {
    fill(this.status, document.createTextNode(text), ...more);
  }

  /** Sends a request. Returns null after showing the message if the server refuses it. @returns {Promise<any>} */
  async post(/** @type {string} */ kind, /** @type {any} */ body) {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(this.url(kind), { method: "POST", headers, body: JSON.stringify(body) });
    const found = await answer.json();
    if (answer.ok) return found;
    this.say([found.message, found.hint].filter(Boolean).join(" "));
    return null;
  }

  async listed() {
    return (await fetch(this.url("what-if"))).json();
  }

  /** Starts a match from the position before the turn, with the reader on the player's seat. */
  async begin() {
    const { content } = this.replay;
    const turn = content.allTurns[content.indexOf(this.lesson.from_turn)];
    this.say("The position is set up …");
    const { seats } = await this.listed();
    const chosen = seats.map((/** @type {{value: string}[]} */ choices, /** @type {number} */ seat) =>
      seat === this.lesson.player ? "human" : choices[0].value,
    );
    const found = await this.post("play-on", { frame: turn.first - 1, seats: chosen, same_dice: true });
    if (found) await this.follow(found.match);
  }

  /** Waits until the reader's turn is over, and says what it is worth. @param {string} match */
  async follow(match) {
    for (let shown = ""; ; ) {
      await new Promise((resolve) => setTimeout(resolve, POLL));
      const found = await this.post("judge", { match, lesson: this.number });
      if (!found) return;
      if (found.gain) return this.say(verdict(found.gain));
      /** @type {Status | undefined} */
      const status = (await this.listed()).matches[match];
      const [page] = status?.human ?? [];
      if (page && page !== shown) {
        const link = el("a", { href: page, target: "_blank" }, `Play turn ${this.lesson.from_turn} here`);
        this.say("", link, document.createTextNode(", and come back: this page says what you found."));
      }
      shown = page ?? shown;
      if (!/^(waiting|playing)$/.test(status?.state ?? ""))
        return this.say(clip(status?.message || "The match ended before the turn.", 300));
    }
  }

  /** Opens a pair of playouts side by side: as it was played, and with the better actions. */
  async watch() {
    this.say("The pair is played …");
    const found = await this.post("pair", { lesson: this.number });
    if (found)
      this.say("", el("a", { href: this.page(found.view), target: "_blank" }, "As it was played, and as proposed"));
  }
}

/** @param {import("arena/replay").Interval} gain */
function verdict({ value, low, high }) {
  const percent = (/** @type {number} */ share) => `${Math.round(100 * share)}`.replace("-", "−");
  const words = low > 0 ? "better than" : high < 0 ? "worse than" : "not clearly different from";
  return `Your turn is ${words} what was played: ${percent(value)} % (${percent(low)} to ${percent(high)}).`;
}
