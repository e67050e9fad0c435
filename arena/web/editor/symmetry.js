/**
 * Symmetry: the twins of a cell; turning, flipping, shifting and completing whole maps.
 * @module
 */

import { entriesOf, lettersOf, put, removeAt, rowsOf, setLetter, setTile, sizeOf } from "./cells.js";

/** @typedef {import("./cells.js").Spec} Spec */
/** @typedef {import("./cells.js").Layer} Layer */
/** @typedef {import("./model.js").MapDocument} MapDocument */
/**
 * @typedef {{x: number, y: number, across: boolean,
 *   down: boolean}} Twin across: mirrored left to right; down: top to bottom
 */

export const SYMMETRIES = [
  { id: "none", title: "No symmetry" },
  { id: "rotate", title: "Half turn" },
  { id: "sides", title: "Left – right" },
  { id: "ends", title: "Top – bottom" },
  { id: "both", title: "All four" },
];
const FACINGS = ["North", "East", "South", "West"];

/**
 * @param {string} symmetry @param {{width: number, height: number}} size @param {number} x @param {number} y
 * @returns {Twin[]} the cell itself first
 */
export function twinsOf(symmetry, size, x, y) {
  const across = size.width - 1 - x;
  const down = size.height - 1 - y;
  const all = [{ x, y, across: false, down: false }];
  if (symmetry === "rotate" || symmetry === "both") all.push({ x: across, y: down, across: true, down: true });
  if (symmetry === "sides" || symmetry === "both") all.push({ x: across, y, across: true, down: false });
  if (symmetry === "ends" || symmetry === "both") all.push({ x, y: down, across: false, down: true });
  return all.filter((twin, index) => all.findIndex((other) => other.x === twin.x && other.y === twin.y) === index);
}

/**
 * Returns the values of a thing in a twin cell: with the other team and the mirrored facing. With the symmetry "both",
 * only twins that are mirrored top to bottom change the team.
 * @param {Layer} layer
 * @param {Record<string, any>} values @param {Twin} twin @param {string} symmetry
 */
export function valuesOfTwin(layer, values, twin, symmetry) {
  if (!twin.across && !twin.down) return values;
  const changed = { ...values };
  const swaps = symmetry === "both" ? twin.down : true;
  if (layer.team && swaps && (changed[layer.team] === 0 || changed[layer.team] === 1))
    changed[layer.team] = 1 - changed[layer.team];
  if (layer.facing) changed[layer.facing] = mirrored(changed[layer.facing], twin.across, twin.down);
  return changed;
}

/** @param {string} facing @param {boolean} across @param {boolean} down */
function mirrored(facing, across, down) {
  const sideways = facing === "East" || facing === "West";
  return (sideways ? across : down) ? turned(facing, 2) : facing;
}

/** @param {string} facing @param {number} quarters clockwise */
export function turned(facing, quarters) {
  const at = FACINGS.indexOf(facing);
  return at < 0 ? facing : FACINGS[(at + quarters + 4) % 4];
}

/**
 * Moves every cell of a map to another place.
 * @param {Spec} spec @param {MapDocument} document @param {{width: number, height: number}} size of the result
 * @param {(x: number, y: number) => [number, number]} to returns the new place of a cell
 * @param {(facing: string) => string} turn
 */
function remap(spec, document, size, to, turn) {
  const rows = rowsOf(spec, document);
  const letters = lettersOf(spec, document);
  const fresh = Array.from({ length: size.height }, () => Array(size.width).fill(spec.grid.fill));
  const marked = Array.from({ length: size.height }, () => Array(size.width).fill(spec.overlay?.none ?? "."));
  rows.forEach((row, y) =>
    [...row].forEach((char, x) => {
      const [nx, ny] = to(x, y);
      if (fresh[ny]?.[nx] === undefined) return;
      fresh[ny][nx] = char;
      if (spec.overlay) marked[ny][nx] = letters[y][x];
    }),
  );
  document[spec.grid.key] = fresh.map((row) => row.join(""));
  if (spec.overlay && document[spec.overlay.key] !== undefined)
    document[spec.overlay.key] = marked.map((row) => row.join(""));
  for (const layer of spec.layers) {
    if (!Array.isArray(document[layer.key])) continue;
    const moved = entriesOf(document, layer).map((entry) => {
      const [x, y] = to(entry.x, entry.y);
      const facing = layer.facing ? { [layer.facing]: turn(entry.values[layer.facing]) } : {};
      return {
        x,
        y,
        raw: Array.isArray(document[layer.key][entry.index]) ? [x, y] : { ...entry.values, ...facing, x, y },
      };
    });
    document[layer.key] = moved.filter(({ x, y }) => fresh[y]?.[x] !== undefined).map(({ raw }) => raw);
  }
}

