/** The limits of records and files: those of limits.py, counted in the same way. */

export const MAX_RECORD = 16 * 1024 * 1024;
export const MAX_CHUNK_VALUES = 1_000_000;
/** How many times longer a compressed record of entries may be without compression. */
export const MAX_RATIO = 64;
const MAX_UNPACKED = 16 * 1024 * 1024;
const MAX_DEPTH = 32;
const RECORD = 8;
const ENTRY = 4;
const NUMBERS = [5, 9, 2, 3, 5, 9, 2, 3, 5, 9];

/** A record or a file expands to more than is allowed. */
export class TooMuch extends Error {}

/** What one record or several can still have after decompression: a number of bytes and a number of values. */
export class Budget {
  /** @param {number} [size] bytes without compression @param {number} [values] */
  constructor(size = MAX_UNPACKED, values = MAX_CHUNK_VALUES) {
    this.size = size;
    this.values = values;
  }

  /** The limit of uncompressed bytes for the next record. */
  get room() {
    return Math.min(this.size, MAX_UNPACKED);
  }

  /** @param {number} values */
  take(values) {
    // `values` can come from the file. The condition is written so that it refuses undefined and NaN too.
    if (!(values >= 0 && values <= this.values)) throw new TooMuch("it expands to too many values");
    this.values -= values;
  }

  takeRecord() {
    this.take(RECORD);
  }

  /** @param {number} entries */
  takeEntries(entries) {
    this.take(ENTRY * entries);
  }

  /** Subtracts the bytes and values of msgpack data, before any of the data is decoded. @param {Uint8Array} data */
  takeData(data) {
    if (data.length > this.room) throw new TooMuch("it expands to too many bytes");
    this.size -= data.length;
    skip(new DataView(data.buffer, data.byteOffset, data.byteLength), 0, this);
  }
}

/**
 * Returns the end of the msgpack value at an offset, and subtracts its values from a budget.
 * @param {DataView} view @param {number} at @param {Budget} budget
 */
export function skip(view, at, budget) {
  const around = [];
  let left = 1;
  while (left || around.length) {
    if (!left) {
      left = /** @type {number} */ (around.pop());
      continue;
    }
    left--;
    const [size, items] = head(view, at);
    at += size;
    if (!items) continue;
    if (around.length > MAX_DEPTH) throw new Error("nested too deeply");
    budget.take(items);
    around.push(left);
    left = items;
  }
  return at;
}

/**
 * Returns the number of bytes of the msgpack value at an offset, without its elements; and the number of its elements.
 * @param {DataView} view @param {number} at @returns {[number, number]}
 */
export function head(view, at) {
  const byte = view.getUint8(at);
  if (byte < 0x80 || byte >= 0xe0) return [1, 0];
  if (byte < 0x90) return [1, 2 * (byte & 15)];
  if (byte < 0xa0) return [1, byte & 15];
  if (byte < 0xc0) return [1 + (byte & 31), 0];
  if (byte === 0xdc) return [3, view.getUint16(at + 1)];
  if (byte === 0xdd) return [5, view.getUint32(at + 1)];
  if (byte === 0xde) return [3, 2 * view.getUint16(at + 1)];
  if (byte === 0xdf) return [5, 2 * view.getUint32(at + 1)];
  if (byte === 0xc4 || byte === 0xd9) return [2 + view.getUint8(at + 1), 0];
  if (byte === 0xc5 || byte === 0xda) return [3 + view.getUint16(at + 1), 0];
  if (byte === 0xc6 || byte === 0xdb) return [5 + view.getUint32(at + 1), 0];
  if (byte >= 0xca && byte <= 0xd3) return [NUMBERS[byte - 0xca], 0];
  if (byte > 0xc3 || byte === 0xc1) throw new Error("makes no sense");
  return [1, 0];
}
