/** Derelict in words: units, events, turns, and why a game is over. */

import { isNumber } from "arena/grid";
import { listed, plural, times } from "arena/labels";
import { unitsOf } from "./scene.js";

/** @typedef {import("arena/painter").Turn} Turn */
/** @typedef {import("./scene.js").GameEvent} GameEvent */
/** @typedef {import("./scene.js").State} State */
/** @typedef {import("./scene.js").Thing} Thing */

/** @type {Record<string, string>} */
const ROLLED = {
  command_points: "for command points",
  command_reroll: "again for command points",
  blip_type: "for what is behind a contact",
  flame_move: "to pass the flames",
  flame_hit: "in the flames",
  assault_door: "against a door",
  shoot: "to hit",
  overwatch: "to hit",
};
/** @type {Record<string, string>} */
export const ENDINGS = {
  marines_eliminated: "no marine is left",
  objective_burned: "the objective burns",
  flamer_lost: "the flamer is lost",
  fuel_exhausted: "the fuel is used up",
  aliens_eliminated: "no alien is left",
  no_units: "nobody is left to move",
  turn_limit: "the turns are over",
};
/** The marks of a unit, and their words in a tip. @type {Record<string, string>} */
const MARKS = { overwatch: "on overwatch", guard: "on guard", jam: "weapon jammed", deactivated: "deactivated" };

/** Names a unit by its kind and its id. @param {Thing | undefined} unit @param {string} id */
function called(unit, id) {
  if (!unit) return id;
  if (unit.kind === "blip") return `contact ${id}`;
  const type = String(unit.marine_type ?? unit.kind ?? unit.class).replace("marine_", "");
  return `${type.toLowerCase()} ${id}`;
}

/** @param {{reason: string}} outcome */
export const reason = ({ reason }) =>
  ENDINGS[reason] && `${ENDINGS[reason][0].toUpperCase()}${ENDINGS[reason].slice(1)}.`;

/** @param {any} action */
export const action = ({ type, x, y }) => (type === "door" ? `Works the door at (${x}, ${y})` : undefined);

/** @param {string} id @param {State} state */
export function tip(id, state) {
  const thing = /** @type {Thing} */ (state.get(id));
  const game = state.get("game");
  if (thing.class === "Door") return `door ${id}, ${thing.open ? "open" : "closed"}`;
  const parts = [called(thing, id)];
  if (thing.facing) parts.push(`looks ${thing.facing}`);
  if (thing.kind === "blip") parts.push(isNumber(thing.count) ? `${thing.count} behind it` : "nobody knows how many");
  if (game?.active === id) parts.push(`${plural(game.ap, "action point")} left`);
  for (const [mark, words] of Object.entries(MARKS)) if (thing[mark]) parts.push(words);
  return parts.join(" · ");
}

/**
 * An event in one sentence; "" for a shot, since the event of its roll says the same.
 * @param {GameEvent} event @param {() => State} before
 */
export function tell(event, before) {
  const unit = (/** @type {string} */ id) => called(before().get(id), id);
  return TOLD[event.kind]?.(event, unit);
}

/** @type {Record<string, (event: GameEvent, unit: (id: string) => string) => string>} */
const TOLD = {
  roll: tellRoll,
  assault: ({ alien_dice, attacker, defender, marine_dice, result }, unit) => {
    const dice = `marine ${marine_dice.join(", ")} against alien ${alien_dice.join(", ")}`;
    const won = result === "tie" ? "a tie" : `the ${result} wins`;
    return `${unit(attacker)} assaults ${unit(defender)}: ${dice}, ${won}.`;
  },
  shot: () => "",
  overwatch_shot: () => "",
  destroyed: (event, unit) => {
    const what = event.what === "door" ? `door ${event.unit}` : unit(event.unit);
    return `${what} is destroyed by ${String(event.by).replaceAll("_", " ")}.`;
  },
  revealed: (event) => `Contact ${event.unit} is turned over${event.forced ? ": a marine sees it" : ""}.`,
  placed: (event) => `${event.what === "blip" ? "Contact" : event.what} ${event.unit} appears.`,
  door: (event, unit) => `${unit(event.unit)} ${event.open ? "opens" : "closes"} door ${event.door}.`,
  flames: (event, unit) => `${unit(event.unit)} sets ${(event.cells ?? []).length} cells on fire.`,
  jam: (event, unit) => `The weapon of ${unit(event.unit)} jams.`,
  command_points: ({ points }) => `The marines have ${plural(points, "command point")}.`,
  turn: ({ side, turn }) => `Game turn ${turn}: the ${side}s move.`,
  ended: ({ reason }) => `The game is over: ${ENDINGS[reason] ?? reason}.`,
};

