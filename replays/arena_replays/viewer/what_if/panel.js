/** The panel "What if", in the pages of a server: play on from the position that is shown, or try one action there. */

import { clip, el, fill } from "arena/dom";

/** @typedef {import("arena/match").Match} Match */
/**
 * @typedef {{state: string, turn?: number, message?: string, hint?: string, human?: string[], view?: string,
 *   file?: string}} Status of a match; when it is over, with its page and its file
 */
/**
 * @typedef {{matches: Record<string, Status>, players: string[], seats: {value: string, title: string}[][],
 *   bots: string[]}} Listed
 */
/** @typedef {{player: number, document: any}} Legal */
/** @typedef {{value: number, low: number, high: number}} Rate */
/**
 * @typedef {{state: string, message: string, played: number, times: number, bot: Rate,
 *   choices: {bot: string, actions: any[]}[], rows: {action: any, win: Rate, difference: Rate}[]}} Tried
 */

const POLL = 500;
const FOLDER = "folder";

/** Offers the panel if the page has a server for it. @param {Match} match */
export function offerWhatIf(match) {
  if (!match.legs.all[0]?.source?.what_if) return;
  const panel = new Panel(match);
  document.body.append(panel.node);
  const attach = () => match.app.tabs.row.append(panel.button);
  for (const name of ["show", "twin"]) match.legs.addEventListener(name, attach); // after the match has made its parts
  attach();
}

