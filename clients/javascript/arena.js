// Write a bot for an Arena game in JavaScript. This file is the whole kit. It needs Node.js 18 or newer.
//
// A bot imports the classes of its game, which `arena sdk GAME --language javascript` writes beside this file:
//
//     import { AI, run } from "./saloon.js";
//     class Bot extends AI {
//       run_turn() {
//         this.player.young_gun.call_in("Brawler");
//       }
//     }
//     run(Bot);
//
// The kit follows docs/protocol.md of the framework.

import { spawn } from "node:child_process";
import { readSync, writeSync } from "node:fs";
import { connect } from "node:net";
import process from "node:process";

// The frames of a deep value in a message must not hide those of the bot.
Object.assign(Error, { stackTraceLimit: 50 });

/** Exit codes of a bot's process, the same in every language. */
export const ExitCode = { FINISHED: 0, BOT_RAISED: 1, BOT_UNUSABLE: 2, CONNECTION_LOST: 3, REFUSED: 4 };

/** A mistake of the bot or of its environment. */
export class PlayerError extends Error {
  /** @param {string} message @param {number} exitCode */
  constructor(message, exitCode = ExitCode.BOT_UNUSABLE) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Data that breaks the protocol. `code` is one of the codes in the protocol document. */
export class WireError extends PlayerError {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(`The referee sent an invalid message: ${message}.`, ExitCode.CONNECTION_LOST);
    this.code = code;
  }
}

/** Leaves `run_turn` when the match ends during the turn. Do not catch it. */
class MatchOver {}

// --- MessagePack ---------------------------------------------------------------------------------------------------

/** @typedef {Record<string, any>} Document A map in a message. */

let packed = Buffer.allocUnsafe(1 << 12);
let packedEnd = 0;

/** Reserve bytes and return where they start. @param {number} count */
function reserve(count) {
  if (packedEnd + count > packed.length) {
    const larger = Buffer.allocUnsafe(2 * (packedEnd + count));
    packed.copy(larger, 0, 0, packedEnd);
    packed = larger;
  }
  packedEnd += count;
  return packedEnd - count;
}

/** @param {number} head @param {number} number @param {number} size */
function put(head, number, size) {
  const at = reserve(1 + size);
  packed[at] = head;
  if (size) packed.writeUIntBE(number, at + 1, size);
}

/** @param {number} count @param {number} fix @param {number} most @param {number} head */
function putLength(count, fix, most, head) {
  if (count <= most) put(fix | count, 0, 0);
  else if (count <= 0xffff) put(head, count, 2);
  else put(head + 1, count, 4);
}

/** @param {any} value */
function add(value) {
  if (value === null || value === undefined) put(0xc0, 0, 0);
  else if (typeof value === "boolean") put(value ? 0xc3 : 0xc2, 0, 0);
  else if (typeof value === "bigint" || Number.isSafeInteger(value)) {
    if (value >= -32 && value <= 127) return put(Number(value) & 0xff, 0, 0);
    const at = reserve(9);
    packed[at] = 0xd3;
    packed.writeBigInt64BE(BigInt(value), at + 1);
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError("Numbers must be finite.");
    const at = reserve(9);
    packed[at] = 0xcb;
    packed.writeDoubleBE(value, at + 1);
  } else if (typeof value === "string") {
    const size = Buffer.byteLength(value);
    putLength(size, 0xa0, 31, 0xda);
    const at = reserve(size);
    packed.write(value, at);
  } else if (Array.isArray(value)) {
    putLength(value.length, 0x90, 15, 0xdc);
    for (const item of value) add(item);
  } else if (value instanceof Uint8Array) {
    put(0xc6, value.length, 4);
    const at = reserve(value.length);
    packed.set(value, at);
  } else if (typeof value === "object") {
    const keys = Object.keys(value);
    putLength(keys.length, 0x80, 15, 0xde);
    for (const key of keys) {
      add(key);
      add(value[key]);
    }
  } else throw new TypeError(`A ${typeof value} cannot be sent.`);
}

/**
 * Return a value in MessagePack. Safe integers and BigInts become integers, all other numbers floats. A BigInt must fit
 * into 64 bits.
 * @param {any} value
 * @returns {Buffer}
 */
export function pack(value) {
  packedEnd = 0;
  add(value);
  return Buffer.from(packed.subarray(0, packedEnd));
}

const strictText = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads values in MessagePack. */
class Unpacker {
  #at = 0;

  /** @param {Buffer} data @param {(() => Buffer) | null} more Returns the next bytes of a stream. */
  constructor(data, more = null) {
    this.data = data;
    this.more = more;
  }

  /** The number of bytes that are left. */
  get left() {
    return this.data.length - this.#at;
  }

