/**
 * Draws Laser Flag: the hall from above, units as tokens, and beams with their dice. Around the selected unit it shows
 * where the unit can go, what it sees, and which number it needs for a hit.
 *
 * `hall.js` and `abilities.js` compute sight, ranges and numbers by the rules. `scene.js` has what all parts of the
 * picture share. Those are, in the order in which they are painted: `floor.js`, `overlays.js`, `tokens.js`, `shots.js`,
 * `scores.js`. `words.js` says it all.
 * @module
 */

import { backdrop, placed, SMALL } from "arena/grid";
import { painter as painterOn } from "arena/painter";
import { ROLL } from "arena/rolls";
import { paintFloor } from "./floor.js";
import { Hall } from "./hall.js";
import { drawAims, drawAround, drawFog, drawWatched, viewerOf } from "./overlays.js";
import { paletteOf, schedule, unitsOf } from "./scene.js";
import { drawScores } from "./scores.js";
import { drawBeam, drawEvent, drawRolls, settle } from "./shots.js";
import { drawToken } from "./tokens.js";
import { wording } from "./words.js";

/** @typedef {import("./scene.js").GameEvent} GameEvent */
/** @typedef {import("./scene.js").Look} Look */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").State} State */
/** @typedef {import("./scene.js").Thing} Thing */

/** What is heard and felt of events. @type {Record<string, import("arena/cues").Cue>} */
const CUES = {
  deactivated: { sound: "thud", shake: 2 },
  eliminated: { sound: "crash", shake: 4 },
  charged: { sound: "chime" },
  bump: { sound: "thud" },
  checkmate: { sound: "gong" },
};

/** @param {HTMLCanvasElement} canvas @param {import("arena/painter").Context} context */
export function createRenderer(canvas, { players, header }) {
  const options = header?.options ?? {};
  const rules = options.rules ?? {};
  const painter = painterOn(canvas, players);
  const { grid } = painter;
  const floor = backdrop(canvas);
  /** @type {Map<string, Hall>} by their rows; sight is computed once for each */
  const halls = new Map();
  /** @type {Thing[]} */
  let units = [];
  /** @type {Thing[]} */
  let bases = [];
  let button = { x: 0, y: 0, width: 0, height: 0, on: false };

  /** @param {string[]} rows */
  function hallOf(rows) {
    const key = rows.join("\n");
    const hall = halls.get(key) ?? new Hall(rows);
    halls.set(key, hall);
    return hall;
  }

  /**
   * @param {State} before @param {State} after @param {number} fraction @param {GameEvent[]} events @param {Look} look
   */
  function draw(before, after, fraction, events, look) {
    const game = after.get("game");
    if (!game) return;
    const palette = paletteOf(look.dark);
    const strip = look.width < SMALL ? 0 : Math.max(34, Math.min(58, look.height * 0.12), look.height * 0.08);
    grid.fit(look.width, look.height - strip, game.width, game.height, 0.25);
    grid.top += strip;
    const hall = hallOf(game.terrain ?? []);
    bases = [...after.values()].filter((thing) => thing.class === "Base");
    floor(look, hall.key, (to) => paintFloor(to, painter, hall, bases, palette));
    units = unitsOf(after);
    /** @type {Scene} */
    const scene = {
      ...{ painter, rules, hall, palette, look, units, before, after },
      fraction: look.still ? 1 : fraction,
      plan: schedule(events, before, after),
      taken: [[0, 0, look.width, strip]], // labels do not cover the scores
    };
    const chosen = look.selected === null ? undefined : units.find(({ id }) => id === look.selected);
    const viewer = viewerOf(options, after, look);
    if (viewer !== null) drawFog(scene, viewer);
    if (look.selected === "game")
      drawWatched(
        scene,
        units.filter(({ player }) => player !== game.active_player),
      );
    if (chosen) drawAround(scene, chosen);
    drawTokens(scene);
    drawEvents(scene, chosen, events);
    if (strip) button = drawScores(scene, players, strip);
  }

  /** @param {Scene} scene */
  function drawTokens(scene) {
    const { after, before, fraction, plan } = scene;
    const pieces = placed(before, after, fraction < 1 ? Math.min(0.9999, fraction / plan.arrives) : 1);
    for (const piece of pieces) if (piece.thing.class === "Unit") drawToken(scene, settle(scene, piece), piece);
  }

  /** @param {Scene} scene @param {Thing | undefined} chosen @param {GameEvent[]} events */
  function drawEvents(scene, chosen, events) {
    const { fraction, plan, taken } = scene;
    for (const { id, x, y } of units)
      if (id === chosen?.id || plan.slots.length)
        taken.push([...grid.place(x + 0.1, y + 0.1), grid.tile * 0.8, grid.tile * 0.8]);
    if (chosen) drawAims(scene, chosen);
    for (const { event, from, to } of plan.slots) drawBeam(scene, event, (fraction - from) / (to - from));
    if (fraction < 1) for (const event of events) drawEvent(scene, event);
    drawRolls(scene);
  }

  /** A sum over the units of a player. @param {(unit: Thing) => number} value */
  const sum = (value) => (/** @type {State} */ state, /** @type {number} */ player) =>
    unitsOf(state).reduce((total, unit) => total + (unit.player === player ? value(unit) : 0), 0);

  return {
    draw,
    place: (/** @type {number} */ x, /** @type {number} */ y) => grid.place(x, y),
    /** @param {number} px @param {number} py */
    pick(px, py) {
      const { x, y, width, height, on } = button;
      if (px >= x && px <= x + width && py >= y && py <= y + height) return on ? null : "game";
      return grid.idAt(px, py, [...units, ...bases]);
    },
    series: () => [
      {
        name: "score",
        unit: "points",
        value: (/** @type {State} */ state, /** @type {number} */ player) => state.get(`p${player}`)?.score ?? null,
      },
      { name: "units", value: sum(() => 1) },
      { name: "lasers", title: "charged lasers", value: sum(({ laser }) => (laser === "charged" ? 1 : 0)) },
      { name: "reaction shots", value: sum(({ overwatch }) => overwatch) },
    ],
    roles() {
      if (options.map?.mode !== "assault") return [];
      const defends = (/** @type {number} */ player) =>
        options.map.bases?.some((/** @type {Thing} */ base) => base.owner === player);
      return [0, 1].map((player) => (defends(player) ? "defender" : "attacker"));
    },
    /** @param {GameEvent[]} events @param {State} before @param {State} after */
    cues(events, before, after) {
      const { slots, due } = schedule(events, before, after);
      const shots = slots.map(({ event, from }) => ({ at: from, sound: "beam", pitch: event.reaction ? 1.3 : 1 }));
      return [...shots, ...events.map(({ kind, unit }) => CUES[kind] && { at: due.get(unit) ?? 0.2, ...CUES[kind] })];
    },
    duration: (/** @type {GameEvent} */ { kind }) => (kind === "shot" ? ROLL : kind === "checkmate" ? 900 : 0),
    ...wording(players, rules),
  };
}
