/** Which leg of a match is shown, and what is shown beside it. A single replay is a match of one leg. */

/** @typedef {import("arena/replay").Leg} Leg */

/** Dispatches `show` for another leg, and `twin` when the other leg appears beside the current one or goes. */
export class Legs extends EventTarget {
  /**
   * @param {Leg[]} all @param {Leg | null} rival another match that is shown beside this one
   * @param {number} number the leg that is shown first
   */
  constructor(all, rival, number) {
    super();
    this.all = all;
    this.rival = rival;
    this.number = number;
    /** Whether the other leg is shown beside this one. */
    this.twin = false;
  }

  get current() {
    return this.all[this.number];
  }

  /** @returns {Leg | undefined} */
  get other() {
    return this.all.length > 1 ? this.all[1 - this.number] : undefined;
  }

  /** The replay that is shown beside the current leg, or null. */
  get beside() {
    return this.rival ?? (this.twin ? (this.other ?? null) : null);
  }

  /** Shows a leg from its start. @param {number} number */
  show(number) {
    this.number = number;
    this.dispatchEvent(new Event("show"));
  }

  swap() {
    if (this.all.length > 1) this.show(1 - this.number);
  }

  /** Shows or hides the other leg beside this one, at the same position. */
  toggleTwin() {
    if (this.all.length < 2) return;
    this.twin = !this.twin;
    this.dispatchEvent(new Event("twin"));
  }
}
