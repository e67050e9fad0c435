/** The panel of a person who plays. The person finds an action by click, list or search, and sends it. */

import { el, fill } from "arena/dom";
import { thingIn } from "arena/wording";
import { choices, isAt, meets } from "./actions.js";

/** @typedef {import("./actions.js").Choice} Choice */
/** @typedef {import("./actions.js").Clicked} Clicked */
/** @typedef {{send: (choice: Choice) => void, resign: () => void, next: () => void}} Orders */
/**
 * @typedef {{title: string, more: string, run: () => void}} Row a line of the list, and what a click on it does
 * @typedef {{position: import("arena/position").Position, board: import("arena/board").Board,
 *   tabs: import("arena/tabs").Tabs, closed: AbortController}} Shown the parts of the viewer that the panel needs
 */

const MOST_SHOWN = 200;
const FEW = 30; // more actions are listed by the thing that acts

export class Panel {
  /** @param {Shown} shown @param {{marks: any[]}} content gets shapes to draw @param {Orders} orders */
  constructor({ position, board, tabs, closed }, content, orders) {
    this.position = position;
    this.board = board;
    this.tabs = tabs;
    this.content = content;
    this.orders = orders;
    /** @type {Choice[]} */
    this.choices = [];
    /** @type {(Clicked & {to?: Clicked}) | null} what was clicked, and what was clicked to complete an action */
    this.picked = null;
    /** @type {Choice | null} the choice that waits for a confirmation */
    this.staged = null;
    /** @type {[number, number] | null} a tile chosen by keys */
    this.cursor = null;
    this.active = 0;
    /** @type {Row[]} the lines of the list */
    this.rows = [];
    /** @type {Record<string, Choice>} the choices that arrow keys play, in games of steps alone */
    this.steps = {};
    this.keys = el("p.keys");
    this.status = el("p.status", { role: "status" });
    this.clock = el("output.clock", { title: "Your clock", "aria-label": "Your clock" });
    this.search = el("input", {
      type: "search",
      placeholder: "Search actions ( / )",
      "aria-label": "Search actions",
      role: "combobox",
      "aria-expanded": "true",
      "aria-controls": "choices",
      oninput: () => this.list(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.keyInSearch(event),
    });
    this.found = el("ul.choices", { role: "listbox", id: "choices", "aria-label": "Legal actions" });
    this.nothing = el("p.dim", { role: "status" });
    this.confirm = el("button.confirm", { hidden: true, onclick: () => this.staged && this.play(this.staged) });
    this.endButton = el("button.end", { hidden: true, onclick: () => this.end() }, "End turn (e)");
    this.resignButton = el("button.resign", { onclick: () => this.resign() }, "Resign");
    this.nextButton = el("button.next", { hidden: true, onclick: orders.next }, "Next match");
    const buttons = el("div.orders", {}, this.endButton, this.resignButton, this.nextButton);
    this.after = el("div.orders", { hidden: true });
    const parts = [this.status, this.confirm, this.search, this.found, this.nothing, buttons, this.keys, this.after];
    this.node = el("section.seat", { "aria-label": "Your move" }, ...parts);
    board.canvas.addEventListener("click", (/** @type {MouseEvent} */ event) => this.click(event));
    document.addEventListener("keydown", (event) => this.key(event), { capture: true, signal: closed.signal });
  }

  /** The newest state, also while the viewer shows an earlier one. */
  get newest() {
    return this.position.states.at(this.position.last);
  }

  /** Offers the legal actions of a request. @param {any[]} actions @param {string} status */
  offer(actions, status) {
    const state = this.newest;
    const hint = (/** @type {any} */ action) => this.board.ask("hint", action, state);
    const say = (/** @type {any} */ action) => this.board.words(action, state);
    this.choices = choices(actions, this.position.replay.schema, state, hint, say);
    this.steps = stepsIn(this.choices);
    this.staged = null;
    if (this.picked?.thing && !this.choices.some(({ things }) => things.includes(String(this.picked?.thing))))
      this.picked = null;
    this.status.textContent = status;
    this.keys.textContent = Object.keys(this.steps).length
      ? "Arrow keys move."
      : "Click a piece, then where it goes. Keys: / searches, Shift and arrows choose a tile, Enter confirms.";
    this.search.value = "";
    this.endButton.hidden = !this.choices.some(({ action }) => action.type === "end_turn");
    this.list();
  }

  /** Shows that the player cannot act now. @param {string} status @param {boolean} [over] */
  wait(status, over = false) {
    this.choices = [];
    this.picked = this.staged = null;
    this.endButton.hidden = true;
    this.resignButton.hidden = over;
    this.status.textContent = status;
    this.list();
  }

  /** Shows where to go after the match. @param {{watch: string, again: string}} links empty texts for none */
  finish({ watch, again }) {
    this.search.hidden = this.found.hidden = this.keys.hidden = true;
    this.after.hidden = false;
    fill(
      this.after,
      watch
        ? el("a.plain", { href: watch }, "Watch the replay, and see why")
        : el("p.dim", {}, "`arena view` shows the replay."),
      again && el("a.plain", { href: again }, "Rematch"),
    );
  }

  // -- what is listed --------------------------------------------------------------------------------

  /** The choices that match the click on the board and the search text. */
  fitting() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { picked } = this;
    return this.choices.filter(
      (choice) =>
        (choice.action.type !== "end_turn" || this.choices.length === 1) && // it has a button of its own
        words.every((/** @type {string} */ word) => choice.words.includes(word)) &&
        (!picked || meets(choice, picked)) &&
        (!picked?.to || meets(choice, picked.to)),
    );
  }

