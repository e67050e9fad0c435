// The classes of Stroll. `arena sdk stroll --language javascript` writes this file; do not change it.

import * as arena from "./arena.js";

export { distance, find_path, Outcome, Result, RulesError, run, State, Tile } from "./arena.js";

/** The game that these classes belong to. */
export const GAME = "stroll";
/** The version of these classes. The referee refuses a bot whose classes are outdated. */
export const SCHEMA_HASH = "0123456789abcdef";

/**
 * A race to the east side.
 */
export class Game extends arena.GameObject {
  /**
   * Columns.
   * @type {number}
   */
  width = /** @type {any} */ (null);
  /**
   * Rows.
   * @type {number}
   */
  height = /** @type {any} */ (null);
  /**
   * All walkers.
   * @type {readonly Walker[]}
   */
  walkers = /** @type {any} */ ([]);

  /**
   * Return a state of the rules to search in, which agrees with what you see.
   * @param {number} [seed] Decides the guess at hidden information, and the dice. By default, another one each time.
   * @returns {arena.State<Game>}
   */
  fork(seed) {
    return this.world.fork(seed);
  }

  /**
   * Ends the turn.
   * @returns {arena.Result<undefined>}
   */
  end_turn() {
    return this.world.act({
      type: "end_turn",
    });
  }
}

/**
 * Strolls about.
 */
export class Walker extends arena.PlacedObject {
  /**
   * The owner of the walker.
   * @type {number}
   */
  owner = /** @type {any} */ (null);
  /**
   * The walker's mood. One of "calm", "cross".
   * @type {("calm" | "cross")}
   */
  mood = /** @type {any} */ (null);

  /**
   * Goes to a neighbouring tile.
   *
   * @param {arena.Tile} tile Where to.
   * @returns {arena.Result<Walker>}
   */
  walk(tile) {
    return this.world.act({
      type: "walk",
      walker: this.id,
      x: tile.x,
      y: tile.y,
    });
  }
}

/**
 * Return whether a path can cross this tile. By default, a path can cross an empty tile.
 * @param {arena.Tile} tile_
 * @returns {boolean}
 */
export function is_passable(tile_) {
  return tile_.world.help(tile_, "is_passable", {});
}

/**
 * Return a shortest path to another tile, without this tile; empty if there is no way.
 *
 * @param {arena.Tile} goal The last tile. It can be occupied.
 * @param {arena.Tile} tile_
 * @returns {arena.Tile[]}
 */
export function path_to(tile_, goal) {
  return tile_.world.help(tile_, "path_to", { goal });
}

/**
 * Return the tiles that can be reached from here, with the number of steps to each. The nearest come first.
 *
 * @param {number} [limit] The largest number of steps.
 * @param {arena.Tile} tile_
 * @returns {Map<arena.Tile, number>}
 */
export function reachable(tile_, limit) {
  return tile_.world.help(tile_, "reachable", { limit }, true);
}

/** A bot for Stroll. Write a subclass with a method `run_turn`. */
export class AI extends arena.AI {
  /** @type {string | null} */
  static schema_hash = SCHEMA_HASH;
  /** @type {Record<string, new () => any>} */
  static classes = { Game, Walker };

  /** The game, always current. @type {Game} */
  game = /** @type {any} */ (null);
  /** Your number, from 0. */
  player = 0;

  /** @param {arena.World} world */
  _bind(world) {
    this.game = /** @type {any} */ (world.objects.get("game"));
    this.player = this.index;
  }
}
