/** Reads a replay file: the outer layer, then the entries. See docs/replay-format.md. */

import { finite } from "arena/dom";
import { inflate, TooLong } from "arena/inflate";
import { Kept, Lazy } from "arena/lazy";
import { Budget, head, MAX_RATIO, MAX_RECORD, skip, TooMuch } from "arena/limits";
import { decode } from "msgpack";

/** @typedef {any[]} Delta a flat list of triples: id, field, value */
/** @typedef {{delta: Delta, events: Record<string, any>[]}} Frame */
/**
 * @typedef {{turn: number, frame: number, player: number, kind: string, payload: any, refused: number}} Note
 * `turn` is the number of entries `turn` before the note; `refused` is the number of refusals before the note
 */
/** @typedef {{turn: number, frame: number, player: number, action: any, code: string, message: string}} Refusal */
/**
 * @typedef {{turn: number, frame: number, player: number, ending: string, detail: string, skipped: boolean}} Ending
 * with `skipped`, the referee finished the turn, and the program played on
 */
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
/** @typedef {import("arena/lazy").Piece} Piece */

const MAGIC = [0x89, 0x41, 0x52, 0x45, 0x4e, 0x41, 0x0a];
const VERSION = 1;
const [PLAIN, PACKED] = [0, 2];
const [HEADER, TRUTH, VIEW, NOTES, INDEX, FOOTER, KEYFRAME] = [1, 2, 3, 4, 5, 6, 7];
const NAMES = ["", "header", "truth", "view", "notes", "index", "footer", "keyframe"];
/** Views of files up to this number of bytes are decoded at once, so that damage is found when the file is opened. */
const ALWAYS_KEPT = 256 * 1024;
/** Limit of refused actions that are kept. */
const MOST_REFUSALS = 50_000;
/** Reading stops for a moment after this time, in milliseconds, so that the page can answer. */
const PATIENCE = 50;
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
    /** @type {Uint8Array} the bytes of the file */
    this.bytes = new Uint8Array();
    this.kept = new Kept();
    /** @type {any[][]} for each action the player, the action and the draws; those of a file are decoded when needed */
    this.actions = [];
    /** @type {number[]} the players who have acted since the last turn ended */
    this.acting = [];
    /** @type {Note[]} */
    this.notes = [];
    /** @type {Map<number, Note[]>} the drawings among the notes, by their `turn` */
    this.drawings = new Map();
    /** @type {Refusal[]} */
    this.refusals = [];
    /** @type {Ending[]} */
    this.endings = [];
    /** @type {Frame[][]} frames of each stream; those of a file are decoded when needed */
    this.streams = [];
    /** Where reading stopped, in one sentence; otherwise empty. */
    this.problem = "";
    /** The missing parts, in one sentence; otherwise empty. */
    this.notice = "";
    this.size = 0;
    this.entries = 0;
    this.noted = 0;
    this.noteBudget = new Budget(12 * 1024 * 1024, 1_000_000);
    /** The number of actions in the record of truth that is being read. */
    this.acted = 0;
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
    const times = [...new Set([...this.acting, ...tried.map(playerOf)])].map((player) => ({
      player,
      wall: null,
      cpu: null,
      bank: null,
    }));
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
  content.bytes = bytes;
  let begun = performance.now();
  while (content.size < bytes.length) {
    const piece = nextPiece(bytes, content);
    if (!piece) break;
    if (performance.now() - begun > PATIENCE) {
      await new Promise((resolve) => setTimeout(resolve));
      begun = performance.now();
    }
    try {
      take(piece, content);
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
  };
}

/** @param {Piece} piece @param {Content} content */
function take(piece, content) {
  must((piece.kind === HEADER) === !content.streams.length && !content.footer);
  must(piece.count > 0 || ![TRUTH, VIEW, NOTES].includes(piece.kind));
  if (piece.kind === HEADER) takeHeader(decoded(unpacked(piece, content, new Budget()), new Budget()), content);
  else if (piece.kind === TRUTH) takeTruth(piece, content);
  else if (piece.kind === VIEW) takeView(piece, content);
  else if (piece.kind === KEYFRAME) takeKeyframe(piece, content);
  else if (piece.kind === NOTES) takeNotes(piece, content);
  else if (piece.kind === FOOTER) {
    const end = decoded(decoded(unpacked(piece, content, new Budget()), new Budget()).end, new Budget());
    content.footer = plain(end) ? end : {};
  } else must(piece.kind === INDEX);
}

