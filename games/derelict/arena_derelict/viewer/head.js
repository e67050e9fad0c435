/** The strip above the ship: what both sides have, whose move it is, and how the game ended. */

import { isNumber } from "arena/grid";
import { plural } from "arena/labels";
import { ENDINGS } from "./words.js";

/** @typedef {import("./scene.js").Scene} Scene */

/** What a player decides. @type {Record<string, string>} */
const ASKED = {
  deploy_pick: "picks a marine to deploy",
  deploy_place: "deploys a marine",
  command_reroll: "may roll command points again",
  reinforce: "places reinforcements",
  reveal: "reveals a contact",
  forced_orient: "turns a revealed alien",
  forced_place: "places the aliens of a contact",
  alien_die_reroll: "may have a die rolled again",
  guard_reroll: "may roll again, on guard",
  face_attacker: "may face the attacker",
  unjam_now: "may clear the jam",
};

const sideName = (/** @type {number} */ player) => (player === 0 ? "marines" : "aliens");

/** @param {Scene} scene @param {number} strip the height above the board */
export function drawHead({ after, game, look, options, painter, palette, units }, strip) {
  const { caption, color, grid } = painter;
  const size = Math.max(11, Math.min(22, strip * 0.29, look.width / 36));
  const width = Math.min(look.width - 12, Math.max(grid.tile * grid.columns, 330));
  const [left, middle, right] = [(look.width - width) / 2, look.width / 2, (look.width + width) / 2];
  const [upper, lower] = [size, size * 2.5];
  const room = width * 0.42;
  const count = (/** @type {string} */ kind, /** @type {string} */ noun) =>
    plural(units.filter((unit) => unit.kind === kind).length, noun);
  // The colours of players are too light for words on a light ground.
  const ink = (/** @type {number} */ player) =>
    look.dark ? color(player) : `color-mix(in srgb, ${color(player)} 55%, ${palette.ink})`;
  const stores = game.ruleset === "full" ? `command ${game.command_points}   fuel ${game.flamer_fuel}` : "core rules";
  caption(count("marine", "marine"), left, upper, size * 1.1, ink(0), { align: "left", room });
  caption(stores, left, lower, size * 0.86, palette.dim, { align: "left", weight: 500, room });
  caption(count("alien", "alien"), right, upper, size * 1.1, ink(1), { align: "right", room });
  caption(count("blip", "contact"), right, lower, size * 0.86, palette.dim, { align: "right", weight: 500, room });
  const limit = options.turn_limit > 0 ? ` / ${options.turn_limit}` : "";
  caption(`game turn ${game.turn}${limit}`, middle, upper, size, palette.ink, { room });
  if (!game.ended) {
    caption(doing(game, after), middle, lower, size * 0.9, palette.dim, { weight: 500, room });
    return;
  }
  const isWon = isNumber(game.winner);
  const result = `${isWon ? `${sideName(game.winner)} win` : "drawn"}: ${ENDINGS[game.ended] ?? game.ended}`;
  caption(result, middle, lower, size * 0.9, isWon ? ink(game.winner) : palette.ink, { room });
}

/** @param {import("./scene.js").Thing} game @param {import("./scene.js").State} state */
function doing(game, state) {
  const decision = state.get(game.decision);
  const active = state.get(game.active);
  if (decision && ASKED[decision.kind]) return `${sideName(decision.player)}: ${ASKED[decision.kind]}`;
  if (!active) return `${game.side === "marine" ? "marines" : "aliens"} to move`;
  return `${active.marine_type?.replace("marine_", "") ?? active.kind} ${active.id}: ${plural(game.ap, "point")}`;
}