  list() {
    let fitting = this.fitting();
    if (!fitting.length && this.picked && !this.search.value) {
      this.picked = null;
      fitting = this.fitting();
    }
    const isLong = !this.picked && !this.search.value && fitting.length > FEW;
    this.rows = isLong ? this.byThing(fitting) : fitting.map((choice) => this.rowOf(choice));
    this.active = Math.max(0, Math.min(this.active, this.rows.length - 1));
    const rows = this.rows.slice(0, MOST_SHOWN).map(({ title, more, run }, at) => {
      const option = { role: "option", id: `choice-${at}`, "aria-selected": String(at === this.active) };
      const button = el("button", { ...option, tabindex: "-1", onclick: run }, el("b", {}, title), " ", more);
      return el("li", { role: "none" }, button);
    });
    const more = this.rows.length - rows.length;
    const hint = `and ${more} more: search, or click something on the board`;
    if (more > 0) rows.push(el("li.dim", { role: "none" }, hint));
    const nothing = this.search.value !== "" && this.choices.length > 0 && !fitting.length;
    this.nothing.textContent = nothing ? `No legal action matches “${this.search.value}”. Esc shows all.` : "";
    fill(this.found, ...rows);
    this.search.setAttribute("aria-activedescendant", rows.length ? `choice-${this.active}` : "");
    this.confirm.hidden = !this.staged;
    if (this.staged) this.confirm.textContent = `${this.staged.title} ${this.staged.argument} (Enter)`;
    this.mark(fitting);
  }

  /** @param {Choice} choice @returns {Row} */
  rowOf(choice) {
    return { title: choice.title, more: choice.argument, run: () => this.play(choice) };
  }

  /** A line for each thing that can do several things, as a click on it would list them. @param {Choice[]} all */
  byThing(all) {
    const { players, schema } = this.position.replay;
    return [...Map.groupBy(all, ({ things, number }) => things[0] ?? number)].map(([key, group]) => {
      if (group.length === 1) return this.rowOf(group[0]);
      const id = String(key);
      const title = thingIn(id, this.newest, schema, players);
      return {
        title: title[0].toUpperCase() + title.slice(1),
        more: `${group.length} actions`,
        run: () => this.pick(id, null),
      };
    });
  }

  /** Marks the tiles of the action to confirm or, after a click, of the listed actions. @param {Choice[]} fitting */
  mark(fitting) {
    const tiles = this.staged ? this.staged.tiles : this.picked ? fitting.flatMap((choice) => choice.tiles) : [];
    const rectangle = (/** @type {[number, number]} */ [x, y], /** @type {string} */ color) => ({
      kind: "rectangle",
      x: x + 0.06,
      y: y + 0.06,
      x2: x + 0.94,
      y2: y + 0.94,
      color,
    });
    this.content.marks = tiles.slice(0, 500).map((tile) => rectangle(tile, this.staged ? "#e5484d" : "#2ba77c"));
    if (this.cursor) this.content.marks.push(rectangle(this.cursor, "#d9a514"));
    this.board.stale = true;
  }

  // -- the board -------------------------------------------------------------------------------------

  /** @param {MouseEvent} event */
  click(event) {
    this.pick(this.board.pick(event), this.tileAt(event));
  }

