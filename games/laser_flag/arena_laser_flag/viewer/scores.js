/** The strip above the hall: scores and lasers of both teams, the turns left, and the button for the watched tiles. */

import { between, isNumber } from "arena/grid";
import { plural } from "arena/labels";
import { DANGER } from "./scene.js";
import { REASONS } from "./words.js";

/** @typedef {import("arena/painter").Player} Player */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Thing} Thing */
/** @typedef {{x: number, y: number, width: number, height: number, on: boolean}} Button */

/**
 * @param {Scene} scene @param {Player[]} players @param {number} strip the height above the board
 * @returns {Button} the place of the button on the canvas
 */
export function drawScores(scene, players, strip) {
  const { after, look, painter, palette } = scene;
  const { caption, color, grid } = painter;
  const game = /** @type {Thing} */ (after.get("game"));
  const size = Math.max(11, Math.min(22, strip * 0.28, look.width / 34));
  const width = Math.min(look.width - 12, Math.max(grid.tile * grid.columns, 340));
  const [left, right] = [(look.width - width) / 2, (look.width + width) / 2];
  drawTeam(scene, 0, left, width * 0.27, size);
  drawTeam(scene, 1, right, width * 0.27, size);
  const over = game.reason ?? null;
  const ink = over && isNumber(game.winner) ? color(game.winner) : palette.ink;
  const name = isNumber(game.winner) ? `${String(players[game.winner]?.name ?? "").slice(0, 14)} wins` : "A draw";
  const turns = Math.max(0, game.last_turn - game.turn + 1);
  const words = over ? `${name} ${REASONS[over] ?? ""}` : `at most ${plural(turns, "more turn")}`;
  caption(words, look.width / 2, size * 0.9, size, ink, { room: width * 0.44 });
  return drawButton(scene, size);
}

/** @param {Scene} scene @param {number} size @returns {Button} */
function drawButton({ look, painter, palette }, size) {
  const { caption, eye, g, rounded } = painter;
  const on = look.selected === "game";
  g.font = `600 ${size * 0.85}px system-ui, sans-serif`;
  const width = g.measureText("watched tiles").width + size * 2.8;
  const [x, y, height] = [look.width / 2 - width / 2, size * 1.65, size * 1.6];
  rounded(x, y, width, height, size * 0.8, on ? DANGER : palette.floor[1], on ? DANGER : palette.dim);
  eye(x + size * 1.05, y + height / 2, size * 0.5, on ? "#ffffff" : palette.dim, "#c81e4a");
  const ink = on ? "#ffffff" : palette.ink;
  caption("watched tiles", x + size * 1.9, y + height / 2, size * 0.85, ink, { align: "left", weight: 600 });
  return { x, y, width, height, on };
}

/** @param {Scene} scene @param {number} player @param {number} x @param {number} width @param {number} size */
function drawTeam({ after, before, fraction, painter, palette, units }, player, x, width, size) {
  const { caption, color, rounded } = painter;
  const team = after.get(`p${player}`);
  if (!team) return;
  const own = units.filter((unit) => unit.player === player);
  const charged = own.filter((unit) => unit.laser === "charged").length;
  const target = team.target_score;
  const align = player ? "right" : "left";
  const score = isNumber(target) ? `${team.score} / ${target}` : plural(team.score, "point");
  caption(score, x, size * 0.9, size * 1.25, color(player), { align });
  rounded(player ? x - width : x, size * 1.75, width, size * 0.38, size * 0.19, palette.seam);
  const now = between(before.get(`p${player}`)?.score ?? team.score, team.score, fraction);
  const most = isNumber(target) ? target : Math.max(10, team.score, after.get(`p${1 - player}`)?.score ?? 0);
  const part = Math.max(0, Math.min(1, now / Math.max(1, most))) * width;
  rounded(player ? x - part : x, size * 1.75, part, size * 0.38, size * 0.19, color(player));
  const lasers = `${charged} of ${plural(own.length, "laser")}`;
  caption(lasers, x, size * 2.75, size * 0.82, palette.dim, { align, weight: 500 });
}