class Panel {
  /** @param {Match} match */
  constructor(match) {
    this.match = match;
    this.button = el(
      "button.what-if-open",
      { onclick: () => this.toggle(), title: "Play on from here, or try an action" },
      "What if",
    );
    this.list = el("ul.what-if-list");
    this.form = el("form.what-if-form", { onsubmit: (/** @type {Event} */ event) => this.play(event) });
    this.trial = el("form.what-if-form", { hidden: true, onsubmit: (/** @type {Event} */ event) => this.try(event) });
    this.notice = el("p.what-if-notice", { role: "status" });
    this.node = el(
      "dialog.what-if",
      {
        "aria-label": "What if",
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          this.node.close();
        },
      },
      el(
        "header",
        {},
        el("h2", {}, "What if"),
        el("button", { onclick: () => this.toggle(), "aria-label": "Close" }, "✕"),
      ),
      this.form,
      this.trial,
      this.notice,
      this.list,
    );
    /** @type {any} */
    this.waiting = null;
    /** @type {Legal | undefined} the action that was played at this position of the replay */
    this.played = undefined;
    /** @type {string | null} the match that opens when it has been played */
    this.expected = null;
    this.node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());
  }

  /** The address of a request for the leg that is shown. @param {string} kind of the request */
  url(kind) {
    const { source } = this.match.app.position.replay.leg;
    return String(source?.what_if).replace(/what-if(\/\d+)$/, `${kind}$1`);
  }

  /** An address that does not depend on the leg. @param {string} path */
  page(path) {
    return this.url("what-if").replace(/what-if\/\d+$/, path);
  }

  toggle() {
    if (this.node.open) this.node.close();
    else {
      this.node.show();
      this.refresh(true);
    }
  }

  /** @param {boolean} [anew] whether the form is made again */
  async refresh(anew = false) {
    clearTimeout(this.waiting);
    /** @type {Listed} */
    const listed = await (await fetch(this.url("what-if"))).json();
    if (anew) this.ask(listed);
    const matches = Object.entries(listed.matches);
    fill(this.list, ...matches.map(([name, status]) => this.entry(name, status)));
    const expected = listed.matches[this.expected ?? ""];
    if (expected?.state === "done") location.href = this.page(String(expected.view));
    else if (expected?.state === "failed") {
      this.notice.textContent = [expected.message, expected.hint].filter(Boolean).join(" ");
      this.expected = null;
    }
    if (matches.some(([, status]) => isActive(status))) this.waiting = setTimeout(() => this.refresh(), POLL);
  }

  /** Fills the form. @param {Listed} listed */
  ask(listed) {
    this.seats = listed.seats.map((choices, seat) => new Seat(listed.players[seat] ?? `player ${seat}`, choices));
    this.dice = el("input", { type: "checkbox", id: "same-dice" });
    fill(
      this.form,
      el("p", {}, "Play on from the position that is shown:"),
      ...this.seats.map(({ node }) => node),
      el("label", {}, this.dice, " the same dice as in the replay"),
      el("button.what-if-play", { type: "submit" }, "Play on from here"),
      el("button", { type: "button", onclick: () => this.decide(listed.bots) }, "Try one action here …"),
    );
    this.trial.hidden = true;
  }

  /** Lists the legal actions at the position that is shown. @param {string[]} bots */
  async decide(bots) {
    const { board, position, replay } = this.match.app;
    const { frame } = position;
    const answer = await fetch(`${this.url("legal")}?frame=${frame}`);
    const found = await answer.json();
    this.notice.textContent = answer.ok ? "" : String(found.message);
    if (!answer.ok) return;
    /** @type {Legal[]} */
    const actions = found.moves.flatMap((/** @type {{player: number, actions: any[]}} */ { player, actions }) =>
      actions.map((document) => ({ player, document })),
    );
    if (!actions.length || !bots.length) {
      this.notice.textContent = bots.length ? "Nobody is to move here." : "The game has no built-in bot to play on.";
      return;
    }
    const played = replay.content.actions[frame];
    this.played = actions.find(({ player, document }) => player === played?.[0] && key(document) === key(played[1]));
    const named = (/** @type {number} */ player) =>
      found.moves.length > 1 ? `${replay.players[player]?.name ?? `player ${player}`}: ` : "";
    const before = position.states.at(frame);
    const say = (/** @type {Legal} */ { player, document }) => clip(named(player) + board.words(document, before), 120);
    const texts = actions.map(say);
    const search = el("input", { placeholder: "Search the actions", "aria-label": "Search the actions" });
    const list = el("select", { size: 8, "aria-label": "Action" });
    const filter = () => {
      const words = search.value.toLowerCase().split(/\s+/);
      const fitting = texts.flatMap((text, at) =>
        words.every((/** @type {string} */ word) => text.toLowerCase().includes(word)) ? [at] : [],
      );
      const mark = (/** @type {number} */ at) => (actions[at] === this.played ? " (played)" : "");
      fill(list, ...fitting.slice(0, 500).map((at) => el("option", { value: at }, `${texts[at]}${mark(at)}`)));
      list.selectedIndex = Math.max(0, this.played ? fitting.indexOf(actions.indexOf(this.played)) : 0);
    };
    search.addEventListener("input", filter);
    filter();
    const bot = el("select", { "aria-label": "Who plays on" }, ...bots.map((one) => el("option", { value: one }, one)));
    this.tried = el("div");
    this.chosen = (/** @type {boolean} */ advice) => {
      const one = actions[Number(list.value)] ?? actions[0];
      const both = [...new Set([one, ...(this.played?.player === one.player ? [this.played] : [])])];
      return { frame, player: one.player, documents: both.map(({ document }) => document), bot: bot.value, advice };
    };
    this.say = (/** @type {any} */ document) => board.words(document, before);
    fill(
      this.trial,
      el("p", {}, `${actions.length} legal actions in turn ${found.turn}. One by hand, the rest by a bot, 20 times:`),
      search,
      list,
      el("label", {}, "Played on by ", bot),
      el("button.what-if-play", { type: "submit" }, "Try this action"),
      el("button", { type: "button", onclick: () => this.try(null, true) }, "What would the bots do?"),
      this.tried,
    );
    this.trial.hidden = false;
    search.focus();
  }

  /** @param {Event | null} event @param {boolean} [advice] whether the choices of all bots are tried as well */
  async try(event, advice = false) {
    event?.preventDefault();
    this.notice.textContent = "";
    const found = await this.post("try", this.chosen?.(advice));
    if (found) this.follow(found.try);
  }

  /** @param {number} number of the task */
  async follow(number) {
    this.following = number;
    const answer = await fetch(this.page(`tried/${number}`));
    /** @type {Tried} */
    const found = await answer.json();
    if (this.following !== number || !this.tried) return;
    fill(this.tried, ...this.weighed(found));
    if (found.state === "playing") setTimeout(() => this.follow(number), POLL);
  }

  /** Shows each action's win probability, the best first. @param {Tried} found @returns {HTMLElement[]} */
  weighed(found) {
    if (found.message) return [el("p", { role: "alert" }, String(found.message))];
    const by = (/** @type {any} */ action) => [
      ...(this.played && key(action) === key(this.played.document) ? ["played"] : []),
      ...found.choices.filter(({ actions }) => key(actions[0]) === key(action)).map(({ bot }) => bot),
    ];
    const rows = [...found.rows].sort((one, other) => other.win.value - one.win.value);
    const lines = rows.map(({ action, win, difference }) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, this.say?.(action), el("small", {}, clip(by(action).join(", "), 80))),
        el("td", { title: interval(win) }, el("b", {}, percent(win.value)), el("small", {}, sureness(difference))),
      ),
    );
    const own = `Without it ${percent(found.bot.value)} (${interval(found.bot)}).`;
    const text = found.played
      ? `${found.played} of ${found.times} played. ${own}`
      : "The bots choose, and play on from here …";
    return [el("table.weighed", {}, el("tbody", {}, ...lines)), el("p", { role: "status" }, text)];
  }

  /** @param {Event} event */
  async play(event) {
    event.preventDefault();
    this.notice.textContent = "";
    const found = await this.post("play-on", {
      frame: this.match.app.position.frame,
      seats: (this.seats ?? []).map((seat) => seat.value),
      same_dice: this.dice.checked,
    });
    if (!found) return;
    this.expected = found.match;
    await this.refresh();
  }

  /**
   * Sends a request. If the server refuses it, shows the message and returns null.
   * @param {string} kind @param {any} body @returns {Promise<any>}
   */
  async post(kind, body) {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(this.url(kind), { method: "POST", headers, body: JSON.stringify(body) });
    const found = await answer.json();
    if (answer.ok) return found;
    this.notice.textContent = [found.message, found.hint].filter(Boolean).join(" ");
    return null;
  }

  /** A match that was played on from this replay. @param {string} name of its file @param {Status} status */
  entry(name, status) {
    if (status.state === "done")
      return el("li", {}, el("a", { href: this.page(String(status.view)) }, name), el("small", {}, status.file));
    const words = { waiting: "waits", playing: `is being played, turn ${status.turn ?? 0}`, stopped: "was stopped" };
    const text = words[/** @type {keyof words} */ (status.state)] ?? `failed: ${status.message ?? ""}`;
    const stop = () => this.post("halt", { match: name }).then(() => this.refresh());
    const links = (status.human ?? []).map((url) => el("a", { href: url, target: "_blank" }, "Play here"));
    const halt = el("button", { onclick: stop, "aria-label": `Stop ${name}` }, "■");
    return el("li", {}, el("small", {}, `${name} ${text} `, ...links), isActive(status) && halt);
  }
}

