// The classes of Shelf. `arena sdk shelf --language javascript` writes this file; do not change it.

import * as arena from "./arena.js";

export { distance, find_path, Outcome, Result, RulesError, run, State, Tile } from "./arena.js";

/** The game that these classes belong to. */
export const GAME = "shelf";
/** The version of these classes. The referee refuses a bot whose classes are outdated. */
export const SCHEMA_HASH = "fedcba9876543210";

/**
 * A game with an array of each type.
 */
export class Game extends arena.GameObject {
  /**
   * Some numbers. (int16, any)
   * @type {Int16Array}
   */
  cells = /** @type {any} */ (null);
  /**
   * Some numbers. (int8, any)
   * @type {Int8Array}
   */
  int8s = /** @type {any} */ (null);
  /**
   * Some numbers. (uint8, any)
   * @type {Uint8Array}
   */
  uint8s = /** @type {any} */ (null);
  /**
   * Some numbers. (int16, any)
   * @type {Int16Array}
   */
  int16s = /** @type {any} */ (null);
  /**
   * Some numbers. (uint16, any)
   * @type {Uint16Array}
   */
  uint16s = /** @type {any} */ (null);
  /**
   * Some numbers. (int32, any)
   * @type {Int32Array}
   */
  int32s = /** @type {any} */ (null);
  /**
   * Some numbers. (uint32, any)
   * @type {Uint32Array}
   */
  uint32s = /** @type {any} */ (null);
  /**
   * Some numbers. (int64, any)
   * @type {BigInt64Array}
   */
  int64s = /** @type {any} */ (null);
  /**
   * Some numbers. (uint64, any)
   * @type {BigUint64Array}
   */
  uint64s = /** @type {any} */ (null);
  /**
   * Some numbers. (float32, any)
   * @type {Float32Array}
   */
  float32s = /** @type {any} */ (null);
  /**
   * Some numbers. (float64, any)
   * @type {Float64Array}
   */
  float64s = /** @type {any} */ (null);

  /**
   * Return a state of the rules to search in, which agrees with what you see.
   * @param {number} [seed] Decides the guess at hidden information, and the dice. By default, another one each time.
   * @returns {arena.State<Game>}
   */
  fork(seed) {
    return this.world.fork(seed);
  }
}

/** A bot for Shelf. Write a subclass with a method `run_turn`. */
export class AI extends arena.AI {
  /** @type {string | null} */
  static schema_hash = SCHEMA_HASH;
  /** @type {Record<string, new () => any>} */
  static classes = { Game };

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