/** @param {any} header @param {Content} content */
function takeHeader(header, content) {
  must(plain(header) && Number.isInteger(header.streams) && header.streams >= 1 && header.streams <= 65);
  content.header = header;
  content.actions = Lazy.list(new Lazy(content.kept, (piece) => actionsIn(piece, content)));
  content.streams = Array.from({ length: header.streams }, () => {
    const frames = new Lazy(content.kept, (piece) => framesIn(piece, content));
    frames.whole = (piece) => rows(piece, content, new Budget())[0];
    return Lazy.list(frames);
  });
}

/** @param {Piece} piece @param {Content} content */
function takeView(piece, content) {
  const frames = lazy(content.streams[piece.stream]);
  must(piece.first === frames.length);
  if (content.bytes.length <= ALWAYS_KEPT) content.kept.get(piece.offset, () => checkedFrames(piece, content));
  frames.add(piece, piece.count);
}

/** @param {Piece} piece @param {Content} content */
function takeKeyframe(piece, content) {
  const frames = lazy(content.streams[piece.stream]);
  must(piece.first === frames.length && piece.first > 0 && piece.count === 1);
  frames.keyframes.push({ frame: piece.first - 1, piece });
}

/** The frames of a record; of a damaged one, without changes. @param {Piece} piece @param {Content} content */
function framesIn(piece, content) {
  try {
    return checkedFrames(piece, content);
  } catch {
    content.problem ||= `the record at byte ${piece.offset} (view) makes no sense`;
    return { items: Array.from({ length: piece.count }, () => ({ delta: [], events: [] })), cost: piece.count };
  }
}

/** @param {Piece} piece @param {Content} content @returns {{items: Frame[], cost: number}} */
function checkedFrames(piece, content) {
  const budget = new Budget();
  const { size, values } = budget;
  const frames = rows(piece, content, budget).map(([delta, events]) => {
    must(Array.isArray(delta) && delta.length % 3 === 0 && Array.isArray(events) && events.every(plain));
    return { delta, events };
  });
  const cost = Math.max(size - budget.size, values - budget.values);
  return { items: frames, cost };
}

/** @param {Piece} piece @param {Content} content @returns {{items: any[][], cost: number}} */
function actionsIn(piece, content) {
  const budget = new Budget();
  const { size, values } = budget;
  const entries = rows(piece, content, budget);
  const items = entries.flatMap(([kind, player, ...rest]) =>
    kind === "do" ? [[player, ...rest]] : kind === "leave" ? [[player, { type: "leave" }, rest[0]]] : [],
  );
  return { items, cost: Math.max(size - budget.size, values - budget.values) };
}

/** @param {Piece} piece @param {Content} content */
function takeNotes(piece, content) {
  must(piece.first === content.noted);
  content.noted += piece.count;
  if (content.notice) return;
  let value;
  try {
    value = rows(piece, content, content.noteBudget);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    content.notice = TOO_MANY;
    return;
  }
  for (const [turn, frame, player, kind, payload, refused] of value) {
    must([turn, frame, player, refused].every(Number.isInteger) && typeof kind === "string");
    const note = { turn, frame, player, kind, payload, refused };
    content.notes.push(note);
    if (kind !== "draw") continue;
    const there = content.drawings.get(turn);
    if (there) there.push(note);
    else content.drawings.set(turn, [note]);
  }
}

/** @param {Piece} piece @param {Content} content */
function takeTruth(piece, content) {
  must(piece.first === content.entries);
  content.acted = 0;
  for (const entry of [...outlines(piece, content)]) takeEntry(entry, content);
  content.entries += piece.count;
  lazy(content.actions).add(piece, content.acted);
  content.acted = 0;
}

