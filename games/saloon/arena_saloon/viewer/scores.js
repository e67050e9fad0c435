/** The strip above the board of Saloon: both gangs, and who is ahead by how much. */

import { between } from "arena/grid";
import { plural } from "arena/labels";

/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {(name: string, usual: number) => number} Option the value of an option, or its usual value */

/** @param {State} state @param {number} player */
export const gangOf = (state, player) => state.get(`p${player}`);

/**
 * @param {Painter} painter @param {Option} option @param {Thing} game @param {State} before @param {State} after
 * @param {number} fraction @param {Look} look @param {number} strip the height above the board
 */
export function drawScores(painter, option, game, before, after, fraction, look, strip) {
  const { color, g, grid, rounded } = painter;
  const gangs = [gangOf(after, 0), gangOf(after, 1)];
  const y = grid.top - strip * 0.42;
  const size = Math.max(11, Math.min(22, strip * 0.32, (grid.tile * grid.columns) / 52));
  const ink = look.dark ? "#e9dfd0" : "#3a2c1c";
  const mostRowdiness = Math.min(40, option("rowdiness_to_siesta", 8));
  gangs.forEach((gang, player) => gang && drawGang(painter, gang, player, mostRowdiness, y, size, ink));
  if (!gangs[0] || !gangs[1]) return;
  const pianos = [...after.values()].filter((thing) => thing.is_piano && !thing.is_destroyed).length;
  const bound = Math.ceil((pianos * (option("max_turns", 192) - game.current_turn)) / 2);
  const now = gangs[0].score - gangs[1].score;
  const lead = between((gangOf(before, 0)?.score ?? 0) - (gangOf(before, 1)?.score ?? 0), now, fraction);
  const width = Math.min(look.width * 0.3, grid.tile * 7);
  const middle = look.width / 2;
  rounded(middle - width / 2, y + size * 0.55, width, size * 0.4, size * 0.2, look.dark ? "#3a312a" : "#ddd0bb");
  const part = (Math.max(-1, Math.min(1, bound ? lead / (bound + 1) : Math.sign(lead))) * width) / 2;
  g.fillStyle = color(lead >= 0 ? 0 : 1);
  g.fillRect(lead >= 0 ? middle - part : middle, y + size * 0.55, Math.abs(part), size * 0.4);
  g.fillStyle = ink;
  g.fillRect(middle - 1, y + size * 0.4, 2, size * 0.7);
  const isOver = Math.abs(now) > bound && pianos;
  const words = isOver ? "the lead cannot be made up" : now ? `lead of ${Math.abs(now)}` : "level";
  const room = grid.columns * grid.tile * 0.38;
  const long = `${words} · ${plural(pianos, "piano")} left`;
  drawFitting(painter, long, words, middle, y - size * 0.25, size * 0.86, ink, { align: "center", weight: 400, room });
}

/**
 * Draws the kills, the rowdiness, and the turns that a siesta still lasts.
 * @param {Painter} painter @param {Thing} gang @param {number} player @param {number} most the rowdiness that leads to
 * a siesta @param {number} y @param {number} size @param {string} ink
 */
function drawGang(painter, gang, player, most, y, size, ink) {
  const { color, grid, rounded } = painter;
  const side = player === 0 ? 1 : -1;
  const edge = player === 0 ? grid.left + 4 : grid.left + grid.columns * grid.tile - 4;
  for (let pip = 0; pip < most; pip++) {
    const x = edge + side * pip * size * 0.72 - (side < 0 ? size * 0.55 : 0);
    const fill = pip < gang.rowdiness ? color(player) : "rgba(128,118,105,.35)";
    rounded(x, y + size * 0.45, size * 0.55, size * 0.55, size * 0.14, fill);
  }
  const mood = gang.siesta > 0 ? `☾ asleep for ${gang.siesta} turns` : `rowdiness ${gang.rowdiness} of ${most}`;
  const room = grid.columns * grid.tile * 0.28;
  const kills = plural(gang.kills, "kill");
  const align = player === 0 ? "left" : "right";
  drawFitting(painter, `${kills} · ${mood}`, kills, edge, y - size * 0.25, size, ink, { align, weight: 600, room });
}

/**
 * Draws the long text if there is room for it; the pips and the pianos on the board say the rest.
 * @param {Painter} painter @param {string} long @param {string} short @param {number} x @param {number} y
 * @param {number} size @param {string} ink @param {{align: CanvasTextAlign, weight: number, room: number}} how
 */
function drawFitting({ caption, g }, long, short, x, y, size, ink, how) {
  g.font = `${how.weight} ${size}px system-ui, sans-serif`;
  caption(g.measureText(long).width > how.room * 1.15 ? short : long, x, y, size, ink, how);
}
