/** The strip above the board of Saloon: the points, kills and rowdiness of both gangs, and who leads. */

import { between, isNumber } from "arena/grid";
import { plural } from "arena/labels";

/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {(name: string, usual: number) => number} Option the value of an option, or its usual value */
/** @typedef {{ink: string, dim: string, size: number, rows: number[]}} Style of texts, with the middles of two rows */

/** With so many points each, one point moves the bar as far as the first one does. */
const INERTIA = 5;

/** @param {State} state @param {number} player */
export const gangOf = (state, player) => state.get(`p${player}`);

/** The player whose turn is shown. @param {State} before @param {Thing} game */
export const moverOf = (before, { id, current_player: next }) => before.get(id)?.current_player ?? next;

/** Who leads by how much, in words. @param {State} state @param {(player: number) => string} nameOf */
export function leadOf(state, nameOf) {
  const [first, second] = [0, 1].map((player) => gangOf(state, player)?.score ?? 0);
  if (first === second) return first ? `level at ${first}` : "no points yet";
  return `${nameOf(first > second ? 0 : 1)} leads by ${Math.abs(first - second)}`;
}

/** @param {Painter} painter @param {Look} look @param {number} strip the height of the strip @returns {Style} */
export function styleOf({ grid }, look, strip) {
  const top = grid.top - strip;
  return {
    ink: look.dark ? "#f3e9da" : "#33261a",
    dim: look.dark ? "#b8a997" : "#6f5f4c",
    size: Math.max(11, Math.min(34, strip * 0.28, (grid.tile * grid.columns) / 48)),
    rows: [top + strip * 0.27, top + strip * 0.62],
  };
}

/**
 * The middle of the sign beside the points of a player.
 * @param {Painter} painter @param {number} player @param {Style} style @returns {[number, number]}
 */
export const signPlace = ({ grid }, player, { size, rows }) => [
  player === 0 ? grid.left + size : grid.left + grid.tile * grid.columns - size,
  rows[0],
];

/**
 * @param {Painter} painter @param {Option} option @param {Thing} game @param {State} before @param {State} after
 * @param {number} fraction @param {Style} style @param {(player: number) => string} nameOf
 */
export function drawScores(painter, option, game, before, after, fraction, style, nameOf) {
  const { color, g, grid, rounded } = painter;
  const gangs = [gangOf(after, 0), gangOf(after, 1)];
  const mostRowdiness = Math.min(40, option("rowdiness_to_siesta", 8));
  const mover = isNumber(game.winner) ? null : moverOf(before, game);
  gangs.forEach((gang, player) => gang && drawGang(painter, gang, player, mostRowdiness, mover === player, style));
  if (!gangs[0] || !gangs[1]) return;
  const { size, rows } = style;
  const pianos = [...after.values()].filter((thing) => thing.is_piano && !thing.is_destroyed).length;
  const bound = Math.ceil((pianos * (option("max_turns", 192) - game.current_turn)) / 2);
  const wide = grid.tile * grid.columns;
  const [width, high, middle] = [wide * 0.4, size * 0.62, grid.left + wide / 2];
  const [first, second] = [0, 1].map((player) =>
    between(gangOf(before, player)?.score ?? 0, gangs[player]?.score ?? 0, fraction),
  );
  const share = (first + INERTIA) / (first + second + 2 * INERTIA) || 0.5;
  const [left, top] = [middle - width / 2, rows[1] - high / 2];
  rounded(left, top, width, high, high / 2, color(1));
  g.save();
  g.beginPath();
  g.rect(left, top - 1, width * Math.max(0, Math.min(1, share)), high + 2);
  g.clip();
  rounded(left, top, width, high, high / 2, color(0));
  g.restore();
  g.fillStyle = style.ink;
  g.fillRect(middle - 1, top - 3, 2, high + 6);
  g.fillStyle = "#ffffff";
  g.fillRect(left + width * share - 1.5, top, 3, high);
  const isOver = Math.abs((gangs[0].score ?? 0) - (gangs[1].score ?? 0)) > bound && pianos;
  const lead = isOver ? `${leadOf(after, nameOf)}, out of reach` : leadOf(after, nameOf);
  const short = leadOf(after, (player) => nameOf(player).slice(0, 9));
  const texts = [`${lead} · ${plural(pianos, "piano")} left`, lead, short];
  drawFitting(painter, texts, middle, rows[0], size * 0.95, style.ink, {
    align: "center",
    weight: 600,
    room: wide * 0.42,
  });
}