  /** Return the next value. @param {number} depth @returns {any} */
  read(depth = 0) {
    const at = this.#take(1);
    const { data } = this;
    const head = data[at];
    if (head < 0x80) return head;
    if (head >= 0xe0) return head - 256;
    if (head < 0x90) return this.#map(head & 15, depth);
    if (head < 0xa0) return this.#list(head & 15, depth);
    if (head < 0xc0) return this.#text(head & 31);
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return new Uint8Array(this.#bytes(this.#unsigned(1 << (head - 0xc4))));
      case 0xca:
        return finite(this.#bytes(4).readFloatBE());
      case 0xcb:
        return finite(this.#bytes(8).readDoubleBE());
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#unsigned(1 << (head - 0xcc));
      case 0xcf:
        return whole(this.#bytes(8).readBigUInt64BE());
      case 0xd0:
      case 0xd1:
      case 0xd2:
        return this.#bytes(1 << (head - 0xd0)).readIntBE(0, 1 << (head - 0xd0));
      case 0xd3:
        return whole(this.#bytes(8).readBigInt64BE());
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#unsigned(1 << (head - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#unsigned(head === 0xdc ? 2 : 4), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(head === 0xde ? 2 : 4), depth);
      default:
        throw new WireError("garbled", "it has extension values");
    }
  }

  /** @param {number} count */
  #take(count) {
    while (count > this.left) {
      if (!this.more) throw new WireError("garbled", "the message is cut short");
      this.data = Buffer.concat([this.data.subarray(this.#at), this.more()]);
      this.#at = 0;
    }
    this.#at += count;
    return this.#at - count;
  }

  /** @param {number} count */
  #bytes(count) {
    const at = this.#take(count);
    return this.data.subarray(at, at + count);
  }

  /** @param {number} size */
  #unsigned(size) {
    return this.#bytes(size).readUIntBE(0, size);
  }

  /** @param {number} size */
  #text(size) {
    const start = this.#take(size);
    if (size < 24) {
      let short = "";
      let byte = 0;
      for (let i = start; i < this.#at; i++) {
        byte = this.data[i];
        if (byte > 127) break;
        short += String.fromCharCode(byte);
      }
      if (byte < 128) return short;
    }
    try {
      return strictText.decode(this.data.subarray(start, this.#at));
    } catch {
      throw new WireError("garbled", "a text is not UTF-8");
    }
  }

  /** @param {number} count @param {number} depth */
  #enter(count, depth) {
    if (depth >= 16) throw new WireError("too_deep", "it is nested too deeply");
    if (!this.more && count > this.left) throw new WireError("garbled", "the message is cut short");
  }

  /** @param {number} count @param {number} depth */
  #list(count, depth) {
    this.#enter(count, depth);
    const items = new Array(count);
    for (let i = 0; i < count; i++) items[i] = this.read(depth + 1);
    return items;
  }

  /** @param {number} count @param {number} depth */
  #map(count, depth) {
    this.#enter(count, depth);
    /** @type {Document} */
    const entries = {};
    for (let i = 0; i < count; i++) {
      const key = this.read(depth + 1);
      if (typeof key !== "string") throw new WireError("garbled", "a key is not a text");
      if (Object.hasOwn(entries, key)) throw new WireError("duplicate_key", "a map has the same key twice");
      const value = this.read(depth + 1);
      if (key === "__proto__") Object.defineProperty(entries, key, { value, enumerable: true });
      else entries[key] = value;
    }
    return entries;
  }
}

/** @param {number} number */
function finite(number) {
  if (Number.isFinite(number)) return number;
  throw new WireError("bad_value", "a number is not finite");
}

/** @param {bigint} number */
function whole(number) {
  if (number > 0x7fffffffffffffffn) throw new WireError("bad_value", "an integer is too large");
  const plain = Number(number);
  return Number.isSafeInteger(plain) ? plain : number;
}

/**
 * Return the message in some bytes: a map with a `type`, and nothing after the map.
 * @param {Buffer} data
 * @returns {Document}
 */
export function unpack(data) {
  const reader = new Unpacker(data);
  const message = reader.read();
  if (reader.left) throw new WireError("garbled", "bytes follow the message");
  const isMap = Object.prototype.toString.call(message) === "[object Object]";
  if (!isMap || typeof message.type !== "string") throw new WireError("not_a_message", "it is not a map with a type");
  return message;
}

// --- the connection ------------------------------------------------------------------------------------------------

const lost = () => new PlayerError("The connection to the referee is lost.", ExitCode.CONNECTION_LOST);

/**
 * A stream of Node.js that blocks: reads and writes wait, as in the other kits. To wait in the event loop for each
 * message would take twice the time.
 */
class Stream {
  #buffer = Buffer.allocUnsafe(1 << 16);

  /** @param {any} socket A socket or pipe, from which nothing has been read yet. */
  constructor(socket) {
    this.socket = socket; // keeps it open
    this.handle = socket._handle;
    socket.pause(); // otherwise Node.js begins to read as soon as the listeners of "connect" have run
    this.handle.readStop();
    this.handle.setBlocking(true);
  }

  /** Return the next bytes; none at the end or after an error. The bytes are valid until the next call. */
  read() {
    try {
      return this.#buffer.subarray(0, readSync(this.handle.fd, this.#buffer));
    } catch {
      return this.#buffer.subarray(0, 0);
    }
  }

  /** @param {Buffer} data */
  write(data) {
    for (let done = 0; done < data.length; ) done += writeSync(this.handle.fd, data, done);
  }
}

/** The longest message of a bot, in bytes. */
const MOST_BYTES = 262144;

/** The client's end of a ZeroMQ PAIR connection (ZMTP 3.0) over a socket of Node.js. */
class Link {
  /** @param {Stream} stream */
  constructor(stream) {
    this.stream = stream;
    this.buffer = Buffer.alloc(0);
    this.ready = false;
    const hello = Buffer.alloc(64);
    hello.write("\xff\0\0\0\0\0\0\0\0\x7f\x03\0NULL", "latin1");
    const command = "\x04\x27\x05READY\x0bSocket-Type\0\0\0\x04PAIR\x08Identity\0\0\0\0";
    this.#write(Buffer.concat([hello, Buffer.from(command, "latin1")]));
    this.#need(64);
    const greeting = this.buffer;
    if (greeting[0] !== 0xff || greeting[9] !== 0x7f || greeting[10] < 3)
      throw new WireError("garbled", "it is not ZeroMQ");
    this.buffer = greeting.subarray(64);
    while (!this.ready) this.#frame();
  }

  /** @param {string} endpoint ipc://PATH or tcp://HOST:PORT */
  static async open(endpoint) {
    const tcp = /^tcp:\/\/(.+):(\d+)$/.exec(endpoint);
    if (!tcp && !endpoint.startsWith("ipc://"))
      throw new PlayerError(
        `ARENA_ENDPOINT is not ipc://PATH or tcp://HOST:PORT: ${endpoint}`,
        ExitCode.CONNECTION_LOST,
      );
    for (const end = Date.now() + 10_000; Date.now() < end; await new Promise((done) => setTimeout(done, 2))) {
      const socket = tcp ? connect({ host: tcp[1], port: Number(tcp[2]), noDelay: true }) : connect(endpoint.slice(6));
      const stream = await new Promise((done) =>
        socket.once("connect", () => done(new Stream(socket))).once("error", () => done(null)),
      );
      if (stream) return new Link(stream);
    }
    throw new PlayerError("No referee answered within 10 s.", ExitCode.CONNECTION_LOST);
  }

  /** @param {Document[]} messages */
  send(messages) {
    const parts = messages.flatMap((message) => {
      const body = pack(message);
      if (body.length > MOST_BYTES) throw new RangeError("A message of the bot is longer than 262,144 bytes.");
      if (body.length < 256) return [Buffer.of(0, body.length), body];
      const head = Buffer.alloc(9, 0);
      head[0] = 2;
      head.writeUInt32BE(body.length, 5);
      return [head, body];
    });
    this.#write(Buffer.concat(parts));
  }

  /** Wait for the next message. */
  receive() {
    let data;
    do data = this.#frame();
    while (!data);
    return unpack(data);
  }

  /** @param {Buffer} data */
  #write(data) {
    try {
      this.stream.write(data);
    } catch {
      throw lost();
    }
  }

  /** @param {number} count */
  #need(count) {
    while (this.buffer.length < count) {
      const data = this.stream.read();
      if (!data.length) throw lost();
      this.buffer = Buffer.concat([this.buffer, data]);
    }
  }

  /** Read one frame; return a message's bytes, or null if it was a command of ZeroMQ. */
  #frame() {
    this.#need(2);
    const flags = this.buffer[0];
    const start = flags & 2 ? 9 : 2;
    this.#need(start);
    const size = flags & 2 ? Number(this.buffer.readBigUInt64BE(1)) : this.buffer[1];
    if (flags & ~6 || size > 16 << 20) throw new WireError("garbled", "it sent an unexpected frame");
    this.#need(start + size);
    const body = this.buffer.subarray(start, start + size);
    this.buffer = this.buffer.subarray(start + size);
    if (!(flags & 4)) return body;
    const name = body.toString("latin1", 1, 1 + body[0]);
    if (name === "READY") this.ready = true;
    if (name === "PING") {
      const pong = Buffer.concat([Buffer.from("\x04PONG", "latin1"), body.subarray(7)]);
      this.#write(Buffer.concat([Buffer.of(4, pong.length), pong]));
    }
    return null;
  }
}

// --- the game ------------------------------------------------------------------------------------------------------

/**
 * The result of an action. If the action was not carried out, it has not changed the game. An object is always true:
 * ask for `accepted`. Before the end of a batch, reading a result of this batch throws an error.
 * @template [T=undefined]
 */
