/** Reads a replay file: the outer layer, then columns. See docs/replay-format.md. */

import { framesOf, must, notesOf, truthOf } from "arena/columns";
import { finite } from "arena/dom";
import { Budget, MAX_CHUNK_VALUES, MAX_RATIO, MAX_RECORD, TooMuch } from "arena/limits";
import { decode } from "msgpack";

/** @typedef {any[]} Delta a flat list of triples: id, field, value */
/** @typedef {{delta: Delta, events: Record<string, any>[]}} Frame */
/**
 * @typedef {{turn: number, frame: number, player: number, kind: string, payload: any, refused: number}} Note
 * `turn` is the number of entries `turn` before the note; `refused` is the number of refusals before the note
 */
/** @typedef {{turn: number, frame: number, player: number, action: any, code: string, message: string}} Refusal */
/** @typedef {{turn: number, frame: number, player: number, ending: string, detail: string}} Ending */
/** @typedef {{player: number, wall: number | null, cpu: number | null, bank: number | null}} Time of one player */
/**
 * @typedef {{index: number, number: number, entry: number, first: number, last: number, times: Time[],
 *   ended: boolean}} Turn
 * `number` counts the turns of the match from 1, also if the rules count from 0. A match that starts from a position
 * continues the count of that position. A number is left out if nobody was asked in its turn. The frames of the turn
 * are `first` to `last` - 1.
 * Players who move at the same time share a turn, and `times` has an element for each of them. Each element comes from
 * an entry `turn` of the file; `entry` is the number of the first of these entries.
 */
/** @typedef {{kind: number, offset: number, size: number, form: number, stream: number, first: number,
 *   count: number, data: Uint8Array}} Piece */

const MAGIC = [0x89, 0x41, 0x52, 0x45, 0x4e, 0x41, 0x0a];
const VERSION = 1;
const [HEADER, TRUTH, VIEW, NOTES, INDEX, FOOTER, KEYFRAME] = [1, 2, 3, 4, 5, 6, 7];
const NAMES = ["", "header", "truth", "view", "notes", "index", "footer", "keyframe"];
const TOO_MANY = "The bots wrote more than this page shows: some logs and drawings are left out.";

/** The file is not a replay that can be shown. */
export class Unreadable extends Error {}

/** The content of one file, up to the first invalid record. */
export class Content {
  constructor() {
    /** @type {Record<string, any>} */
    this.header = {};
    /** @type {Record<string, any> | null} */
    this.footer = null;
    /** @type {Turn[]} */
    this.turns = [];
    /** @type {any[][]} */
    this.actions = [];
    /** @type {Note[]} */
    this.notes = [];
    /** @type {Map<number, Note[]>} the drawings among the notes, by their `turn` */
    this.drawings = new Map();
    /** @type {Refusal[]} */
    this.refusals = [];
    /** @type {Ending[]} */
    this.endings = [];
    /** @type {Frame[][]} frames of each stream */
    this.streams = [];
    /** Where reading stopped, in one sentence; otherwise empty. */
    this.problem = "";
    /** The missing parts, in one sentence; otherwise empty. */
    this.notice = "";
    this.size = 0;
    this.entries = 0;
    this.noted = 0;
    this.budget = new Budget(24 * 1024 * 1024, 1_500_000);
    this.viewBudget = new Budget(64 * 1024 * 1024, 5_000_000);
    this.noteBudget = new Budget(12 * 1024 * 1024, 1_000_000);
    this.turnStart = 1;
    /** @type {number[]} for each entry `turn` of the file, the index of its turn; entries of a joint turn share one */
    this.turnOfEntry = [];
    /** The game's number of the last turn: players who move at the same time share it. */
    this.lastNumber = NaN;
    /** The game's number of the first turn of the match, also if the file starts later. */
    this.origin = NaN;
    /** @type {{key: string, turns: Turn[]}} */
    this.all = { key: "", turns: [] };
  }

  get ended() {
    return this.footer !== null;
  }

