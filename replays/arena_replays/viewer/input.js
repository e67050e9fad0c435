/** Input that changes the position: keys, swipes and the address. */

import { fullScreen } from "arena/controls";

/** @param {import("arena/app").App} app @param {AbortSignal} signal ends the listening to keys and to the address */
export function listen(app, signal) {
  document.addEventListener("keydown", (event) => key(app, event), { signal });
  swipes(app);
  links(app, signal);
  for (const name of ["pointerover", "focusin", "pointerout", "focusout"])
    app.host.querySelector(".side")?.addEventListener(name, (event) => point(app, event));
}

/**
 * Frames things and tiles on the board: those that a row is about, while the pointer or the focus is on the row.
 * @param {import("arena/app").App} app @param {Event} event
 */
function point(app, event) {
  const over = /over|in$/.test(event.type);
  const row = /** @type {HTMLElement} */ (event.target).closest("[data-means]");
  const found = over && row ? JSON.parse(/** @type {HTMLElement} */ (row).dataset.means ?? "null") : null;
  app.board.meant = found;
  app.dirty = true;
}

/** @param {import("arena/app").App} app @param {KeyboardEvent} event */
function key(app, event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    app.help.open ||
    /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
  )
    return;
  if (/^Page/.test(event.key) && target.closest(".panel")) return; // the panel scrolls instead
  if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName)) return;
  const { playback } = app;
  /** @type {Record<string, () => void>} */
  const keys = {
    " ": () => playback.toggle(),
    ArrowRight: () => playback.stepAction(1),
    ArrowLeft: () => playback.stepAction(-1),
    ArrowDown: () => playback.stepTurn(1),
    ArrowUp: () => playback.stepTurn(-1),
    PageDown: () => playback.stepTurn(10),
    PageUp: () => playback.stepTurn(-10),
    Home: () => playback.seek(0),
    End: () => playback.seekTurn(playback.turns.length - 1),
    "+": () => playback.faster(1),
    "=": () => playback.faster(1),
    "-": () => playback.faster(-1),
    n: () => app.timeline.jump(1),
    p: () => app.timeline.jump(-1),
    d: () => {
      app.drawn = app.drawn.map(() => !app.drawn.some(Boolean));
      app.changed();
    },
    v: () => app.setStream((app.stream + 1) % app.streams.length),
    u: () => app.beliefs.toggle(),
    l: () => app.match.other(),
    b: () => app.match.toggleTwin(),
    t: () => app.setDark(!app.look.dark),
    f: fullScreen,
    "?": () => app.help.showModal(),
    z: () => app.board.zoom.by(1.5),
    Z: () => app.board.zoom.by(1 / 1.5),
    Escape: () => (app.board.zoom.scale > 1 ? app.board.zoom.to(1, 0, 0) : app.select(null)),
  };
  const { zoom } = app.board;
  /** @type {Record<string, [number, number]>} */
  const pans = { ArrowRight: [-60, 0], ArrowLeft: [60, 0], ArrowDown: [0, -60], ArrowUp: [0, 60] };
  if (event.shiftKey && zoom.scale > 1 && pans[event.key]) keys[event.key] = () => zoom.pan(...pans[event.key]);
  const digit = /^[0-9]$/.test(event.key)
    ? () => playback.seekTurn(Math.round((Number(event.key) / 10) * app.content.allTurns.length) - 1)
    : null;
  const run = keys[event.key] ?? digit;
  if (!run) return;
  event.preventDefault();
  run();
}

/** @param {import("arena/app").App} app */
function swipes(app) {
  /** @type {{x: number, y: number} | null} */
  let start = null;
  const { canvas } = app.board;
  canvas.addEventListener(
    "pointerdown",
    (event) => (start = event.pointerType === "mouse" ? null : { x: event.clientX, y: event.clientY }),
  );
  canvas.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [across, down] = [event.clientX - start.x, event.clientY - start.y];
    start = null;
    if (app.board.zoom.moved > 4) return; // the board was panned or zoomed
    if (Math.abs(across) > 40 && Math.abs(across) > 2 * Math.abs(down)) app.playback.stepTurn(across < 0 ? 1 : -1);
  });
}

/**
 * Reads and writes the position in the address, for example `#leg=2&t=37&a=2&player=1&tab=inspect&id=c4&z=2,0.5,0.4`.
 * `leg` and the action `a` count from 1; `t` is the number of the turn in the match. Without `a`, the position is the
 * end of the turn; `t=0`, or any number before the first turn, is the start. `player` counts from 0 and chooses the
 * view. `tab`, `id` and `z` are the open tab, the selected thing and the zoom. `#live` is the end of the match, with
 * its result.
 * @param {import("arena/app").App} app @param {AbortSignal} signal
 */
function links(app, signal) {
  const { playback } = app;
  let written = "";
  const follow = () => {
    if (location.hash === written || !location.hash) return;
    const wanted = new URLSearchParams(location.hash.slice(1));
    const leg = Number(wanted.get("leg") ?? 0) - 1;
    if (app.match.legs[leg] && leg !== app.match.leg) {
      app.match.show(leg);
      app.match.app.followLink();
      return;
    }
    const number = Number(wanted.get("t"));
    const player = wanted.has("player") ? Number(wanted.get("player")) : NaN;
    if (wanted.has("t") && Number.isFinite(number)) {
      const index = app.content.indexOf(number);
      const turn = app.content.allTurns[index];
      const frame = turn && turn.first + Number(wanted.get("a")) - 1;
      playback.pause();
      if (index < 0) playback.seek(0);
      else if (turn && wanted.has("a") && frame >= turn.first && frame < turn.last) playback.seek(frame);
      else if (turn) playback.seekTurn(turn.index);
      else playback.seek(playback.last);
    }
    if (wanted.has("live")) {
      app.wasLive = true;
      playback.seek(playback.last);
    }
    if (app.players[player]) {
      app.only = player;
      if (app.streams[1 + player]) app.setStream(1 + player);
      app.changed();
    }
    if (wanted.has("id")) app.select(wanted.get("id"));
    app.board.zoom.place = wanted.get("z") ?? "";
    app.openTab(wanted.get("tab") ?? (wanted.has("t") ? "turn" : app.tab));
  };
  const write = () => {
    const turn = app.content.allTurns[playback.turn];
    const inside = turn && playback.empty === null && playback.frame !== playback.endOf(turn.index);
    const parts = {
      leg: app.match.legs.length > 1 && app.match.leg + 1,
      t: String(turn?.number ?? 0),
      a: inside && playback.frame - turn.first + 1,
      player: app.only === null ? false : String(app.only),
      tab: app.tab !== "turn" && app.tab,
      id: app.selected,
      z: app.board.zoom.place,
    };
    const kept = Object.entries(parts).filter(([, value]) => value);
    written = `#${new URLSearchParams(kept.map(([name, value]) => [name, String(value)]))}`;
    if (location.hash !== written && location.protocol !== "about:") history.replaceState(null, "", written);
  };
  /** @type {any} */
  let waiting = null;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(write, 200);
  };
  addEventListener("hashchange", follow, { signal });
  signal.addEventListener("abort", () => clearTimeout(waiting));
  app.followLink = follow;
  app.writeLink = later;
  playback.addEventListener("seek", later);
  playback.addEventListener("state", later);
}
