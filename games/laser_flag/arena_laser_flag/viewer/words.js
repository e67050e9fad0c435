/** Laser Flag in words: units, events, turns, and why a game is over. */

import { isNumber } from "arena/grid";
import { listed, plural, times } from "arena/labels";
import { canMove } from "./abilities.js";
import { unitsOf } from "./scene.js";

/** @typedef {import("arena/painter").Player} Player */
/** @typedef {import("arena/painter").Turn} Turn */
/** @typedef {import("./scene.js").GameEvent} GameEvent */
/** @typedef {import("./scene.js").State} State */
/** @typedef {import("./scene.js").Thing} Thing */

/** @type {Record<string, string>} */
export const REASONS = {
  score: "on points",
  elimination: "by elimination",
  checkmate: "by checkmate",
  turn_limit: "at the turn limit",
};
/** @type {Record<string, string>} */
const ENDINGS = {
  score: "The score decides.",
  elimination: "One team is eliminated.",
  checkmate: "All lasers of one team are off, and its bases are blocked.",
  turn_limit: "The turns are over.",
};

/** @param {string} id @param {State} state */
const unitIn = (id, state) => {
  const unit = state.get(id);
  return unit ? `${unit.unit_class} ${id}` : "a unit out of sight";
};

/** @param {string} text the beginning of a sentence */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The functions of the renderer that return words. @param {Player[]} players @param {any} rules */
export function wording(players, rules) {
  const nameOf = (/** @type {number} */ player) => String(players[player]?.name ?? "nobody").slice(0, 40);
  return {
    mark,
    reason: (/** @type {{reason: string}} */ { reason }) => ENDINGS[reason],
    describe: (/** @type {Turn} */ turn) => describe(turn, nameOf),
    /** @param {string} id @param {State} state */
    tip(id, state) {
      const thing = /** @type {Thing} */ (state.get(id));
      if (thing.class === "Base")
        return isNumber(thing.owner) ? `base of ${nameOf(thing.owner)}` : "base of both teams";
      if (thing.class !== "Unit") return "all tiles that the other side watches";
      const parts = [
        `${thing.unit_class} ${id} of ${nameOf(thing.player)}`,
        thing.laser === "charged" ? plural(thing.ap, "action point") : `laser ${thing.laser}`,
        thing.overwatch > 0 && `${plural(thing.overwatch, "reaction shot")} (${thing.overwatch_mode})`,
        thing.ap > 0 && !canMove(thing, rules) && "cannot move any more",
        thing.cover?.length && `sheltered towards ${thing.cover.join(" and ")}`,
        thing.elevated && "on high ground",
      ];
      return parts.filter(Boolean).join(" · ");
    },
    /** @param {GameEvent} event @param {() => State} before */
    tell(event, before) {
      const unit = (/** @type {string} */ id) => unitIn(id, before());
      const { kind, player } = event;
      if (kind === "shot") return tellShot(event, unit);
      const subject = capital(unit(event.unit));
      if (kind === "reaction_round") return `${subject} draws fire from ${event.order.map(unit).join(", ")}.`;
      if (kind === "score") return `${nameOf(player)} scores ${event.points}, and has ${event.score}.`;
      if (kind === "deactivated") return `The laser of ${unit(event.unit)} is switched off.`;
      if (kind === "eliminated") return `${subject} is eliminated.`;
      if (kind === "charged") return `The laser of ${unit(event.unit)} is charged.`;
      if (kind === "bump") return `${subject} bumps into a unit that it had not seen.`;
      return kind === "checkmate" ? `Checkmate: no unit of ${nameOf(player)} can act any more.` : undefined;
    },
  };
}