/** @param {Spec} spec @param {MapDocument} document */
export function turnRight(spec, document) {
  const { width, height } = sizeOf(spec, document);
  remap(
    spec,
    document,
    { width: height, height: width },
    (x, y) => [height - 1 - y, x],
    (facing) => turned(facing, 1),
  );
}

/** @param {Spec} spec @param {MapDocument} document @param {boolean} across left to right, else top to bottom */
export function flip(spec, document, across) {
  const size = sizeOf(spec, document);
  const to = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {[number, number]} */ (across ? [size.width - 1 - x, y] : [x, size.height - 1 - y]);
  remap(spec, document, size, to, (facing) => mirrored(facing, across, !across));
}

/**
 * Shifts a map. Cells that leave the map on one side enter it on the opposite side.
 * @param {Spec} spec @param {MapDocument} document @param {number} dx @param {number} dy
 */
export function shift(spec, document, dx, dy) {
  const size = sizeOf(spec, document);
  remap(
    spec,
    document,
    size,
    (x, y) => [(x + dx + size.width) % size.width, (y + dy + size.height) % size.height],
    (facing) => facing,
  );
}

/** @param {Spec} spec @param {MapDocument} document @param {number} width @param {number} height */
export function resize(spec, document, width, height) {
  remap(
    spec,
    document,
    { width, height },
    (x, y) => [x, y],
    (facing) => facing,
  );
}

/** @param {Spec} spec @param {MapDocument} document */
export function swapTeams(spec, document) {
  for (const layer of spec.layers) {
    const { team } = layer;
    if (!team) continue;
    for (const { values } of entriesOf(document, layer)) {
      if (values[team] === 0 || values[team] === 1) values[team] = 1 - values[team];
    }
  }
}

/**
 * Makes a map symmetric: the upper or left part replaces the tiles, letters and things in the rest of the map.
 * @param {Spec} spec @param {MapDocument} document
 * @param {string} symmetry
 */
export function complete(spec, document, symmetry) {
  const size = sizeOf(spec, document);
  const number = (/** @type {{x: number, y: number}} */ cell) =>
    symmetry === "sides" ? cell.x * size.height + cell.y : cell.y * size.width + cell.x;
  const leader = (/** @type {number} */ x, /** @type {number} */ y) =>
    twinsOf(symmetry, size, x, y).reduce((best, twin) => (number(twin) < number(best) ? twin : best));
  const rows = rowsOf(spec, document);
  const letters = lettersOf(spec, document);
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      const from = leader(x, y);
      setTile(spec, document, x, y, rows[from.y][from.x]);
      if (spec.overlay) setLetter(spec, document, x, y, letters[from.y][from.x]);
    }
  }
  for (const layer of spec.layers) {
    if (!layer.symmetric) continue;
    const entries = entriesOf(document, layer);
    const leading = entries.filter(
      (entry) => leader(entry.x, entry.y).x === entry.x && leader(entry.x, entry.y).y === entry.y,
    );
    for (const entry of entries) if (!leading.includes(entry)) removeAt(document, layer, entry.x, entry.y);
    for (const entry of leading) {
      const { x: _x, y: _y, ...values } = entry.values;
      for (const twin of twinsOf(symmetry, size, entry.x, entry.y).slice(1))
        put(spec, document, layer, twin.x, twin.y, valuesOfTwin(layer, values, twin, symmetry));
    }
  }
}
