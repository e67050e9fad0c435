/** Moves a position with time, and by steps. */

/** @typedef {import("arena/position").Position} Position */

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32];
/**
 * The duration of a frame at speed 1, in milliseconds: of an action, and of the last frame of a turn. Players who move
 * at the same time share the duration of one action.
 */
const ACTION = 240;
const TURN_END = 520;

/** Dispatches `state` when playing starts or stops and for another speed, and `end` at the end of the replay. */
export class Playback extends EventTarget {
  /** @param {Position} position @param {number} speed */
  constructor(position, speed) {
    super();
    this.position = position;
    this.playing = false;
    this.speed = speed;
    this.until = Infinity;
    /** Extra time for a frame, in milliseconds. */
    this.pauseOf = (/** @type {number} */ _frame) => 0;
  }

  /** Goes to a frame, and plays the movement to it. @param {number} frame */
  goto(frame) {
    this.pause();
    this.position.seek(frame);
    if (frame > 0) this.run(frame);
  }

  /** @param {number} step @param {boolean} [animated] */
  stepAction(step, animated = true) {
    const { position } = this;
    this.pause();
    position.seek(position.frame + step);
    if (step > 0 && animated && position.frame > 0) this.run(position.frame);
  }

  /** @param {number} step */
  stepTurn(step) {
    const { position } = this;
    this.pause();
    const here = position.turn;
    const inside = position.frame !== position.endOf(here);
    position.seekTurn(step < 0 ? (inside ? here - 1 : here + step) : inside ? here : here + step);
  }

  /** Plays some turns from just before them, and stops. @param {number} first an index @param {number} [last] */
  showTurns(first, last = first) {
    const { position } = this;
    this.pause();
    position.seekTurn(first);
    if (position.empty !== null || !position.turns[first]) return;
    position.seek(position.turns[first].first - 1);
    this.until = position.endOf(last);
    this.playing = true;
    this.dispatchEvent(new Event("state"));
  }

  /** Plays the movement of one frame, and stops. @param {number} frame */
  run(frame) {
    this.until = frame;
    this.playing = true;
    this.position.progress(this.position.frame, 0);
    this.dispatchEvent(new Event("state"));
  }

  play() {
    const { position } = this;
    if (position.frame >= position.last && position.fraction >= 1) position.seek(0);
    this.until = Infinity;
    this.playing = true;
    this.dispatchEvent(new Event("state"));
  }

  pause() {
    this.playing = false;
    this.position.progress(this.position.frame, 1);
    this.dispatchEvent(new Event("state"));
  }

  /** Whether it plays on, and not only the movement of one frame. */
  get running() {
    return this.playing && this.until === Infinity;
  }

  toggle() {
    if (this.running) this.pause();
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

  /** @param {number} frame @returns {number} milliseconds at speed 1 */
  lengthOf(frame) {
    const turn = this.position.turns[this.position.turnOf(frame)];
    const ends = turn && turn.last > turn.first && frame === turn.last - 1;
    return (ends ? TURN_END : ACTION / Math.max(1, turn?.times.length ?? 1)) + this.pauseOf(frame);
  }

  /** Moves the position on. @param {number} elapsed milliseconds */
  advance(elapsed) {
    if (!this.playing) return;
    const end = Math.min(this.position.last, this.until);
    let { frame, fraction } = this.position;
    let left = elapsed * this.speed;
    while (left > 0) {
      const length = this.lengthOf(frame);
      const rest = (1 - fraction) * length;
      if (left < rest) {
        fraction += left / length;
        break;
      }
      left -= rest;
      fraction = 1;
      if (frame >= end) {
        this.playing = false;
        break;
      }
      frame++;
      fraction = 0;
    }
    this.position.progress(frame, fraction);
    if (this.playing) return;
    this.dispatchEvent(new Event("state"));
    if (this.until === Infinity) this.dispatchEvent(new Event("end"));
  }
}
