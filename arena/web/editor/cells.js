/**
 * The board inside a map document: rows of tiles, a layer of letters, and lists of things in cells. The game's
 * description (`Spec`) names the keys and says which things can share a cell.
 * @module
 */

import { valueAt } from "./model.js";

/** @typedef {import("./model.js").MapDocument} MapDocument */
/** @typedef {{shape?: string, surface?: string, icon?: string, letter?: string, color?: string}} Look */
/** @typedef {{value: any, title: string}} Choice */
/** @typedef {{name: string, title: string, choices: Choice[], default?: any, optional?: boolean}} Field */
/** @typedef {{title: string, values: Record<string, any>, look: Look, only?: string[]}} Brush */
/**
 * @typedef {{key: string, title: string, symmetric: boolean, pair?: boolean, team?: string, facing?: string,
 *   group?: string, only?: string[], fields: Field[], brushes: Brush[]}} Layer
 */
/** @typedef {{char: string, title: string, look: Look}} Tile */
/** @typedef {{key: string, title: string, none: string, letters: string, on: string}} Overlay */
/**
 * @typedef {{noun: string, size: {least: number, greatest: number}, variant: string[], variant_default?: string,
 *   title: string[], grid: {key: string, fill: string, tiles: Tile[]}, overlay?: Overlay, layers: Layer[],
 *   fields: any[]}} Spec
 */
/** @typedef {{layer: Layer, index: number, x: number, y: number, values: Record<string, any>}} Entry */

/**
 * @param {Spec} spec @param {MapDocument} document
 * @returns {string[]} rows of equal length, also if those in the file differ in length
 */
export function rowsOf(spec, document) {
  const found = Array.isArray(document[spec.grid.key]) ? document[spec.grid.key] : [];
  const rows = found.filter((/** @type {any} */ row) => typeof row === "string");
  const width = rows.reduce((/** @type {number} */ most, /** @type {string} */ row) => Math.max(most, row.length), 1);
  return rows.length ? rows.map((/** @type {string} */ row) => row.padEnd(width, spec.grid.fill)) : [spec.grid.fill];
}

/** @param {Spec} spec @param {MapDocument} document */
export function sizeOf(spec, document) {
  const rows = rowsOf(spec, document);
  return { width: rows[0].length, height: rows.length };
}

/** @param {Spec} spec @param {MapDocument} document @returns {string} which of the game's rulesets the map is for */
export function variantOf(spec, document) {
  const value = valueAt(document, spec.variant);
  return typeof value === "string" ? value : (spec.variant_default ?? "");
}

/** @param {{only?: string[]}} thing @param {string} variant */
export function isOffered(thing, variant) {
  return !thing.only || thing.only.includes(variant);
}

/** @param {string[]} rows @param {number} x @param {number} y @param {string} char */
function withChar(rows, x, y, char) {
  rows[y] = rows[y].slice(0, x) + char + rows[y].slice(x + 1);
  return rows;
}

/** @param {Spec} spec @param {MapDocument} document @param {number} x @param {number} y @param {string} char */
export function setTile(spec, document, x, y, char) {
  document[spec.grid.key] = withChar(rowsOf(spec, document), x, y, char);
  const { overlay } = spec;
  if (overlay && char !== overlay.on) setLetter(spec, document, x, y, overlay.none);
}

/** @param {Spec} spec @param {MapDocument} document @returns {string[]} */
export function lettersOf(spec, document) {
  if (!spec.overlay) return [];
  const { width, height } = sizeOf(spec, document);
  const found = Array.isArray(document[spec.overlay.key]) ? document[spec.overlay.key] : [];
  const none = spec.overlay.none;
  return Array.from({ length: height }, (_, y) =>
    String(typeof found[y] === "string" ? found[y] : "")
      .slice(0, width)
      .padEnd(width, none),
  );
}

/** @param {Spec} spec @param {MapDocument} document @param {number} x @param {number} y @param {string} letter */
export function setLetter(spec, document, x, y, letter) {
  if (!spec.overlay) return;
  const letters = lettersOf(spec, document);
  if (letters[y][x] === letter) return;
  if (letter !== spec.overlay.none && rowsOf(spec, document)[y][x] !== spec.overlay.on) return;
  withChar(letters, x, y, letter);
  if (letters.every((row) => [...row].every((one) => one === spec.overlay?.none))) delete document[spec.overlay.key];
  else document[spec.overlay.key] = letters;
}

/** @param {MapDocument} document @param {Layer} layer @returns {Entry[]} those with whole numbers as x and y */
export function entriesOf(document, layer) {
  const list = Array.isArray(document[layer.key]) ? document[layer.key] : [];
  /** @type {Entry[]} */
  const entries = [];
  list.forEach((/** @type {any} */ raw, /** @type {number} */ index) => {
    if (raw === null || typeof raw !== "object") return;
    const [x, y] = Array.isArray(raw) ? raw : [raw.x, raw.y];
    if (Number.isInteger(x) && Number.isInteger(y))
      entries.push({ layer, index, x, y, values: Array.isArray(raw) ? {} : raw });
  });
  return entries;
}

/**
 * @param {Spec} spec @param {MapDocument} document @param {number} x @param {number} y @returns {Entry[]} lowest first
 */
export function entriesAt(spec, document, x, y) {
  return spec.layers.flatMap((layer) => entriesOf(document, layer).filter((entry) => entry.x === x && entry.y === y));
}

