// Answers each line of standard input with one line, for tests with the protocol's vectors.
//
//   decode HEX   the message, packed again; or "error CODE"
//   fold HEX     all objects after the delta in this message; or "error CODE"
//   random SEED  some random numbers

import { readFileSync } from "node:fs";
import { pack, Random, unpack, WireError, World } from "./arena.js";
import { AI, Walker } from "./stroll.js";

const classes = { Game: { fields: { walkers: { type: "[Walker]" } } }, Walker: { fields: {} } };
const schema = { grid: { width: "width", height: "height" }, classes };
const world = new World(schema, AI.classes, () => Promise.reject(new Error("no actions")));

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
