/** Lists whose items are decoded when they are needed, so that a long match does not fill the memory. */

/** @typedef {{kind: number, offset: number, size: number, form: number, stream: number, first: number,
 *   count: number}} Piece a record; its data end at `offset` + `size` */

/** Limit of what decoded records may cost, in bytes without compression or values. */
const KEPT = 4_000_000;

/** The decoded records that were used last, of all lists of a file. */
export class Kept {
  constructor() {
    /** @type {Map<number, {items: any[], cost: number}>} by the offset of the record */
    this.records = new Map();
    this.cost = 0;
  }

  /** @param {number} offset @param {() => {items: any[], cost: number}} decode @returns {any[]} */
  get(offset, decode) {
    const known = this.records.get(offset);
    const record = known ?? decode();
    if (known) this.records.delete(offset);
    else this.cost += record.cost;
    this.records.set(offset, record); // the last one is the newest
    for (const [oldest, { cost }] of this.records) {
      if (this.cost <= KEPT || oldest === offset) break;
      this.records.delete(oldest);
      this.cost -= cost;
    }
    return record.items;
  }
}

/**
 * A list over records of a file. It can be used like an array that nobody changes: by index, with `length`, `slice`
 * and in loops.
 * @template T
 */
export class Lazy {
  /** @param {Kept} kept @param {(piece: Piece) => {items: T[], cost: number}} decode */
  constructor(kept, decode) {
    this.kept = kept;
    this.decode = decode;
    /** @type {Piece[]} */
    this.pieces = [];
    /** @type {number[]} the index of the first item of each record */
    this.firsts = [];
    this.length = 0;
    /** @type {{frame: number, piece: Piece}[]} the keyframes of a view */
    this.keyframes = [];
    /** @type {(piece: Piece) => any[]} the delta of a keyframe */
    this.whole = () => [];
  }

  /** The list, which also takes indexes. @template T @param {Lazy<T>} lazy @returns {T[] & Lazy<T>} */
  static list(lazy) {
    return /** @type {any} */ (new Proxy(lazy, byIndex));
  }

  /** Adds a record. @param {Piece} piece @param {number} items the number of its items */
  add(piece, items) {
    if (!items) return;
    this.pieces.push(piece);
    this.firsts.push(this.length);
    this.length += items;
  }

  /** @param {number} at @returns {T | undefined} */
  get(at) {
    if (!(at >= 0 && at < this.length)) return undefined;
    const record = this.recordOf(at);
    return this.itemsOf(record)[at - this.firsts[record]];
  }

  /** The number of the record with an item. @param {number} at */
  recordOf(at) {
    let [low, high] = [0, this.firsts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.firsts[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {number} record @returns {T[]} */
  itemsOf(record) {
    const piece = this.pieces[record];
    return this.kept.get(piece.offset, () => this.decode(piece));
  }

  /** @param {number} [start] @param {number} [end] @returns {T[]} */
  slice(start = 0, end = this.length) {
    const found = [];
    const stop = Math.min(end, this.length);
    for (let at = Math.max(0, start); at < stop; at++) found.push(/** @type {T} */ (this.get(at)));
    return found;
  }

  *[Symbol.iterator]() {
    for (let record = 0; record < this.pieces.length; record++) yield* this.itemsOf(record);
  }

  /** @param {(item: T, at: number) => unknown} visit */
  forEach(visit) {
    let at = 0;
    for (const item of this) visit(item, at++);
  }

  /** @param {(item: T, at: number) => unknown} test */
  findIndex(test) {
    let at = 0;
    for (const item of this) {
      if (test(item, at)) return at;
      at++;
    }
    return -1;
  }

  /** @param {(item: T, at: number) => unknown} test */
  find(test) {
    return this.get(this.findIndex(test));
  }

  /**
   * The last keyframe up to a frame: the frame, and a function for the delta from nothing to the state after it.
   * @param {number} at @returns {{frame: number, delta: () => any[]} | null}
   */
  keyframe(at) {
    const found = this.keyframes.findLast(({ frame }) => frame <= at);
    return found ? { frame: found.frame, delta: () => this.whole(found.piece) } : null;
  }
}

/** @type {ProxyHandler<Lazy<any>>} */
const byIndex = {
  get: (lazy, key) => (typeof key === "string" && /^\d+$/.test(key) ? lazy.get(Number(key)) : Reflect.get(lazy, key)),
};
