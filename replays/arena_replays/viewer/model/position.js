/**
 * What is looked at in a replay: the frame and the turn, through whose eyes, and what is selected. A frame is shown
 * with the progress from the previous frame to it. Panels listen to it; whatever moves, moves it here.
 */

/** @typedef {import("arena/replay").Replay} Replay */
/** @typedef {import("arena/reader").Turn} Turn */

/**
 * Dispatches `change` after each change. Before that, `seek` when something other than playing has moved the frame,
 * `eyes` for another view, and `select` for another selected thing.
 */
export class Position extends EventTarget {
  /** @param {Replay} replay */
  constructor(replay) {
    super();
    this.replay = replay;
    this.frame = 0;
    this.fraction = 1;
    this.last = 0;
    /** @type {number | null} the turn that the user has selected, if the turn has no actions */
    this.empty = null;
    /** @type {Turn[]} */
    this.turns = [];
    /** What is seen: 0 for everything, 1 + p for what player p saw. */
    this.stream = 0;
    /** @type {string | null} the id of a thing */
    this.selected = null;
    /** @type {number | null} the player whose actions and notes are shown; null for all players */
    this.only = null;
    /** Whether the drawings of a player's bot are shown. */
    this.drawn = replay.players.map(() => true);
    replay.addEventListener("grow", () => this.grow());
  }

  grow() {
    const { content } = this.replay;
    this.last = Math.max(0, content.streams[0].length - 1);
    this.turns = content.allTurns;
    this.frame = Math.min(this.frame, this.last);
    this.announce();
  }

  /** @param {"seek" | "eyes" | "select"} [how] */
  announce(how) {
    if (how) this.dispatchEvent(new Event(how));
    this.dispatchEvent(new Event("change"));
  }

  // -- the frame and the turn ------------------------------------------------------------------------

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
    this.announce("seek");
  }

  /** @param {number} turn */
  seekTurn(turn) {
    const there = this.turns[Math.max(0, Math.min(turn, this.turns.length - 1))];
    this.seek(this.endOf(turn));
    if (turn < 0 || !there || there.last > there.first) return;
    this.empty = there.index;
    this.announce("seek");
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

  /** Moves on as time passes. @param {number} frame @param {number} fraction */
  progress(frame, fraction) {
    if (frame !== this.frame) this.empty = null;
    this.frame = frame;
    this.fraction = fraction;
    this.announce();
  }

  // -- through whose eyes ----------------------------------------------------------------------------

  /** The states as they are seen. */
  get states() {
    return this.replay.streams[this.stream] ?? this.replay.streams[0];
  }

  /** The state that is shown. */
  get state() {
    return this.states.at(this.frame);
  }

  /** @param {number} stream */
  setStream(stream) {
    if (!this.replay.streams[stream]) return;
    this.stream = stream;
    this.announce("eyes");
  }

  /** Whether the view that is shown includes what only this player knows. @param {number} player */
  knows(player) {
    return this.stream === 0 || this.stream === 1 + player;
  }

  // -- what is selected ------------------------------------------------------------------------------

  /** @param {string | null} id */
  select(id) {
    this.selected = id;
    this.announce("select");
  }

  /** @param {number | null} player */
  setOnly(player) {
    this.only = player;
    this.announce();
  }

  /** Shows or hides the drawings of some players' bots. @param {boolean} on @param {number[]} [players] */
  setDrawn(on, players = [...this.drawn.keys()]) {
    for (const player of players) this.drawn[player] = on;
    this.announce();
  }

  /**
   * The drawings to show at a position: for each player, the last drawings in this turn, at or before the position.
   * @param {Turn | undefined} turn @param {number} frame
   */
  drawingsAt(turn, frame) {
    const all = this.replay.content.drawingsIn(turn).filter(({ player }) => this.drawn[player] && this.knows(player));
    const over = !turn || frame >= turn.last - 1;
    const shown = all.filter((one) => over || one.frame <= frame);
    const last = new Map(shown.map((one) => [one.player, one.frame]));
    return shown.filter((one) => one.frame === last.get(one.player));
  }
}
