/**
 * The position in a replay, and how it moves with time. A position is a frame and the progress from the previous frame
 * to it.
 */

/** @typedef {import("arena/reader").Turn} Turn */

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32];
/** The duration of a frame at speed 1, in milliseconds: of an action, and of the last frame of a turn. */
const ACTION = 240;
const TURN_END = 520;

export class Playback extends EventTarget {
  /** @param {number} [speed] */
  constructor(speed = 2) {
    super();
    this.last = 0;
    this.frame = 0;
    this.fraction = 1;
    this.playing = false;
    this.speed = speed;
    /** Extra time for a frame, in milliseconds. */
    this.pauseOf = (/** @type {number} */ _frame) => 0;
    /** @type {number | null} the turn that the user has selected, if the turn has no actions */
    this.empty = null;
    /** @type {Set<number>} */
    this.turnEnds = new Set();
    /** @type {Turn[]} */
    this.turns = [];
  }

  /** @param {number} frames @param {Turn[]} turns */
  extend(frames, turns) {
    this.last = Math.max(0, frames - 1);
    this.turns = turns;
    this.turnEnds = new Set(turns.filter((turn) => turn.last > turn.first).map((turn) => turn.last - 1));
    this.frame = Math.min(this.frame, this.last);
  }

  /** The turn at this position: an index, or -1 at the start. */
  get turn() {
    return this.empty ?? this.turnOf(this.frame);
  }

  /** @param {number} frame @returns {number} index of the turn which a frame belongs to */
  turnOf(frame) {
    if (frame <= 0 || !this.turns.length) return -1;
    let low = 0;
    let high = this.turns.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.turns[middle].last > frame) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** @param {number} turn @returns {number} the frame at the end of a turn */
  endOf(turn) {
    if (turn < 0 || !this.turns.length) return 0;
    return Math.min(this.last, this.turns[Math.min(turn, this.turns.length - 1)].last - 1);
  }

  /** @param {number} frame @param {number} [fraction] */
  seek(frame, fraction = 1) {
    this.frame = Math.max(0, Math.min(this.last, Math.round(frame)));
    this.fraction = this.frame === 0 ? 1 : fraction;
    this.empty = null;
    this.dispatchEvent(new Event("seek"));
  }

  /** @param {number} turn */
  seekTurn(turn) {
    const there = this.turns[Math.max(0, Math.min(turn, this.turns.length - 1))];
    this.seek(this.endOf(turn));
    if (turn < 0 || !there || there.last > there.first) return;
    this.empty = there.index;
    this.dispatchEvent(new Event("seek"));
  }

  /**
   * The frame of a turn that is nearest to another one; the frame before a turn without actions.
   * @param {number} turn @param {number} frame
   */
  frameIn(turn, frame) {
    const there = this.turns[turn];
    return there ? Math.min(Math.max(frame, there.first), there.last - 1) : frame;
  }

  /** Goes to the frame of a turn that is nearest to another one. @param {number} turn @param {number} frame */
  seekIn(turn, frame) {
    this.seekTurn(turn);
    if (this.empty === null) this.seek(this.frameIn(turn, frame));
  }

  /** @param {number} step @param {boolean} [animated] */
  stepAction(step, animated = true) {
    this.pause();
    this.seek(this.frame + step);
    if (step > 0 && animated && this.frame > 0) this.run(this.frame);
  }

  /** @param {number} step */
  stepTurn(step) {
    this.pause();
    const here = this.turn;
    const inside = this.frame !== this.endOf(here);
    this.seekTurn(step < 0 ? (inside ? here - 1 : here + step) : inside ? here : here + step);
  }

  /** Plays the movement of one frame, and stops. @param {number} frame */
  run(frame) {
    this.fraction = 0;
    this.until = frame;
    this.playing = true;
    this.dispatchEvent(new Event("state"));
  }

  play() {
    if (this.frame >= this.last && this.fraction >= 1) this.seek(0);
    this.until = Infinity;
    this.playing = true;
    this.dispatchEvent(new Event("state"));
  }

  pause() {
    this.playing = false;
    this.fraction = 1;
    this.dispatchEvent(new Event("state"));
  }

  toggle() {
    if (this.playing && this.until === Infinity) this.pause();
    else this.play();
  }

  /** @param {number} step */
  faster(step) {
    const at = SPEEDS.indexOf(this.speed) + step;
    this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))]);
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.dispatchEvent(new Event("state"));
  }

  /** Advances the position. @param {number} elapsed milliseconds @returns {boolean} whether anything moved */
  advance(elapsed) {
    if (!this.playing) return false;
    let left = elapsed * this.speed;
    while (left > 0) {
      const length = (this.turnEnds.has(this.frame) ? TURN_END : ACTION) + this.pauseOf(this.frame);
      const rest = (1 - this.fraction) * length;
      if (left < rest) {
        this.fraction += left / length;
        return true;
      }
      left -= rest;
      this.fraction = 1;
      if (this.frame >= this.last || this.frame >= (this.until ?? Infinity)) {
        this.playing = false;
        this.dispatchEvent(new Event("state"));
        if (this.until === Infinity) this.dispatchEvent(new Event("end"));
        return true;
      }
      this.frame++;
      this.empty = null;
      this.fraction = 0;
    }
    return true;
  }
}
