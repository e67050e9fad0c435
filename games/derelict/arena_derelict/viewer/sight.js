/** What the marines see. The viewer computes it by the rules, since a state has no sight. */

import { stepOf } from "arena/grid";
import { unitsOf } from "./scene.js";

/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {import("./scene.js").State} State */

/** The visible cells of a state, computed once: states never change. @type {WeakMap<State, Sight>} */
const sights = new WeakMap();

/** @param {State} state */
export function sightOf(state) {
  const sight = sights.get(state) ?? new Sight(state.get("game") ?? {}, state);
  sights.set(state, sight);
  return sight;
}

/** What the marines see in one state. */
export class Sight {
  /** @param {Record<string, any>} game @param {State} state */
  constructor(game, state) {
    this.width = game.width;
    this.height = game.height;
    this.cells = String(game.cells ?? "");
    this.blocked = Array.from(this.cells, (cell) => cell !== ".");
    for (const [x, y] of game.flames ?? []) this.blocked[this.at(x, y)] = true;
    for (const thing of state.values())
      if (thing.class === "Unit" || (thing.class === "Door" && !thing.open))
        this.blocked[this.at(thing.x, thing.y)] = true;
    /** @type {Map<string, number[]>} what each marine sees */
    this.fields = new Map();
    /** @type {Set<number> | undefined} */
    this.lit = undefined;
  }

  /** The number of a cell; -1 off the map. @param {number} x @param {number} y */
  at(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height ? y * this.width + x : -1;
  }

  /** The cells that any marine sees. @param {State} state the state of this sight @returns {Set<number>} */
  all(state) {
    const marines = () => unitsOf(state).filter(({ kind }) => kind === "marine");
    this.lit ??= new Set(marines().flatMap((unit) => this.seen(unit)));
    return this.lit;
  }

  /** The distance between a unit and a cell, in steps. @param {Thing} unit @param {number} cell */
  far(unit, cell) {
    return Math.max(Math.abs((cell % this.width) - unit.x), Math.abs(Math.floor(cell / this.width) - unit.y));
  }

  /** The corridor cells that a marine sees. @param {Thing} unit */
  seen(unit) {
    const known = this.fields.get(unit.id);
    if (known) return known;
    const [fx, fy] = stepOf(unit.facing);
    const found = [];
    for (let cell = 0; cell < this.cells.length; cell++) {
      const [dx, dy] = [(cell % this.width) - unit.x, Math.floor(cell / this.width) - unit.y];
      const ahead = dx * fx + dy * fy;
      const inField = (!dx && !dy) || (ahead > 0 && Math.abs(dx * fy - dy * fx) <= ahead);
      if (this.cells[cell] === "." && inField && this.clear(unit.x, unit.y, unit.x + dx, unit.y + dy)) found.push(cell);
    }
    this.fields.set(unit.id, found);
    return found;
  }

  /** @param {number} x @param {number} y @param {number} tx @param {number} ty */
  clear(x, y, tx, ty) {
    return this.oneWay(x, y, tx, ty) && this.oneWay(tx, ty, x, y);
  }

  /** @param {number} x @param {number} y */
  shut(x, y) {
    const cell = this.at(x, y);
    return cell < 0 || this.blocked[cell];
  }

  /** @param {number} x @param {number} y @param {number} tx @param {number} ty */
  oneWay(x, y, tx, ty) {
    const [dx, dy, sx, sy] = [Math.abs(tx - x), Math.abs(ty - y), Math.sign(tx - x), Math.sign(ty - y)];
    let error = dx - dy;
    while (x !== tx || y !== ty) {
      const [px, py, twice] = [x, y, 2 * error];
      if (twice > -dy) {
        error -= dy;
        x += sx;
      }
      if (twice < dx) {
        error += dx;
        y += sy;
      }
      if ((x !== tx || y !== ty) && this.shut(x, y)) return false;
      if (x !== px && y !== py && this.shut(x, py) && this.shut(px, y)) return false;
    }
    return true;
  }
}
