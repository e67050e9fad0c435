/**
 * Draws Saloon: the floor from above, people and furniture from the front, and effects of recorded events.
 *
 * `floor.js` paints the background, `people.js` and `furniture.js` the things on it, `events.js` what happens between
 * them, `scores.js` the strip above. `words.js` says it all.
 * @module
 */

import { shudder } from "arena/effects";
import { backdrop, ease, isNumber, placed, SMALL } from "arena/grid";
import { painter as painterOn } from "arena/painter";
import { cuesOf, drawEvent, lungesOf, PAUSES, throwBottle } from "./events.js";
import { paintFloor } from "./floor.js";
import { drawBottle, drawCallIn, drawFocus, drawFurnishing } from "./furniture.js";
import { drawCowboy, drawYoungGun } from "./people.js";
import { drawScores, gangOf } from "./scores.js";
import { action, describe, mark, reason, tell, tip } from "./words.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").State} State */

/** Who stands in front of whom. */
const ORDER = ["Furnishing", "Bottle", "Cowboy", "YoungGun"];

/** @param {HTMLCanvasElement} canvas @param {import("arena/painter").Context} context */
export function createRenderer(canvas, { players, header }) {
  const options = header?.options ?? {};
  const option = (/** @type {string} */ name, /** @type {number} */ usual) =>
    isNumber(options[name]) ? options[name] : usual;
  const painter = painterOn(canvas, players);
  const { g, grid } = painter;
  const floor = backdrop(canvas);
  const nameOf = (/** @type {number} */ player) => String(players[player]?.name ?? "");
  /** @type {import("arena/states").Thing[]} */
  let shown = [];

  /**
   * @param {State} before @param {State} after @param {number} fraction @param {GameEvent[]} events @param {Look} look
   */
  function draw(before, after, fraction, events, look) {
    const game = after.get("game") ?? [...after.values()].find((thing) => thing.class === "Game");
    if (!game) return;
    const small = look.width < SMALL;
    const strip = small ? 0 : Math.min(Math.max(46, look.height * 0.075), look.height * 0.11);
    grid.fit(look.width, look.height - strip, game.width, game.height, 0.05);
    grid.top += strip;
    const size = [game.width, game.height, game.hazards?.length];
    floor(look, size, (to) => paintFloor(to, grid, game.hazards ?? [], look.dark));
    const pieces = placed(before, after, fraction);
    shown = [...after.values()].filter((thing) => isNumber(thing.x));
    for (const { thing } of pieces) if (thing.class === "YoungGun") drawCallIn(painter, thing, look);
    for (const piece of pieces) if (piece.thing.focus > 0 && !piece.gone) drawFocus(painter, piece, look);
    const lunges = lungesOf(events, after, before);
    pieces.sort((a, b) => ORDER.indexOf(a.thing.class) - ORDER.indexOf(b.thing.class) || a.y - b.y);
    const moves = fraction < 1 && !look.still;
    if (moves) for (const piece of pieces) if (piece.thing.class === "Bottle") throwBottle(piece, events, fraction);
    for (const piece of pieces) drawPiece(piece, moves ? fraction : 1, lunges, look);
    if (moves)
      for (const event of events) drawEvent(painter, event, before, after, fraction, nameOf(event.player).slice(0, 24));
    if (!small) drawScores(painter, option, game, before, after, fraction, look, strip);
  }

  /** @param {Placed} piece @param {number} fraction @param {ReturnType<typeof lungesOf>} lunges @param {Look} look */
  function drawPiece(piece, fraction, lunges, look) {
    const { fall, loss, ring } = painter;
    const { thing } = piece;
    const [dx, dy] = lunges.get(thing.id) ?? [0, 0];
    const reach = 0.32 * Math.sin(Math.PI * Math.min(1, fraction * 1.7));
    const isCowboy = thing.class === "Cowboy";
    const isPerson = isCowboy || thing.class === "YoungGun";
    const drop = isCowboy && piece.born < 1 ? 0.8 - 0.8 * ease(piece.born) : 0;
    const hurt = (fraction - 0.35) / 0.65;
    const lost = hurt > 0 && hurt < 1 ? (piece.before?.health ?? 0) - thing.health : 0;
    const [x, y] = isPerson && piece.moved ? stride(piece, fraction) : [0, 0];
    grid.inTile(g, piece.x + x + dx * reach + (lost > 0 ? shudder(hurt) : 0), piece.y + y + dy * reach - drop, () => {
      if (isPerson) g.scale(1.12, 1.12);
      const falls = piece.gone > 0 && isCowboy;
      g.globalAlpha = falls ? 1 : piece.gone ? 1 - piece.gone : Math.min(1, 0.2 + 2 * piece.born);
      if (falls) fall(piece.gone, thing.x % 2 ? 1 : -1);
      if (look.selected === thing.id || look.hovered === thing.id) ring(0.49, look.dark ? "#ffffff" : "#1b1208");
      drawOf[thing.class]?.(piece, fraction, look);
    });
    if (lost > 0) grid.inTile(g, piece.x, piece.y, () => loss(hurt, lost));
  }

  /** @type {Record<string, (piece: Placed, fraction: number, look: Look) => void>} */
  const drawOf = {
    Cowboy: (piece, fraction) => drawCowboy(painter, piece, fraction, option("cowboy_health", 10)),
    Furnishing: (piece, fraction, look) => {
      const health = piece.thing.is_piano ? option("piano_health", 48) : option("furnishing_health", 16);
      drawFurnishing(painter, piece, fraction, health, look.beat);
    },
    Bottle: (piece, fraction) => drawBottle(painter, piece, fraction),
    YoungGun: (piece) => drawYoungGun(painter, piece),
  };

  return {
    draw,
    place: (/** @type {number} */ x, /** @type {number} */ y) => grid.place(x, y),
    pick: (/** @type {number} */ px, /** @type {number} */ py) => grid.idAt(px, py, shown),
    series: () => [
      ...["score", "kills", "rowdiness"].map((name) => ({
        name,
        unit: "points",
        value: (/** @type {State} */ state, /** @type {number} */ player) => gangOf(state, player)?.[name] ?? null,
      })),
      {
        name: "cowboys",
        value: (/** @type {State} */ state, /** @type {number} */ player) =>
          [...state.values()].filter((thing) => thing.job && thing.owner === player).length,
      },
    ],
    mark,
    describe,
    action,
    reason: (/** @type {any} */ outcome) => reason(outcome, (at) => players[at]?.name ?? `Player ${at + 1}`),
    tip: (/** @type {string} */ id, /** @type {State} */ state) =>
      tip(/** @type {any} */ (state.get(id)), (owner) => nameOf(owner).slice(0, 40)),
    tell: (/** @type {GameEvent} */ event) => tell(event, nameOf(event.player).slice(0, 40)),
    duration: (/** @type {GameEvent} */ { kind }) => PAUSES[kind] ?? 0,
    cues: cuesOf,
  };
}

/**
 * How a person on the way is beside the straight line: steps go up and down, and who is drunk sways.
 * @param {Placed} piece @param {number} fraction
 */
function stride({ thing, before }, fraction) {
  const [dx, dy] = [thing.x - before?.x, thing.y - before?.y];
  const sway = thing.is_drunk || before?.is_drunk ? 0.14 * Math.sin(2 * Math.PI * fraction) : 0;
  return [-dy * sway, dx * sway - 0.07 * Math.abs(Math.sin(2 * Math.PI * fraction))];
}
