/**
 * For renderers: all that paints on one canvas, in one object that the modules of a renderer pass to each other. And
 * the types of what the viewer passes to a renderer.
 */

import { effects } from "arena/effects";
import { Grid } from "arena/grid";
import { dice } from "arena/rolls";
import { brush } from "arena/shapes";

/** @typedef {import("arena/states").State} State */
/** @typedef {{name: string, color: string, index: number}} Player */
/** @typedef {{players: Player[], schema: any, header: any}} Context */
/** @typedef {{kind: string, [field: string]: any}} GameEvent */
/**
 * @typedef {{width: number, height: number, dark: boolean, still: boolean, beat: number, selected: string | null,
 *   hovered: string | null, player: number | null, since: State}} Look
 */
/**
 * @typedef {{number: number, player: number | null, name: string, actions: any[], actors: string[], before: State,
 *   after: State, events: GameEvent[]}} Turn
 */
/** @typedef {ReturnType<typeof painter>} Painter */

/** @param {HTMLCanvasElement} canvas @param {Player[]} players */
export function painter(canvas, players) {
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const color = (/** @type {number} */ player) => players[player]?.color ?? "#999999";
  return { g, grid: new Grid(), color, ...brush(g), ...effects(g), ...dice(g) };
}
