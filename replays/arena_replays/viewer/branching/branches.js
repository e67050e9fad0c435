/**
 * The panel for branches: matches that start from a position of this replay. With a server, the panel can play new
 * branches. In an exported page, it shows the saved ones.
 */

import { clip, el, fill } from "arena/dom";

/** @typedef {import("arena/match").Match} Match */
/**
 * @typedef {{id: string, parent: string | null, turn: number, action: number, players: string[], result: string,
 *   name: string, note: string, changed: boolean, view?: string, inline?: string}} Branch
 */
/** @typedef {{state: string, turn?: number, message?: string, hint?: string, human?: string[]}} Unfinished */
/**
 * @typedef {{branches: Branch[], unfinished: Record<string, Unfinished>, players: string[],
 *   seats: {value: string, title: string}[][], bots: string[]}} Listed
 */
/** @typedef {{player: number, document: any}} Legal */
/** @typedef {{value: number, low: number, high: number}} Rate */
/**
 * @typedef {{state: string, message: string, played: number, times: number, bot: Rate,
 *   choices: {bot: string, actions: any[]}[], rows: {action: any, win: Rate, difference: Rate}[]}} Tried
 */
/** @typedef {import("arena/replay").Source} Source */
/**
 * @typedef {{legs?: Source[], leg?: number, other?: Source, branches?: {urls: string[], here: string},
 *   tree?: Branch[], place?: import("arena/ending").Place}} Config what a page shows
 * `branches.urls` has, for each leg, the address of its branches; `branches.here` is the id of the branch that is
 * shown; `tree` has the branches of an exported page
 */

/** The part of the address after `#` when the page opens. Later the viewer changes it. */
const wanted = location.hash;
const POLL = 500;
const FOLDER = "folder";

/** In a page with a tree, the address chooses which branch is shown. @param {Config} config @returns {Config} */
export function chosen(config) {
  const { tree } = config;
  if (!tree) return config;
  const branch = new URLSearchParams(wanted.slice(1)).get("branch") ?? "";
  const here = tree.find(({ id }) => id === branch) ?? tree[0];
  const parent = tree.find(({ id }) => id === here.parent);
  const other = parent && { inline: parent.inline };
  return { tree, legs: [{ inline: here.inline }], other, branches: { urls: [], here: here.id } };
}

/** @param {Match} match @param {Config} config */
export function branches(match, config) {
  const frame = new URLSearchParams(wanted.slice(1)).get("frame");
  if (frame) match.app.position.seek(Number(frame) || 0);
  if (!config.branches) return;
  const panel = new Panel(match, config);
  document.body.append(panel.node);
  const attach = () => match.app.tabs.row.append(panel.button);
  for (const name of ["show", "twin"]) match.legs.addEventListener(name, attach); // after the match has made its parts
  attach();
  if (!config.tree && !config.branches.here) return;
  panel.open();
  const mark = match.app.other?.mark;
  if (mark && !wanted.includes("t=")) match.app.playback.goto(mark.frame);
}

class Panel {
  /** @param {Match} match @param {Config} config */
  constructor(match, config) {
    this.match = match;
    this.tree = config.tree;
    this.urls = config.branches?.urls ?? [];
    this.here = config.branches?.here ?? "";
    this.button = el(
      "button.branches-open",
      { onclick: () => this.toggle(), title: "Branches of this match" },
      "What if",
    );
    this.list = el("div.branches-list");
    this.form = el("form.branches-form", { onsubmit: (/** @type {Event} */ event) => this.play(event) });
    this.trial = el("form.branches-form", { hidden: true, onsubmit: (/** @type {Event} */ event) => this.try(event) });
    this.notice = el("p.branches-notice", { role: "status" });
    this.node = el(
      "dialog.branches",
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
    /** @type {string | null} the branch that opens when it has been played */
    this.expected = null;
    this.node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.stopPropagation());
  }

  /** The address of a request for the leg that is shown. @param {string} kind of the request */
  url(kind) {
    return String(this.urls[this.match.legs.number] ?? this.urls[0]).replace(/\/branches\/(\d+)$/, `/${kind}/$1`);
  }

  toggle() {
    if (this.node.open) this.node.close();
    else this.open();
  }

  open() {
    this.node.show();
    if (this.tree) this.show(this.tree, {});
    else this.refresh(true);
  }

  /** @param {boolean} [anew] whether the form is made again */
  async refresh(anew = false) {
    clearTimeout(this.waiting);
    /** @type {Listed} */
    const listed = await (await fetch(this.url("branches"))).json();
    if (anew) this.ask(listed);
    this.show(listed.branches, listed.unfinished);
    const ready = listed.branches.find(({ id }) => id === this.expected);
    if (ready) return this.go(ready);
    const failed = this.expected !== null && listed.unfinished[this.expected];
    if (failed && failed.state === "failed") {
      this.notice.textContent = [failed.message, failed.hint].filter(Boolean).join(" ");
      this.expected = null;
    }
    const active = Object.values(listed.unfinished).some(({ state }) => state === "waiting" || state === "playing");
    if (active) this.waiting = setTimeout(() => this.refresh(), POLL);
  }

  /** @param {Branch} branch */
  go(branch) {
    if (branch.inline) {
      location.hash = `#branch=${branch.id}`;
      location.reload();
    } else location.href = this.url("branches").replace(/branches\/\d+$/, String(branch.view));
  }

