/** Saloon in words: actions, events, turns, things, and why a game is over. */

import { isNumber } from "arena/grid";
import { listed, times } from "arena/labels";
import { gangOf } from "./scores.js";

/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/painter").Turn} Turn */
/** @typedef {import("arena/states").Thing} Thing */

/** @typedef {(player: number) => string} NameOf the name of a player */
/** @typedef {(id: string) => string} Called a thing by what it is and its id: `Brawler c4` */

/** @type {Record<string, (event: GameEvent, called: Called, name: string) => string>} */
const SENTENCES = {
  shot: ({ cowboy, direction, hits }, called) =>
    `${called(cowboy)} shoots ${direction} and hits ${joined((hits ?? []).map(called)) || "nothing"}.`,
  punch: ({ cowboy, target }, called) => `${called(cowboy)} punches ${called(target)}.`,
  play: ({ cowboy, piano }, called) => `${called(cowboy)} plays ${called(piano)}: one point.`,
  splash: ({ cowboy, target, drunk_direction: way }, called) =>
    `${called(cowboy)} pours a drink over ${called(target)}, who will stagger ${way}.`,
  bottle_broken: ({ bottle, on, target }, called) => {
    const where = on === "shot" ? "in a shot" : `on ${target ? called(target) : `the ${on}`}`;
    return `${bottle ? `Bottle ${bottle}` : "A bottle"} breaks ${where}.`;
  },
  crush: ({ young_gun: gun, target }, called) => `A newcomer of ${gun} crushes ${called(target)}.`,
  hazard: ({ cowboy }, called) => `${called(cowboy)} is hurt by a hazard.`,
  obstacle: ({ cowboy, target }, called) =>
    `${called(cowboy)} staggers into ${target ? called(target) : "the balcony"}.`,
  bump: ({ cowboy, target }, called) => `${called(cowboy)} bumps into ${called(target)}.`,
  sober: ({ cowboy }, called) => `${called(cowboy)} is sober again.`,
  death: (event, called) => `${fateOf(event, called)}.`,
  piano_destroyed: ({ piano }) => `Piano ${piano} is destroyed.`,
  siesta_begins: ({ turns }, _called, name) => `A siesta of ${turns} turns begins for ${name}.`,
  siesta_ends: (_event, _called, name) => `The siesta of ${name} is over.`,
};
/** What becomes of one, and of several. @type {Record<string, [string, string]>} */
const FATES = {
  shot: ["is shot dead", "are shot dead"],
  punch: ["is beaten to death", "are beaten to death"],
  hazard: ["dies on a hazard", "die on hazards"],
  collision: ["dies of a collision", "die of collisions"],
  crush: ["is crushed", "are crushed"],
  death: ["dies", "die"],
  drunk: ["is drunk now", "are drunk now"],
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

/** @param {string[]} parts */
const joined = (parts) => listed(parts, parts.length > 2 ? ", and " : " and ");

/** @param {State} state @returns {Called} */
const calledIn = (state) => (id) => {
  const { job, is_piano: isPiano, class: kind } = state.get(id) ?? {};
  return `${job ?? (kind === "Furnishing" ? (isPiano ? "piano" : "table") : "")} ${id}`.trim().slice(0, 40);
};

/** @param {any} cause of a death */
const fateBy = (cause) => (Object.hasOwn(FATES, cause) ? String(cause) : "death");

/** @param {GameEvent} event a death @param {Called} called */
const fateOf = ({ cowboy, cause }, called) => `${called(cowboy)} ${FATES[fateBy(cause)][0]}`;

/** An event in one sentence. @param {GameEvent} event @param {State} before @param {NameOf} nameOf */
export const tell = (event, before, nameOf) => SENTENCES[event.kind]?.(event, calledIn(before), nameOf(event.player));

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
  const { kind, cowboy, player } = event;
  if (kind === "death") return { player: 1 - before().get(cowboy)?.owner, label: fateOf(event, calledIn(before())) };
  if (kind === "siesta_begins") return { player: 1 - player, label: "a siesta begins" };
  return kind === "piano_destroyed" ? { player: -1, label: "a piano is destroyed" } : null;
}

/** An action in one sentence. @param {any} action @param {State} before */
export function action({ type, cowboy, furnishing, job, drunk_direction: way, x, y }, before) {
  const person = `${before.get(cowboy)?.job ?? "Cowboy"} ${cowboy}`;
  if (type === "move") return `${person} moves to (${x}, ${y})`;
  if (type === "play") return `${person} plays piano ${furnishing}`;
  if (type === "act") {
    const aimed = [...before.values()].find((thing) => thing.job && thing.x === x && thing.y === y);
    const target = aimed ? `${aimed.job} ${aimed.id}` : `(${x}, ${y})`;
    return `${person} ${VERBS[before.get(cowboy)?.job] ?? "acts on"} ${target}${way ? `, to stagger ${way}` : ""}`;
  }
  if (type === "call_in") return `Calls in a ${job}`;
  return type === "end_turn" ? "Ends the turn" : undefined;
}

