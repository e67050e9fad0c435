/** For renderers of games on tiles: the position of things on the canvas, between two states. */

import { RULER } from "arena/rulers";

/** @typedef {import("arena/states").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/**
 * `x`, `y` in tiles, between two states. `born` goes from 0 to 1 while a thing appears, `gone` while it disappears.
 * Otherwise `born` is 1 and `gone` is 0.
 * @typedef {{thing: Thing, before: Thing | null, x: number, y: number, moved: boolean, born: number, gone: number}}
 *   Placed
 */

/** A canvas of less width, in CSS pixels, is a picture beside the name of a match: without numbers and texts. */
export const SMALL = 280;

/** The steps to the four sides, clockwise. @type {Record<string, [number, number]>} */
export const SIDES = { North: [0, -1], East: [1, 0], South: [0, 1], West: [-1, 0] };

/** The step to a side; none for any other word. @param {string} side */
export const stepOf = (side) => SIDES[side] ?? [0, 0];

/** Fits a grid of tiles into a canvas, in CSS pixels. It leaves room for the numbers of columns and rows. */
export class Grid {
  constructor() {
    this.left = this.top = 0;
    this.tile = 1;
    this.columns = this.rows = 1;
  }

  /**
   * @param {number} width of the canvas @param {number} height @param {number} columns @param {number} rows
   * @param {number} [margin] in tiles
   */
  fit(width, height, columns, rows, margin = 0.2) {
    this.columns = Math.max(1, Math.min(500, columns || 1));
    this.rows = Math.max(1, Math.min(500, rows || 1));
    const room = width >= SMALL ? RULER : 0;
    const across = (width - room) / (this.columns + 2 * margin);
    this.tile = Math.max(1, Math.min(across, (height - room) / (this.rows + 2 * margin)));
    this.left = room + (width - room - this.tile * this.columns) / 2;
    this.top = (height - room - this.tile * this.rows) / 2;
    return this;
  }

  /** @param {number} x in tiles; the middle of tile 3 is 3.5 @param {number} y @returns {[number, number]} pixels */
  place(x, y) {
    return [this.left + x * this.tile, this.top + y * this.tile];
  }

  /**
   * Draws around the middle of a tile, in tiles.
   * @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {() => void} paint
   */
  inTile(g, x, y, paint) {
    g.save();
    g.translate(...this.place(x + 0.5, y + 0.5));
    g.scale(this.tile, this.tile);
    paint();
    g.restore();
  }

  /** @param {number} px @param {number} py @returns {[number, number]} the tile at a point */
  tileAt(px, py) {
    return [Math.floor((px - this.left) / this.tile), Math.floor((py - this.top) / this.tile)];
  }

  /** The id of the first thing on the tile at a point. @param {number} px @param {number} py @param {Thing[]} things */
  idAt(px, py, things) {
    const [x, y] = this.tileAt(px, py);
    return things.find((thing) => thing.x === x && thing.y === y)?.id ?? null;
  }
}

/**
 * Returns a function that shows a picture painted on a canvas of its own.
 * The picture is painted again when size, colours, zoom or `key` change.
 * @param {HTMLCanvasElement} canvas of the renderer
 */
export function backdrop(canvas) {
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  let [painted, copy] = ["", canvas];
  /**
   * @param {{width: number, height: number, dark: boolean}} look @param {any} key
   * @param {(to: CanvasRenderingContext2D) => void} paint
   */
  return (look, key, paint) => {
    const seen = g.getTransform(); // with zoom and pan
    const wanted = [look.width, look.height, look.dark, canvas.width, key, seen.a, seen.e, seen.f].join();
    if (wanted !== painted) {
      copy = document.createElement("canvas");
      [copy.width, copy.height, painted] = [canvas.width, canvas.height, wanted];
      const to = /** @type {CanvasRenderingContext2D} */ (copy.getContext("2d"));
      to.setTransform(seen);
      paint(to);
    }
    g.save();
    g.resetTransform();
    g.drawImage(copy, 0, 0);
    g.restore();
  };
}

/** @param {number} t 0 to 1 @returns {number} a value from 0 to 1 that changes slowly at both ends */
export function ease(t) {
  return t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t);
}

/** @param {any} value @returns {value is number} */
export function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/**
 * All things with a place, between two states. Disappearing things stay at their last place.
 * @param {State} before @param {State} after @param {number} fraction
 * @returns {Placed[]}
 */
export function placed(before, after, fraction) {
  const eased = ease(fraction);
  /** @type {Placed[]} */
  const all = [];
  for (const [id, thing] of after) {
    const was = before.get(id) ?? null;
    const here = isNumber(thing.x) && isNumber(thing.y);
    const there = was !== null && isNumber(was.x) && isNumber(was.y);
    if (here && there) {
      const x = was.x + (thing.x - was.x) * eased;
      const y = was.y + (thing.y - was.y) * eased;
      all.push({ thing, before: was, x, y, moved: was.x !== thing.x || was.y !== thing.y, born: 1, gone: 0 });
    } else if (here) {
      all.push({ thing, before: was, x: thing.x, y: thing.y, moved: false, born: fraction, gone: 0 });
    } else if (there && fraction < 1) {
      all.push({ thing: was, before: was, x: was.x, y: was.y, moved: false, born: 1, gone: fraction });
    }
  }
  if (fraction < 1) {
    for (const [id, was] of before) {
      if (after.has(id) || !isNumber(was.x) || !isNumber(was.y)) continue;
      all.push({ thing: was, before: was, x: was.x, y: was.y, moved: false, born: 1, gone: fraction });
    }
  }
  return all;
}

/** All things of a class that have a place. @param {State} state @param {string} name */
export function thingsOf(state, name) {
  return [...state.values()].filter((thing) => thing.class === name && isNumber(thing.x) && isNumber(thing.y));
}

/**
 * Returns a value between two states, for counts that rise and fall.
 * @param {any} before @param {any} after @param {number} fraction
 */
export function between(before, after, fraction) {
  return isNumber(before) && isNumber(after) ? before + (after - before) * fraction : after;
}

/**
 * Returns the owner of a thing, from its field `owner` or `player`: a number, or a reference.
 * @param {Thing} thing @param {State} state
 * @returns {number | null}
 */
export function ownerOf(thing, state) {
  const owner = thing.owner ?? thing.player ?? null;
  if (isNumber(owner)) return owner;
  const other = typeof owner === "string" ? state.get(owner) : undefined;
  return other && isNumber(other.index) ? other.index : null;
}
