/** What all pages of a show share: signs, names that always fit, times, and rows that move to their new places. */

import { el, shape } from "../viewer/dom.js";
import { now } from "./following.js";

/** The colours of the seats, as the viewer draws them. */
const COLORS = ["#3d8bf2", "#e8791c", "#2ba77c", "#b46bd6", "#d9536f", "#a3942a", "#5fb8d4", "#8a6d5b"];
const [NARROW, NARROWEST] = [0.8, 0.55]; // a name is condensed so far before it is broken, and after that

/** @param {{sign?: import("./following.js").Sign, picture?: string | null}} of a team: its picture, else its sign */
export function face({ sign, picture }) {
  if (picture) return el("img.face", { src: picture, alt: "" });
  const path = sign ? [shape("path", { fill: sign.color, d: sign.path })] : [];
  const svg = shape("svg", { viewBox: "-.6 -.6 6.2 6.2", "aria-hidden": "true" }, ...path);
  svg.classList.add("face");
  return svg;
}

/**
 * A name, or what else is written large, that is condensed or broken into lines where it is too long.
 * @param {string} text @param {number} [lines] that it may have
 */
export const name = (text, lines = 1) => el("b.name", { "data-lines": lines }, el("bdi", {}, text));

/** @param {HTMLElement} node gets the colour of a player's seat @param {{colour?: number}} player */
export function tinted(node, { colour }) {
  node.style.setProperty("--team", COLORS[(colour ?? 0) % COLORS.length]);
  return node;
}

/** Makes all names, and the title, in a part of the page fit. @param {HTMLElement} part */
export function fit(part) {
  const names = /** @type {HTMLElement[]} */ ([...part.querySelectorAll(".name, .title")]);
  const texts = names.map((one) => /** @type {HTMLElement} */ (one.firstElementChild));
  for (const text of texts) text.removeAttribute("style");
  const sizes = texts.map((text, at) => [text.offsetWidth, text.offsetHeight, names[at].clientWidth]);
  for (const [at, text] of texts.entries()) {
    const [width, height, room] = sizes[at];
    if (width <= room || !room) continue;
    const most = Number(names[at].dataset.lines ?? 1);
    const broken = most > 1 && room / width < NARROW;
    const lines = broken ? most : 1;
    let scale = Math.min(1, (lines * room) / width);
    for (;;) {
      const whiteSpace = broken ? "normal" : "nowrap";
      const transform = `scaleX(${scale})`;
      Object.assign(text.style, { display: "block", width: `${Math.floor(room / scale)}px`, whiteSpace, transform });
      const fits = text.scrollWidth <= text.clientWidth + 1 && text.offsetHeight < (lines + 0.5) * height;
      if (fits || !broken || scale === NARROWEST) break;
      scale = Math.max(NARROWEST, 0.93 * scale);
    }
    if (scale === NARROWEST) text.style.overflowWrap = "anywhere";
  }
}

/**
 * Changes rows, and moves each of them from where it was. Rows are known by `data-key`.
 * @param {HTMLElement} part @param {() => void} change @param {number} [delay] in milliseconds
 */
export function moving(part, change, delay = 0) {
  const rows = () => /** @type {HTMLElement[]} */ ([...part.querySelectorAll("[data-key]")]);
  const before = new Map(rows().map((row) => [row.dataset.key, row.getBoundingClientRect()]));
  change();
  for (const row of rows()) slide(row, before.get(row.dataset.key), delay);
}

/** @param {HTMLElement} node @param {DOMRect | undefined} from where it was @param {number} delay in milliseconds */
export function slide(node, from, delay) {
  const to = node.getBoundingClientRect();
  if (!from || isStill() || (from.x === to.x && from.y === to.y)) return;
  const transform = [`translate(${from.x - to.x}px, ${from.y - to.y}px)`, "none"];
  node.animate({ transform }, { duration: 1100, delay, easing: "cubic-bezier(.5, 0, .15, 1)", fill: "backwards" });
}

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {string | Date} at @returns {string} hours and minutes in the zone of this screen */
export const clock = (at) =>
  new Date(at).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false });

/** @param {string | null | undefined} until @returns {string} minutes and seconds left; empty if there are none */
export function left(until) {
  const seconds = until ? Math.ceil((new Date(until).getTime() - now().getTime()) / 1000) : 0;
  return seconds > 0 ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : "";
}

/** @param {number} share */
export const percent = (share) => `${Math.round(100 * share)} %`;
