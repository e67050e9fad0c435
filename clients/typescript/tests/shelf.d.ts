// The types of Shelf. `arena sdk shelf --language typescript` writes this file; do not change it.

import * as arena from "./arena.js";

export { distance, find_path, Outcome, Result, RulesError, run, State, Tile } from "./arena.js";

/** The game that these classes belong to. */
export const GAME: "shelf";
/** The version of these classes. The referee refuses a bot whose classes are outdated. */
export const SCHEMA_HASH: "fedcba9876543210";

/**
 * A game with an array of each type.
 */
export class Game extends arena.GameObject {
  /**
   * Some numbers. (int16, any)
   */
  readonly cells: Int16Array;
  /**
   * Some numbers. (int8, any)
   */
  readonly int8s: Int8Array;
  /**
   * Some numbers. (uint8, any)
   */
  readonly uint8s: Uint8Array;
  /**
   * Some numbers. (int16, any)
   */
  readonly int16s: Int16Array;
  /**
   * Some numbers. (uint16, any)
   */
  readonly uint16s: Uint16Array;
  /**
   * Some numbers. (int32, any)
   */
  readonly int32s: Int32Array;
  /**
   * Some numbers. (uint32, any)
   */
  readonly uint32s: Uint32Array;
  /**
   * Some numbers. (int64, any)
   */
  readonly int64s: BigInt64Array;
  /**
   * Some numbers. (uint64, any)
   */
  readonly uint64s: BigUint64Array;
  /**
   * Some numbers. (float32, any)
   */
  readonly float32s: Float32Array;
  /**
   * Some numbers. (float64, any)
   */
  readonly float64s: Float64Array;

  /**
   * Return a state of the rules to search in, which agrees with what you see. The seed decides the guess at hidden
   * information, and the dice. Without a seed, each call uses another one.
   */
  fork(seed?: number): arena.State<Game>;
}

/** A bot for Shelf. Write a subclass with a method `run_turn`. */
export class AI extends arena.AI {
  /** The game, always current. */
  readonly game: Game;
  /** Your number, from 0. */
  readonly player: number;
}