/** @param {Entry} entry @returns {Brush} the brush that makes such entries */
export function brushOf(entry) {
  const fits = (/** @type {Brush} */ brush) =>
    Object.entries(brush.values).every(([key, value]) => same(entry, key, value));
  return (
    entry.layer.brushes.find(fits) ?? {
      title: "Unknown",
      values: {},
      look: { shape: "disc", letter: "?", color: "unknown" },
    }
  );
}

/** @param {Entry} entry @param {string} key @param {any} value */
function same(entry, key, value) {
  const own = Object.hasOwn(entry.values, key)
    ? entry.values[key]
    : entry.layer.fields.find((field) => field.name === key)?.default;
  return own === value;
}

/**
 * Puts a thing into a cell, and removes things that cannot be in the same cell.
 * @param {Spec} spec @param {MapDocument} document @param {Layer} layer @param {number} x @param {number} y
 * @param {Record<string, any>} values
 */
export function put(spec, document, layer, x, y, values) {
  const rivals = spec.layers.filter((other) => other === layer || (layer.group && other.group === layer.group));
  for (const rival of rivals) removeAt(document, rival, x, y);
  if (!Array.isArray(document[layer.key])) document[layer.key] = [];
  const list = document[layer.key];
  const kept = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== null || !isOptional(layer, name)),
  );
  list.push(layer.pair ? [x, y] : { ...kept, x, y });
}

/** @param {Layer} layer @param {string} name */
function isOptional(layer, name) {
  return Boolean(layer.fields.find((field) => field.name === name)?.optional);
}

/**
 * @param {MapDocument} document @param {Layer} layer @param {number} x @param {number} y
 * @returns {boolean} whether anything was removed
 */
export function removeAt(document, layer, x, y) {
  const gone = new Set(
    entriesOf(document, layer)
      .filter((entry) => entry.x === x && entry.y === y)
      .map((entry) => entry.index),
  );
  if (gone.size)
    document[layer.key] = document[layer.key].filter(
      (/** @type {any} */ _, /** @type {number} */ index) => !gone.has(index),
    );
  return gone.size > 0;
}

/**
 * Removes the top of a cell: things first, then the letter, then the tile.
 * @param {Spec} spec
 * @param {MapDocument} document @param {number} x @param {number} y
 */
export function erase(spec, document, x, y) {
  const things = entriesAt(spec, document, x, y);
  const top = things[things.length - 1];
  if (top) removeAt(document, top.layer, x, y);
  else if (spec.overlay && lettersOf(spec, document)[y][x] !== spec.overlay.none)
    setLetter(spec, document, x, y, spec.overlay.none);
  else setTile(spec, document, x, y, spec.grid.fill);
}

/** @param {MapDocument} document @param {Entry} entry @param {string} name @param {any} value */
export function setField(document, entry, name, value) {
  const list = document[entry.layer.key];
  const raw = list[entry.index];
  if (Array.isArray(raw)) return;
  if (value === null && isOptional(entry.layer, name)) delete raw[name];
  else raw[name] = value;
}

/** @param {MapDocument} document @param {Entry} entry @param {number} x @param {number} y */
export function moveEntry(document, entry, x, y) {
  const raw = document[entry.layer.key][entry.index];
  if (Array.isArray(raw)) document[entry.layer.key][entry.index] = [x, y];
  else Object.assign(raw, { x, y });
}

/**
 * Returns the connected cells that have the same tile and letter as a cell, beginning with this cell.
 * @param {Spec} spec @param {MapDocument} document @param {number} x
 * @param {number} y @returns {[number, number][]}
 */
export function areaFrom(spec, document, x, y) {
  const rows = rowsOf(spec, document);
  const letters = lettersOf(spec, document);
  const kind = (/** @type {number} */ ax, /** @type {number} */ ay) => rows[ay]?.[ax] + (letters[ay]?.[ax] ?? "");
  const wanted = kind(x, y);
  const seen = new Set([`${x},${y}`]);
  /** @type {[number, number][]} */
  const area = [[x, y]];
  for (const [ax, ay] of area) {
    for (const [bx, by] of [
      [ax, ay - 1],
      [ax + 1, ay],
      [ax, ay + 1],
      [ax - 1, ay],
    ]) {
      if (rows[by]?.[bx] === undefined || kind(bx, by) !== wanted || seen.has(`${bx},${by}`)) continue;
      seen.add(`${bx},${by}`);
      area.push([bx, by]);
    }
  }
  return area;
}

/** What is in a cell, in words. @param {Spec} spec @param {MapDocument} document @param {number} x @param {number} y */
export function describeCell(spec, document, x, y) {
  const char = rowsOf(spec, document)[y]?.[x];
  if (char === undefined) return "";
  const letter = lettersOf(spec, document)[y]?.[x];
  const parts = [spec.grid.tiles.find((tile) => tile.char === char)?.title ?? `“${char}”`];
  if (spec.overlay && letter !== spec.overlay.none) parts.push(`${spec.overlay.title} ${letter}`);
  for (const entry of entriesAt(spec, document, x, y)) parts.push(describeEntry(entry));
  return parts.join(", ");
}

/** @param {Entry} entry */
export function describeEntry(entry) {
  const brush = brushOf(entry);
  const more = entry.layer.fields
    .filter((field) => !(field.name in brush.values))
    .map(
      (field) =>
        field.choices.find(
          (choice) =>
            choice.value === (entry.values[field.name] ?? field.default) && choice.value !== null && !field.optional,
        )?.title,
    )
    .filter(Boolean);
  return [brush.title, ...more].join(" · ");
}
