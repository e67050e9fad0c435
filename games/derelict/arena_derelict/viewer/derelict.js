/**
 * Draws Derelict: the wreck from above, marines and aliens with their facings and marks, contacts as on a radar screen,
 * what the marines see, and every roll with its dice.
 *
 * `scene.js` has what all parts of the picture share, `sight.js` computes what marines see. The parts are, in the order
 * in which they are painted: `ship.js`, `light.js`, `fixtures.js`, `units.js` with `marines.js`, `fights.js`,
 * `head.js`. `words.js` says it all.
 * @module
 */

import { backdrop, between, ease, placed, SMALL } from "arena/grid";
import { painter as painterOn } from "arena/painter";
import { ROLL } from "arena/rolls";
import { drawEvent, drawFight, drawRolls } from "./fights.js";
import { drawDoor, drawFlame } from "./fixtures.js";
import { drawHead } from "./head.js";
import { drawRays, drawWatched, shade } from "./light.js";
import { isRoll, paletteOf, schedule, sideOf, unitsOf } from "./scene.js";
import { paintShip } from "./ship.js";
import { drawUnit } from "./units.js";
import { action, describe, mark, reason, tell, tip } from "./words.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("./scene.js").GameEvent} GameEvent */
/** @typedef {import("./scene.js").Look} Look */
/** @typedef {import("./scene.js").Plan} Plan */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").State} State */
/** @typedef {import("./scene.js").Thing} Thing */

/** The extra time for which the board shows an event, in milliseconds. @type {Record<string, number>} */
const PAUSES = { revealed: 500, destroyed: 250, turn: 500, jam: 400, flames: 400 };
/** What is heard and felt of events. @type {Record<string, import("arena/cues").Cue>} */
const CUES = {
  destroyed: { sound: "crash", shake: 4 },
  door: { sound: "door" },
  flames: { sound: "fire", shake: 2 },
  jam: { sound: "tick", pitch: 0.5 },
  revealed: { sound: "blip", shake: 2 },
  placed: { sound: "blip", pitch: 0.7 },
  turn: { sound: "gong" },
};
/** The sounds of rolls of a weapon; other rolls sound like dice. @type {Record<string, string>} */
const NOISES = { shoot: "shot", overwatch: "shot", assault_door: "thud", flame_hit: "fire" };

/** @param {HTMLCanvasElement} canvas @param {import("arena/painter").Context} context */
export function createRenderer(canvas, { players, header }) {
  const options = header?.options ?? {};
  const painter = painterOn(canvas, players);
  const { g, grid } = painter;
  const ground = backdrop(canvas);
  const darken = shade(canvas);
  /** @type {Thing[]} */
  let units = [];
  /** @type {Thing[]} */
  let doors = [];

  /**
   * @param {State} before @param {State} after @param {number} fraction @param {GameEvent[]} events @param {Look} look
   */
  function draw(before, after, fraction, events, look) {
    const game = after.get("game");
    if (!game) return;
    const palette = paletteOf(look.dark);
    const strip = look.width < SMALL ? 0 : Math.max(32, Math.min(54, look.height * 0.11), look.height * 0.075);
    grid.fit(look.width, look.height - strip, game.width, game.height, 0.15);
    grid.top += strip;
    units = unitsOf(after);
    doors = [...after.values()].filter((thing) => thing.class === "Door");
    ground(look, game.cells, (to) => paintShip(to, painter, game, palette));
    /** @type {Scene} */
    const scene = {
      ...{ painter, options, game, before, after, look, palette, units },
      fraction: look.still ? 1 : fraction,
      plan: schedule(events, before, after),
    };
    drawBoard(scene);
    const { fraction: at, plan } = scene;
    for (const { event, from, to } of plan.slots) drawFight(scene, event, (at - from) / (to - from));
    if (at < 1) for (const event of events) drawEvent(scene, event);
    drawRolls(scene);
    if (strip) drawHead(scene, strip);
  }

  /** @param {Scene} scene */
  function drawBoard(scene) {
    const { after, before, fraction, game, look, plan } = scene;
    const arrived = Math.min(1, fraction / plan.arrives);
    const pieces = placed(before, after, fraction < 1 ? Math.min(0.9999, arrived) : 1).filter(
      ({ thing }) => thing.class === "Unit",
    );
    darken(scene, pieces, arrived);
    drawWatched(scene);
    for (const door of doors) drawDoor(scene, door, arrived);
    for (const [x, y] of game.flames ?? [])
      grid.inTile(g, x, y, () => drawFlame(painter, fraction, x * 3 + y * 5, look.beat));
    for (const unit of units) if (unit.id === look.selected || unit.id === look.hovered) drawRays(scene, unit);
    for (const piece of pieces) {
      if (piece.gone) settle(piece, plan, fraction);
      drawUnit(scene, piece);
    }
  }

  /** The number of units that pass a test. @param {State} state @param {(unit: Thing) => boolean} test */
  const count = (state, test) => unitsOf(state).filter(test).length;

  return {
    draw,
    place: (/** @type {number} */ x, /** @type {number} */ y) => grid.place(x, y),
    pick: (/** @type {number} */ px, /** @type {number} */ py) => grid.idAt(px, py, [...units, ...doors]),
    series: () => [
      {
        name: "units",
        title: "units on board",
        standing: false,
        value: (/** @type {State} */ state, /** @type {number} */ player) =>
          count(state, (unit) => sideOf(unit) === player),
      },
      of(1, "contacts", (state) => count(state, (unit) => unit.kind === "blip")),
      {
        ...of(0, "overwatch", (state) => count(state, (unit) => unit.overwatch === true)),
        title: "marines on overwatch",
      },
      of(0, "command points", (state) => state.get("game")?.command_points ?? null),
      of(0, "fuel", (state) => state.get("game")?.flamer_fuel ?? null),
    ],
    roles: () => ["marines", "aliens"],
    action,
    reason,
    mark,
    describe,
    tip,
    tell,
    /** @param {GameEvent[]} events @param {State} before @param {State} after */
    cues(events, before, after) {
      const { slots, due } = schedule(events, before, after);
      const rolls = slots.map(({ event, from }) => {
        const sound = event.kind === "assault" ? "thud" : (NOISES[event.label] ?? "dice");
        return { at: from, sound, shake: event.kind === "assault" ? 2 : 0 };
      });
      return [...rolls, ...events.map(({ kind, unit }) => CUES[kind] && { at: due.get(unit) ?? 0, ...CUES[kind] })];
    },
    duration: (/** @type {GameEvent} */ event) => (isRoll(event) ? ROLL : (PAUSES[event.kind] ?? 0)),
  };
}

/**
 * A unit that is destroyed goes to where it is hit, and vanishes from then on.
 * @param {Placed} piece @param {Plan} plan @param {number} fraction
 */
function settle(piece, plan, fraction) {
  const { id } = piece.thing;
  const due = plan.due.get(id) ?? 0;
  const { x, y } = plan.places.get(id) ?? piece;
  const way = ease(Math.min(1, fraction / plan.arrives));
  piece.x = between(piece.x, x, way);
  piece.y = between(piece.y, y, way);
  piece.gone = Math.max(0.001, (fraction - due) / (1.001 - due));
}

/**
 * A chart that only one player has.
 * @param {number} owner @param {string} name @param {(state: State) => number | null} value
 */
const of = (owner, name, value) => ({
  name,
  value: (/** @type {State} */ state, /** @type {number} */ player) => (player === owner ? value(state) : null),
});