/** @param {GameEvent} shot @param {(id: string) => string} unit */
function tellShot(shot, unit) {
  const parts = Object.entries(shot.parts ?? {}).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`);
  const sum = parts.length > 1 ? ` (${parts.join(", ")})` : "";
  const need = isNumber(shot.needed) ? `needs ${shot.needed}${sum}, ` : "";
  const target = shot.target ? unit(shot.target) : "a base";
  const rolled = `${need}rolls ${shot.dice.join(" + ")}: ${shot.hit ? "hit" : "miss"}`;
  const shooter = shot.reaction ? `Reaction: ${unit(shot.shooter)}` : capital(unit(shot.shooter));
  return `${shooter} shoots at ${target}, ${rolled}.`;
}

/** The mark of an event on the timeline; null for none. @param {GameEvent} event @param {() => State} before */
function mark(event, before) {
  const { kind, unit, player } = event;
  if (kind === "checkmate") return { player: 1 - player, label: "checkmate" };
  if (kind === "shot" && event.base && event.hit && event.shooter)
    return { player: before().get(event.shooter)?.player ?? -1, label: "a base is hit" };
  if (kind !== "deactivated" && kind !== "eliminated") return null;
  const owner = before().get(unit)?.player;
  const label = `${unit} is ${kind === "eliminated" ? "eliminated" : "switched off"}`;
  return { player: isNumber(owner) ? 1 - owner : -1, label };
}

/** A turn in a few sentences. @param {Turn} turn @param {(player: number) => string} nameOf */
function describe({ name, actions, before, after, events, player }, nameOf) {
  const of = (/** @type {string} */ kind) => events.filter((event) => event.kind === kind);
  const called = (/** @type {string} */ id) => unitIn(id, before);
  const shots = of("shot").filter((shot) => shot.reaction === false);
  const reactions = of("shot").filter((shot) => shot.reaction === true);
  const moves = actions.filter((action) => action?.type === "move").length;
  const charged = of("charged").length;
  const watching = unitsOf(after).filter((unit) => unit.player === player && unit.overwatch > 0).length;
  const parts = [];
  if (moves) parts.push(`moves ${times(moves)}`);
  if (shots.length) parts.push(describeShots(shots, called));
  if (reactions.length) {
    const hits = reactions.filter(({ hit }) => hit).length;
    parts.push(`is shot at ${times(reactions.length)} on the way and ${hits ? `hit ${times(hits)}` : "not hit"}`);
  }
  if (charged) parts.push(`charges ${charged === 1 ? "a laser" : `${charged} lasers`}`);
  if (watching) parts.push(`leaves ${watching === 1 ? "one unit" : `${watching} units`} on overwatch`);
  const gone = of("eliminated").map(({ unit }) => unit);
  const off = [...new Set(of("deactivated").map(({ unit }) => unit))].filter((id) => !gone.includes(id));
  const fates = [fate(gone.map(called), "eliminated"), fate(off.map(called), "switched off")];
  const score = `Score ${after.get("p0")?.score ?? 0} to ${after.get("p1")?.score ?? 0}.`;
  const sentences = [endOf(after, nameOf), `${name} ${listed(parts) || "waits"}.`, ...fates, score];
  return sentences.filter(Boolean).join(" ");
}

/** @param {GameEvent[]} shots @param {(id: string) => string} called */
function describeShots(shots, called) {
  const hits = shots.filter(({ hit }) => hit).length;
  const result = hits ? `hits ${times(hits)}` : "misses";
  if (shots.length > 1) return `shoots ${times(shots.length)} and ${result}`;
  const [{ needed, shooter, target }] = shots;
  const needing = isNumber(needed) ? `, needing ${needed}` : "";
  return `shoots with ${called(shooter)} at ${target ? called(target) : "a base"}${needing}, and ${result}`;
}

/** @param {string[]} units @param {string} word */
function fate(units, word) {
  if (!units.length) return "";
  return capital(`${listed(units, " and ")} ${units.length > 1 ? "are" : "is"} ${word}.`);
}

/** @param {State} state @param {(player: number) => string} nameOf */
function endOf(state, nameOf) {
  const game = state.get("game");
  if (!game?.reason) return "";
  return isNumber(game.winner) ? `${nameOf(game.winner)} wins ${REASONS[game.reason] ?? ""}.` : "The game is drawn.";
}
