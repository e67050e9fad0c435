// Plays any game by choosing among the legal actions at random. Written from docs/protocol.md alone.
//
// It also keeps all objects by folding the deltas, and checks that what it sees makes sense:
// an exit code other than 0 means that the referee or the document is wrong.

import { fileURLToPath } from "node:url";
import { decode, encode } from "@msgpack/msgpack";
import { Pair } from "zeromq";

const seed = Number(process.env.ARENA_NODE_SEED ?? 1);

/** A small generator, so that a match can be repeated. */
function makeRandom(state) {
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** All that this player can see: id -> {class, fields}. */
export class Objects {
  constructor(schema) {
    this.schema = schema;
    this.known = new Map();
  }

  fold(delta) {
    if (delta.length % 3 !== 0) throw new Error("a delta is made of triples");
    const gone = new Set();
    for (let index = 0; index < delta.length; index += 3) {
      const [id, field, value] = delta.slice(index, index + 3);
      if (field === "+") {
        if (!(value in this.schema.classes)) throw new Error(`unknown class ${value}`);
        this.known.set(id, { class: value, fields: {} });
        gone.delete(id);
      } else if (field === "-") {
        this.known.delete(id);
        gone.add(id);
      }
    }
    for (let index = 0; index < delta.length; index += 3) {
      const [id, field, value] = delta.slice(index, index + 3);
      if (field === "+" || field === "-" || gone.has(id)) continue;
      const object = this.known.get(id);
      if (object === undefined) throw new Error(`unknown object ${id}`);
      if (!(field in this.schema.classes[object.class].fields))
        throw new Error(`unknown field ${object.class}.${field}`);
      object.fields[field] = value;
    }
  }

  /** Every object has all fields of its class. */
  check() {
    for (const [id, object] of this.known) {
      for (const field of Object.keys(this.schema.classes[object.class].fields)) {
        if (!(field in object.fields)) throw new Error(`${id} has no ${field}`);
      }
    }
  }
}

/** One match. */
class Client {
  constructor(socket) {
    this.socket = socket;
    this.random = makeRandom(seed);
    this.objects = null;
    this.actions = 0;
  }

  send(message) {
    return this.socket.send(encode(message));
  }

  async play() {
    const hello = { protocol: 1, client: "arena-node-client/0.1.0", schema: null, legal_actions: true };
    await this.send({ type: "hello", ...hello });
    for await (const [data] of this.socket) {
      const message = decode(data);
      switch (message.type) {
        case "welcome":
          this.objects = new Objects(message.schema);
          break;
        case "start":
          this.objects.fold(message.view);
          this.objects.check();
          await this.send({ type: "ready", seq: message.seq });
          break;
        case "refused":
          console.error(`refused: ${message.message}`);
          return 4;
        case "over":
          this.objects.fold(message.delta);
          this.objects.check();
          console.log(JSON.stringify({ outcome: message.outcome, players: message.players, actions: this.actions }));
          return 0;
        default:
          await this.answer(message);
      }
    }
    return 3;
  }

  async answer(message) {
    if (message.type !== "turn" && message.type !== "result") throw new Error(`unexpected ${message.type}`);
    this.objects.fold(message.delta);
    if (message.type === "result") {
      const refused = message.results?.find((one) => one?.code);
      if (refused) throw new Error(`a legal action was refused: ${refused.code}`);
      if (!message.your_move) return;
    }
    const legal = message.legal_actions;
    if (!legal || legal.length === 0) throw new Error("asked to move without a legal action");
    const action = legal[Math.floor(this.random() * legal.length)];
    if (this.actions === 0) await this.send({ type: "log", seq: message.seq, text: "a client in JavaScript" });
    this.actions += 1;
    await this.send({ type: "act", seq: message.seq, actions: [action] });
  }
}

async function main() {
  const endpoint = process.env.ARENA_ENDPOINT;
  if (!endpoint) {
    console.error("ARENA_ENDPOINT is not set: a client is started by the referee.");
    return 2;
  }
  const socket = new Pair({ reconnectInterval: 2, linger: 500 });
  socket.connect(endpoint);
  try {
    return await new Client(socket).play();
  } catch (error) {
    console.error(error.message);
    return 1;
  } finally {
    socket.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
