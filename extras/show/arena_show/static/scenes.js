/**
 * The scenes of a screen. Each function gets the scene and the whole state and returns the element, what begins when
 * the element is on the screen (`enter`), what follows a later state of the same scene (`update`), and what ends it.
 *
 * @typedef {import("./following.js").Scene} Scene
 * @typedef {import("./following.js").State} State
 * @typedef {{node: HTMLElement, enter?: () => void, update?: (scene: Scene, state: State) => void, close?: () => void,
 *   stage?: Stage}} Shown
 */

import { el, fill } from "../viewer/dom.js";
import { bracket } from "./bracket.js";
import { now } from "./following.js";
import { clock, face, left, moving, name, tinted } from "./parts.js";
import { Stage } from "./stage.js";

const SUSPENSE = 1600; // milliseconds for which only the place of an award is shown
const ONE_COLUMN = 8; // so many rows of a table have room below each other

/** @type {Record<string, (scene: Scene, state: State) => Shown>} */
export const SCENES = {
  waiting: (scene, state) => ({ node: words(scene.title || state.contest, scene.text ?? "", state.logo) }),
  end: (scene, state) => ({ node: words(scene.title || state.contest, scene.text ?? "", state.logo) }),
  intro: (scene) => ({ node: introduction(scene) }),
  match,
  result: match,
  bracket: (scene) => bracket(scene),
  table,
  award,
  break: pause,
  code: (_, state) => ({
    node: el(
      "div.words",
      {},
      el("small", {}, state.contest),
      el("b.code", {}, state.code ?? ""),
      el("p", {}, "This screen waits for its role. Choose it at the desk, beside this code."),
    ),
  }),
  next: (_, state) => ({ node: coming(state.next ?? null) }),
  queue: (_, state) => ({ node: queue(state.queue ?? []) }),
  clock: (_, state) => time(state),
  notes,
};

/** @param {string} title @param {string} text @param {string | null} [logo] */
function words(title, text, logo) {
  const picture = logo && el("img.logo", { src: logo, alt: "" });
  return el("div.words", {}, picture, name(title, 3), text && el("p", {}, text));
}

/** @param {Scene} scene */
function introduction({ players = [], between }) {
  const cards = players.map((player) => tinted(card(player), player));
  const versus = el("div.versus", {}, el("span", {}, "vs"));
  if (between) versus.append(el("small", {}, "before"), el("b.score", {}, between));
  if (players.length === 2) cards.splice(1, 0, versus);
  return el(`div.intro.of${Math.min(players.length, 9)}`, {}, ...cards);
}

/** @param {import("./following.js").Player} player */
function card(player) {
  const { record, style, lines = [] } = player;
  const list = el("ul", {}, ...lines.slice(0, 3).map((line) => el("li", {}, line)));
  return el(
    "div.card",
    { "data-key": player.name },
    face(player),
    name(player.name, 2),
    el("div.record", {}, record && el("small", {}, "won : lost"), record && el("b.score", {}, record)),
    style && el("p.style", {}, style),
    lines.length > 0 && list,
  );
}

/** @param {Scene} scene @returns {Shown} */
function match(scene) {
  const stage = new Stage(scene);
  return { node: stage.node, stage, update: (later) => stage.update(later), close: () => stage.close() };
}

/** @param {Scene} scene @returns {Shown} */
function table(scene) {
  const list = el("ol.rows");
  const text = el("p.said");
  const node = el("div.table", {}, list, text);
  const lay = (/** @type {Scene} */ { rows = [], text: said }, /** @type {boolean} */ before) => {
    const old = (/** @type {any} */ row) => Number(row.place) + (row.moved ?? 0);
    const order = before ? [...rows].sort((one, other) => old(one) - old(other)) : rows;
    list.style.setProperty("--rows", String(rows.length > ONE_COLUMN ? Math.ceil(rows.length / 2) : rows.length));
    list.classList.toggle("two", rows.length > ONE_COLUMN);
    fill(list, ...order.map(line));
    text.textContent = said ?? "";
  };
  lay(scene, true);
  return {
    node,
    enter: () => moving(list, () => lay(scene, false), 900),
    update: (later) => moving(list, () => lay(later, false)),
  };
}

