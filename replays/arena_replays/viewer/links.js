/**
 * Reads and writes the position in the address, for example `#leg=2&t=37&a=2&player=1&tab=inspect&id=c4&z=2,0.5,0.4`.
 * `leg` and the action `a` count from 1; `t` is the number of the turn in the match. Without `a`, the position is the
 * end of the turn; `t=0`, or any number before the first turn, is the start. `player` counts from 0 and chooses the
 * view. `tab`, `id` and `z` are the open tab, the selected thing and the zoom. `#live` is the end of the match, with
 * its result.
 */

/**
 * @typedef {{position: import("arena/position").Position, playback: import("arena/playback").Playback,
 *   board: import("arena/board").Board, tabs: import("arena/tabs").Tabs,
 *   following: import("arena/following").Following}} Linked what an address names
 */

const WRITE_AFTER = 200; // milliseconds without a change before the address is written

export class Links {
  /** @param {import("arena/legs").Legs} legs */
  constructor(legs) {
    this.legs = legs;
    /** @type {Linked} the parts that show the current leg */
    this.linked = /** @type {any} */ (null);
    this.known = ""; // what was written or followed last
    /** @type {any} */
    this.waiting = null;
    addEventListener("hashchange", () => this.follow());
  }

  /** Follows the parts that show a leg, instead of those of the leg before. @param {Linked} linked */
  watch(linked) {
    this.linked = linked;
    const { position, playback, board, tabs } = linked;
    const later = () => linked === this.linked && this.later();
    for (const name of ["seek", "select"]) position.addEventListener(name, later);
    playback.addEventListener("state", later);
    tabs.addEventListener("open", later);
    board.canvas.addEventListener("zoom", later);
    later();
  }

  /** Goes to the position in the address. */
  follow() {
    if (location.hash === this.known) return;
    this.known = location.hash;
    if (!location.hash) return;
    const wanted = new URLSearchParams(location.hash.slice(1));
    const leg = Number(wanted.get("leg") ?? 0) - 1;
    if (this.legs.all[leg] && leg !== this.legs.number) this.legs.show(leg);
    const { position, board, tabs, following } = this.linked;
    if (wanted.has("t")) this.seek(Number(wanted.get("t")), wanted.get("a"));
    if (wanted.has("live")) {
      following.offered = true;
      position.seek(position.last);
    }
    if (wanted.has("player")) this.lookThrough(Number(wanted.get("player")));
    if (wanted.has("id")) position.select(wanted.get("id"));
    board.zoom.place = wanted.get("z") ?? "";
    tabs.open(wanted.get("tab") ?? (wanted.has("t") ? "turn" : tabs.current), wanted.has("tab"));
  }

  /** @param {number} number of the turn @param {string | null} action */
  seek(number, action) {
    if (!Number.isFinite(number)) return;
    const { position, playback } = this.linked;
    const { content } = position.replay;
    const index = content.indexOf(number);
    const turn = content.allTurns[index];
    const frame = turn && turn.first + Number(action) - 1;
    playback.pause();
    if (index < 0) position.seek(0);
    else if (turn && action !== null && frame >= turn.first && frame < turn.last) position.seek(frame);
    else if (turn) position.seekTurn(turn.index);
    else position.seek(position.last);
  }

  /** @param {number} player */
  lookThrough(player) {
    const { position } = this.linked;
    if (!position.replay.players[player]) return;
    position.setOnly(player);
    position.setStream(1 + player);
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.write(), WRITE_AFTER);
  }

  write() {
    if (location.hash !== this.known) return; // somebody went elsewhere, and it was not followed yet
    const { position, board, tabs } = this.linked;
    const turn = position.replay.content.allTurns[position.turn];
    const inside = turn && position.empty === null && position.frame !== position.endOf(turn.index);
    const parts = {
      leg: this.legs.all.length > 1 && this.legs.number + 1,
      t: String(turn?.number ?? 0),
      a: inside && position.frame - turn.first + 1,
      player: position.only === null ? false : String(position.only),
      tab: tabs.current !== "turn" && tabs.current,
      id: position.selected,
      z: board.zoom.place,
    };
    const kept = Object.entries(parts).filter(([, value]) => value);
    const written = `#${new URLSearchParams(kept.map(([name, value]) => [name, String(value)]))}`;
    if (written === this.known || location.protocol === "about:") return;
    history.replaceState(null, "", written);
    this.known = location.hash;
  }
}
