/** Actions in words, from the schema of a game. */

import { actionText, clip, short } from "arena/dom";
import { nameOf } from "arena/labels";

/** @typedef {import("arena/states").State} State */
/** @typedef {{schema: any, players: {name: string}[]}} Match */

/** For some verbs: the words before a tile, and before a thing. @type {Record<string, [string, string]>} */
const BEFORE = { move: ["to ", ""], fire: ["at ", "at "], shoot: ["at ", "at "] };

/**
 * An action in words, for example `Sharpshooter c1 moves to (2, 2)`.
 * @param {any} action @param {State} state the state before it
 * @param {Match} match @returns {string}
 */
export function actionInWords(action, state, { schema, players }) {
  const thing = (/** @type {any} */ value) => thingIn(value, state, schema, players);
  const type = action?.type;
  const declared = typeof type === "string" && declaredIn(schema, type);
  if (!declared) return actionText(action);
  const [verb, ...rest] = type.split("_");
  const words = [third(verb), ...rest];
  if (declared.receiver) words.unshift(thing(action[declared.receiver]));
  for (const { name, keys, type: kind } of declared.parameters ?? []) {
    const values = (keys ?? [name]).map((/** @type {string} */ key) => action[key] ?? null);
    const known = values.filter((/** @type {any} */ value) => value !== null && value !== "");
    if (String(kind).startsWith("tile") && known.length === 2)
      words.push(`${BEFORE[verb]?.[0] ?? ""}(${known.join(", ")})`);
    else if (Array.isArray(known[0])) words.push(listInWords(name, known[0], thing));
    else if (known.length) words.push((BEFORE[verb]?.[1] ?? "") + thing(known[0]));
  }
  const text = words.join(" ");
  return clip(text[0].toUpperCase() + text.slice(1));
}

/**
 * A list in words: how many items it has, and the first three.
 * @param {string} name @param {any[]} items @param {(value: any) => string} thing a value in words
 * @returns {string}
 */
function listInWords(name, items, thing) {
  const parts = (/** @type {any} */ item) => (Array.isArray(item) ? item.slice(0, 6) : [item]);
  const listed = items.slice(0, 3).map((item) => parts(item).map(thing).join(" "));
  const rest = items.length > 3 ? ["…"] : [];
  return `${items.length} ${clip(name, 40)}${items.length ? ": " : ""}${[...listed, ...rest].join("; ")}`;
}

/** @param {any} schema @param {string} name */
function declaredIn(schema, name) {
  const classes = Object.values(schema?.classes ?? {});
  return classes.map((/** @type {any} */ one) => one?.actions?.[name]).find(Boolean);
}

/**
 * An event with its values, for games that have no words for it. The object of a player is called by the player's name.
 * @param {any} event @param {State} state @param {Match} match
 */
export function eventInWords({ kind, ...rest }, state, { schema, players }) {
  const named = (/** @type {any} */ value) => nameOf(state.get(value), schema, players) || value;
  const values = Object.entries(rest).map(([key, value]) => [
    key,
    Array.isArray(value) ? value.map(named) : named(value),
  ]);
  return actionText({ type: `${String(kind).replaceAll("_", " ")}:`, ...Object.fromEntries(values) });
}

/**
 * A value in words; a thing as its kind and its id, for example `Sharpshooter c1`. The kind is the first field with
 * fixed words, such as a job. Without such a field, it is the class. The object of a player has the player's name.
 * @param {any} value @param {State} state @param {any} schema @param {{name: string}[]} players @returns {string}
 */
export function thingIn(value, state, schema, players) {
  const thing = typeof value === "string" ? state.get(value) : undefined;
  if (!thing) return short(value, 60);
  const name = nameOf(thing, schema, players);
  if (name) return name;
  const fields = Object.entries(schema?.classes?.[thing.class]?.fields ?? {});
  const kinds = fields.filter(([, about]) => /** @type {any} */ (about)?.choices).map(([field]) => thing[field]);
  const kind = kinds.find((one) => typeof one === "string" && one);
  return `${clip(kind ?? thing.class, 40)} ${clip(thing.id, 40)}`;
}

/** @param {string} verb */
function third(verb) {
  if (/[^aeou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  // An action can have the name of several things, such as "orders": that is a plural already.
  if (/[^sui]s$/.test(verb)) return verb;
  return /(s|sh|ch|x|z|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}

/** @typedef {{ids: string[], tiles: [number, number][]}} Meant the things and places that an action is about */

/** @param {any} action or event @param {State} state @returns {Meant} */
export function meantBy(action, state) {
  const values = Object.values(action ?? {}).flat(2);
  const ids = values.filter((value) => typeof value === "string" && state.has(value));
  const { x, y } = action ?? {};
  return { ids: [...new Set(ids)], tiles: typeof x === "number" && typeof y === "number" ? [[x, y]] : [] };
}

/**
 * The command that plays the turn of a lesson by hand.
 * @param {{header: Record<string, any>}} replay @param {import("arena/replay").Lesson} lesson
 */
export function byHand({ header }, { player, commands }) {
  const place = commands?.[0]?.replace(/^\w+ \w+ /, ""); // what the first command shows
  const bots = header.players.map((/** @type {any} */ { bot }, /** @type {number} */ seat) =>
    seat === player ? "human" : /^builtin:[\w-]+$/.test(bot ?? "") ? bot : "replay",
  );
  return place ? `arena play ${header.game} ${bots.join(" ")} --from ${place}` : "";
}
