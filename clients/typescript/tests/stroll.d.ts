// The types of Stroll. `arena sdk stroll --language typescript` writes this file; do not change it.

import * as arena from "./arena.js";

export { distance, find_path, Outcome, Result, RulesError, run, State, Tile } from "./arena.js";

/** The game that these classes belong to. */
export const GAME: "stroll";
/** The version of these classes. The referee refuses a bot whose classes are outdated. */
export const SCHEMA_HASH: "0123456789abcdef";

/**
 * A race to the east side.
 */
export class Game extends arena.GameObject {
  /**
   * Columns.
   */
  readonly width: number;
  /**
   * Rows.
   */
  readonly height: number;
  /**
   * All walkers.
   */
  readonly walkers: readonly Walker[];

  /**
   * Return a state of the rules to search in, which agrees with what you see. The seed decides the guess at hidden
   * information, and the dice. Without a seed, each call uses another one.
   */
  fork(seed?: number): arena.State<Game>;

  /**
   * Ends the turn.
   */
  end_turn(): arena.Result<undefined>;
}

/**
 * Strolls about.
 */
export class Walker extends arena.PlacedObject {
  /**
   * The owner of the walker.
   */
  readonly owner: number;
  /**
   * The walker's mood. One of "calm", "cross".
   */
  readonly mood: ("calm" | "cross");

  /**
   * Goes to a neighbouring tile.
   *
   * @param tile Where to.
   *
   * @return A result whose value is the Walker.
   */
  walk(tile: arena.Tile): arena.Result<Walker>;
}

/**
 * Return whether a path can cross this tile. By default, a path can cross an empty tile.
 */
export function is_passable(tile_: arena.Tile): boolean;

/**
 * Return a shortest path to another tile, without this tile; empty if there is no way.
 *
 * @param goal The last tile. It can be occupied.
 */
export function path_to(tile_: arena.Tile, goal: arena.Tile): arena.Tile[];

/**
 * Return the tiles that can be reached from here, with the number of steps to each. The nearest come first.
 *
 * @param limit The largest number of steps.
 */
export function reachable(tile_: arena.Tile, limit?: number): Map<arena.Tile, number>;

/** A bot for Stroll. Write a subclass with a method `run_turn`. */
export class AI extends arena.AI {
  /** The game, always current. */
  readonly game: Game;
  /** Your number, from 0. */
  readonly player: number;
}
