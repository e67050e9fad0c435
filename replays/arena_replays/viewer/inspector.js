/** Shows one thing with its fields, changes and history; or the whole state as a tree. */

import { clip, el, fill, short } from "arena/dom";
import { nameOf } from "arena/labels";
import { changes } from "arena/states";

/** @typedef {import("arena/states").Thing} Thing */

const MOST_CHANGES = 120;
/** How far back the history of a thing is searched, in frames. */
const REACH = 20_000;
const MOST_THINGS = 300;

export class Inspector {
  /** @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback */
  constructor(position, playback) {
    this.position = position;
    this.playback = playback;
    this.node = el("div.inspector");
    this.made = "";
    /** @type {Set<string>} */
    this.open = new Set();
  }

  show() {
    const { frame, selected, state, states, stream } = this.position;
    const key = `${frame}-${selected}-${stream}-${[...this.open]}`;
    if (key === this.made) return;
    this.made = key;
    const before = states.at(frame - 1);
    const thing = selected === null ? null : state.get(selected);
    const focus = document.activeElement?.getAttribute("data-key");
    if (selected === null)
      fill(this.node, el("p.empty", {}, "Click something on the board, or choose it here."), this.tree(state));
    else {
      const gone = el("p.empty", {}, "It is not there at this moment.");
      const body = thing ? this.fields(thing, before.get(selected)) : gone;
      fill(this.node, this.head(selected, thing), body, this.history(selected), this.tree(state));
    }
    if (focus) /** @type {any} */ (this.node.querySelector(`[data-key="${CSS.escape(focus)}"]`))?.focus();
  }

  /** @param {string} id @param {Thing | null | undefined} thing */
  head(id, thing) {
    const close = el("button.small", { onclick: () => this.position.select(null), "aria-label": "Let go of it" }, "×");
    return el("header.turn-head", {}, el("b", {}, clip(id, 60)), el("span.dim", {}, thing?.class ?? ""), close);
  }

  /** @param {Thing} thing @param {Thing | undefined} before */
  fields(thing, before) {
    const changed = new Set(changes(before, thing));
    const declared = this.position.replay.schema?.classes?.[thing.class]?.fields ?? {};
    const rows = Object.keys(thing)
      .filter((field) => field !== "id" && field !== "class")
      .slice(0, 200)
      .map((field) => {
        const was = changed.has(field) && before ? el("s", {}, short(before[field], 60)) : null;
        const title = String(declared[field]?.doc ?? "").slice(0, 300) || null;
        return el(
          `tr${changed.has(field) ? ".changed" : ""}`,
          { title },
          el("th", {}, clip(field, 60).replaceAll("_", " ")),
          el("td", {}, was, was && " ", ...this.value(thing[field])),
        );
      });
    return el("table.fields", {}, el("tbody", {}, ...rows));
  }

  /** A value as nodes of the page; references to other things become links. @param {any} value @returns {Node[]} */
  value(value) {
    const { state } = this.position;
    const many = Array.isArray(value) ? value : [value];
    if (many.length && many.length < 200 && many.every((one) => typeof one === "string" && state.has(one))) {
      return many.map((id) => this.link(id));
    }
    const said = value === "" ? "–" : typeof value === "boolean" ? (value ? "yes" : "no") : short(value, 400);
    return [document.createTextNode(said)];
  }

  /** @param {string} id */
  link(id) {
    const { replay, state } = this.position;
    const name = nameOf(state.get(id), replay.schema, replay.players);
    return el(
      "button.link",
      { onclick: () => this.position.select(id), "data-key": `link-${id}`, ...means(id) },
      name ? `${name} (${clip(id, 40)})` : clip(id, 40),
    );
  }

  /** @param {string} id */
  history(id) {
    const { position } = this;
    const { states, replay } = position;
    const rows = [];
    const first = Math.max(0, position.frame - REACH);
    for (let { frame } = position; frame >= first && rows.length < MOST_CHANGES; frame--) {
      const text = lineOf(states.frames[frame]?.delta ?? [], id);
      if (!text) continue;
      const turn = replay.content.allTurns[position.turnOf(frame)];
      rows.push(
        el(
          "li",
          {},
          el("button.link", { onclick: () => this.playback.goto(frame) }, turn ? `turn ${turn.number}` : "start"),
          ` ${text}`,
        ),
      );
    }
    return this.folded("history", "History", el("ol.history", {}, ...rows));
  }

  /** @param {string} key @param {string} title @param {HTMLElement} content */
  folded(key, title, content) {
    const ontoggle = (/** @type {Event} */ event) => this.toggled(key, event);
    return el("details", { open: this.open.has(key), ontoggle }, el("summary", { "data-key": key }, title), content);
  }

  /** @param {import("arena/states").State} state */
  tree(state) {
    const groups = [...Map.groupBy(state.values(), (thing) => thing.class)].slice(0, 100).map(([name, things]) => {
      const key = `tree-${name}`;
      const items = this.open.has(key)
        ? things
            .slice(0, MOST_THINGS)
            .map((thing) => el("li", {}, this.link(thing.id), " ", el("span.dim", {}, summary(thing))))
        : [];
      return this.folded(key, `${clip(name, 60)} (${things.length})`, el("ul.tree", {}, ...items));
    });
    return el("section.state", {}, el("h3", {}, "Whole state"), ...groups);
  }

  /** @param {string} key @param {Event} event */
  toggled(key, event) {
    const open = /** @type {HTMLDetailsElement} */ (event.target).open;
    if (open === this.open.has(key)) return;
    if (open) this.open.add(key);
    else this.open.delete(key);
    this.show();
  }
}

/** @param {string} id */
const means = (id) => ({ "data-means": JSON.stringify({ ids: [id], tiles: [] }) });

/** What a delta did to one thing. @param {any[]} delta @param {string} id */
function lineOf(delta, id) {
  const parts = [];
  for (let at = 0; at < delta.length; at += 3) {
    if (delta[at] !== id) continue;
    if (delta[at + 1] === "+") return "appeared";
    parts.push(delta[at + 1] === "-" ? "gone" : `${clip(String(delta[at + 1]), 40)} → ${short(delta[at + 2], 60)}`);
  }
  return parts.join(", ");
}

/** @param {Thing} thing */
function summary(thing) {
  const words = Object.keys(thing).filter(
    (field) => /^(job|kind|type|name|x|y|health|score)$/.test(field) && thing[field] !== null,
  );
  return words
    .map((field) => (field === "x" || field === "y" ? thing[field] : `${field} ${short(thing[field], 30)}`))
    .join(" ");
}
