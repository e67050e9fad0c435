/**
 * The floor of the saloon, painted once: boards with broken glass, the stages of the pianos, and the balcony with its
 * rail and its carpet.
 */

import { effects, scatter } from "arena/effects";
import { brush } from "arena/shapes";

/** @typedef {import("arena/grid").Grid} Grid */

const LIGHT = {
  board: ["#ead9b9", "#e6d3b0", "#e2cda7", "#ecdcbf"],
  seam: "rgba(96,62,24,.2)",
  odd: "rgba(120,80,30,.055)",
  wall: "#5b3a28",
  carpet: "#73303a",
  trim: "#c79a52",
  rail: "#7a4e33",
  glass: ["rgba(60,120,96,.5)", "rgba(255,255,255,.85)", "rgba(90,60,30,.13)"],
  light: ["255, 236, 170", "0.85"],
  rug: ["#d9a441", "#9c3b4a"],
};
const DARK = {
  board: ["#3b2f29", "#382c26", "#352923", "#3e322b"],
  seam: "rgba(0,0,0,.3)",
  odd: "rgba(0,0,0,.09)",
  wall: "#1e1512",
  carpet: "#431c24",
  trim: "#8a662f",
  rail: "#6a4730",
  glass: ["rgba(150,215,185,.36)", "rgba(235,255,245,.6)", "rgba(0,0,0,.22)"],
  light: ["255, 190, 96", "0.42"],
  rug: ["#b98a3c", "#6d2733"],
};

/** @typedef {typeof LIGHT} Tone */
/** @typedef {CanvasRenderingContext2D} To */

/**
 * @param {To} to @param {Grid} grid @param {[number, number][]} hazards @param {[number, number][]} pianos
 * @param {boolean} dark
 */
export function paintFloor(to, grid, hazards, pianos, dark) {
  const { tile, left, top, columns, rows } = grid;
  const tone = dark ? DARK : LIGHT;
  brush(to).rounded(left, top, tile * columns, tile * rows, tile * 0.3, tone.wall);
  paintCarpet(to, grid, tone);
  to.save();
  to.beginPath();
  to.rect(left + tile, top + tile, tile * (columns - 2), tile * (rows - 2));
  to.clip();
  paintBoards(to, grid, tone);
  for (const [x, y] of hazards) paintGlass(to, grid, x, y, tone);
  for (const far of [0.12, 0.26, 0.42]) {
    to.fillStyle = "rgba(0,0,0,.08)"; // the shadow of the balcony
    to.fillRect(left + tile, top + tile, tile * (columns - 2), tile * far);
    to.fillRect(left + tile, top + tile, tile * far * 0.7, tile * (rows - 2));
  }
  to.restore();
  for (const [x, y] of pianos) paintStage(to, grid, x, y, tone);
  paintRail(to, grid, tone);
}

/** @param {To} to @param {Grid} grid @param {Tone} tone */
function paintBoards(to, grid, { board, seam, odd }) {
  const { tile, columns, rows } = grid;
  const thin = Math.max(0.6, tile * 0.02);
  const high = tile / 3;
  for (let row = 3; row < 3 * (rows - 1); row++) {
    const y = grid.top + row * high;
    for (let x = 1 - 3 * scatter(row, 1), at = 0; x < columns - 1; at++) {
      const long = 2.4 + 2.2 * scatter(row, at + 2);
      to.fillStyle = board[Math.floor(4 * scatter(row, at + 90))];
      to.fillRect(grid.left + x * tile, y, long * tile, high + 0.5);
      to.fillStyle = seam;
      to.fillRect(grid.left + x * tile, y, thin, high);
      x += long;
    }
    to.fillStyle = seam;
    to.fillRect(grid.left, y, tile * columns, thin);
  }
  to.fillStyle = odd;
  for (let y = 1; y < rows - 1; y++)
    for (let x = 1; x < columns - 1; x++) if ((x + y) % 2) to.fillRect(...grid.place(x, y), tile, tile);
}

/**
 * A hazard: broken glass.
 * @param {To} to @param {Grid} grid @param {number} x @param {number} y @param {Tone} tone
 */
function paintGlass(to, grid, x, y, { glass: [fill, shine, stain] }) {
  const { oval, polygon } = brush(to);
  const seed = x * 7 + y * 13;
  grid.inTile(to, x, y, () => {
    oval(0, 0.04, 0.4, 0.32, stain);
    for (let at = 0; at < 9; at++) {
      const angle = 6.283 * ((at + 0.5 * scatter(seed, at)) / 9);
      const far = 0.1 + 0.26 * scatter(seed, at + 20);
      const size = 0.07 + 0.07 * scatter(seed, at + 40);
      to.save();
      to.translate(far * Math.cos(angle), 0.04 + far * 0.8 * Math.sin(angle));
      to.rotate(6.283 * scatter(seed, at + 60));
      polygon(
        [
          [-size, size * 0.5],
          [size, size * 0.2],
          [-size * 0.2, -size],
        ],
        fill,
        at % 3 ? undefined : shine,
        0.018,
      );
      to.restore();
    }
  });
}

/**
 * The light and the rug of a piano.
 * @param {To} to @param {Grid} grid @param {number} x @param {number} y @param {Tone} tone
 */
function paintStage(to, grid, x, y, { light, rug }) {
  grid.inTile(to, x, y, () => {
    effects(to).glow(1.95, light[0], Number(light[1]));
    brush(to).oval(0, 0.34, 0.86, 0.3, rug[0]);
    brush(to).oval(0, 0.34, 0.81, 0.26, rug[1]);
  });
}

/** The way of the young guns. @param {To} to @param {Grid} grid @param {Tone} tone */
function paintCarpet(to, { left, top, tile, columns, rows }, { carpet, trim }) {
  for (const [stroke, width] of /** @type {[string, number][]} */ ([
    [trim, 0.46],
    [carpet, 0.4],
  ])) {
    to.strokeStyle = stroke;
    to.lineWidth = tile * width;
    to.lineJoin = "round";
    to.strokeRect(left + tile / 2, top + tile / 2, tile * (columns - 1), tile * (rows - 1));
  }
}

/** @param {To} to @param {Grid} grid @param {Tone} tone */
function paintRail(to, grid, { rail, trim }) {
  const { tile, left, top, columns, rows } = grid;
  const { dot } = brush(to);
  for (const [stroke, width] of /** @type {[string, number][]} */ ([
    ["rgba(0,0,0,.5)", 0.17],
    [rail, 0.1],
  ])) {
    to.strokeStyle = stroke;
    to.lineWidth = tile * width;
    to.strokeRect(left + tile, top + tile, tile * (columns - 2), tile * (rows - 2));
  }
  const post = (/** @type {number} */ x, /** @type {number} */ y) => {
    dot(...grid.place(x, y), tile * 0.1, rail);
    dot(...grid.place(x, y), tile * 0.05, trim);
  };
  for (let x = 1; x < columns; x++) for (const y of [1, rows - 1]) post(x, y);
  for (let y = 2; y < rows - 1; y++) for (const x of [1, columns - 1]) post(x, y);
}
