/**
 * Draws Saloon: the floor from above, people and furniture from the front, and effects of recorded events. People and
 * pianos are higher than a tile, and stand in front of what is behind them.
 *
 * `floor.js` paints the background, `people.js` and `furniture.js` the things on it with the figures of `figures.js`,
 * `events.js` what happens between them, `scores.js` the strip above. `words.js` says it all.
 * @module
 */

import { shudder } from "arena/effects";
import { backdrop, between, ease, isNumber, placed, SMALL } from "arena/grid";
import { painter as painterOn } from "arena/painter";
import { cuesOf, drawEvent, drawPoint, lungesOf, PAUSES, throwBottle } from "./events.js";
import { paintFloor } from "./floor.js";
import { drawBottle, drawCallIn, drawFocus, drawFurnishing, drawPain } from "./furniture.js";
import { drawCowboy, drawMarks, drawYoungGun } from "./people.js";
import { drawScores, gangOf, moverOf, signPlace, styleOf } from "./scores.js";
import { action, describe, mark, reason, tell, tip } from "./words.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").State} State */

/** Who is in front of whom in the same row. */
const ORDER = ["Furnishing", "Cowboy", "YoungGun", "Bottle"];
/** The heads of young guns in the first row are so many tiles above the board. */
const HEADS = 0.5;

