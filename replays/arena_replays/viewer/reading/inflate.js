/** Decompresses zlib data (RFC 1950) at once. The browser's own decompression is asynchronous: a seek cannot wait. */

const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** @type {[Table, Table] | null} */
let fixed = null;

/** @typedef {{bits: number, entries: Uint16Array}} Table maps the next bits to 16 * symbol + length of its code */

/** The data expand to more bytes than the limit. */
export class TooLong extends Error {}

/** @param {Uint8Array} data @param {number} limit of bytes @returns {Uint8Array} */
export function inflate(data, limit) {
  check(data.length > 2 && (data[0] & 15) === 8 && !(data[1] & 32) && !(((data[0] << 8) | data[1]) % 31));
  return new Inflation(data, limit).run();
}

class Inflation {
  /** @param {Uint8Array} data @param {number} limit */
  constructor(data, limit) {
    this.data = data;
    this.limit = limit;
    this.at = 2; // after the header of zlib
    this.hold = 0;
    this.held = 0;
    this.out = new Uint8Array(Math.min(limit, 8 * data.length + 1024));
    this.size = 0;
  }

  run() {
    for (let last = 0; !last; ) {
      last = this.bits(1);
      const kind = this.bits(2);
      check(kind < 3);
      if (kind === 0) this.stored();
      else this.block(...(kind === 1 ? fixedTables() : this.tables()));
    }
    return this.out.subarray(0, this.size);
  }

  /** The next bits, at most 16 of them. @param {number} count */
  bits(count) {
    while (this.held < count) {
      check(this.at < this.data.length);
      this.hold |= this.data[this.at++] << this.held;
      this.held += 8;
    }
    const found = this.hold & ((1 << count) - 1);
    this.hold >>>= count;
    this.held -= count;
    return found;
  }

  /** The next symbol. @param {Table} table */
  symbol({ bits, entries }) {
    while (this.held < bits && this.at < this.data.length) {
      this.hold |= this.data[this.at++] << this.held;
      this.held += 8;
    }
    const entry = entries[this.hold & ((1 << bits) - 1)];
    const length = entry & 15;
    check(length > 0 && length <= this.held);
    this.hold >>>= length;
    this.held -= length;
    return entry >> 4;
  }

  /** The output with room for more bytes. @param {number} size of the bytes so far @param {number} more */
  grown(size, more) {
    if (size + more > this.limit) throw new TooLong();
    if (size + more > this.out.length) {
      const out = new Uint8Array(Math.min(this.limit, Math.max(size + more, 2 * this.out.length)));
      out.set(this.out.subarray(0, size));
      this.out = out;
    }
    return this.out;
  }

  stored() {
    this.bits(this.held & 7); // up to the next byte
    const length = this.bits(16);
    check((this.bits(16) ^ length) === 0xffff);
    this.at -= this.held >> 3;
    this.hold = this.held = 0;
    check(this.at + length <= this.data.length);
    this.grown(this.size, length).set(this.data.subarray(this.at, this.at + length), this.size);
    this.at += length;
    this.size += length;
  }

  /**
   * Reads a compressed block. Most of the time is spent here, so the fields are in variables meanwhile.
   * @param {Table} literals @param {Table} distances
   */
  block(literals, distances) {
    const { data } = this;
    let { at, hold, held, out, size } = this;
    const mask = (1 << literals.bits) - 1;
    for (;;) {
      while (held < 15 && at < data.length) {
        hold |= data[at++] << held;
        held += 8;
      }
      const entry = literals.entries[hold & mask];
      const bits = entry & 15;
      check(bits > 0 && bits <= held);
      hold >>>= bits;
      held -= bits;
      const symbol = entry >> 4;
      if (symbol < 256) {
        if (size === out.length) out = this.grown(size, 1);
        out[size++] = symbol;
        continue;
      }
      [this.at, this.hold, this.held] = [at, hold, held];
      if (symbol === 256) break;
      check(symbol < 286);
      const length = LENGTHS[symbol - 257] + this.bits(LENGTH_BITS[symbol - 257]);
      const code = this.symbol(distances);
      check(code < 30);
      const extra = code < 4 ? 0 : (code >> 1) - 1;
      const distance = (code < 4 ? code : (2 + (code & 1)) << extra) + this.bits(extra) + 1;
      check(distance <= size);
      if (size + length > out.length) out = this.grown(size, length);
      for (const end = size + length; size < end; size++) out[size] = out[size - distance];
      ({ at, hold, held } = this);
    }
    this.size = size;
  }

  /** @returns {[Table, Table]} the tables of a block that brings its own */
  tables() {
    const [literals, distances, codes] = [this.bits(5) + 257, this.bits(5) + 1, this.bits(4) + 4];
    const lengths = new Uint8Array(19);
    for (let at = 0; at < codes; at++) lengths[ORDER[at]] = this.bits(3);
    const table = tableOf(lengths);
    const all = new Uint8Array(literals + distances);
    for (let at = 0; at < all.length; ) {
      const symbol = this.symbol(table);
      if (symbol < 16) {
        all[at++] = symbol;
        continue;
      }
      check(symbol > 16 || at > 0);
      const value = symbol === 16 ? all[at - 1] : 0;
      const count = symbol === 16 ? 3 + this.bits(2) : symbol === 17 ? 3 + this.bits(3) : 11 + this.bits(7);
      check(at + count <= all.length);
      all.fill(value, at, at + count);
      at += count;
    }
    return [tableOf(all.subarray(0, literals)), tableOf(all.subarray(literals))];
  }
}

/** @returns {[Table, Table]} */
function fixedTables() {
  if (!fixed) {
    const lengths = new Uint8Array(288).fill(8).fill(9, 144, 256).fill(7, 256, 280);
    fixed = [tableOf(lengths), tableOf(new Uint8Array(30).fill(5))];
  }
  return fixed;
}

/** The table of a code, from the length of each symbol's code. @param {Uint8Array} lengths @returns {Table} */
function tableOf(lengths) {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  let bits = 15;
  while (bits > 1 && !counts[bits]) bits--;
  const next = new Uint32Array(17);
  for (let length = 1; length <= 15; length++) next[length + 1] = (next[length] + counts[length]) << 1;
  const entries = new Uint16Array(1 << bits);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol];
    if (!length) continue;
    let code = next[length]++;
    check(code < 1 << length);
    let reversed = 0;
    for (let bit = 0; bit < length; bit++, code >>= 1) reversed = (reversed << 1) | (code & 1);
    for (let at = reversed; at < entries.length; at += 1 << length) entries[at] = (symbol << 4) | length;
  }
  return { bits, entries };
}

/** @param {boolean} condition */
function check(condition) {
  if (!condition) throw new Error("makes no sense");
}