  /** Fills the form. @param {Listed} listed */
  ask(listed) {
    this.seats = listed.seats.map((choices, seat) => new Seat(listed.players[seat] ?? `player ${seat}`, choices));
    this.name = el("input", { placeholder: "Name", "aria-label": "Name of the branch", maxlength: 200 });
    this.dice = el("input", { type: "checkbox", id: "same-dice" });
    fill(
      this.form,
      el("p", {}, "Play on from the position that is shown:"),
      ...this.seats.map(({ node }) => node),
      el("label", {}, this.dice, " the same dice as in the replay"),
      this.name,
      el("button.branches-play", { type: "submit" }, "Play on from here"),
      el("button", { type: "button", onclick: () => this.decide(listed.bots) }, "Try one action here …"),
    );
    this.trial.hidden = true;
  }

  /** Lists the legal actions at the position that is shown. @param {string[]} bots */
  async decide(bots) {
    const { board, position, replay } = this.match.app;
    const { frame } = position;
    const answer = await fetch(`${this.url("legal")}?branch=${this.here}&frame=${frame}`);
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
      el("button.branches-play", { type: "submit" }, "Try this action"),
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
    const found = await this.post("try", { branch: this.here, ...this.chosen?.(advice) });
    if (found) this.follow(found.try);
  }

  /** @param {number} number of the task */
  async follow(number) {
    this.following = number;
    const answer = await fetch(this.url("branches").replace(/branches\/\d+$/, `tried/${number}`));
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
    const found = await this.post("fork", {
      branch: this.here,
      frame: this.match.app.position.frame,
      seats: (this.seats ?? []).map((seat) => seat.value),
      same_dice: this.dice.checked,
      name: this.name.value,
    });
    if (!found) return;
    this.expected = found.branch;
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

  /** Shows the tree. @param {Branch[]} listed @param {Record<string, Unfinished>} unfinished */
  show(listed, unfinished) {
    if (this.list.querySelector("form")) return; // the user is typing a name
    const children = (/** @type {string | null} */ parent) => listed.filter((one) => one.id && one.parent === parent);
    const item = (/** @type {Branch} */ branch) => {
      /** @type {HTMLElement[]} */
      const below = children(branch.id).map(item);
      return el("li", {}, this.entry(branch), below.length ? el("ul", {}, ...below) : null);
    };
    const lost = children(null).map(item);
    const root = listed.filter(({ id }) => id === "").map(item);
    const waiting = Object.entries(unfinished).map(([id, status]) => el("li", {}, this.progress(id, status)));
    const link = !this.tree && listed.length > 1;
    fill(
      this.list,
      el("ul.branches-tree", {}, ...root, ...lost, ...waiting),
      ...(link ? [el("a", { href: `${this.url("branches")}/tree.html` }, "Export all as one page")] : []),
    );
  }

  /** @param {Branch} branch */
  entry(branch) {
    const where = branch.id
      ? `${branch.id}, from turn ${branch.turn}${branch.action ? `.${branch.action}` : ""}`
      : "The match";
    const open = el(
      `button.branches-entry${branch.id === this.here ? ".here" : ""}`,
      { onclick: () => this.go(branch), "aria-current": branch.id === this.here ? "true" : null },
      el("b", {}, clip(branch.name || where, 100)),
      branch.name && branch.id ? el("small", {}, where) : null,
      el("small", {}, clip(`${branch.players.join(" – ")}: ${branch.result}`, 200)),
      branch.changed ? el("small.branches-wrong", {}, "The replay that it starts from was changed.") : null,
      branch.note ? el("small", {}, clip(branch.note, 600)) : null,
    );
    const edit = el("button", { onclick: () => this.edit(branch, row), title: "Name and note" }, "✎");
    const row = el("div.branches-row", {}, open, this.tree ? null : edit);
    return row;
  }

  /** @param {Branch} branch @param {HTMLElement} row */
  edit(branch, row) {
    const name = el("input", { value: branch.name, placeholder: "Name", "aria-label": "Name", maxlength: 200 });
    const note = el("textarea", { placeholder: "Note", "aria-label": "Note", maxlength: 4000, rows: 3 }, branch.note);
    const save = async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (await this.post("describe", { branch: branch.id, name: name.value, note: note.value })) {
        row.replaceChildren();
        await this.refresh();
      }
    };
    fill(row, el("form.branches-form", { onsubmit: save }, name, note, el("button", { type: "submit" }, "Save")));
    name.focus();
  }

  /** @param {string} id @param {Unfinished} status */
  progress(id, status) {
    const words = { waiting: "waits", playing: `is being played, turn ${status.turn ?? 0}`, stopped: "was stopped" };
    const text = words[/** @type {keyof words} */ (status.state)] ?? `failed: ${status.message ?? ""}`;
    const stop = () => this.post("halt", { branch: id }).then(() => this.refresh());
    const active = status.state in words && status.state !== "stopped";
    const links = (status.human ?? []).map((url) => el("a", { href: url, target: "_blank" }, "Play here"));
    return el(
      "div.branches-row",
      {},
      el("small", {}, `${id} ${text} `, ...links),
      active && el("button", { onclick: stop }, "■"),
    );
  }
}

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
    this.node = el("label.branches-seat", {}, el("span", {}, clip(name, 40)), this.select, this.folder);
  }

  changed() {
    this.folder.hidden = this.select.value !== FOLDER;
  }

  get value() {
    return this.select.value === FOLDER ? this.folder.value.trim() : this.select.value;
  }
}
