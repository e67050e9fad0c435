/** Draws over the board what a player could believe. */

/**
 * @typedef {{player: number, tiles: [number, number, number][], numbers: [number, number, number][]}} Believed
 * `tiles`: x, y and the expected number of hidden things there;
 * `numbers`: x, y and the expected value of a hidden number there
 */

const BELIEVED_COLOR = "#d52bd5";
const MOST_SHARES = 3; // the largest number of tiles with a percentage on them

/**
 * @param {CanvasRenderingContext2D} g @param {Believed} believed
 * @param {(x: number, y: number) => [number, number]} place
 */
export function drawBeliefs(g, { tiles, numbers }, place) {
  const most = tiles.reduce((high, [, , share]) => Math.max(high, share), 0);
  const unit = place(1, 0)[0] - place(0, 0)[0];
  g.fillStyle = BELIEVED_COLOR;
  for (const [x, y, share] of tiles) {
    const [left, top] = place(x, y);
    const [right, bottom] = place(x + 1, y + 1);
    g.globalAlpha = 0.06 + (0.4 * share) / most; // the units under it can still be seen
    g.fillRect(left, top, right - left, bottom - top);
  }
  g.globalAlpha = 1;
  const pixel = devicePixelRatio / g.getTransform().a; // one pixel of the screen, at any zoom
  if (unit < 20 * pixel) return; // too small to read
  const size = Math.max(9 * pixel, unit * 0.27);
  const likely = [...tiles].sort(([, , one], [, , other]) => other - one).slice(0, MOST_SHARES);
  for (const [x, y, share] of likely) drawLabel(g, place(x + 0.5, y + 0.1), size, `${Math.round(100 * share)} %`);
  for (const [x, y, value] of numbers) drawLabel(g, place(x + 0.5, y + 0.1), size, `≈ ${Number(value.toFixed(1))}`);
}

/**
 * Writes at the upper edge of a tile, so that the unit there can be seen.
 * @param {CanvasRenderingContext2D} g @param {[number, number]} at @param {number} size @param {string} text
 */
function drawLabel(g, [x, y], size, text) {
  [g.font, g.textAlign, g.textBaseline] = [`600 ${size}px system-ui, sans-serif`, "center", "middle"];
  const width = g.measureText(text).width + size;
  [g.fillStyle, g.strokeStyle, g.lineWidth] = ["#241426", BELIEVED_COLOR, size * 0.1];
  g.beginPath();
  g.roundRect(x - width / 2, y - 0.7 * size, width, 1.4 * size, 0.7 * size);
  g.fill();
  g.stroke();
  g.fillStyle = "#ffffff";
  g.fillText(text, x, y + 0.05 * size);
}
