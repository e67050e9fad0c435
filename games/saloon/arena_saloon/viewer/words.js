/** Saloon in words: actions, events, turns, things, and why a game is over. */

import { isNumber } from "arena/grid";
import { gangOf } from "./scores.js";

/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/painter").Turn} Turn */
/** @typedef {import("arena/states").Thing} Thing */

/** @type {Record<string, (event: GameEvent, name: string) => string>} */
const SENTENCES = {
  shot: ({ cowboy, direction, hits }) => `${cowboy} shoots ${direction} and hits ${hits.join(", ") || "nothing"}.`,
  punch: ({ cowboy, target }) => `${cowboy} punches ${target}.`,
  play: ({ cowboy, piano }) => `${cowboy} plays piano ${piano}.`,
  splash: ({ cowboy, target, drunk_direction: way }) =>
    `${cowboy} pours a drink over ${target}, who will stagger ${way}.`,
  bottle_broken: ({ bottle, on, target }) => {
    const where = on === "shot" ? "in a shot" : `on ${target ?? `the ${on}`}`;
    return `${bottle ? `Bottle ${bottle}` : "A bottle"} breaks ${where}.`;
  },
  crush: ({ young_gun: gun, target }) => `A newcomer of ${gun} crushes ${target}.`,
  hazard: ({ cowboy }) => `${cowboy} is hurt by a hazard.`,
  obstacle: ({ cowboy, target }) => `${cowboy} staggers into ${target ?? "the balcony"}.`,
  bump: ({ cowboy, target }) => `${cowboy} bumps into ${target}.`,
  sober: ({ cowboy }) => `${cowboy} is sober again.`,
  death: ({ cowboy, cause }) => `${cowboy} dies (${cause}).`,
  piano_destroyed: ({ piano }) => `Piano ${piano} is destroyed.`,
  siesta_begins: ({ turns }, name) => `A siesta of ${turns} turns begins for ${name}.`,
  siesta_ends: (_event, name) => `The siesta of ${name} is over.`,
};
/** @type {Record<string, string>} */
const VERBS = { Sharpshooter: "shoots at", Bartender: "throws a bottle at", Brawler: "punches" };
/** @type {Record<string, string>} */
const CAUSES = { max_turns: "The turns are over", pianos_destroyed: "No piano is left" };
/** @type {Record<string, string>} */
const CRITERIA = {
  score: "the higher score decides",
  kills: "the scores are equal, and the kills decide",
  coin_flip: "scores and kills are equal, and a coin decides",
};

/** An event in one sentence. @param {GameEvent} event @param {string} name of the event's player */
export const tell = (event, name) => SENTENCES[event.kind]?.(event, name);

/** @param {Thing} thing @param {(owner: number) => string} name */
export function tip(thing, name) {
  const { id, health, focus, turns_busy: busy, drunk_direction: way } = thing;
  if (thing.class === "Bottle") return `bottle ${id}, flies ${thing.direction}; whom it hits staggers ${way}`;
  if (thing.class === "YoungGun") {
    const call = thing.can_call_in ? "can call somebody in" : "has called somebody in";
    return `young gun of ${name(thing.owner)}, ${call}`;
  }
  if (thing.class === "Furnishing")
    return `${thing.is_piano ? "piano" : "table"} ${id} · health ${health}${thing.is_playing ? " · played" : ""}`;
  const mood = !thing.is_drunk ? "" : way ? `drunk, staggers ${way}` : "having a nap";
  const parts = [
    `${thing.job} ${id} of ${name(thing.owner)}`,
    `health ${health}`,
    mood,
    busy > 0 && busy < 100 && `busy for ${busy}`,
    focus > 0 && `focus ${focus}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** The mark of an event on the timeline; null for none. @param {GameEvent} event @param {() => State} before */
export function mark(event, before) {
  const { kind, cowboy, cause, player } = event;
  if (kind === "death") return { player: 1 - before().get(cowboy)?.owner, label: `${cowboy} dies (${cause})` };
  if (kind === "siesta_begins") return { player: 1 - player, label: "a siesta begins" };
  return kind === "piano_destroyed" ? { player: -1, label: "a piano is destroyed" } : null;
}

/** An action in one sentence. @param {any} action @param {State} before */
export function action({ type, cowboy, young_gun: gun, furnishing, job, drunk_direction: way, x, y }, before) {
  const person = `${before.get(cowboy)?.job ?? "Cowboy"} ${cowboy}`;
  if (type === "move") return `${person} moves to (${x}, ${y})`;
  if (type === "play") return `${person} plays piano ${furnishing}`;
  if (type === "act") {
    const aimed = [...before.values()].find((thing) => thing.job && thing.x === x && thing.y === y);
    const target = aimed ? `${aimed.job} ${aimed.id}` : `(${x}, ${y})`;
    return `${person} ${VERBS[before.get(cowboy)?.job] ?? "acts on"} ${target}${way ? `, to stagger ${way}` : ""}`;
  }
  if (type === "call_in") return `Young gun ${gun} calls in a ${job}`;
  return type === "end_turn" ? "Ends the turn" : undefined;
}

/** Why a game is over. @param {any} outcome @param {(player: number) => string} name */
export function reason({ reason: text, winner }, name) {
  const [cause, criterion] = String(text ?? "").split("/");
  if (cause === "out_of_reach" && isNumber(winner)) return `${name(1 - winner)} cannot catch up.`;
  return CAUSES[cause] && CRITERIA[criterion] ? `${CAUSES[cause]}: ${CRITERIA[criterion]}.` : undefined;
}

/** @param {Turn} turn */
export function describe({ actions, after, events, name }) {
  const some = (/** @type {number} */ number, /** @type {string} */ once, /** @type {string} */ often) =>
    number ? [number === 1 ? once : often.replace("#", String(number))] : [];
  const count = (/** @type {string} */ kind) => events.filter((event) => event.kind === kind).length;
  const hits = events.filter((event) => event.kind === "splash" || event.on === "cowboy").length;
  const newcomers = actions.filter((action) => action?.type === "call_in");
  const parts = [
    ...newcomers.map(({ job }) => `calls in a ${String(job).slice(0, 20)}`),
    ...some(actions.filter((action) => action?.type === "move").length, "moves once", "moves #"),
    ...some(count("play"), "plays a piano", "plays # pianos"),
    ...some(count("shot"), "shoots", "shoots # times"),
    ...some(count("punch"), "a punch lands", "# punches land"),
    ...some(hits, "a bottle hits", "# bottles hit"),
    ...some(count("crush"), "somebody is crushed", "# are crushed"),
    ...some(count("death"), "one dies", "# die"),
    ...some(count("siesta_begins"), "a siesta begins", "# siestas begin"),
    ...some(count("piano_destroyed"), "a piano is destroyed", "# pianos are destroyed"),
  ];
  const score = `Score ${gangOf(after, 0)?.score ?? 0} to ${gangOf(after, 1)?.score ?? 0}.`;
  return `${name}: ${parts.length ? parts.join(", ") : "waits"}. ${score}`;
}