/** @param {import("./following.js").Row} row */
function line(row) {
  const { moved = 0 } = row;
  const arrow =
    moved && el(`span.moved.${moved > 0 ? "up" : "down"}`, {}, `${moved > 0 ? "▲" : "▼"}${Math.abs(moved)}`);
  const kind = `li.row${moved > 0 ? ".climbs" : ""}${row.out ? ".out" : ""}`;
  const parts = [el("b.place", {}, row.place), face(row), name(row.name, 2), arrow || el("span.moved")];
  return el(kind, { "data-key": row.name }, ...parts, el("b.score", {}, row.points));
}

/** @param {Scene} scene @returns {Shown} */
function award(scene) {
  const place = Number(scene.place);
  const title = place === 1 ? "The winner is" : `${place}${["th", "st", "nd", "rd"][place] ?? "th"} place`;
  const person = el("div.person", {}, face(scene), name(scene.name ?? "", 2), scene.text && el("p", {}, scene.text));
  person.style.setProperty("--suspense", `${SUSPENSE}ms`);
  return { node: el(`div.award.place${place}`, {}, el("h2", {}, title), person) };
}

/** @param {Scene} scene @param {State} state @returns {Shown} */
function pause(scene, state) {
  const rest = el("b.countdown");
  const tick = () => {
    const text = left(scene.until);
    if (rest.textContent !== text) rest.textContent = text;
  };
  const timer = setInterval(tick, 250);
  tick();
  const code = scene.qr ? new DOMParser().parseFromString(scene.qr, "text/html").querySelector("svg") : null;
  const invited =
    scene.address && el("div.address", {}, code, el("p", {}, scene.address.replace(/^https?:\/\/|\/$/g, "")));
  const logo = state.logo && el("img.logo", { src: state.logo, alt: "" });
  const said = [logo, name(scene.title || "Break", 2), scene.text && el("p", {}, scene.text), rest];
  const until = scene.until && el("p.dim", {}, `We go on at ${clock(scene.until)}.`);
  return { node: el("div.pause", {}, el("div", {}, ...said, until), invited), close: () => clearInterval(timer) };
}

/** @param {import("./following.js").Coming} one */
const encounter = ({ title, players, at }) =>
  el(
    "div.coming",
    {},
    el("small", {}, [title, at && clock(at)].filter(Boolean).join(", ")),
    ...players.map((player) => el("div.line", {}, face(player), name(player.name))),
  );

/** @param {import("./following.js").Coming | null} next */
function coming(next) {
  if (!next) return words("Nobody waits", "No other pairing is known yet.");
  return el("div.next", {}, el("h2", {}, "Next"), encounter(next));
}

/** @param {import("./following.js").Coming[]} all */
function queue(all) {
  if (!all.length) return words("Nobody waits", "No other pairing is known yet.");
  const [first, ...others] = all.slice(0, 4);
  return el(
    "div.queue",
    {},
    el("div", {}, el("h2", {}, "You are next"), encounter(first)),
    el("div", {}, ...others.map(encounter)),
  );
}

/** @param {State} state @returns {Shown} */
function time(state) {
  const [hour, ends] = [el("b.hour"), el("p.ends")];
  let latest = state;
  const tick = () => {
    const text = clock(now());
    if (hour.textContent !== text) hour.textContent = text;
    ends.textContent = latest.ends ? `The evening ends at about ${clock(latest.ends)}.` : latest.contest;
  };
  const timer = setInterval(tick, 500);
  const update = (/** @type {Scene} */ _, /** @type {State} */ later) => (latest = later);
  tick();
  return {
    node: el("div.words.time", {}, hour, ends),
    update,
    close: () => clearInterval(timer),
  };
}

/** @param {Scene} scene @param {State} state @returns {Shown} */
function notes(scene, state) {
  const players = (scene.players ?? []).map((player) =>
    el(
      "li",
      {},
      el("div.line", {}, face(player), name(player.name)),
      ...(player.lines ?? []).map((text) => el("p", {}, text)),
    ),
  );
  const said = (state.notes ?? []).map((text) => el("p", {}, text));
  const next = state.next && el("div.after", {}, el("small", {}, "After this"), encounter(state.next));
  return { node: el("div.notes", {}, el("h2", {}, scene.title ?? ""), el("ul", {}, ...players), ...said, next) };
}