export class Result {
  /** Whether the bot has looked at the result. */
  _seen = false;
  /** @type {{ code: string, message: string, value: any } | null} */
  _reply = null;

  /** True if the action was carried out. */
  get accepted() {
    return !this.code;
  }

  /**
   * Empty if accepted, else the game's code for the reason. Two codes come from the kit: "not_tried" (an earlier action
   * of the batch was refused or ended the turn) and "not_your_turn" (your turn was over, so the action was not sent).
   */
  get code() {
    return this.#read().code;
  }

  /** Empty if accepted, else the reason. */
  get message() {
    return this.#read().message;
  }

  /** The object that the action returned, such as a new object; or null. @returns {T | null} */
  get value() {
    return this.#read().value;
  }

  #read() {
    this._seen = true;
    if (!this._reply) throw new Error("A batch is sent at its end. Use its results after it.");
    return this._reply;
  }
}

/**
 * Fill in a result, and return it.
 * @param {Result<any>} result
 * @param {string} code
 * @param {string} message
 * @param {any} value
 */
function settle(result, code = "", message = "", value = null) {
  result._reply = { code, message, value };
  return result;
}

/** One object of the game. The kit keeps it current; it is the same object for the whole match. */
export class GameObject {
  /** The object's name on the wire and in replays. */
  id = "";
  /** False if the object has been removed from the game or is out of your sight. */
  present = false;
  /** The name of its class in the game's schema. */
  class_name = "";
  /** @type {World} */
  world = /** @type {any} */ (null);
  /** The values of its fields on the wire. @type {Document} */
  _known = {};
}

/** An object that stands on a tile. */
export class PlacedObject extends GameObject {
  /** Column, or null if the object is not on the board. @type {number | null} */
  x = null;
  /** Row, or null if the object is not on the board. @type {number | null} */
  y = null;
  /** The tile that the object stands on, or null if the object is not on the board. @type {Tile | null} */
  tile = null;
}

/** One square of the board. x grows to the right, y grows downwards, (0, 0) is top left. */
export class Tile {
  /** The next tiles; null at the edge. @type {Tile | null} */
  north = null;
  /** @type {Tile | null} */
  south = null;
  /** @type {Tile | null} */
  east = null;
  /** @type {Tile | null} */
  west = null;
  /** The tiles to the north, south, east and west that exist, in this order. @type {Tile[]} */
  neighbors = [];
  /** All objects on this tile. @type {readonly PlacedObject[]} */
  things = [];
  /** For the kit. @type {World} */
  world = /** @type {any} */ (null);

  /** @param {number} x @param {number} y @param {World} world */
  constructor(x, y, world) {
    this.x = x;
    this.y = y;
    Object.defineProperty(this, "world", { value: world, enumerable: false });
  }

  /**
   * Return the object of a class on this tile, the last one if there are several, or null: `tile.find(Cowboy)`.
   * @template {PlacedObject} T
   * @param {new () => T} kind
   * @returns {T | null}
   */
  find(kind) {
    return /** @type {T | undefined} */ (this.things.findLast((thing) => thing instanceof kind)) ?? null;
  }
}

/**
 * Count the steps between two tiles, ignoring obstacles; Infinity if one is null.
 * @param {Tile | null} first
 * @param {Tile | null} second
 */
export function distance(first, second) {
  return first && second ? Math.abs(first.x - second.x) + Math.abs(first.y - second.y) : Infinity;
}

/**
 * Return a shortest path that goes from tile to neighbouring tile, without `start` and with `goal`. The path is empty
 * if there is no way, or if `start` is `goal`.
 * @param {Tile} start
 * @param {Tile} goal It can be occupied.
 * @param {(tile: Tile) => boolean} [passable] Returns whether a path can cross a tile. Without it, the helper
 *   `is_passable` of the game decides, which the rules service knows.
 * @returns {Tile[]}
 */
export function find_path(start, goal, passable) {
  if (!passable) return start.world.help(start, "path_to", { goal });
  /** @type {Map<Tile, { steps: number, from: Tile | null }>} */
  const reached = new Map([[start, { steps: 0, from: null }]]);
  // The tiles by the estimated length of a path through them. Of equally good tiles, the one added last is tried first,
  // as in the other kits.
  /** @type {Tile[][]} */
  const queue = [];
  queue[distance(start, goal)] = [start];
  for (let length = distance(start, goal); length < queue.length; length++) {
    const tiles = queue[length] ?? [];
    for (let tile = tiles.pop(); tile; tile = tiles.pop()) {
      if (tile === goal) {
        const path = [];
        for (let one = tile; one !== start; one = /** @type {Tile} */ (reached.get(one)?.from)) path.unshift(one);
        return path;
      }
      const steps = /** @type {{ steps: number }} */ (reached.get(tile)).steps + 1;
      for (const near of tile.neighbors) {
        if (steps >= (reached.get(near)?.steps ?? Infinity) || !(near === goal || passable(near))) continue;
        reached.set(near, { steps, from: tile });
        queue[steps + distance(near, goal)] ??= [];
        queue[steps + distance(near, goal)].push(near);
      }
    }
  }
  return [];
}

/** @type {Record<string, new (buffer: ArrayBuffer) => ArrayBufferView>} */
const ARRAYS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** Return the numbers of an array. @param {unknown} bytes @param {string} dtype */
function numbers(bytes, dtype) {
  if (bytes instanceof Uint8Array) return new ARRAYS[dtype](/** @type {ArrayBuffer} */ (bytes.buffer));
  throw new TypeError("an array is not binary");
}

/**
 * Apply a list of changed spans to the bytes of an array. Return any other value unchanged.
 * @param {Uint8Array} old @param {any} value
 */
function patched(old, value) {
  if (!Array.isArray(value)) return value;
  const bytes = new Uint8Array(old);
  for (let i = 0; i < value.length; i += 2) bytes.set(value[i + 1], value[i]);
  return bytes;
}

/** The longest list of changes that is kept for the rules service: 3,000. The whole view of most games is shorter. */
const MOST_NEWS = 9000;

/** Return an argument of a helper as on the wire: objects and tiles are marked. @param {any} value @returns {any} */
function mark(value) {
  if (Array.isArray(value)) return value.map(mark);
  if (value instanceof GameObject) return { id: value.id };
  if (value instanceof Tile) return { tile: [value.x, value.y] };
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(given.map(([key, item]) => [key, mark(item)]));
}

/** All objects of a match as one player sees them, kept current by the referee's deltas. */
export class World {
  /** @type {Map<string, GameObject>} All objects by id, including removed ones. */
  objects = new Map();
  /** @type {Tile[]} All tiles, row by row; empty in games without a board. */
  tiles = [];
  #size = { width: 0, height: 0 };
  /** @type {Record<string, Record<string, ((value: any) => any) | undefined>>} */
  #converters = {};
  /** @type {Document[]} All legal actions of the bot, if it wants them. */
  legal_actions = [];
  /** @type {Rules | null} */
  #rules = null;
  #forks = 0;
  // Whether the rules service has a view, whether something has changed since, and what.
  #isState = false;
  #watched = false;
  #changed = false;
  /** @type {any[]} */
  #news = [];