  /** The number of the turn in which the file starts. In a match that starts from a position, this is not always 1. */
  get firstTurn() {
    const turn = this.header.start?.turn;
    return Number.isInteger(turn) ? turn : 1;
  }

  /** The number of the last turn. */
  get lastTurn() {
    return this.numberOf(this.allTurns.length - 1);
  }

  /** The number of the turn that comes after those with an end. */
  get nextTurn() {
    return (this.turns[this.turns.length - 1]?.number ?? this.firstTurn - 1) + 1;
  }

  /** The number of a turn, from its index in `allTurns`; -1 is the turn before the first one. @param {number} index */
  numberOf(index) {
    return index < 0 ? this.firstTurn - 1 : (this.turns[index]?.number ?? this.nextTurn);
  }

  /**
   * The index in `allTurns` of the turn with this number, or of the next one; -1 for a number before the first turn,
   * the number of turns for one after the last turn.
   * @param {number} number
   */
  indexOf(number) {
    if (number < this.firstTurn) return -1;
    const { allTurns } = this;
    let [low, high] = [0, allTurns.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (allTurns[middle].number < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** All turns. An unfinished turn comes last. */
  get allTurns() {
    const key = `${this.entries} ${this.turns.length} ${this.actions.length}`;
    if (key !== this.all.key) this.all = { key, turns: this.withOpen() };
    return this.all.turns;
  }

  withOpen() {
    const last = this.actions.length + 1;
    const tried = this.refusals.filter((refusal) => this.turnAt(refusal.turn) === this.turns.length);
    if (last <= this.turnStart && !tried.length) return this.turns;
    const players = [...this.actions.slice(this.turnStart - 1).map(([player]) => player), ...tried.map(playerOf)];
    const times = [...new Set(players)].map((player) => ({ player, wall: null, cpu: null, bank: null }));
    const index = this.turns.length;
    const open = { index, number: this.nextTurn, entry: this.turnOfEntry.length, first: this.turnStart, last };
    return [...this.turns, { ...open, times, ended: false }];
  }

  /** The drawings of bots in a turn. @param {Turn | undefined} turn @returns {Note[]} */
  drawingsIn(turn) {
    const entries = turn ? Array.from({ length: Math.max(1, turn.times.length) }, (_, at) => turn.entry + at) : [];
    return entries.flatMap((entry) => this.drawings.get(entry) ?? []);
  }

  /** The index of the turn that comes after this number of entries `turn` in the file. @param {number} entries */
  turnAt(entries) {
    return this.turnOfEntry[entries] ?? this.turns.length;
  }
}

/**
 * Reads a file, or the new part of a file that has grown.
 * @param {Uint8Array} bytes the whole file
 * @param {Content} [content] what was read of it before
 * @returns {Promise<Content>}
 */
export async function read(bytes, content = new Content()) {
  if (!content.size) checkPreamble(bytes, content);
  content.problem = "";
  while (content.size < bytes.length) {
    const piece = nextPiece(bytes, content);
    if (!piece) break;
    try {
      await take(piece, content);
    } catch (error) {
      if (error instanceof Unreadable && piece.kind === HEADER) throw error;
      content.problem = `the record at byte ${piece.offset} (${NAMES[piece.kind]}) makes no sense`;
      break;
    }
    content.size = piece.offset + piece.size;
  }
  if (!content.streams.length) throw new Unreadable(`This replay is damaged: ${content.problem || "it is empty"}.`);
  return content;
}

/** @param {Uint8Array} bytes @param {Content} content */
function checkPreamble(bytes, content) {
  if (bytes.length < 8 || MAGIC.some((byte, at) => bytes[at] !== byte)) {
    throw new Unreadable("This file is not a replay of Arena.");
  }
  if (bytes[7] !== VERSION) {
    throw new Unreadable(`This replay has format version ${bytes[7]}; this viewer reads version ${VERSION}.`);
  }
  content.size = 8;
}

/** @param {Uint8Array} bytes @param {Content} content @returns {Piece | null} */
function nextPiece(bytes, content) {
  const at = content.size;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cut = () => {
    content.problem = `the file ends in the middle of a record at byte ${at}`;
    return null;
  };
  if (at + 9 > bytes.length) return cut();
  const length = view.getUint32(at + 1, true);
  if (length < 10 || length > MAX_RECORD) {
    content.problem = `the record at byte ${at} has an impossible length`;
    return null;
  }
  const end = at + 9 + length;
  if (end > bytes.length) return cut();
  const sum = crc32(bytes.subarray(at + 9, end), crc32(bytes.subarray(at, at + 5)));
  if (sum !== view.getUint32(at + 5, true)) {
    content.problem = `the record at byte ${at} is damaged: its checksum differs`;
    return null;
  }
  return {
    kind: bytes[at],
    offset: at,
    size: end - at,
    form: bytes[at + 9],
    stream: bytes[at + 10],
    first: view.getUint32(at + 11, true),
    count: view.getUint32(at + 15, true),
    data: bytes.subarray(at + 19, end),
  };
}

/** @param {Piece} piece @param {Content} content */
async function take(piece, content) {
  must((piece.kind === HEADER) === !content.streams.length && !content.footer);
  must(piece.count > 0 || ![TRUTH, VIEW, NOTES].includes(piece.kind));
  const inColumns = piece.form & 1;
  if (piece.kind === HEADER) takeHeader(await unpack(piece, new Budget()), content);
  else if (piece.kind === TRUTH) {
    const budget = inColumns ? content.budget : new Budget();
    takeTruth(await rows(piece, content.entries, truthOf, budget), content);
  } else if (piece.kind === VIEW) await takeView(piece, content);
  else if (piece.kind === NOTES) await takeNotes(piece, content);
  else if (piece.kind === FOOTER) {
    const end = decoded((await unpack(piece, new Budget())).end, new Budget());
    content.footer = plain(end) ? end : {};
  } else must(piece.kind === INDEX || piece.kind === KEYFRAME);
}

/** @param {any} header @param {Content} content */
function takeHeader(header, content) {
  must(plain(header) && Number.isInteger(header.streams) && header.streams >= 1 && header.streams <= 65);
  content.header = header;
  content.streams = Array.from({ length: header.streams }, () => []);
}

/** @param {Piece} piece @param {Content} content */
async function takeView(piece, content) {
  const stream = content.streams[piece.stream];
  const { viewBudget } = content;
  const shared = piece.form & 1 ? viewBudget : new Budget();
  const chunk = Math.min(shared.values, MAX_CHUNK_VALUES);
  const budget = new Budget(shared.size, chunk);
  const frames = await rows(piece, stream.length, framesOf, budget);
  shared.size = budget.size;
  shared.values -= chunk - budget.values;
  for (const [delta, events] of frames) {
    must(Array.isArray(delta) && delta.length % 3 === 0 && Array.isArray(events) && events.every(plain));
    stream.push({ delta, events });
  }
}

/** @param {Piece} piece @param {Content} content */
async function takeNotes(piece, content) {
  must(piece.first === content.noted);
  content.noted += piece.count;
  if (content.notice) return;
  let value;
  try {
    value = await rows(piece, piece.first, notesOf, content.noteBudget);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    content.notice = TOO_MANY;
    return;
  }
  for (const [turn, frame, player, kind, payload, refused = 0] of value) {
    must([turn, frame, player, refused].every(Number.isInteger) && typeof kind === "string");
    const note = { turn, frame, player, kind, payload, refused };
    content.notes.push(note);
    if (kind !== "draw") continue;
    const there = content.drawings.get(turn);
    if (there) there.push(note);
    else content.drawings.set(turn, [note]);
  }
}

/** @param {any[][]} entries @param {Content} content */
function takeTruth(entries, content) {
  content.entries += entries.length;
  for (const entry of entries) {
    const here = { turn: content.turnOfEntry.length, frame: content.actions.length + 1 };
    if (entry[0] === "do") content.actions.push(entry.slice(1));
    else if (entry[0] === "leave") content.actions.push([entry[1], { type: "leave" }, entry[2]]);
    else if (entry[0] === "refuse") {
      const [, player, action, code, message] = entry;
      content.refusals.push({ ...here, player, action, code: String(code), message: String(message) });
    } else if (entry[0] === "seat") {
      const [, player, ending, detail] = entry;
      content.endings.push({ ...here, player, ending: String(ending), detail: String(detail) });
    } else if (entry[0] === "turn") {
      const [, number, player, wall, cpu, bank] = entry;
      must(Number.isInteger(number));
      const last = content.actions.length + 1;
      const time = { player, wall: amount(wall), cpu: amount(cpu), bank: amount(bank) };
      const before = content.turns[content.turns.length - 1];
      if (before && content.lastNumber === number && !before.times.some((one) => one.player === player)) {
        before.times.push(time);
        before.last = last;
      } else {
        const index = content.turns.length;
        const entry = content.turnOfEntry.length;
        const { start } = content.header;
        if (!index) content.origin = Number.isInteger(start?.first) ? start.first : number - content.firstTurn + 1;
        const place = { index, number: number - content.origin + 1, entry, first: content.turnStart, last };
        content.turns.push({ ...place, times: [time], ended: true });
        content.lastNumber = number;
      }
      content.turnOfEntry.push(content.turns.length - 1);
      content.turnStart = last;
    } else must(entry[0] === "setup" || entry[0] === "position");
  }
}

/** @param {{player: number}} one */
const playerOf = ({ player }) => player;

/** @param {any} value @returns {number | null} a time that can be drawn */
const amount = (value) => (finite(value) === null ? null : Math.max(0, value));

// -- bytes ---------------------------------------------------------------------------------------------

/**
 * @param {Piece} piece @param {number} expected
 * @param {(packed: any, count: number, budget: Budget) => any[][]} turnBack
 * @param {Budget} budget @returns {Promise<any[][]>}
 */
async function rows(piece, expected, turnBack, budget) {
  must(piece.first === expected);
  budget.takeRecord();
  budget.takeEntries(piece.count);
  const value = await unpack(piece, budget);
  const entries = piece.form & 1 ? turnBack(value, piece.count, budget) : value;
  must(Array.isArray(entries) && entries.length === piece.count && entries.every(Array.isArray));
  return entries;
}

/** @param {Piece} piece @param {Budget} budget @returns {Promise<any>} */
async function unpack(piece, budget) {
  if (!(piece.form & 2)) return decoded(piece.data, budget);
  const inRows = [TRUTH, VIEW, NOTES, KEYFRAME].includes(piece.kind) && !(piece.form & 1);
  const most = inRows ? MAX_RATIO * piece.data.length : Infinity;
  return decoded(await inflate(piece.data, Math.min(budget.room, most)), budget);
}

const options = { maxExtLength: 0 };

/** @param {Uint8Array} data @param {Budget} budget @returns {any} */
function decoded(data, budget) {
  budget.takeData(data);
  try {
    return decode(data, options);
  } catch (error) {
    if (!String(error).includes("__proto__")) throw error;
    return decode(withoutProto(data), options);
  }
}

/**
 * Renames keys `__proto__`: a bot can send such a key, and the decoder refuses all data that contain one.
 * @param {Uint8Array} data
 */
function withoutProto(data) {
  const text = new TextDecoder("latin1").decode(data);
  const copy = data.slice();
  for (let at = text.indexOf("__proto__"); at >= 0; at = text.indexOf("__proto__", at + 9)) copy[at] = 0x2e;
  return copy;
}

/** @param {Uint8Array} data @param {number} limit */
async function inflate(data, limit) {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  // Reading from the stream raises these errors too.
  writer.write(/** @type {BufferSource} */ (data)).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = stream.readable.getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > limit) {
      reader.cancel();
      throw new TooMuch("the file expands to too many bytes");
    }
    parts.push(part.value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** @param {Uint8Array} data @param {number} [before] */
function crc32(data, before = 0) {
  let sum = ~before;
  for (let at = 0; at < data.length; at++) sum = TABLE[(sum ^ data[at]) & 255] ^ (sum >>> 8);
  return ~sum >>> 0;
}

/** Whether it is a map. @param {any} value */
const plain = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
