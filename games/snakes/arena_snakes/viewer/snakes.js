/**
 * Draws Snakes: each body as one piece from head to tail, food, and a row with the length and health of each snake.
 *
 * `state.js` reads a state, `board.js` paints the floor, the food and the row above, `bodies.js` the snakes, `words.js`
 * says what happened.
 * @module
 */

import { backdrop, isNumber, SMALL } from "arena/grid";
import { painter as painterOn } from "arena/painter";
import { drawFood, drawScores, paintFloor, toneOf } from "./board.js";
import { burst, drawCross, drawSnake } from "./bodies.js";
import { bodyOf, isOut, snakesOf } from "./state.js";
import { wording } from "./words.js";

/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/states").Thing} Thing */

/**
 * What is heard and felt: the snake meets food or another snake at the end of its move.
 * @type {Record<string, import("arena/cues").Cue>}
 */
const CUES = {
  eliminated: { sound: "crash", at: 0.5, shake: 4 },
  eaten: { sound: "bite", at: 0.7 },
  food: { sound: "pop", at: 0.9 },
};

/** @param {HTMLCanvasElement} canvas @param {import("arena/painter").Context} context */
export function createRenderer(canvas, { players }) {
  const painter = painterOn(canvas, players);
  const { g, grid } = painter;
  const floor = backdrop(canvas);
  /** @type {Thing[]} the snakes that are not out */
  let shown = [];

  /**
   * @param {State} before @param {State} after @param {number} fraction @param {GameEvent[]} _events @param {Look} look
   */
  function draw(before, after, fraction, _events, look) {
    const game = after.get("game");
    if (!game) return;
    const tone = toneOf(look.dark);
    const small = look.width < SMALL;
    const strip = small ? 0 : Math.min(Math.max(34, look.height * 0.07), look.height * 0.15);
    grid.fit(look.width, look.height - strip, game.width, game.height, 0.15);
    grid.top += strip;
    floor(look, [game.width, game.height], (to) => paintFloor(to, grid, tone));
    drawFood(painter, before, after, fraction, tone);
    const snakes = snakesOf(after);
    shown = snakes.filter((snake) => !isOut(snake));
    const fading = snakes.filter((snake) => isOut(snake) && !isOut(before.get(snake.id)));
    g.save();
    g.beginPath();
    g.rect(...grid.place(0, 0), grid.tile * grid.columns, grid.tile * grid.rows); // not over the row above
    g.clip();
    for (const snake of fading) {
      g.globalAlpha = look.still || fraction === 1 ? 0.35 : 1 - 0.65 * fraction;
      drawSnake(painter, snake, before.get(snake.id), look.still ? 1 : fraction, look);
      g.globalAlpha = 1;
      if (!look.still && fraction < 1) burst(painter, snake, fraction);
    }
    g.restore();
    for (const snake of fading) drawCross(painter, snake, look.still ? 1 : fraction, tone);
    for (const snake of shown) drawSnake(painter, snake, before.get(snake.id), fraction, look);
    if (!small) drawScores(painter, snakes, before, fraction, look, strip);
  }

  /** A value of a player's snake while it is not out. @param {(snake: Thing) => number | null} value */
  const living = (value) => (/** @type {State} */ state, /** @type {number} */ player) => {
    const snake = state.get(`s${player}`);
    return !snake || isOut(snake) ? null : value(snake);
  };

  return {
    draw,
    place: (/** @type {number} */ x, /** @type {number} */ y) => grid.place(x, y),
    /** @param {number} px @param {number} py */
    pick(px, py) {
      const [x, y] = grid.tileAt(px, py);
      return shown.find((snake) => bodyOf(snake).some((tile) => tile[0] === x && tile[1] === y))?.id ?? null;
    },
    cues: (/** @type {GameEvent[]} */ events) => events.map(({ kind }) => CUES[kind]),
    series: () => [
      { name: "length", unit: "long", value: living((snake) => bodyOf(snake).length) },
      { name: "health", value: living((snake) => (isNumber(snake.health) ? snake.health : null)) },
    ],
    duration: (/** @type {GameEvent} */ { kind }) => (kind === "eliminated" ? 400 : 0),
    ...wording(players),
  };
}