/**
 * The entries of a record. Of an action only the kind and the player are decoded.
 * @param {Piece} piece @param {Content} content
 */
function* outlines(piece, content) {
  const budget = new Budget();
  budget.takeEntries(piece.count);
  const data = unpacked(piece, content, budget);
  must(data.length <= budget.size);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [start, count] = head(view, 0);
  must(count === piece.count && isList(data[0]));
  let at = start;
  for (let row = 0; row < count; row++) {
    const end = skip(view, at, budget);
    const [first, parts] = head(view, at);
    must(isList(data[at]));
    const kind = at + first;
    const isDo = parts === 4 && data[kind] === 0xa2 && data[kind + 1] === 0x64 && data[kind + 2] === 0x6f;
    if (isDo && data[kind + 3] < 0x80) yield ["do", data[kind + 3]];
    else yield decode(data.subarray(at, end), options);
    at = end;
  }
}

/** Whether a byte of msgpack begins a list. @param {number} byte */
const isList = (byte) => (byte & 0xf0) === 0x90 || byte === 0xdc || byte === 0xdd;

/** @param {any[]} entry @param {Content} content */
function takeEntry(entry, content) {
  const here = { turn: content.turnOfEntry.length, frame: content.actions.length + content.acted + 1 };
  if (entry[0] === "do" || entry[0] === "leave") {
    content.acted++;
    if (!content.acting.includes(entry[1])) content.acting.push(entry[1]);
  } else if (entry[0] === "refuse") {
    const [, player, action, code, message] = entry;
    if (content.refusals.length < MOST_REFUSALS)
      content.refusals.push({ ...here, player, action, code: String(code), message: String(message) });
  } else if (entry[0] === "seat") {
    const [, player, ending, detail, skipped] = entry;
    content.endings.push({
      ...here,
      player,
      ending: String(ending),
      detail: String(detail),
      skipped: skipped === true,
    });
  } else if (entry[0] === "turn") takeTurn(entry, here.frame, content);
  else must(entry[0] === "setup" || entry[0] === "position");
}

/** @param {any[]} entry @param {number} last one past the last frame of the turn @param {Content} content */
function takeTurn([, number, player, wall, cpu, bank], last, content) {
  must(Number.isInteger(number));
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
  content.acting = [];
}

/** @param {{player: number}} one */
const playerOf = ({ player }) => player;

/** @param {any} value @returns {number | null} a time that can be drawn */
const amount = (value) => (finite(value) === null ? null : Math.max(0, value));

// -- bytes ---------------------------------------------------------------------------------------------

/** The lists of a file are lazy. @template T @param {T[]} list @returns {Lazy<T>} */
const lazy = (list) => /** @type {any} */ (list);

/** @param {Piece} piece @param {Content} content @param {Budget} budget @returns {any[][]} */
function rows(piece, content, budget) {
  budget.takeRecord();
  budget.takeEntries(piece.count);
  const entries = decoded(unpacked(piece, content, budget), budget);
  must(Array.isArray(entries) && entries.length === piece.count && entries.every(Array.isArray));
  return entries;
}

/** The data of a record without compression. @param {Piece} piece @param {Content} content @param {Budget} budget */
function unpacked(piece, content, budget) {
  const data = content.bytes.subarray(piece.offset + 19, piece.offset + piece.size);
  must(piece.form === PLAIN || piece.form === PACKED);
  if (piece.form === PLAIN) return data;
  const hasEntries = [TRUTH, VIEW, NOTES, KEYFRAME].includes(piece.kind);
  const most = hasEntries ? MAX_RATIO * data.length : Infinity;
  try {
    return inflate(data, Math.min(budget.room, most));
  } catch (error) {
    throw error instanceof TooLong ? new TooMuch("it expands to too many bytes") : error;
  }
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

/** @param {boolean} condition */
function must(condition) {
  if (!condition) throw new Error("makes no sense");
}

/** Whether it is a map. @param {any} value */
const plain = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
