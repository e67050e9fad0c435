/** The wreck from above, painted once: hull, walls, floor, the edges of its sections, and the marks on its cells. */

import { SIDES } from "arena/grid";
import { brush } from "arena/shapes";

/** @typedef {import("arena/grid").Grid} Grid */
/** @typedef {import("./scene.js").Painter} Painter */
/** @typedef {import("./scene.js").Palette} Palette */
/** @typedef {import("./scene.js").Thing} Thing */
/** @typedef {ReturnType<typeof brush>} Brush */
/** @typedef {(visit: (x: number, y: number, px: number, py: number) => void) => void} Each visits all cells */

const CORNERS = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
];

/** @param {CanvasRenderingContext2D} to @param {Painter} painter @param {Thing} game @param {Palette} palette */
export function paintShip(to, { color, grid }, game, palette) {
  const { columns, rows, tile } = grid;
  const there = brush(to);
  const isOpen = (/** @type {number} */ x, /** @type {number} */ y) =>
    x >= 0 && y >= 0 && x < columns && y < rows && game.cells[y * game.width + x] === ".";
  /** @type {Each} */
  const each = (visit) => {
    for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) if (isOpen(x, y)) visit(x, y, ...grid.place(x, y));
  };
  there.rounded(grid.left, grid.top, tile * columns, tile * rows, tile * 0.5, palette.hull);
  paintWalls(there, each, tile, palette);
  paintFloor(to, each, isOpen, tile, palette);
  paintSections(to, each, isOpen, game, tile, palette.dim);
  /** @type {[any, () => void][]} */
  const marks = [
    [game.lurk_cells, () => paintLurk(there, color(1))],
    [game.entry_cells, () => paintEntry(there, color(1))],
    [game.start_cells, () => paintStart(there, color(0))],
    [game.objectives, () => paintObjective(there, to)],
  ];
  for (const [cells, mark] of marks) for (const [x, y] of cells ?? []) grid.inTile(to, x, y, mark);
}

/** @param {Brush} brush @param {Each} each @param {number} tile @param {Palette} palette */
function paintWalls({ rounded }, each, tile, palette) {
  const edge = tile * 0.24;
  each((_x, _y, px, py) => {
    rounded(px - edge, py - edge, tile + 2 * edge, tile + 2 * edge, edge * 0.7, palette.rim);
  });
  each((_x, _y, px, py) => {
    const size = tile + edge * 1.4;
    rounded(px - edge * 0.7, py - edge * 0.7, size, size, edge * 0.5, palette.wall);
  });
}

/**
 * @param {CanvasRenderingContext2D} to @param {Each} each @param {(x: number, y: number) => boolean} isOpen
 * @param {number} tile @param {Palette} palette
 */
function paintFloor(to, each, isOpen, tile, palette) {
  const { dot, rounded } = brush(to);
  each((x, y, px, py) => {
    to.fillStyle = palette.seam;
    to.fillRect(px, py, tile + 0.5, tile + 0.5);
    const size = tile * 0.94;
    rounded(px + tile * 0.03, py + tile * 0.03, size, size, tile * 0.08, palette.floor[(x + y) % 2]);
    // The walls throw shadows on the floor.
    for (const far of [0.12, 0.24, 0.36]) {
      to.fillStyle = "rgba(0,0,0,.09)";
      if (!isOpen(x, y - 1)) to.fillRect(px, py, tile, tile * far);
      if (!isOpen(x - 1, y)) to.fillRect(px, py, tile * far * 0.7, tile);
    }
    if (tile <= 18) return;
    for (const [dx, dy] of [
      [0.1, 0.1],
      [0.9, 0.1],
      [0.1, 0.9],
      [0.9, 0.9],
    ])
      dot(px + dx * tile, py + dy * tile, tile * 0.02, palette.seam);
  });
}

/**
 * Dashes between cells of different sections.
 * @param {CanvasRenderingContext2D} to @param {Each} each @param {(x: number, y: number) => boolean} isOpen
 * @param {Thing} game @param {number} tile @param {string} stroke
 */
function paintSections(to, each, isOpen, game, tile, stroke) {
  const { line } = brush(to);
  const section = (/** @type {number} */ x, /** @type {number} */ y) => game.sections?.[y * game.width + x];
  const isBorder = (/** @type {number} */ x, /** @type {number} */ y, /** @type {any} */ name) =>
    isOpen(x, y) && section(x, y) !== name;
  const width = Math.max(1, tile * 0.03);
  to.setLineDash([tile * 0.08, tile * 0.12]);
  each((x, y, px, py) => {
    const name = section(x, y);
    if (isBorder(x + 1, y, name)) line(px + tile, py, px + tile, py + tile, width, stroke);
    if (isBorder(x, y + 1, name)) line(px, py + tile, px + tile, py + tile, width, stroke);
  });
  to.setLineDash([]);
}

/** A lurk cell, where reinforcements appear, as a grating. @param {Brush} brush @param {string} team */
function paintLurk({ line, rounded }, team) {
  rounded(-0.44, -0.44, 0.88, 0.88, 0.1, "#0b0710", team);
  for (const y of [-0.26, -0.09, 0.08, 0.25]) line(-0.32, y, 0.32, y, 0.06, `${team}99`);
}

/** @param {Brush} brush @param {string} team */
function paintEntry({ arrow }, team) {
  for (const [dx, dy] of Object.values(SIDES)) arrow([-dx, -dy], -0.3, 0.13, `${team}cc`);
}

/** @param {Brush} brush @param {string} team */
function paintStart({ line }, team) {
  for (const [sx, sy] of CORNERS) {
    line(sx * 0.4, sy * 0.42, sx * 0.2, sy * 0.42, 0.05, `${team}cc`);
    line(sx * 0.4, sy * 0.42, sx * 0.4, sy * 0.22, 0.05, `${team}cc`);
  }
}

/**
 * What the marines must burn: a core inside a striped frame.
 * @param {Brush} brush @param {CanvasRenderingContext2D} to
 */
function paintObjective({ dot, line, rounded }, to) {
  rounded(-0.47, -0.47, 0.94, 0.94, 0.08, "#16130a", "#f4c430");
  to.save();
  to.beginPath();
  to.rect(-0.47, -0.47, 0.94, 0.94);
  to.clip();
  for (let at = -0.9; at < 1; at += 0.3) line(at - 0.5, 0.5, at + 0.5, -0.5, 0.1, "#f4c430");
  to.restore();
  rounded(-0.33, -0.33, 0.66, 0.66, 0.06, "#16130a");
  dot(0, 0, 0.24, "#c2185b");
  dot(0, 0, 0.15, "#ff6f9d");
  dot(-0.04, -0.05, 0.06, "#ffe3ec");
}