/**
 * Draws the points, the kills, the bottles that hit the gang, and the turns that a siesta still lasts.
 * @param {Painter} painter @param {Thing} gang @param {number} player @param {number} most the bottles that lead to a
 * siesta @param {boolean} moves whether it is its turn @param {Style} style
 */
function drawGang(painter, gang, player, most, moves, style) {
  const { caption, color, g, grid, note, oval, polygon } = painter;
  const { size, rows, ink, dim } = style;
  const side = player === 0 ? 1 : -1;
  const align = player === 0 ? "left" : "right";
  const [x, y] = signPlace(painter, player, style);
  const r = size * 0.85;
  const edge = moves ? ink : undefined;
  if (player === 0) oval(x, y, r, r, color(player), edge, 2.5);
  else
    polygon(
      [
        [x - r * 1.2, y],
        [x, y - r * 1.2],
        [x + r * 1.2, y],
        [x, y + r * 1.2],
      ],
      color(player),
      edge,
      2.5,
    );
  g.save();
  g.translate(x - size * 0.12, y + size * 0.32);
  g.scale(size * 3, size * 3);
  note(0, 0, 0.85, "#ffffff");
  g.restore();
  const points = String(gang.score).slice(0, 7);
  caption(points, x + side * size * 1.35, y + 1, size * 1.6, ink, { align, weight: 750 });
  const after = x + side * (size * 1.95 + g.measureText(points).width);
  const room = grid.columns * grid.tile * 0.28 - Math.abs(after - x);
  const kills = plural(gang.kills, "kill");
  drawFitting(painter, [kills], after, y + size * 0.14, size * 0.86, dim, { align, weight: 500, room });
  const start = x - side * size * 0.85;
  for (let pip = 0; pip < most; pip++)
    drawPip(painter, start + side * (pip + 0.5) * size * 0.62, rows[1], size, pip < gang.rowdiness, style);
  const mood =
    gang.siesta > 0
      ? [`☾ asleep for ${gang.siesta}`, "☾"]
      : gang.rowdiness
        ? [`${gang.rowdiness} of ${most} bottles`, ""]
        : [""];
  const beside = start + side * (most + 0.6) * size * 0.62;
  const left = grid.columns * grid.tile * 0.27 - Math.abs(beside - start);
  drawFitting(painter, mood, beside, rows[1], size * 0.86, dim, { align, weight: 500, room: left });
}

/**
 * A bottle that has hit the gang, or one that can still come.
 * @param {Painter} painter @param {number} x @param {number} y @param {number} size @param {boolean} hit
 * @param {Style} style
 */
function drawPip({ g, rounded }, x, y, size, hit, style) {
  g.globalAlpha = hit ? 1 : 0.28;
  const fill = hit ? "#3cae68" : style.dim;
  rounded(x - size * 0.2, y - size * 0.18, size * 0.4, size * 0.62, size * 0.1, fill);
  rounded(x - size * 0.09, y - size * 0.5, size * 0.18, size * 0.4, size * 0.05, fill);
  g.globalAlpha = 1;
}

/**
 * Draws the first text for which there is room, or else the last one.
 * @param {Painter} painter @param {string[]} texts @param {number} x @param {number} y
 * @param {number} size @param {string} ink @param {{align: CanvasTextAlign, weight: number, room: number}} how
 */
function drawFitting({ caption, g }, texts, x, y, size, ink, how) {
  g.font = `${how.weight} ${size}px system-ui, sans-serif`;
  const fits = texts.find((text) => g.measureText(text).width <= how.room) ?? texts[texts.length - 1];
  caption(fits, x, y, size, ink, { ...how, room: Math.max(1, how.room) });
}