/** @param {HTMLCanvasElement} canvas @param {import("arena/painter").Context} context */
export function createRenderer(canvas, { players, header }) {
  const options = header?.options ?? {};
  const option = (/** @type {string} */ name, /** @type {number} */ usual) =>
    isNumber(options[name]) ? options[name] : usual;
  const painter = painterOn(canvas, players);
  const { g, grid } = painter;
  const floor = backdrop(canvas);
  const nameOf = (/** @type {number} */ player) => String(players[player]?.name ?? `Player ${player + 1}`).slice(0, 24);
  /** @type {import("arena/states").Thing[]} */
  let shown = [];

  /**
   * @param {State} before @param {State} after @param {number} fraction @param {GameEvent[]} events @param {Look} look
   */
  function draw(before, after, fraction, events, look) {
    const game = after.get("game") ?? [...after.values()].find((thing) => thing.class === "Game");
    if (!game) return;
    const small = look.width < SMALL;
    const strip = small ? 0 : Math.min(Math.max(46, look.height * 0.085), look.height * 0.14);
    grid.fit(look.width, look.height - strip, game.width, game.height + HEADS, 0.05);
    grid.rows = game.height;
    grid.top += strip + HEADS * grid.tile;
    const hazards = tilesOf(game.hazards);
    shown = [...after.values()].filter((thing) => isNumber(thing.x));
    /** @type {[number, number][]} */
    const pianos = shown.filter((thing) => thing.is_piano && isNumber(thing.y)).map(({ x, y }) => [x, y]);
    const key = [game.width, game.height, hazards.length, ...pianos];
    floor(look, key, (to) => paintFloor(to, grid, hazards, pianos, look.dark));
    const moves = fraction < 1 && !look.still;
    const part = moves ? fraction : 1;
    const pieces = placed(before, after, fraction);
    for (const { thing } of pieces) if (thing.class === "YoungGun") drawCallIn(painter, thing);
    for (const piece of pieces) if (piece.thing.focus > 0 && !piece.gone) drawFocus(painter, piece, look);
    drawPain(painter, hazards, pieces);
    const lunges = lungesOf(events, after, before);
    pieces.sort((a, b) => a.y - b.y || ORDER.indexOf(a.thing.class) - ORDER.indexOf(b.thing.class));
    if (moves) for (const piece of pieces) if (piece.thing.class === "Bottle") throwBottle(piece, events, fraction);
    const current = painter.color(moverOf(before, game));
    for (const piece of pieces) drawPiece(piece, part, lunges, look, current);
    for (const piece of pieces) drawSigns(piece, part, look);
    if (moves) for (const event of events) drawEvent(painter, event, before, after, fraction, nameOf(event.player));
    if (small) return;
    const style = styleOf(painter, look, strip + HEADS * grid.tile);
    drawScores(painter, option, game, before, after, fraction, style, nameOf);
    if (!moves) return;
    for (const { kind, cowboy, piano } of events) {
      const owner = (after.get(cowboy) ?? before.get(cowboy))?.owner;
      if (kind === "play" && (owner === 0 || owner === 1))
        drawPoint(painter, after.get(piano), owner, fraction, signPlace(painter, owner, style));
    }
  }

  /** The part of a thing's full health, between two states. @param {Placed} piece @param {number} fraction */
  function health({ thing, before }, fraction) {
    const [name, usual] = thing.job ? ["cowboy", 10] : thing.is_piano ? ["piano", 48] : ["furnishing", 16];
    return between(before?.health ?? thing.health, thing.health, fraction) / option(`${name}_health`, Number(usual));
  }

  /**
   * Health and other signs, in front of all figures.
   * @param {Placed} piece @param {number} fraction @param {Look} look
   */
  function drawSigns(piece, fraction, look) {
    if (piece.thing.class !== "Cowboy" || piece.gone) return;
    grid.inTile(g, piece.x, piece.y, () => drawMarks(painter, piece, health(piece, fraction), look));
  }

  /**
   * @param {Placed} piece @param {number} fraction @param {ReturnType<typeof lungesOf>} lunges @param {Look} look
   * @param {string} current the colour of the gang that moves
   */
  function drawPiece(piece, fraction, lunges, look, current) {
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
      const falls = piece.gone > 0 && isCowboy;
      g.globalAlpha = falls ? 1 : piece.gone ? 1 - piece.gone : Math.min(1, 0.2 + 2 * piece.born);
      if (falls) fall(piece.gone, thing.x % 2 ? 1 : -1);
      if (look.selected === thing.id || look.hovered === thing.id) ring(0.49, look.dark ? "#ffffff" : "#1b1208");
      drawOf[thing.class]?.(piece, fraction, look, current);
    });
    if (lost > 0) grid.inTile(g, piece.x, piece.y - 0.4, () => loss(hurt, lost));
  }

  /** @type {Record<string, (piece: Placed, fraction: number, look: Look, current: string) => void>} */
  const drawOf = {
    Cowboy: (piece, fraction, look) => drawCowboy(painter, piece, fraction, look),
    Furnishing: (piece, fraction, look, current) =>
      drawFurnishing(painter, piece, health(piece, fraction), current, look),
    Bottle: (piece) => drawBottle(painter, piece),
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
    describe: (/** @type {import("arena/painter").Turn} */ turn) => describe(turn, nameOf),
    action,
    reason: (/** @type {any} */ outcome) => reason(outcome, nameOf),
    tip: (/** @type {string} */ id, /** @type {State} */ state) => tip(/** @type {any} */ (state.get(id)), nameOf),
    tell: (/** @type {GameEvent} */ event, /** @type {() => State} */ before) => tell(event, before(), nameOf),
    duration: (/** @type {GameEvent} */ { kind }) => PAUSES[kind] ?? 0,
    cues: cuesOf,
  };
}

/** @param {any} list @returns {[number, number][]} */
const tilesOf = (list) =>
  Array.isArray(list) ? list.filter((tile) => Array.isArray(tile) && isNumber(tile[0]) && isNumber(tile[1])) : [];

/**
 * How a person on the way is beside the straight line: steps go up and down, and who is drunk sways.
 * @param {Placed} piece @param {number} fraction
 */
function stride({ thing, before }, fraction) {
  const [dx, dy] = [thing.x - before?.x, thing.y - before?.y];
  const sway = thing.is_drunk || before?.is_drunk ? 0.14 * Math.sin(2 * Math.PI * fraction) : 0;
  return [-dy * sway, dx * sway - 0.07 * Math.abs(Math.sin(2 * Math.PI * fraction))];
}