/** @param {Status} status */
const isActive = ({ state }) => state === "waiting" || state === "playing";

/** @param {any} action @returns {string} a text that is equal for equal actions */
const key = (action) => JSON.stringify(Object.entries(action ?? {}).sort());

/** @param {number} value */
const percent = (value) => `${Math.round(100 * value)} %`;

/** @param {Rate} rate */
const interval = ({ low, high }) => `${Math.round(100 * low)} to ${Math.round(100 * high)} %`;

/** @param {Rate} gain */
const sureness = ({ low, high }) => (low > 0 ? "better" : high < 0 ? "worse" : "no clear difference");

/** The list of bots and people that can take a seat. */
class Seat {
  /** @param {string} name @param {{value: string, title: string}[]} choices */
  constructor(name, choices) {
    const all = [...choices, { value: FOLDER, title: "another folder or file …" }];
    const options = all.map(({ value, title }) => el("option", { value }, clip(title, 80)));
    this.select = el("select", { "aria-label": `In the place of ${name}`, onchange: () => this.changed() }, ...options);
    this.folder = el("input", { placeholder: "my_bot/", "aria-label": `Bot in the place of ${name}`, hidden: true });
    this.node = el("label.what-if-seat", {}, el("span", {}, clip(name, 40)), this.select, this.folder);
  }

  changed() {
    this.folder.hidden = this.select.value !== FOLDER;
  }

  get value() {
    return this.select.value === FOLDER ? this.folder.value.trim() : this.select.value;
  }
}
