/** States of a game: applied deltas, with snapshots for fast seeking. */

/** @typedef {Record<string, any>} Thing an object with its `id`, its `class` and its fields */
/** @typedef {Map<string, Thing>} State things by id; never changed after it was made, except in `visit` */
/** @typedef {import("arena/reader").Frame} Frame */

const STRIDE = 256;
const SNAPSHOTS = 64;
const RECENT = 64;

export class States {
  /** @param {Frame[]} frames of one stream; the list can grow later */
  constructor(frames) {
    this.frames = frames;
    /** Frames between two snapshots. It grows with the match, so that the number of snapshots does not. */
    this.stride = STRIDE;
    /** @type {Map<number, State>} */
    this.snapshots = new Map();
    /** @type {Map<number, State>} the last few, so that steps in either direction are cheap */
    this.recent = new Map();
  }

  /** The state after a frame; frame 0 is the start of the game. @param {number} frame @returns {State} */
  at(frame) {
    if (!this.frames.length) return new Map();
    frame = Math.max(0, Math.min(frame, this.frames.length - 1));
    const known = this.recent.get(frame);
    if (known) return known;
    const [from, state] = this.nearest(frame);
    const before = from < frame - 1 ? this.forward(from, state, frame - 1) : state;
    if (from < frame - 1) this.remember(frame - 1, before);
    const found = from < frame ? fold(before, this.frames[frame].delta) : before;
    this.remember(frame, found);
    return found;
  }

  /** A later state. The states between are not made. @param {number} from @param {State} state @param {number} to */
  forward(from, state, to) {
    const next = new Map(state);
    const fresh = new Set();
    for (let frame = from + 1; frame <= to; frame++) {
      apply(next, fresh, this.frames[frame].delta);
      if (frame % this.stride) continue;
      this.keep(frame, new Map(next));
      fresh.clear();
    }
    return next;
  }

  /** Keeps a snapshot. If there are too many, every second one goes. @param {number} frame @param {State} state */
  keep(frame, state) {
    this.snapshots.set(frame, state);
    if (this.snapshots.size <= SNAPSHOTS) return;
    this.stride *= 2;
    for (const at of this.snapshots.keys()) if (at % this.stride) this.snapshots.delete(at);
  }

  /**
   * Calls a function for the states after some frames, in order. The function must not keep a state: all these states
   * are one map that changes.
   * @template T @param {number[]} frames @param {(state: State) => T} visit @returns {T[]}
   */
  visit(frames, visit) {
    let state = new Map();
    let fresh = new Set();
    let at = 0;
    return frames.map((frame) => {
      const whole = keyframeOf(this.frames, frame);
      if (whole && whole.frame - at > STRIDE) [state, fresh, at] = [stateOf(whole.delta()), new Set(), whole.frame + 1];
      for (; at <= frame && at < this.frames.length; at++) apply(state, fresh, this.frames[at].delta);
      return visit(state);
    });
  }

  /** @param {number} frame @returns {[number, State]} */
  nearest(frame) {
    /** @type {[number, State]} */
    let best = [-1, new Map()];
    for (let at = frame - (frame % this.stride); at >= 0; at -= this.stride) {
      const state = this.snapshots.get(at);
      if (state) {
        best = [at, state];
        break;
      }
    }
    for (const [at, state] of this.recent) if (at <= frame && at > best[0]) best = [at, state];
    if (frame - best[0] < STRIDE) return best;
    const whole = keyframeOf(this.frames, frame);
    return whole && whole.frame > best[0] ? [whole.frame, stateOf(whole.delta())] : best;
  }

  /** @param {number} frame @param {State} state */
  remember(frame, state) {
    this.recent.set(frame, state);
    if (this.recent.size > RECENT) this.recent.delete(/** @type {number} */ (this.recent.keys().next().value));
  }
}

/**
 * The last keyframe of the file up to a frame. The frames of a person's seat have none.
 * @param {any} frames @param {number} frame @returns {{frame: number, delta: () => any[]} | null}
 */
const keyframeOf = (frames, frame) => frames.keyframe?.(frame) ?? null;

/** The state that a delta from nothing leads to. @param {any[]} delta @returns {State} */
function stateOf(delta) {
  const state = new Map();
  apply(state, new Set(), delta);
  return state;
}

/**
 * Returns the next state. Unchanged things are shared between both states.
 * @param {State} state @param {any[]} delta @returns {State}
 */
export function fold(state, delta) {
  const next = new Map(state);
  apply(next, new Set(), delta);
  return next;
}

/**
 * Changes a state. Things that are not `fresh` can belong to other states too: they are copied before they change.
 * @param {State} next @param {Set<string>} fresh @param {any[]} delta
 */
function apply(next, fresh, delta) {
  for (let at = 0; at + 2 < delta.length; at += 3) {
    const id = String(delta[at]);
    const field = String(delta[at + 1]);
    if (field === "+") {
      next.set(id, thing({ id, class: String(delta[at + 2]) }));
      fresh.add(id);
    } else if (field === "-") {
      next.delete(id);
    } else {
      let changed = next.get(id);
      if (!changed) continue;
      if (!fresh.has(id)) {
        changed = thing(changed);
        next.set(id, changed);
        fresh.add(id);
      }
      changed[field] = patched(changed[field], delta[at + 2]);
    }
  }
}

/**
 * The new value of a field. Spans `[offset, bytes, ...]` replace parts of an array; any other value is the new value.
 * @param {any} old @param {any} value
 */
function patched(old, value) {
  if (!(old instanceof Uint8Array) || !Array.isArray(value)) return value;
  const data = old.slice();
  for (let at = 0; at + 1 < value.length; at += 2)
    if (value[at + 1] instanceof Uint8Array && value[at] >= 0 && value[at] + value[at + 1].length <= data.length)
      data.set(value[at + 1], value[at]);
  return data;
}

/** A copy without prototype: field names come from a file. @param {Thing} fields @returns {Thing} */
const thing = (fields) => Object.assign(Object.create(null), fields);

/**
 * Returns the fields of a thing that differ between two states.
 * @param {Thing | undefined} before @param {Thing | undefined} after @returns {string[]}
 */
export function changes(before, after) {
  if (before === after || !after) return [];
  return Object.keys(after).filter((field) => !same(before?.[field], after[field]));
}

/** @param {any} one @param {any} other @returns {boolean} */
export function same(one, other) {
  if (one === other) return true;
  return Array.isArray(one) && Array.isArray(other) && JSON.stringify(one) === JSON.stringify(other);
}