  /** The tile under the pointer, by the inverse of the renderer's `place`. @param {MouseEvent} event */
  tileAt(event) {
    const { board } = this;
    const [zero, right, down] = [board.ask("place", 0, 0), board.ask("place", 1, 0), board.ask("place", 0, 1)];
    if (!zero || !right || !down) return null;
    const [x, y] = board.zoom.pointAt(event);
    const [px, py] = [x - zero[0], y - zero[1]];
    const [ax, ay, bx, by] = [right[0] - zero[0], right[1] - zero[1], down[0] - zero[0], down[1] - zero[1]];
    const area = ax * by - ay * bx;
    if (!area) return null;
    return /** @type {[number, number]} */ ([
      Math.floor((px * by - py * bx) / area),
      Math.floor((ax * py - ay * px) / area),
    ]);
  }

  /**
   * Shows the actions of a clicked thing or tile. After a click on a thing, a click on a tile or on another thing
   * completes an action.
   * @param {string | null} thing @param {[number, number] | null} tile
   */
  pick(thing, tile) {
    if (!this.choices.length) return;
    if (this.staged && isAt(this.staged, tile)) {
      this.play(this.staged);
      return;
    }
    const before = this.picked;
    const to = { thing: thing === before?.thing ? null : thing, tile };
    const complete = before ? this.fitting().filter((choice) => meets(choice, to)) : [];
    if (complete.length === 1) this.staged = complete[0];
    else {
      this.staged = null;
      this.picked = before && complete.length ? { ...before, to } : { thing, tile };
    }
    this.list();
    if (!complete.length) this.tabs.open("turn");
  }

  // -- keys ------------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (this.steps[event.key]) this.play(this.steps[event.key]);
    else if (event.shiftKey && step) this.move(step);
    else if (event.key === "/") this.search.focus();
    else if (event.key === "e" && !this.endButton.hidden) this.end();
    else if (event.key === "Escape" && (this.picked || this.staged || this.cursor)) this.forget();
    else if (event.key === "Enter" && target.tagName !== "BUTTON" && this.staged) this.play(this.staged);
    else if (event.key === "Enter" && target.tagName !== "BUTTON" && this.cursor) this.pick(this.under(), this.cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event */
  keyInSearch(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      this.active += step;
      this.list();
      this.found.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      this.rows[this.active]?.run();
    } else if (event.key === "Escape") {
      this.forget();
      this.search.blur();
    } else if (event.key !== "/" || this.search.value) return; // the key that opens the search is not part of its text
    event.preventDefault();
  }

  /** @param {number[]} step */
  move([x, y]) {
    const state = this.newest;
    const names = this.position.replay.schema?.grid;
    const root = state.get("game");
    if (!names || !root) return;
    const [across, down] = this.cursor ?? [0, 0];
    const within = (/** @type {number} */ value, /** @type {any} */ size) => Math.max(0, Math.min(size - 1, value));
    this.cursor = this.cursor ? [within(across + x, root[names.width]), within(down + y, root[names.height])] : [0, 0];
    this.list();
  }

  /** A thing on the cursor's tile: one that an action names or, without such a thing, any thing. */
  under() {
    const state = this.newest;
    const there = [...state.values()].filter(({ x, y }) => x === this.cursor?.[0] && y === this.cursor?.[1]);
    const acting = there.find(({ id }) => this.choices.some(({ things }) => things.includes(id)));
    return (acting ?? there[0])?.id ?? null;
  }

  forget() {
    this.picked = this.staged = this.cursor = null;
    this.search.value = "";
    this.list();
  }

  // -- orders ----------------------------------------------------------------------------------------

  /** @param {Choice} choice */
  play(choice) {
    this.staged = null;
    this.orders.send(choice);
  }

  end() {
    const choice = this.choices.find(({ action }) => action.type === "end_turn");
    if (choice) this.play(choice);
  }

  resign() {
    if (this.resignButton.dataset.sure) this.orders.resign();
    else this.resignButton.textContent = "Resign: click again to confirm";
    this.resignButton.dataset.sure = "yes";
  }
}

const ARROWS = /** @type {Record<string, RegExp>} */ ({
  ArrowUp: /^(up|north)$/i,
  ArrowDown: /^(down|south)$/i,
  ArrowLeft: /^(left|west)$/i,
  ArrowRight: /^(right|east)$/i,
});

/**
 * The choices by arrow key, where each legal action is a step in another direction; else nothing.
 * @param {Choice[]} all
 */
function stepsIn(all) {
  /** @type {Record<string, Choice>} */
  const steps = {};
  for (const choice of all) {
    const values = Object.values(choice.action).map(String);
    const key = Object.keys(ARROWS).find((name) => values.some((value) => ARROWS[name].test(value)));
    if (!key || steps[key]) return {};
    steps[key] = choice;
  }
  return steps;
}
