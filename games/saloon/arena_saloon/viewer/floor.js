/** The floor of the saloon, painted once: its boards, the rail of the balcony, and the hazards. */

import { brush } from "arena/shapes";

/** @typedef {import("arena/grid").Grid} Grid */

const DARK = ["#4a3322", "#523927", "#33231a", "#241811"];
const LIGHT = ["#c79c6b", "#cfa677", "#8d643d", "#6d4a2b"];

/** @param {CanvasRenderingContext2D} to @param {Grid} grid @param {[number, number][]} hazards @param {boolean} dark */
export function paintFloor(to, grid, hazards, dark) {
  const { tile, left, top, columns, rows } = grid;
  const wood = dark ? DARK : LIGHT;
  const { dot, rounded } = brush(to);
  rounded(left, top, tile * columns, tile * rows, tile * 0.3, wood[3]);
  to.save();
  to.clip();
  paintBoards(to, grid, wood);
  to.restore();
  for (const [x, y] of hazards) paintHazard(to, grid, x, y);
  for (const [stroke, width] of /** @type {[string, number][]} */ ([
    ["rgba(0,0,0,.45)", 0.16],
    [wood[1], 0.07],
  ])) {
    to.strokeStyle = stroke;
    to.lineWidth = tile * width;
    to.strokeRect(left + tile, top + tile, tile * (columns - 2), tile * (rows - 2));
  }
  const post = (/** @type {number} */ x, /** @type {number} */ y) => dot(...grid.place(x, y), tile * 0.075, wood[1]);
  for (let x = 1; x < columns; x++) {
    post(x, 1);
    post(x, rows - 1);
  }
  for (let y = 1; y < rows; y++) {
    post(1, y);
    post(columns - 1, y);
  }
}

/** @param {CanvasRenderingContext2D} to @param {Grid} grid @param {string[]} wood */
function paintBoards(to, grid, wood) {
  const { tile, columns, rows } = grid;
  const seam = Math.max(0.6, tile * 0.022);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const rim = x === 0 || y === 0 || x === columns - 1 || y === rows - 1;
      const [px, py] = grid.place(x, y);
      to.fillStyle = rim ? wood[2] : wood[(x * 7 + y * 13) % 3 === 0 ? 1 : 0];
      to.fillRect(px, py, tile + 0.5, tile + 0.5);
      to.fillStyle = "rgba(0,0,0,.13)";
      for (const at of rim ? [0.5] : [0, 0.34, 0.67]) to.fillRect(px, py + tile * at, tile, seam);
      const end = px + tile * (((x * 5 + y * 3) % 4) / 4);
      if (!rim) to.fillRect(end, py + tile * 0.34 * ((x + y) % 3), seam, tile * 0.34);
    }
  }
}

/** Broken boards. @param {CanvasRenderingContext2D} to @param {Grid} grid @param {number} x @param {number} y */
function paintHazard(to, grid, x, y) {
  const { dot, polygon } = brush(to);
  const [px, py] = grid.place(x + 0.5, y + 0.5);
  const r = grid.tile * 0.42;
  const edge = Array.from({ length: 14 }, (_, at) => {
    const far = r * (at % 2 ? 0.55 : 0.8 + 0.2 * (((x * 3 + y * 5 + at * 7) % 5) / 5));
    return [px + far * Math.cos((at / 14) * 6.283), py + far * Math.sin((at / 14) * 6.283)];
  });
  polygon(edge, "#160c08", "#c8472b", grid.tile * 0.045);
  for (const [dx, dy] of [
    [-0.3, 0.1],
    [0.15, -0.25],
    [0.2, 0.3],
  ])
    dot(px + dx * r, py + dy * r, r * 0.1, "#e9692f");
}