  /**
   * @param {Document} welcome The message `welcome`.
   * @param {Record<string, new () => GameObject>} classes
   * @param {(action: Document) => Result<any>} act Sends an action, or queues it in a batch.
   */
  constructor(welcome, classes, act) {
    const { schema } = welcome;
    this.welcome = welcome;
    this.grid = schema.grid;
    this.classes = classes;
    this.act = act;
    for (const [name, entry] of Object.entries(schema.classes)) {
      /** @type {Record<string, (value: any) => any>} */
      const converters = {};
      for (const [field, about] of Object.entries(entry.fields)) {
        const kind = about.type.replace(/[[\]?]/g, "");
        if (kind === "array") converters[field] = (bytes) => numbers(bytes, about.dtype);
        if (kind !== "tile" && !(kind in schema.classes)) continue;
        const one = (/** @type {any} */ value) =>
          kind === "tile" ? this.tile(value[0], value[1]) : (this.objects.get(value) ?? null);
        const many = (/** @type {any[]} */ values) => values.map((value) => (value === null ? null : one(value)));
        converters[field] = about.type.startsWith("[") ? many : one;
      }
      this.#converters[name] = converters;
    }
  }

  /** Return the tile at (x, y), or null if it is off the board. @param {number} x @param {number} y */
  tile(x, y) {
    const inside = x >= 0 && y >= 0 && x < this.#size.width && y < this.#size.height;
    return inside ? this.tiles[y * this.#size.width + x] : null;
  }

  /**
   * Return a state of the rules that agrees with what the player sees.
   * @param {number} [seed] Without a seed, each call uses another one.
   * @returns {State<any>}
   */
  fork(seed = this.#forks++) {
    const { welcome } = this;
    this.#rules ??= new Rules();
    const { game, version } = welcome.schema;
    const view = this.#view(false);
    return new State(this, this.#rules, "fork", [game, version, welcome.options, view, welcome.player, seed]);
  }

  /** The legal actions of a player, as the rules list them. @param {number} player @returns {Document[]} */
  legalActions(player) {
    const state = this.fork();
    const actions = state.legal_actions(player);
    state.free();
    return actions;
  }

  /** What the player sees as flat triples. With `all`, also the objects that are not present. @param {boolean} all */
  #view(all) {
    const view = [];
    for (const thing of this.objects.values()) {
      if (!all && !thing.present) continue;
      view.push(thing.id, "+", thing.class_name);
      for (const [field, value] of Object.entries(thing._known)) view.push(thing.id, field, value);
      if (!thing.present) view.push(thing.id, "-", null);
    }
    return view;
  }

  /**
   * Return the result of a helper of the game. The rules service computes it from what the player sees, which is sent
   * before if it has changed.
   * @param {GameObject | Tile | null} target Null for the bot.
   * @param {string} name
   * @param {Document} [values] The arguments by name. Those that are undefined are left out.
   * @param {boolean} [has_map] Whether the result has a map whose keys are not texts.
   * @returns {any}
   */
  help(target, name, values = {}, has_map = false) {
    if (this.#isState) throw new Error("This is the game of a state. Helpers are for the game as it is now.");
    this.#rules ??= new Rules();
    const { options, player, schema } = this.welcome;
    const requests = [];
    const legal = this.legal_actions;
    if (!this.#watched) requests.push(["watch", schema.game, schema.version, options, player, this.#view(true), legal]);
    else if (this.#changed) requests.push(["update", this.#news, legal]);
    requests.push(["help", mark(target), name, mark(values)]);
    const results = this.#rules.ask(requests);
    [this.#watched, this.#changed, this.#news] = [results.length === 1 || results[0][0], false, []];
    for (const [good, code, message] of results) if (!good) throw new RulesError(code, message);
    return this.#answer(results[results.length - 1][1], has_map);
  }

  /**
   * Convert a result of a helper, in which maps stand for objects, tiles and maps.
   * @param {any} value
   * @param {boolean} has_map
   * @returns {any}
   */
  #answer(value, has_map) {
    const all = (/** @type {any[]} */ items) => items.map((item) => this.#answer(item, has_map));
    if (Array.isArray(value)) return all(value);
    if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
    if (value.id !== undefined) return this.objects.get(value.id) ?? null;
    if (value.tile !== undefined) return this.tile(value.tile[0], value.tile[1]);
    if (value.map !== undefined) return new Map(all(value.map));
    if (value.acts !== undefined) return this.#carryOut(value.acts);
    const entries = Object.entries(value.fields);
    if (has_map && !entries.length) return new Map();
    return Object.fromEntries(entries.map(([key, item]) => [key, this.#answer(item, has_map)]));
  }

  /** Carry out actions of a helper up to the first refused one; return the last result. @param {Document[]} acts */
  #carryOut(acts) {
    let result = settle(new Result());
    for (const action of acts) {
      result = this.act(action);
      if (result._reply?.code) break;
    }
    return result;
  }

  /** Return the game of a state, with objects of its own that nothing keeps current. @param {any[]} view */
  gameOf(view) {
    const world = new World(this.welcome, this.classes, () => {
      throw new Error("This is the game of a state. Carry out its actions with `state.push`.");
    });
    world.#rules = this.#rules;
    world.#isState = true;
    world.apply(view);
    return world.objects.get("game");
  }

  /** Apply a delta: first new and removed objects, then all fields. @param {any[]} delta */
  apply(delta) {
    try {
      this.#fold(delta);
      this.#changed = true;
      if (this.#watched) for (const part of delta) this.#news.push(part);
      if (this.#news.length > MOST_NEWS) [this.#watched, this.#news] = [false, []];
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
      throw new WireError("bad_value", `a delta does not fit the schema (${error.message})`);
    }
  }

  /** @param {any[]} delta */
  #fold(delta) {
    if (delta.length % 3) throw new WireError("bad_value", "a delta is not made of triples");
    for (let i = 0; i < delta.length; i += 3) this.#comeOrGo(delta[i], delta[i + 1], delta[i + 2]);
    if (!this.tiles.length && this.grid) this.#layOut(delta);
    /** @type {PlacedObject[]} */
    const moved = [];
    for (let i = 0; i < delta.length; i += 3) {
      const field = delta[i + 1];
      if (field === "+" || field === "-") continue;
      const thing = this.#known(delta[i]);
      const convert = this.#converters[thing.class_name][field];
      const known = thing._known[field];
      const value = known instanceof Uint8Array ? patched(known, delta[i + 2]) : delta[i + 2];
      thing._known[field] = value;
      /** @type {any} */ (thing)[field] = convert && value !== null ? convert(value) : value;
      if ((field === "x" || field === "y") && thing instanceof PlacedObject) moved.push(thing);
    }
    for (const thing of moved) this.#takeOff(thing);
    for (const thing of moved) {
      const tile = thing.present && thing.x !== null && thing.y !== null ? this.tile(thing.x, thing.y) : null;
      if (tile && thing.tile !== tile) tile.things = [...tile.things, thing];
      thing.tile = tile;
    }
  }

  /** @param {string} id */
  #known(id) {
    const thing = this.objects.get(id);
    if (!thing) throw new WireError("bad_value", `a delta names the unknown object ${id}`);
    return thing;
  }

  /** @param {string} id @param {string} field @param {any} value */
  #comeOrGo(id, field, value) {
    if (field === "-") {
      const thing = this.#known(id);
      thing.present = false;
      if (thing instanceof PlacedObject) this.#takeOff(thing);
    }
    if (field !== "+") return;
    let thing = this.objects.get(id);
    if (!thing) {
      if (!Object.hasOwn(this.classes, value)) throw new WireError("bad_value", `the schema has no class ${value}`);
      thing = new this.classes[value]();
      thing.id = id;
      thing.class_name = value;
      for (const [name, own] of Object.entries({ world: this, _known: {} }))
        Object.defineProperty(thing, name, { value: own, enumerable: false });
      this.objects.set(id, thing);
    }
    thing.present = true;
  }

  /** @param {PlacedObject} thing */
  #takeOff(thing) {
    if (thing.tile) thing.tile.things = thing.tile.things.filter((other) => other !== thing);
    thing.tile = null;
  }

  /** @param {any[]} delta */
  #layOut(delta) {
    for (let i = 0; i < delta.length; i += 3) {
      if (delta[i] === "game" && delta[i + 1] === this.grid.width) this.#size.width = delta[i + 2];
      if (delta[i] === "game" && delta[i + 1] === this.grid.height) this.#size.height = delta[i + 2];
    }
    const { width, height } = this.#size;
    this.tiles = Array.from({ length: width * height }, (_, i) => new Tile(i % width, Math.floor(i / width), this));
    for (const tile of this.tiles) {
      tile.north = this.tile(tile.x, tile.y - 1);
      tile.south = this.tile(tile.x, tile.y + 1);
      tile.east = this.tile(tile.x + 1, tile.y);
      tile.west = this.tile(tile.x - 1, tile.y);
      for (const near of [tile.north, tile.south, tile.east, tile.west]) if (near) tile.neighbors.push(near);
    }
  }
}

// --- looking ahead -------------------------------------------------------------------------------------------------

/** The rules refused an action or a request. `code` is the game's code, or "bad_request". */
export class RulesError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** The process that runs the rules of the game: see "The rules as a service" in the documentation of the framework. */
class Rules {
  states = 0;

  constructor() {
    const python = process.env.ARENA_PYTHON;
    if (!python)
      throw new PlayerError(
        "fork(), helpers and random_action() need the rules of the game. Write `rules = true` into bot.toml.",
      );
    const child = spawn(python, ["-B", "-P", "-s", "-S", "-m", "arena_player.rules"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    if (!child.pid) throw new PlayerError(`The rules of the game cannot be started: there is no program ${python}.`);
    this.input = new Stream(child.stdin);
    this.output = new Stream(child.stdout);
    this.reader = new Unpacker(Buffer.alloc(0), () => {
      const data = this.output.read();
      if (!data.length) throw new PlayerError("The rules of the game have stopped. Their message is above.");
      return data;
    });
  }

  /** Send requests in one message, and return a result for each. @param {any[][]} requests @returns {any[][]} */
  ask(requests) {
    this.input.write(pack(requests));
    return this.reader.read();
  }
}

/**
 * A state of the rules to search in. It is not connected to the match.
 * @template [G=any] The class of the game.
 */
export class State {
  /** @type {World} */
  #world;
  /** @type {Rules} */
  #rules;
  #number = 0;

  /** @param {World} world @param {Rules} rules @param {string} operation @param {any[]} values */
  constructor(world, rules, operation, values) {
    this.#world = world;
    this.#rules = rules;
    this.#number = rules.states++;
    if (operation === "fork") this.#value(["fork", this.#number, ...values]);
    else this.#value([operation, values[0], this.#number, ...values.slice(1)]);
  }

  /**
   * Carry out an action. Throw `RulesError` if the rules refuse the action.
   * @param {number} player
   * @param {Document} action
   * @returns {number} The mark for `pop`.
   */
  push(player, action) {
    return this.#value(["push", this.#number, player, action]) - 1;
  }

  /** Undo the push that returned `mark`, and all pushes after it. Without `mark`, undo all. @param {number} mark */
  pop(mark = 0) {
    this.#value(["pop", this.#number, mark]);
  }

  /**
   * Return the game in this state: `state.game().turn`. What you cannot see is a guess. It stays as it is after later
   * pushes. The whole state is sent for it: call this where you judge a position, not for each action.
   * @returns {G}
   */
  game() {
    return /** @type {any} */ (this.#world.gameOf(this.#value(["view", this.#number])));
  }

  /**
   * Return all legal actions of a player; without a player, those of the first player to move.
   * @param {number} [player]
   * @returns {Document[]}
   */
  legal_actions(player) {
    return this.#value(["legal_actions", this.#number, player]);
  }

  /** Return the players who are allowed to act; none if the game is over. @returns {number[]} */
  to_move() {
    return this.#value(["to_move", this.#number]);
  }

  /** Return the outcome as in `Outcome.document`, or null while the game goes on. @returns {Document | null} */
  outcome() {
    return this.#value(["outcome", this.#number]);
  }

  /** Return each player's score. @returns {number[]} */
  scores() {
    return this.#value(["scores", this.#number]);
  }

  /**
   * Return a copy. The copy cannot undo the pushes made before.
   * @param {number} seed The seed of the copy's dice.
   * @returns {State<G>}
   */
  clone(seed = 0) {
    return new State(this.#world, this.#rules, "clone", [this.#number, seed]);
  }

  /**
   * Return a state with a new guess at what a player does not see.
   * @param {number} player
   * @param {number} seed Decides the guess, and the dice.
   * @returns {State<G>}
   */
  determinize(player, seed) {
    return new State(this.#world, this.#rules, "determinize", [this.#number, player, seed]);
  }

  /** Remove this state from the rules service, to save memory. It cannot be used afterwards. */
  free() {
    this.#value(["free", this.#number]);
  }

  /**
   * Carry out many requests in one message, which is faster: `batch([["push", 0, action], ["scores"], ["pop", 0]])`.
   * The documentation of the rules service lists the requests; leave out the number of the state.
   * @param {any[][]} requests
   * @returns {any[][]} For each request [true, value] or [false, code, message].
   */
  batch(requests) {
    return this.#rules.ask(requests.map(([name, ...values]) => [name, this.#number, ...values]));
  }

  /** @param {any[]} request @returns {any} */
  #value(request) {
    const [[good, value, message]] = this.#rules.ask([request]);
    if (!good) throw new RulesError(value, message);
    return value;
  }
}

// --- random numbers ------------------------------------------------------------------------------------------------

/** Random numbers from a seed. From the same seed, `self.random` in the Python kit gives the same numbers. */
export class Random {
  #state = new Uint32Array(624);
  #at = 624;

  /** @param {string} seed A whole number in hexadecimal digits. */
  constructor(seed) {
    const digits = seed.replace(/^0+(?=.)/, "");
    const key = [];
    for (let end = digits.length; end > 0; end -= 8)
      key.push(Number.parseInt(digits.slice(Math.max(0, end - 8), end), 16));
    const state = this.#state;
    state[0] = 19650218;
    for (let i = 1; i < 624; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    let i = 1;
    const step = (/** @type {number} */ factor, /** @type {number} */ added) => {
      state[i] = (state[i] ^ Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), factor)) + added;
      if (++i < 624) return;
      state[0] = state[623];
      i = 1;
    };
    for (let k = 0; k < 624; k++) step(1664525, key[k % key.length] + (k % key.length));
    for (let k = 0; k < 623; k++) step(1566083941, -i);
    state[0] = 0x80000000;
  }

  /** Return a number from 0 (included) to 1 (excluded). */
  random() {
    const high = this.#next() >>> 5;
    return (high * 67108864 + (this.#next() >>> 6)) / 9007199254740992;
  }

  /** Return an integer from 0 to `count` - 1. @param {number} count From 1 to 4,294,967,295. */
  below(count) {
    if (!(count >= 1 && count <= 0xffffffff)) throw new RangeError("below() takes 1 to 4294967295.");
    const shift = Math.clz32(count);
    for (;;) {
      const value = this.#next() >>> shift;
      if (value < count) return value;
    }
  }

  /** Return one of the items. @template T @param {readonly T[]} items */
  choice(items) {
    return items[this.below(items.length)];
  }

  /** Put the items into a random order. @param {unknown[]} items */
  shuffle(items) {
    for (let i = items.length - 1; i > 0; i--) {
      const other = this.below(i + 1);
      [items[i], items[other]] = [items[other], items[i]];
    }
  }

  #next() {
    const state = this.#state; // the Mersenne Twister
    if (this.#at === 624) {
      for (let i = 0; i < 624; i++) {
        const mixed = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
        state[i] = state[(i + 397) % 624] ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
      }
      this.#at = 0;
    }
    let y = state[this.#at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }
}

// --- logs and drawings ---------------------------------------------------------------------------------------------

const CONTROL = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** @param {unknown} text @param {number} limit */
const oneLine = (text, limit) => [...String(text).replace(CONTROL, "?")].slice(0, limit).join("");

/** @typedef {Tile | PlacedObject | [number, number]} Place A tile, an object on a tile, or a pair measured in tiles. */

/**
 * Draws on the board of the replay, for debugging. Other bots never get your drawings. A colour is a name such as
 * "red", or #rrggbb.
 */
export class Draw {
  /** @type {Document[]} */
  shapes = [];

  /** Draw a dot. @param {Place} at @param {string} color */
  point(at, color = "") {
    const { x, y } = centre(at);
    this.#add({ kind: "point", x, y }, color);
  }

  /** Draw a line. @param {Place} start @param {Place} end @param {string} color */
  line(start, end, color = "") {
    const { x, y } = centre(start);
    const { x: x2, y: y2 } = centre(end);
    this.#add({ kind: "line", x, y, x2, y2 }, color);
  }

  /**
   * Draw a frame around the tiles from `first` to `second`. Pairs are corners.
   * @param {Place} first
   * @param {Place} second
   * @param {string} color
   */
  rectangle(first, second = first, color = "") {
    const [a, b] = [centre(first), centre(second)];
    const [x, y] = [Math.min(a.x - a.margin, b.x - b.margin), Math.min(a.y - a.margin, b.y - b.margin)];
    const [x2, y2] = [Math.max(a.x + a.margin, b.x + b.margin), Math.max(a.y + a.margin, b.y + b.margin)];
    this.#add({ kind: "rectangle", x, y, x2, y2 }, color);
  }

  /** Write a short text, at most 200 characters. @param {Place} at @param {unknown} text @param {string} color */
  text(at, text, color = "") {
    const { x, y } = centre(at);
    this.#add({ kind: "text", x, y, text: oneLine(text, 200) }, color);
  }

  /** @param {Document} shape @param {string} color */
  #add(shape, color) {
    if (color) shape.color = oneLine(color, 32);
    if (this.shapes.length < 800) this.shapes.push(shape); // the limit of the kits for one move
  }
}

/** @param {Place} place */
function centre(place) {
  const isPair = Array.isArray(place);
  const [x, y] = isPair ? place : [place.x, place.y];
  if (!Number.isFinite(x) || !Number.isFinite(y)) throw new RangeError("Nothing can be drawn off the board.");
  const margin = isPair ? 0 : 0.5;
  return { x: Number(x) + margin, y: Number(y) + margin, margin };
}

// --- the bot -------------------------------------------------------------------------------------------------------

/** The result of a match. */
export class Outcome {
  /** @param {Document} document The outcome in the game's own terms. @param {string[]} endings @param {number} index */
  constructor(document, endings, index) {
    this.document = document;
    /** How the match ended for each player, in order. */
    this.endings = endings;
    /** How the match ended for this bot: "won", "lost", "drawn", "timed_out" and so on. */
    this.ending = endings[index] ?? "";
    this.won = this.ending === "won";
  }
}

/** A bot. Bots extend the `AI` of their game's module, which extends this class. */
export class AI {
  /** @type {string | null} */
  static schema_hash = null;
  /** @type {Record<string, new () => any>} */
  static classes = {};

  /** Set to true in your class to get `legal_actions`. This makes each move slower. */
  wants_legal_actions = false;
  /** Your number, from 0. */
  index = 0;
  /** The number of the turn being played. */
  turn = 0;
  /** The values given with `--bot-option NAME=VALUE`. @type {Record<string, string>} */
  settings = {};
  /** The options of this match. @type {Document} */
  options = {};
  /** What happened since the last update, as maps with a `kind`. @type {Document[]} */
  events = [];
  /** All your legal actions while it is your move, if `wants_legal_actions` is set. Else empty. @type {Document[]} */
  legal_actions = [];
  /** The players who are out of the match: eliminated, or failed. As of the beginning of your turn. @type {number[]} */
  out = [];
  /** Random numbers: the same numbers if the match is played again with its seed. */
  random = new Random("0");
  /** Draws on the board in the replay. */
  draw = new Draw();
  /** @type {Session} */
  _session = /** @type {any} */ (null);
  _log = "";

  /**
   * Return one of your legal actions at random, while it is your move. If the action is a form, in which a list
   * has `choices`, this method also chooses at most one item of each group (exactly one if `all` is true).
   * Without `wants_legal_actions`, the rules list the actions, as in `game.fork()`, which is slow.
   * @returns {Document}
   */
  random_action() {
    const actions = this.wants_legal_actions ? this.legal_actions : this._session.world.legalActions(this.index);
    if (!actions.length) throw new PlayerError("random_action() has no action, because it is not your move.");
    const action = { ...this.random.choice(actions) };
    for (const [key, value] of Object.entries(action)) {
      if (!Array.isArray(value?.choices)) continue;
      const skip = value.all ? 0 : 1; // one more choice in each group: no item of it
      const chosen = value.choices.map((/** @type {any[]} */ group) => group[this.random.below(group.length + skip)]);
      action[key] = chosen.filter((/** @type {any} */ item) => item !== undefined);
    }
    return action;
  }

  /** Prepare for the match. Called once before the first turn; the game is complete. @returns {void | Promise<void>} */
  start() {}

  /**
   * Play your turn: call actions, and return when you are done. If it is still your move when this method returns, and
   * the game has the action `end_turn`, the kit sends `end_turn`. If it is still your move after that, the kit calls
   * this method again. But if this method has sent no action, the bot ends with an error.
   * @returns {void | Promise<void>}
   */
  run_turn() {
    throw new PlayerError("Write a method run_turn() in your class.");
  }

  /** React to a change of the game, in your turn or in another player's turn. You cannot act here. */
  game_updated() {}

  /**
   * React to a refused action.
   * @param {Document} _action
   * @param {Result<any>} _result
   */
  refused(_action, _result) {}

  /**
   * React to the end of the match. Called once, if the match has begun.
   * @param {Outcome} _outcome
   * @returns {void | Promise<void>}
   */
  end(_outcome) {}

  /** All tiles, row by row. */
  get tiles() {
    return this._session.world.tiles;
  }

  /** Return the tile at (x, y), or null if it is off the board. @param {number} x @param {number} y */
  tile(x, y) {
    return this._session.world.tile(x, y);
  }

  /** Seconds left for this turn; null if there is no time limit. */
  get time_left() {
    return this._session.timeLeft();
  }

  /**
   * Write a line into the replay. Other bots never get it. The kit sends the line with your next action.
   * @param {unknown[]} values
   */
  log(...values) {
    if (this._log.length < 32000) this._log += (this._log ? "\n" : "") + values.map(String).join(" ");
  }

  /** Send an action in the form of the game's specification: {type: ..., ...}. @param {Document} action */
  act(action) {
    return this._session.act(action);
  }

  /**
   * Send all actions that `actions()` calls at once, which is faster than one by one. The referee carries out the
   * actions in order and stops at the first refused one, unless `keep_going` is true.
   * @param {() => void} actions
   * @param {{ keep_going?: boolean }} [options]
   * @returns {Result<any>[]} A result for each action.
   */
  batch(actions, { keep_going = false } = {}) {
    return this._session.batch(actions, keep_going);
  }

  /** @param {World} _world */
  _bind(_world) {}
}

/** @typedef {{ document: Document, result: Result<any> }} Pending */

/** The largest number of actions in one message. */
const MOST_ACTIONS = 1000;
/** The bytes of an `act` without its actions, rounded up. */
const AROUND_ACTIONS = 64;

/** Return how many of the first actions one `act` can carry, at least 1. @param {Pending[]} actions */
function fitting(actions) {
  const most = Math.min(actions.length, MOST_ACTIONS);
  let left = MOST_BYTES - AROUND_ACTIONS;
  for (let count = 0; most > 1 && count < most; count++) {
    left -= pack(actions[count].document).length;
    if (left < 0) return Math.max(count, 1);
  }
  return most;
}

/** Plays one match with one bot: which messages are sent and received, and in which order. */
class Session {
  /** @type {World} */
  world = /** @type {any} */ (null);
  #seq = 0;
  #sent = 0;
  #yourMove = false;
  #inTurn = false;
  #endsTurns = false;
  /** @type {number | null} */
  #left = null;
  #readAt = 0;
  /** @type {Pending[] | null} */
  #queue = null;
  /** @type {Document} */
  #over = {};
  /** The refused actions of this turn. @type {Pending[]} */
  #refused = [];
  /** The kinds of refused actions that were printed. @type {Set<string>} */
  #printed = new Set();

  /** @param {AI} ai @param {Link} link */
  constructor(ai, link) {
    this.ai = ai;
    this.link = link;
    ai._session = this;
  }

  /** Play from `hello` to `over`. */
  async play() {
    if (!this.#enter()) return;
    for (;;) {
      let message = this.#receive();
      try {
        if (message.type === "turn") {
          await this.#takeTurn(message);
          continue;
        }
        if (message.type === "start") {
          this.#seq = message.seq;
          this.world.apply(message.view);
          this.ai._bind(this.world);
          await this.ai.start();
          await rejections();
          this.link.send([{ type: "ready", seq: this.#seq }]);
          continue;
        }
      } catch (error) {
        if (!(error instanceof MatchOver)) throw error;
        message = this.#over;
      }
      if (message.type !== "over") throw this.#unexpected(message);
      this.#yourMove = this.#inTurn = false;
      this.#takeIn(message);
      const endings = message.players.map((/** @type {Document} */ player) => player.ending);
      return this.ai.end(new Outcome(message.outcome, endings, this.ai.index));
    }
  }

  #enter() {
    const { ai } = this;
    const kind = /** @type {typeof AI} */ (ai.constructor);
    const schema = kind.schema_hash;
    const legal = ai.wants_legal_actions;
    this.link.send([{ type: "hello", protocol: 1, client: "arena-player javascript", schema, legal_actions: legal }]);
    const welcome = this.#receive();
    if (welcome.type === "over") return false; // another bot did not start
    if (welcome.type !== "welcome") throw this.#unexpected(welcome);
    const root = welcome.schema.classes[welcome.schema.root];
    this.#endsTurns = root.actions.end_turn?.parameters.length === 0;
    check(kind, welcome.schema);
    this.world = new World(welcome, kind.classes, (action) => this.act(action));
    ai.index = welcome.player;
    ai.options = welcome.options;
    ai.settings = welcome.settings;
    if (welcome.seed) ai.random = new Random(welcome.seed);
    return true;
  }

  /** @param {Document} message */
  async #takeTurn(message) {
    this.#seq = message.seq;
    this.ai.turn = message.turn;
    this.#yourMove = true;
    this.#takeIn(message);
    while (this.#yourMove) {
      this.#sent = 0;
      this.#inTurn = true;
      try {
        // biome-ignore lint/suspicious/noDebugger: `arena rerun REPLAY@N BOT --debug` starts the bot in `node inspect`
        if (process.env.ARENA_STOP_AT_TURN === String(message.turn)) debugger; // step into your run_turn with: s
        /** @type {unknown} */
        const returned = await this.ai.run_turn();
        await rejections();
        if (/Generator/.test(Object.prototype.toString.call(returned))) {
          const what = "run_turn returned a generator, so none of its code has run. Write run_turn() without `*`.";
          throw new PlayerError(what, ExitCode.BOT_RAISED);
        }
        if (returned === false) {
          const what =
            "run_turn returned false, but its result does not keep the turn open. Do the whole turn in one call.";
          throw new PlayerError(what, ExitCode.BOT_RAISED);
        }
        this.#printUnseen();
      } catch (error) {
        if (this.#yourMove && error instanceof Error && !(error instanceof PlayerError)) this.link.send(this.#notes());
        throw error;
      }
      this.#inTurn = false;
      if (!this.#yourMove) return;
      let why = "";
      if (this.#endsTurns) {
        const ended = new Result();
        this.#exchange([{ document: { type: "end_turn" }, result: ended }], false);
        if (ended.code) why = ` and end_turn was refused: ${ended.message}`;
      }
      if (this.#yourMove && !this.#sent) {
        const what = `run_turn returned without an action although it is your move${why}.`;
        throw new PlayerError(what, ExitCode.BOT_RAISED);
      }
    }
  }

  /** Print the refused actions that the bot did not notice, each kind once. */
  #printUnseen() {
    const knows = this.ai.refused !== AI.prototype.refused;
    for (const { document, result } of this.#refused.splice(0)) {
      const what = `${document.type} was refused (${result._reply?.code}): ${result._reply?.message}`;
      if (knows || result._seen || this.#printed.has(`${document.type} ${result._reply?.code}`)) continue;
      this.#printed.add(`${document.type} ${result._reply?.code}`);
      console.error(`${what}. Nobody read its result: it is an object, which is always true. Test its \`accepted\`.`);
    }
  }

  /** @param {Document} message */
  #takeIn(message) {
    this.world.apply(message.delta);
    this.ai.events = message.events;
    this.ai.legal_actions = message.legal_actions ?? [];
    this.world.legal_actions = this.ai.legal_actions;
    if (message.type === "turn") this.ai.out = message.out ?? [];
    const limits = Object.values(message.clock ?? {}).filter((limit) => limit !== null);
    this.#left = limits.length ? Math.min(...limits) : null;
    this.#readAt = performance.now();
    const inTurn = this.#inTurn;
    this.#inTurn = false;
    this.ai.game_updated();
    this.#inTurn = inTurn;
  }

  timeLeft() {
    if (this.#left === null) return null;
    return Math.max(0, this.#left - (this.#yourMove ? (performance.now() - this.#readAt) / 1000 : 0));
  }

  #notes() {
    const { ai } = this;
    const seq = this.#seq;
    /** @type {Document[]} */
    const notes = [];
    if (ai._log) {
      const text = [...ai._log];
      for (let i = 0; i < text.length; i += 2000)
        notes.push({ type: "log", seq, text: text.slice(i, i + 2000).join("") });
    }
    const { shapes } = ai.draw;
    for (let i = 0; i < shapes.length; i += 50) notes.push({ type: "draw", seq, shapes: shapes.slice(i, i + 50) });
    ai._log = "";
    ai.draw.shapes = [];
    return notes;
  }

  /** @param {Document} document @returns {Result<any>} */
  act(document) {
    const one = { document, result: new Result() };
    if (this.#queue) this.#queue.push(one);
    else this.#send([one], false);
    return one.result;
  }

  /** @param {() => void} actions @param {boolean} keepGoing */
  batch(actions, keepGoing) {
    if (this.#queue) throw new Error("A batch cannot be opened inside another batch.");
    /** @type {Pending[]} */
    const queue = [];
    this.#queue = queue;
    try {
      actions();
    } finally {
      this.#queue = null;
    }
    this.#send(queue, keepGoing);
    return queue.map((one) => one.result);
  }

  /** @param {Pending[]} actions @param {boolean} keepGoing */
  #send(actions, keepGoing) {
    if (!this.#inTurn) throw new Error("Actions can only be called from run_turn.");
    let refused = false;
    for (let rest = actions; rest.length > 0; ) {
      const part = rest.slice(0, fitting(rest));
      rest = rest.slice(part.length);
      if (this.#yourMove && !refused) {
        this.#sent += part.length;
        this.#exchange(part, keepGoing);
        refused = !keepGoing && part[part.length - 1].result._reply?.code !== "";
        continue;
      }
      const [code, why] = this.#yourMove
        ? ["not_tried", "an earlier action of the batch was refused"]
        : ["not_your_turn", "your turn is over"];
      for (const one of part) settle(one.result, code, why);
    }
  }

  /** Send one `act` and handle its `result`. @param {Pending[]} pending @param {boolean} keepGoing */
  #exchange(pending, keepGoing) {
    const actions = pending.map((one) => one.document);
    const act = { type: "act", seq: this.#seq, actions };
    this.link.send([...this.#notes(), keepGoing ? { ...act, keep_going: true } : act]);
    const message = this.#receive();
    if (message.type === "over") {
      this.#over = message;
      throw new MatchOver();
    }
    if (message.type !== "result") throw this.#unexpected(message);
    this.#seq = message.seq;
    this.#yourMove = message.your_move;
    this.#takeIn(message);
    const { results } = message;
    const why = results.at(-1)?.code
      ? "an earlier action of the batch was refused"
      : "an earlier action ended the turn";
    pending.forEach(({ result }, at) => {
      const one = results[at];
      if (at >= results.length) settle(result, "not_tried", why);
      else if (one?.code) settle(result, one.code, one.message);
      else settle(result, "", "", this.world.objects.get(one) ?? null);
    });
    pending.forEach((one, at) => {
      if (!results[at]?.code) return;
      this.#refused.push(one);
      this.ai.refused(actions[at], one.result);
    });
  }

  #receive() {
    const message = this.link.receive();
    if (message.type !== "refused") return message;
    throw new PlayerError(`The referee refused the bot: ${message.message}`, ExitCode.REFUSED);
  }

  /** @param {Document} message */
  #unexpected(message) {
    return new PlayerError(`The referee sent an unexpected message: ${message.type}.`, ExitCode.CONNECTION_LOST);
  }
}

/** The names of methods and fields in older kits of this kind, which nobody calls here. */
const OLDER = { runTurn: "run_turn", gameUpdated: "game_updated", ended: "end" };

/**
 * Refuse a bot that would do nothing without a word: with methods that nobody calls, or that compares a number such as
 * `owner` with a player object by ===, which no kit can change. A name in camelCase throws an error when it is used.
 * @param {typeof AI} Bot
 * @param {Document} schema
 */
function check(Bot, schema) {
  for (const [old, name] of Object.entries(OLDER))
    if (old in Bot.prototype) throw new PlayerError(`Nobody calls the method ${old}: its name is ${name}.`);
  for (const [name, { prototype }] of Object.entries(Bot.classes)) {
    const fields = Object.keys(schema.classes[name]?.fields ?? {});
    for (const own of [...fields, ...Object.getOwnPropertyNames(prototype)]) {
      const other = own.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
      const get = () => {
        throw new PlayerError(`${name} has no ${other}: its name is ${own}.`, ExitCode.BOT_RAISED);
      };
      if (other !== own) Object.defineProperty(prototype, other, { get, configurable: true });
    }
  }
  if (!schema.classes.Player) return;
  const player = String.raw`this\.(?:player\.)?(?:player|opponent)\b(?!\s*[.?[(])`;
  const pairs = new RegExp(
    String.raw`\.(\w+)\s*[!=]==\s*${player}|${player}\s*[!=]==\s*[\w.]+?\.(\w+)\b(?!\s*[.?[(])`,
    "g",
  );
  const fields = Object.values(schema.classes).flatMap((entry) => Object.entries(entry.fields));
  for (const [text, first, second] of String(Bot).matchAll(pairs))
    if (fields.some(([name, about]) => name === (first ?? second) && about.type.startsWith("int")))
      throw new PlayerError(`\`${text.trim()}\` is never equal: a number and an object. Compare with its \`index\`.`);
}

/** Let Node.js end the program if a promise was rejected that nobody awaits: it looks only between two waits. */
const rejections = () => new Promise(setImmediate);

/**
 * Connect a bot to its referee, play one match, and end the process with the bot's exit code.
 * @param {new () => AI} Bot
 */
export async function run(Bot) {
  // The referee stops reading from a bot that prints too much.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  let code = ExitCode.FINISHED;
  try {
    const endpoint = process.env.ARENA_ENDPOINT;
    if (!endpoint) {
      const hint = "Play with: arena play GAME YOUR_BOT OTHER_BOT";
      throw new PlayerError(
        `ARENA_ENDPOINT is not set: the referee starts the bots.\n${hint}`,
        ExitCode.CONNECTION_LOST,
      );
    }
    await new Session(new Bot(), await Link.open(endpoint)).play();
  } catch (error) {
    code = error instanceof PlayerError ? error.exitCode : ExitCode.BOT_RAISED;
    console.error(error instanceof PlayerError ? error.message : error);
  }
  process.exit(code);
}
