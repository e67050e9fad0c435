/** Input that changes the position: keys, swipes and the pointer. */

import { fullScreen } from "arena/controls";

/**
 * @typedef {{position: import("arena/position").Position, playback: import("arena/playback").Playback,
 *   board: import("arena/board").Board, timeline: import("arena/timeline").Timeline,
 *   beliefs: import("arena/beliefs").Beliefs, legs: import("arena/legs").Legs, look: import("arena/look").Look,
 *   tabs: import("arena/tabs").Tabs, help: HTMLDialogElement}} Moved what keys and pointer can change
 */

/** @param {Moved} moved @param {AbortSignal} signal ends the listening to keys */
export function listen(moved, signal) {
  document.addEventListener("keydown", (event) => onKey(moved, event), { signal });
  swipes(moved);
  for (const name of ["pointerover", "focusin", "pointerout", "focusout"])
    moved.tabs.node.addEventListener(name, (/** @type {Event} */ event) => point(moved.board, event));
}

/**
 * Frames things and tiles on the board: those that a row is about, while the pointer or the focus is on the row.
 * @param {import("arena/board").Board} board @param {Event} event
 */
function point(board, event) {
  const over = /over|in$/.test(event.type);
  const row = /** @type {HTMLElement} */ (event.target).closest("[data-means]");
  const found = over && row ? JSON.parse(/** @type {HTMLElement} */ (row).dataset.means ?? "null") : null;
  board.meant = found;
  board.stale = true;
}

/** @param {Moved} moved @param {KeyboardEvent} event */
function onKey({ position, playback, board, timeline, beliefs, legs, look, help }, event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const elsewhere = document.querySelector("dialog:modal") || target.closest("input, select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey || elsewhere) return;
  if (/^Page/.test(event.key) && target.closest(".panel")) return; // the panel scrolls instead
  // Space plays, also after a click on a tab; on other buttons it presses them.
  if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName) && target.getAttribute("role") !== "tab") return;
  const { zoom } = board;
  /** @type {Record<string, () => void>} */
  const keys = {
    " ": () => playback.toggle(),
    ArrowRight: () => playback.stepAction(1),
    ArrowLeft: () => playback.stepAction(-1),
    ArrowDown: () => playback.stepTurn(1),
    ArrowUp: () => playback.stepTurn(-1),
    PageDown: () => playback.stepTurn(10),
    PageUp: () => playback.stepTurn(-10),
    Home: () => position.seek(0),
    End: () => position.seekTurn(position.turns.length - 1),
    "+": () => playback.faster(1),
    "=": () => playback.faster(1),
    "-": () => playback.faster(-1),
    n: () => timeline.jump(1),
    p: () => timeline.jump(-1),
    i: () => board.toggleNames(),
    m: () => look.setSounds(!look.sounds),
    d: () => position.setDrawn(!position.drawn.some(Boolean)),
    v: () => position.setStream((position.stream + 1) % position.replay.streams.length),
    u: () => beliefs.toggle(),
    l: () => legs.swap(),
    b: () => legs.toggleTwin(),
    t: () => look.setDark(!look.dark),
    f: fullScreen,
    "?": () => help.showModal(),
    z: () => zoom.by(1.5),
    Z: () => zoom.by(1 / 1.5),
    Escape: () => (zoom.scale > 1 ? zoom.to(1, 0, 0) : position.select(null)),
  };
  /** @type {Record<string, [number, number]>} */
  const pans = { ArrowRight: [-60, 0], ArrowLeft: [60, 0], ArrowDown: [0, -60], ArrowUp: [0, 60] };
  if (event.shiftKey && zoom.scale > 1 && pans[event.key]) keys[event.key] = () => zoom.pan(...pans[event.key]);
  const digit = /^[0-9]$/.test(event.key)
    ? () => position.seekTurn(Math.round((Number(event.key) / 10) * position.replay.content.allTurns.length) - 1)
    : null;
  const run = keys[event.key] ?? digit;
  if (!run) return;
  event.preventDefault();
  run();
}

/** @param {Moved} moved */
function swipes({ playback, board }) {
  /** @type {{x: number, y: number} | null} */
  let start = null;
  const { canvas } = board;
  canvas.addEventListener(
    "pointerdown",
    (event) => (start = event.pointerType === "mouse" ? null : { x: event.clientX, y: event.clientY }),
  );
  canvas.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [across, down] = [event.clientX - start.x, event.clientY - start.y];
    start = null;
    if (board.zoom.moved > 4) return; // the board was panned or zoomed
    if (Math.abs(across) > 40 && Math.abs(across) > 2 * Math.abs(down)) playback.stepTurn(across < 0 ? 1 : -1);
  });
}