/** @param {GameEvent} event @param {(id: string) => string} unit */
function tellRoll(event, unit) {
  const target = event.target && event.unit ? ` at ${unit(event.target)}` : "";
  const need = isNumber(event.needed) ? `, needs ${event.needed}: ${event.result ? "success" : "failure"}` : "";
  const roller = event.unit ?? event.target;
  const dice = (event.dice ?? []).join(", ");
  const purpose = ROLLED[event.label] ?? event.label;
  return `${roller ? `${unit(roller)} rolls` : "Rolled"} ${dice} ${purpose}${target}${need}.`;
}

/** The mark of an event on the timeline; null for none. @param {GameEvent} event */
export function mark({ kind, unit, what }) {
  if (kind === "destroyed" && what !== "door")
    return { player: what === "marine" ? 1 : 0, label: `${what} ${unit} is destroyed` };
  if (kind === "revealed") return { player: 1, label: `contact ${unit} is revealed` };
  return kind === "jam" ? { player: 1, label: `the weapon of ${unit} jams` } : null;
}

/** `one door`, `3 doors` @param {number} number @param {string} noun */
const some = (number, noun) => (number === 1 ? `one ${noun}` : plural(number, noun));

/** A turn in a few sentences. @param {Turn} turn */
export function describe(turn) {
  const { after, events, name, player } = turn;
  const left = (/** @type {string} */ kind) => unitsOf(after).filter((unit) => unit.kind === kind).length;
  const count = (/** @type {string} */ kind, /** @type {string} */ what) =>
    events.filter((event) => event.kind === kind && event.what === what).length;
  const parts = deeds(turn);
  const jams = events.filter(({ kind }) => kind === "jam").length;
  const destroyed = ["marine", "alien", "blip", "door"].flatMap((what) => {
    const number = count("destroyed", what);
    return number ? [some(number, what === "blip" ? "contact" : what)] : [];
  });
  const sentences = [`${name}, the ${player === 0 ? "marines" : "aliens"}, ${listed(parts) || "waits"}.`];
  if (jams) sentences.push(jams === 1 ? "A weapon jams." : `${jams} weapons jam.`);
  if (destroyed.length) sentences.push(`Destroyed: ${destroyed.join(", ")}.`);
  const [marines, aliens, contacts] = [left("marine"), left("alien"), left("blip")];
  sentences.push(`Left: ${some(marines, "marine")}, ${some(aliens, "alien")}, ${some(contacts, "contact")}.`);
  const game = after.get("game");
  if (game?.ended) {
    const winners = game.winner === 0 ? "marines" : "aliens";
    const result = isNumber(game.winner) ? `The ${winners} win` : "The game is drawn";
    sentences.unshift(`${result}: ${ENDINGS[game.ended] ?? game.ended}.`);
  }
  return sentences.join(" ");
}

/** What a player did in a turn. @param {Turn} turn */
function deeds({ actions, events, player }) {
  const did = (/** @type {string} */ type) => actions.filter((action) => action?.type === type).length;
  const saw = (/** @type {string} */ kind) => events.filter((event) => event.kind === kind).length;
  const uncovers = (/** @type {number} */ number) =>
    player === 0 ? `uncovers ${some(number, "contact")}` : `has ${some(number, "contact")} turned over`;
  /** @type {[number, (number: number) => string][]} */
  const all = [
    [did("activate"), (number) => (number === 1 ? "activates one unit" : `activates units ${times(number)}`)],
    [did("move"), (number) => `moves ${times(number)}`],
    [did("door"), (number) => `works ${some(number, "door")}`],
    [did("shoot"), (number) => `shoots ${times(number)}`],
    [saw("assault"), (number) => `fights hand to hand ${times(number)}`],
    [saw("overwatch_shot"), (number) => `comes under overwatch fire ${times(number)}`],
    [saw("revealed"), uncovers],
    [did("overwatch"), (number) => `puts ${some(number, "marine")} on overwatch`],
    [did("guard"), (number) => `puts ${some(number, "marine")} on guard`],
  ];
  return all.filter(([number]) => number).map(([number, words]) => words(number));
}
