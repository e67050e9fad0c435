/**
 * Stays at the newest turn of a running match, unless the user goes to another position or the match is played from its
 * start; and the button to the newest turn.
 */

import { el } from "arena/dom";

export class Following {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   */
  constructor(position, playback) {
    this.position = position;
    this.playback = playback;
    /** Whether the position stays at the newest turn. */
    this.stays = position.replay.live;
    /** Whether the page has a button that leads to the newest turn. */
    this.offered = this.stays;
    this.node = el("button.live", { hidden: true, onclick: () => this.jump() }, "Live");
    position.addEventListener("change", () => this.show());
    playback.addEventListener("state", () => this.show());
  }

  show() {
    const { position } = this;
    const { replay } = position;
    if (!this.offered) return;
    const behind = position.turns.length - 1 - position.turn;
    const over = !replay.live && position.frame >= position.last;
    const text = replay.live && behind < 2 ? "Live" : `Go to turn ${replay.content.lastTurn}`;
    this.node.hidden = over;
    if (this.node.textContent !== text) this.node.textContent = text;
  }

  jump() {
    this.stays = true;
    this.position.seekTurn(this.position.turns.length - 1);
  }

  /** Shows what has arrived. */
  grow() {
    const { position, playback } = this;
    const { last, replay } = position;
    const waits = position.frame >= last; // all that had arrived was shown
    this.stays &&= playback.playing || waits;
    replay.grow();
    if (!this.stays && !waits) return;
    // A match may be faster than its animation. To stay at its newest turn, frames are skipped.
    const newest = position.turns[position.turns.length - 1];
    if (this.stays && newest && position.frame < newest.first - 1) position.seek(newest.first - 1);
    if (position.frame < position.last && (position.last > last || replay.content.ended)) playback.play();
  }
}