/** Why a game is over. @param {any} outcome @param {(player: number) => string} name */
export function reason({ reason: text, winner }, name) {
  const [cause, criterion] = String(text ?? "").split("/");
  if (cause === "out_of_reach" && isNumber(winner)) return `${name(1 - winner)} cannot catch up.`;
  return CAUSES[cause] && CRITERIA[criterion] ? `${CAUSES[cause]}: ${CRITERIA[criterion]}.` : undefined;
}

/**
 * The story of a turn: what its player does, what becomes of whom, and who leads now.
 * @param {Turn} turn @param {NameOf} nameOf
 */
export function describe({ actions, before, after, events, name, player }, nameOf) {
  const called = (/** @type {string} */ id) =>
    `${before.get(id)?.owner === player && before.get(id)?.job ? "its own " : ""}${calledIn(before)(id)}`;
  const sentences = [`${name} ${joined(deeds(actions, events, called)) || "waits"}.`];
  for (const [fate, gangs] of fates(events, before, after)) {
    const people = [...gangs].map(([owner, ids]) => {
      const men = joined([...ids].map(calledIn(new Map([...after, ...before]))));
      return isNumber(owner) ? `${men} of ${nameOf(owner)}` : men;
    });
    const many = people.length > 1 || [...gangs.values()].some((ids) => ids.size > 1);
    sentences.push(`${joined(people)} ${FATES[fate][many ? 1 : 0]}.`);
  }
  for (const { kind, player: gang, turns } of events)
    if (kind === "siesta_begins") sentences.push(`The gang of ${nameOf(gang)} falls asleep for ${turns} turns.`);
  if (events.some(({ kind }) => kind === "piano_destroyed")) {
    const left = [...after.values()].filter((thing) => thing.is_piano && !thing.is_destroyed).length;
    sentences.push(`A piano breaks: ${left || "none"} ${left === 1 ? "is" : "are"} left.`);
  }
  return [...sentences, standing(before, after, nameOf)].join(" ");
}

/**
 * What the player of a turn does, the most important first; moves only if there is nothing else.
 * @param {any[]} actions @param {GameEvent[]} events @param {Called} called
 */
function deeds(actions, events, called) {
  const of = (/** @type {string} */ kind) => events.filter((event) => event.kind === kind);
  const did = (/** @type {string} */ type) => actions.filter((action) => action?.type === type);
  const [plays, shots] = [of("play").length, of("shot")];
  const punched = [...new Set(of("punch").map(({ target }) => called(target)))].filter((name) => !/^table/.test(name));
  const bottles = did("act").length - shots.length;
  const deeds = [
    ...(plays ? [plays === 1 ? "plays a piano" : `plays ${plays} pianos`] : []),
    ...did("call_in").map(({ job }) => `calls in a ${String(job).slice(0, 20)}`),
    ...shots.map(({ hits }) => (hits?.length ? `shoots ${joined(hits.map(called))}` : "shoots and misses")),
    ...(bottles > 0 ? [bottles === 1 ? "throws a bottle" : `throws ${bottles} bottles`] : []),
    ...(punched.length ? [`punches ${punched.length > 3 ? "on all sides" : joined(punched)}`] : []),
  ];
  const moves = did("move").length;
  return deeds.length || !moves ? deeds : [`moves ${times(moves)}`];
}

/**
 * Who dies of what, and who gets drunk, by their gangs.
 * @param {GameEvent[]} events @param {State} before @param {State} after
 */
function fates(events, before, after) {
  /** @type {Map<string, Map<any, Set<string>>>} */
  const found = new Map();
  for (const { kind, cause, cowboy, on, target } of events) {
    const drunk = kind === "splash" || (kind === "bottle_broken" && on === "cowboy");
    if (!drunk && kind !== "death") continue;
    const [fate, id] = drunk ? ["drunk", target] : [fateBy(cause), cowboy];
    const { owner } = before.get(id) ?? after.get(id) ?? {};
    const gangs = found.get(fate) ?? new Map();
    found.set(fate, gangs.set(owner, new Set([...(gangs.get(owner) ?? []), id])));
  }
  return found;
}

/**
 * Who leads after a turn, and whether that is new.
 * @param {State} before @param {State} after @param {NameOf} nameOf
 */
function standing(before, after, nameOf) {
  const [[first, second], [was, had]] = [after, before].map((state) =>
    [0, 1].map((player) => Number(gangOf(state, player)?.score ?? 0)),
  );
  const level = first === second;
  if (level) return first ? `${was === had ? "Still level" : "That makes it level"} at ${first}.` : "No points yet.";
  const leader = nameOf(first > second ? 0 : 1);
  const isNew = Math.sign(first - second) !== Math.sign(was - had);
  return `${leader} ${isNew ? "takes the lead," : "leads"} ${Math.max(first, second)} to ${Math.min(first, second)}.`;
}
