/**
 * A bracket on a screen. The encounter that the show is about, its neighbour and the one that follows are written
 * large, or all encounters by turns; the whole bracket beside them has only the signs of the teams, since names would
 * be too small to read.
 */

import { el, fill, shape } from "../viewer/dom.js";
import { face, fit, name, slide } from "./parts.js";

const MOST = 4; // encounters have room beside each other, in two columns, with names of two lines
const TURN = 8000; // milliseconds: four pairs of names can be read
const [WIDTH, HEIGHT, HIGHEST] = [420, 760, 110]; // of the whole bracket with its signs, and of a box in it

/**
 * @typedef {{name: string, score: string, won: boolean, sign: import("./following.js").Sign}} Line
 * @typedef {{x: number, y: number, players: Line[], round: string}} Box
 * @typedef {{x: number, y: number, bend: number, next_x: number, next_y: number, name: string}} Wire
 * @typedef {{width: number, height: number, box_width: number, box_height: number,
 *   sections: {boxes: Box[], wires: Wire[]}[]}} Drawing
 */

/** @param {import("./following.js").Scene} scene */
export function bracket({ drawing, focus = [] }) {
  const boxes = drawing.sections.flatMap((/** @type {any} */ section) => section.boxes);
  const wires = drawing.sections.flatMap((/** @type {any} */ section) => section.wires);
  const middle = (/** @type {Box} */ box) => box.y + drawing.box_height / 2;
  const wireOf = (/** @type {Box} */ box) =>
    wires.find((/** @type {Wire} */ wire) => near(wire.x, box.x + drawing.box_width) && near(wire.y, middle(box)));
  const endOf = (/** @type {Wire | undefined} */ wire) =>
    wire && boxes.find((/** @type {Box} */ box) => near(box.x, wire.next_x) && near(middle(box), wire.next_y));
  if (!focus.length) return turns(drawing, boxes, wires);
  const has = (/** @type {Box} */ box) => focus.every((one) => box.players.some((player) => player.name === one));
  const about = boxes.findLast(has) ?? boxes[boxes.length - 1];
  const next = endOf(wireOf(about));
  const before = next ? boxes.filter((/** @type {Box} */ box) => endOf(wireOf(box)) === next) : [about];
  const large = el(
    "div.fork",
    {},
    el("div", {}, ...before.map((/** @type {Box} */ box) => encounter(box, box === about))),
  );
  if (next) large.append(el("div", {}, encounter(next, false)));
  const node = el("div.bracket", {}, large, overview(drawing, boxes, wires, [about, next]));
  return { node, enter: () => next && climb(large, about) };
}

const near = (/** @type {number} */ one, /** @type {number} */ other) => Math.abs(one - other) < 1.5;

/** @param {Drawing} drawing @param {Box[]} boxes @param {Wire[]} wires @returns {import("./scenes.js").Shown} */
function turns(drawing, boxes, wires) {
  const known = boxes.filter(({ players }) => players.length > 0);
  const most = Math.ceil(known.length / Math.ceil(known.length / MOST)); // each turn has about as many as the others
  const node = el("div.bracket");
  let first = 0;
  const turn = () => {
    const large = known.slice(first, first + most);
    const pairs = el("div.pairs", {}, ...large.map((box) => encounter(box, false)));
    pairs.style.setProperty("--rows", String(large.length > MOST / 2 ? Math.ceil(large.length / 2) : large.length));
    fill(node, pairs, overview(drawing, boxes, wires, large));
    fit(node);
    first = first + most < known.length ? first + most : 0;
  };
  turn();
  const timer = known.length > most ? setInterval(turn, TURN) : 0;
  return { node, close: () => clearInterval(timer) };
}

function encounter(/** @type {Box} */ { players, round }, /** @type {boolean} */ current) {
  const lines = players.map((player) =>
    el(
      `div.line${player.won ? ".won" : ""}`,
      { "data-name": player.name },
      face(player),
      name(player.name, players.length > 1 ? 2 : 1),
      el("b.score", {}, player.score),
    ),
  );
  while (lines.length < 2) lines.push(el("div.line.open"));
  return el(`div.encounter${current ? ".current" : ""}`, {}, el("small", {}, round), ...lines);
}

// The winner goes from its encounter to the next one.
function climb(/** @type {HTMLElement} */ large, /** @type {Box} */ about) {
  const winner = about.players.find(({ won }) => won)?.name;
  const lines = /** @type {HTMLElement[]} */ ([...large.querySelectorAll(":scope > :last-child .line")]);
  const there = lines.find((line) => line.dataset.name === winner);
  if (there) slide(there, large.querySelector(".current .won")?.getBoundingClientRect(), 900);
}

// The drawing of the pages is wide, and has room for names. Here it is as high as the screen, and has room for signs.
function overview(
  /** @type {Drawing} */ { width, height, box_width, box_height },
  /** @type {Box[]} */ boxes,
  /** @type {Wire[]} */ wires,
  /** @type {(Box | undefined)[]} */ large,
) {
  const [across, down] = [WIDTH / width, Math.min(HEIGHT / height, HIGHEST / box_height)];
  const lines = wires.map((wire) => {
    const [x, bend, next_x] = [wire.x, wire.bend, wire.next_x].map((value) => value * across);
    const d = `M${x} ${wire.y * down}H${bend}V${wire.next_y * down}H${next_x}`;
    return shape("path", { class: wire.name ? "wire won" : "wire", d });
  });
  const [wide, high] = [box_width * across, box_height * down];
  const side = Math.min(wide - 8, high / 2 - 4);
  const drawn = boxes.map(({ x, y, players }, at) => {
    const frame = shape("rect", { x: x * across, y: y * down, width: wide, height: high, rx: 8 });
    const signs = players.map((player, row) => {
      const [left, top] = [x * across + (wide - side) / 2, y * down + 3 + (row * high) / 2];
      const sign = shape("svg", { viewBox: "0 0 5 5", x: left, y: top, width: side, height: side });
      sign.append(shape("path", { fill: player.sign.color, d: player.sign.path }));
      if (players.some(({ won }) => won) && !player.won) sign.classList.add("lost");
      return sign;
    });
    return shape("g", { class: large.includes(boxes[at]) ? "large" : "" }, frame, ...signs);
  });
  return shape("svg", { class: "overview", viewBox: `-2 -2 ${WIDTH + 4} ${height * down + 4}` }, ...lines, ...drawn);
}
