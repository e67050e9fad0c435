/** Snakes in words: what the snakes do, and what becomes of them. */

import { bodyOf, isSnake, STEPS } from "./state.js";

/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").Player} Player */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/painter").Turn} Turn */

/** @type {Record<string, string>} */
const CAUSES = {
  "out-of-health": "starves",
  "wall-collision": "leaves the board",
  left: "is gone with its program",
  "snake-self-collision": "runs into itself",
  "snake-collision": "runs into the body of",
  "head-collision": "loses head to head against",
};
/** @type {Record<string, string>} */
const REASONS = { last_snake: "Only one snake is left.", all_eliminated: "No snake is left." };

/** The functions of the renderer that return words. @param {Player[]} players */
export function wording(players) {
  const name = (/** @type {number} */ owner) => String(players[owner]?.name ?? `player ${owner}`).slice(0, 40);
  const nameOf = (/** @type {string} */ id, /** @type {State} */ state) => name(state.get(id)?.owner);

  /** What happened to a snake. @param {GameEvent} event @param {State} state */
  function fate(event, state) {
    const winner = event.by && event.by !== event.snake ? ` ${nameOf(event.by, state)}` : "";
    return `${nameOf(event.snake, state)} ${CAUSES[event.cause] ?? "is out"}${winner}.`;
  }

  return {
    reason: (/** @type {{reason: string}} */ { reason }) => REASONS[reason],
    /** @param {Turn} turn */
    describe({ actions, after, events }) {
      const moves = actions
        .filter((action) => STEPS[action?.direction])
        .map(({ snake, direction }) => `${nameOf(snake, after)} ${direction}`);
      const fates = events.filter(({ kind }) => kind === "eliminated").map((event) => fate(event, after));
      return [`Moves: ${moves.join(", ") || "none"}.`, ...fates].join(" ");
    },
    /** @param {GameEvent} event @param {() => State} before */
    mark(event, before) {
      if (event.kind !== "eliminated") return null;
      return { player: before().get(event.snake)?.owner ?? -1, label: fate(event, before()) };
    },
    /** @param {GameEvent} event @param {() => State} before */
    tell(event, before) {
      if (event.kind === "eliminated") return fate(event, before());
      if (event.kind === "eaten") return `${nameOf(event.snake, before())} eats.`;
      return event.kind === "food" ? "Food appears." : undefined;
    },
    /** @param {any} action @param {State} before */
    action({ snake, direction }, before) {
      return STEPS[direction] && before.get(snake) ? `${nameOf(snake, before)} moves ${direction}` : undefined;
    },
    /** @param {string} id @param {State} state */
    tip(id, state) {
      const snake = state.get(id);
      if (!isSnake(snake)) return "";
      const chosen = STEPS[snake.chosen] ? ` · moves ${snake.chosen}` : "";
      return `${name(snake.owner)} · length ${bodyOf(snake).length} · health ${Number(snake.health)}${chosen}`;
    },
  };
}
