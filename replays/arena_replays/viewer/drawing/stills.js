/** Pictures of positions, drawn by the renderer of the game: in the rules of games, and beside the names of replays. */

import { clip, sharpen } from "arena/dom";
import { colorOf } from "arena/player_colors";
import { fold } from "arena/states";
import { decode } from "msgpack";

/**
 * @typedef {{header: Record<string, any>, names: string[], leg: number,
 *   before: any[], after: any[], events: any[], focus?: [number, number, number, number] | null}} Still
 * a position: everything that is seen after an action, and before it. `focus` is the part of the board to show: left,
 * top, width and height in tiles; without it, the whole board
 */

/** Whether a page of ours or of the documentation is dark. */
export function isDark() {
  const theme = document.documentElement.dataset.theme;
  if (theme) return theme === "dark";
  const scheme = document.body.dataset.mdColorScheme;
  return scheme ? scheme === "slate" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @type {WeakMap<Element, () => void>} what draws each canvas; a list that is made again leaves its canvases behind */
const drawn = new WeakMap();
const again = () => document.querySelectorAll("canvas").forEach((canvas) => drawn.get(canvas)?.());
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => drawn.get(target)?.()));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
const attributes = { attributeFilter: ["data-theme", "data-md-color-scheme"] };
for (const node of [document.documentElement, document.body]) new MutationObserver(again).observe(node, attributes);

/**
 * Draws a position now, and again when the size of the canvas or the colours of the page change.
 * @param {HTMLCanvasElement} canvas @param {(canvas: HTMLCanvasElement, context: any) => any} createRenderer
 * @param {Still} still
 * @returns {(fraction?: number) => void} draws a moment of the last action, from 0 to 1
 */
export function drawStill(canvas, createRenderer, { header, names, leg, before, after, events, focus }) {
  const players = names.map((name, index) => ({
    name: clip(name, 80),
    index,
    color: colorOf(index, leg),
  }));
  const renderer = createRenderer(canvas, { players, schema: header.schema, header, assets: {} });
  const [old, state] = [fold(new Map(), before), fold(new Map(), after)];
  const board = [...state.values()].find((thing) => thing.width > 0 && thing.height > 0);
  const part = board && renderer.place && focus;
  if (board) canvas.style.aspectRatio = part ? `${part[2]} / ${part[3]}` : `${board.width} / ${board.height}`;
  const draw = (fraction = 1) => {
    const { width: across, height: down, ratio } = sharpen(canvas);
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const width = part ? (across / part[2]) * board.width : across;
    const height = part ? (width / board.width) * board.height : down;
    const seen = { selected: null, hovered: null, player: null, since: old, beat: 0 };
    const look = { width, height, dark: isDark(), still: fraction === 1, ...seen };
    const paint = (/** @type {number} */ scale, x = 0, y = 0) => {
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.clearRect(0, 0, across, down);
      g.setTransform(ratio * scale, 0, 0, ratio * scale, -ratio * scale * x, -ratio * scale * y);
      renderer.draw(old, state, fraction, events, look);
    };
    try {
      paint(1);
      if (part) {
        const [x, y] = renderer.place(part[0], part[1]); // known after a first drawing
        paint(across / (renderer.place(part[0] + part[2], part[1])[0] - x), x, y);
      }
      canvas.dataset.drawn = "true";
    } catch (error) {
      canvas.dataset.failed = String(error).slice(0, 200);
    }
  };
  draw();
  drawn.set(canvas, () => draw());
  sizes.observe(canvas);
  return draw;
}

/** Draws all pictures of the rules of a game. The page has their data in one block. */
export async function drawRules() {
  const text = document.getElementById("arena-stills")?.textContent ?? "";
  if (!text) return;
  const { createRenderer } = await import("arena/renderer");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const { stills, ...shared } = /** @type {any} */ (decode(bytes));
  for (const canvas of document.querySelectorAll("canvas[data-still]")) {
    const still = stills[/** @type {HTMLElement} */ (canvas).dataset.still ?? ""];
    const header = { ...shared.header, options: still.options };
    drawStill(/** @type {HTMLCanvasElement} */ (canvas), createRenderer, { ...still, header });
  }
  document.documentElement.dataset.ready = "true";
}
