/** Plays the sounds of the frames while the match plays, if sounds are on. */

import { noiseOf, play } from "arena/synth";

/** The time between two equal sounds, in milliseconds: at high speed, some are left out. */
const APART = 70;

export class Sounds {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/board").Board} board @param {import("arena/look").Look} look
   * @param {AbortSignal} signal ends all sounds
   */
  constructor(position, playback, board, look, signal) {
    this.position = position;
    this.playback = playback;
    this.board = board;
    this.look = look;
    /** @type {AudioContext | null} made for the first sound: a browser wants a click or key before */
    this.context = null;
    /** The last moment whose sounds were played: the frame, and the part of it. */
    this.frame = 0;
    this.part = 1;
    /** @type {Map<string, number>} when each sound was played last */
    this.last = new Map();
    position.addEventListener("change", () => this.follow());
    playback.addEventListener("end", () => position.replay.content.footer && this.play("fanfare"));
    signal.addEventListener("abort", () => this.context?.close());
  }

  /** Plays what is heard between the last moment and this one. */
  follow() {
    const { frame, fraction, states } = this.position;
    const { look, playback } = this;
    const part = frame === this.frame && fraction < this.part ? -1 : this.part; // the frame is shown once more
    if (look.sounds && playback.playing && frame >= this.frame)
      // At high speed, frames are skipped.
      for (let at = Math.max(this.frame, frame - 1); at <= frame; at++)
        for (const cue of this.board.cuesOf(states, at))
          if (cue.at > (at === this.frame ? part : -1) && cue.at <= (at === frame ? fraction : 1))
            this.play(cue.sound, cue.pitch);
    [this.frame, this.part] = [frame, fraction];
  }

  /** @param {string} name @param {number} [pitch] */
  play(name, pitch = 1) {
    const now = performance.now();
    const { look } = this;
    if (!look.sounds || !name || !navigator.userActivation?.hasBeenActive) return;
    if (now - (this.last.get(name) ?? -APART) < APART) return;
    this.last.set(name, now);
    if (!this.context) {
      this.context = new AudioContext();
      this.noise = noiseOf(this.context);
      this.out = this.context.createDynamicsCompressor(); // many sounds at once do not overdrive
      this.out.connect(this.context.destination);
    }
    play(this.context, /** @type {AudioBuffer} */ (this.noise), /** @type {AudioNode} */ (this.out), name, pitch);
  }
}
