/** Short texts for values and things, so that a player's hand reads `K♥ 7♠` and not as a list of maps. */

import { short } from "arena/dom";

/** @param {any} value @returns {string} */
export function words(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number")
    return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(6)));
  if (typeof value === "string") return value ? short(value.replaceAll("_", " "), 80) : "–";
  if (Array.isArray(value)) return value.length ? value.slice(0, 12).map(words).join(" ") : "none";
  const { kind, ...rest } = value;
  const parts = Object.entries(rest).map(([name, one]) => `${name.replaceAll("_", " ")} ${words(one)}`);
  return short([kind && `${words(kind)}:`, parts.join(", ")].filter(Boolean).join(" "), 200);
}

/**
 * A short text that distinguishes a thing from others: up to two words and a number, or two numbers. If a thing has
 * neither, the text is "?" if a field is hidden, else the id.
 * @param {import("arena/states").Thing | undefined} thing @returns {string}
 */
export function label(thing) {
  const fields = Object.keys(thing ?? {}).filter((name) => !/^(id|class|index|owner|player)$/.test(name));
  const known = fields.map((name) => thing?.[name]).filter((value) => value !== null && typeof value !== "boolean");
  const strings = known.filter((value) => typeof value === "string" && value);
  const numbers = known.filter((value) => typeof value === "number");
  const said = [...strings.slice(0, 2), ...numbers.slice(0, strings.length ? 1 : 2)].map(words).join(" ");
  if (said) return short(said, 24);
  return fields.some((name) => thing?.[name] === null) ? "?" : short(String(thing?.id ?? "?"), 24);
}

/**
 * The class of which each player has an object: `Player`, or the first class with a field `index`.
 * @param {any} schema @returns {string}
 */
export function classOfPlayers(schema) {
  if (schema?.classes?.Player) return "Player";
  const classes = Object.entries(schema?.classes ?? {});
  return classes.find(([, one]) => /** @type {any} */ (one)?.fields?.index)?.[0] ?? "";
}

/**
 * The name of the player whose object a thing is; empty for all other things.
 * @param {import("arena/states").Thing | undefined} thing @param {any} schema @param {{name: string}[]} players
 */
export function nameOf(thing, schema, players) {
  const isPlayer = thing !== undefined && thing.class === classOfPlayers(schema) && typeof thing.index === "number";
  return isPlayer ? short(players[thing.index]?.name ?? "", 40) : "";
}

/** `1 unit`, `3 units` @param {number} number @param {string} noun */
export const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** `once`, `twice`, `3 times` @param {number} number */
export const times = (number) => ["", "once", "twice"][number] ?? `${number} times`;

/** `a, b, and c` @param {string[]} parts @param {string} [last] what stands before the last part */
export const listed = (parts, last = ", and ") =>
  parts.length > 1 ? parts.slice(0, -1).join(", ") + last + parts.at(-1) : (parts[0] ?? "");

/** The types of numbers in an array. */
const TYPES = {
  ...{ int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array },
  ...{
    uint32: Uint32Array,
    int64: BigInt64Array,
    uint64: BigUint64Array,
    float32: Float32Array,
    float64: Float64Array,
  },
};

/**
 * The sizes of an array; null for any size. A size that is a name is in a field: of the array's thing, or else of the
 * root.
 * @param {{shape?: (number | string | null)[]}} field @param {import("arena/states").Thing} thing
 * @param {import("arena/states").Thing} [root] @returns {(number | null)[]}
 */
export function sizesOf({ shape = [] }, thing, root) {
  return shape.map((size) => (typeof size === "string" ? Number(thing[size] ?? root?.[size] ?? 0) : size));
}

/**
 * The numbers of an array, as rows of the last dimension; of a large array only the first 65,536 numbers.
 * @param {Uint8Array} data @param {string} dtype @param {(number | null)[]} shape the `sizesOf` the array
 */
export function numbersOf(data, dtype, shape) {
  const Type = /** @type {any} */ (TYPES)[/** @type {keyof typeof TYPES} */ (dtype)] ?? Uint8Array;
  const whole = data.slice(0, 65536 * Type.BYTES_PER_ELEMENT);
  const size = Math.floor(whole.length / Type.BYTES_PER_ELEMENT);
  const numbers = Float64Array.from(new Type(whole.buffer, 0, size), Number);
  const last = shape.length > 1 ? Number(shape[shape.length - 1]) : size;
  const columns = Math.max(1, Math.min(size, last || 1));
  return { numbers, columns, rows: Math.floor(size / columns) };
}
