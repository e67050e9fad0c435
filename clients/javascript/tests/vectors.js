// Answers each line of standard input with one line, for tests with the protocol's vectors.
//
//   decode HEX   the message, packed again; or "error CODE"
//   fold HEX     all objects after the delta in this message; or "error CODE"
//   array HEX    all arrays after the delta in this message; or "error CODE"
//   random SEED  some random numbers

import { readFileSync } from "node:fs";
import { pack, Random, unpack, WireError, World } from "./arena.js";
import * as shelf from "./shelf.js";
import { AI, Walker } from "./stroll.js";

const classes = { Game: { fields: { walkers: { type: "[Walker]" } } }, Walker: { fields: {} } };
const schema = { grid: { width: "width", height: "height" }, classes };
const send = () => {
  throw new Error("no actions");
};
const world = new World({ schema }, AI.classes, send);

const names = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"];
const fields = names.map((dtype) => [`${dtype}s`, { type: "array", dtype }]);
const arrayFields = Object.fromEntries([["cells", { type: "array", dtype: "int16" }], ...fields]);
const shelves = new World({ schema: { classes: { Game: { fields: arrayFields } } } }, shelf.AI.classes, send);

const objects = () => {
  /** @type {import("../arena.js").Document} */
  const all = { type: "objects" };
  for (const thing of world.objects.values()) {
    if (!thing.present) continue;
    const { width, height, walkers, x, y, owner, mood } = /** @type {any} */ (thing);
    const ids = walkers?.map((/** @type {Walker} */ walker) => walker.id);
    const fields = thing instanceof Walker ? { x, y, owner, mood } : { width, height, walkers: ids };
    all[thing.id] = { class: thing.class_name, fields };
  }
  return all;
};

/** @type {Record<string, (argument: string) => string>} */
const commands = {
  decode: (hex) => pack(unpack(Buffer.from(hex, "hex"))).toString("hex"),
  fold: (hex) => {
    world.apply(unpack(Buffer.from(hex, "hex")).delta);
    return pack(objects()).toString("hex");
  },
  array: (hex) => {
    shelves.apply(unpack(Buffer.from(hex, "hex")).delta);
    const game = /** @type {any} */ (shelves.objects.get("game"));
    const found = Object.keys(arrayFields).map((name) => [name, [...(game[name] ?? [])]]);
    return pack({ type: "arrays", ...Object.fromEntries(found) }).toString("hex");
  },
  random: (seed) => {
    const random = new Random(seed);
    const order = [...Array(10).keys()];
    random.shuffle(order);
    const bits = Buffer.alloc(8);
    bits.writeDoubleBE(random.random());
    return `${order.join(" ")} ${bits.toString("hex")} ${random.below(1)} ${random.below(4294967295)}`;
  },
};

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [command, argument = ""] = line.split(" ");
  try {
    console.log(commands[command](argument));
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    console.log(`error ${error.code}`);
  }
}
