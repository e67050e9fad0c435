/** Buttons for playing, speed and display; and the list of keys. */

import { el, shape } from "arena/dom";
import { SPEEDS } from "arena/playback";

const KEYS = [
  ["Space", "play, pause"],
  ["← →", "one action back, on"],
  ["↑ ↓", "one turn back, on"],
  ["Home End", "to the start, to the end"],
  ["n p", "to the next mark, to the one before"],
  ["0 … 9", "to tenths of the match"],
  ["+ −", "faster, slower"],
  ["z Z", "zoom in, out (also wheel, two fingers)"],
  ["Shift ← →", "pan, when zoomed (also drag); Escape shows the whole board"],
  ["m", "sounds (off at first)"],
  ["d", "bots' drawings"],
  ["i", "ids of all things on the board"],
  ["v", "through whose eyes (games with hidden information)"],
  ["u", "where the unseen may be (games with hidden information, with a server)"],
  ["l", "the other leg (matches of two legs)"],
  ["b", "both legs side by side"],
  ["t", "light, dark"],
  ["f", "full screen"],
  ["?", "this page"],
];

/** Paths on a 24 by 24 grid. */
const ICONS = /** @type {const} */ ({
  start: "M6 5v14M19 5l-9 7 9 7z",
  turnBack: "M12 6l-7 6 7 6zM19 6l-7 6 7 6z",
  back: "M16 5l-9 7 9 7z",
  play: "M7 4l13 8-13 8z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  on: "M8 5l9 7-9 7z",
  turnOn: "M5 6l7 6-7 6zM12 6l7 6-7 6z",
  end: "M18 5v14M5 5l9 7-9 7z",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  share: "M12 15V4M8 7.5L12 3.5l4 4M7 11H5v9h14v-9h-2",
  sounds: "M4 9.5v5h4l5 4.5v-14L8 9.5zM16.5 9a4.5 4.5 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11",
});

export class Controls {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/beliefs").Beliefs} beliefs @param {import("arena/board").Board} board
   * @param {import("arena/look").Look} look
   * @param {HTMLDialogElement} help @param {() => void} share
   */
  constructor(position, playback, beliefs, board, look, help, share) {
    this.position = position;
    this.playback = playback;
    this.beliefs = beliefs;
    /** @type {boolean | null} */
    this.running = null;
    this.playButton = el("button.play", { onclick: () => playback.toggle() });
    this.speed = el(
      "select.speed",
      { "aria-label": "Speed", onchange: () => this.chose(this.speed, playback.setSpeed(Number(this.speed.value))) },
      ...SPEEDS.map((speed) => el("option", { value: speed }, `${speed}×`)),
    );
    this.where = el("output.where");
    this.look = look;
    this.sounds = sign("button.sign", icon("sounds"), "Sounds", () => look.setSounds(!look.sounds), look.sounds);
    this.transport = el(
      "div.transport",
      { role: "toolbar", "aria-label": "Playing" },
      this.button("start", "To the start", () => position.seek(0)),
      this.button("turnBack", "One turn back", () => playback.stepTurn(-1)),
      this.button("back", "One action back", () => playback.stepAction(-1)),
      this.playButton,
      this.button("on", "One action on", () => playback.stepAction(1)),
      this.button("turnOn", "One turn on", () => playback.stepTurn(1)),
      this.button("end", "To the end", () => position.seekTurn(position.turns.length - 1), ".to-end"),
      this.speed,
      this.where,
    );
    this.settings = el(
      "div.settings",
      {},
      ...this.views(),
      beliefs.offered && this.unseen(),
      ...this.drawings(),
      sign("button.sign", "id", "Ids of all things on the board", () => board.toggleNames()),
      this.only(),
      this.sounds,
      sign("button.sign", icon("share"), "Share", share),
      sign("button.sign", "◐", "Light or dark", () => look.setDark(!look.dark)),
      sign("button.sign", icon("full"), "Full screen", fullScreen),
      sign("button.sign", "?", "Keys", () => help.showModal()),
    );
    /** On a phone, this button opens what has no room in the bar. */
    this.more = sign("button.more", "⋯", "More", () => this.toggleMore(), false);
    position.addEventListener("change", () => this.show());
    playback.addEventListener("state", () => this.show());
  }

  toggleMore() {
    const open = this.settings.dataset.open !== "true";
    this.settings.dataset.open = String(open);
    this.more.setAttribute("aria-pressed", String(open));
  }

  /** Gives the keys back to the board after a choice. @param {HTMLElement} select @param {any} _done */
  chose(select, _done) {
    select.blur();
  }

  /** @param {keyof typeof ICONS} name @param {string} title @param {() => void} run @param {string} [kind] a class */
  button(name, title, run, kind = "") {
    return Object.assign(sign(`button${kind}`, icon(name), title, run), { tabIndex: -1 }); // it has a key
  }

  views() {
    const { position } = this;
    const { players, streams } = position.replay;
    if (streams.length < 2) return [];
    const names = ["Spectators", ...players.map((player) => `Eyes of ${player.name}`)].slice(0, streams.length);
    this.view = el(
      "select",
      { "aria-label": "View", onchange: () => this.chose(this.view, position.setStream(Number(this.view.value))) },
      ...names.map((name, at) => el("option", { value: at }, name)),
    );
    return [this.view];
  }

  unseen() {
    this.belief = sign("button.sign", "◌", "Where the unseen may be", () => this.beliefs.toggle(), false);
    return this.belief;
  }

  drawings() {
    const { position } = this;
    const { players } = position.replay;
    /** @param {number[]} seats @param {string} title @param {string} [color] */
    const pen = (seats, title, color) => {
      const toggle = () => position.setDrawn(!position.drawn[seats[0]], seats);
      const button = sign("button.sign.pen", "✎", title, toggle, true);
      button.dataset.seat = String(seats[0]);
      if (color) button.style.setProperty("--team", color);
      return button;
    };
    if (players.length > 4) return [pen([...players.keys()], "Drawings of all")];
    return players.map((player, at) => pen([at], `Drawings of ${player.name}`, player.color));
  }

  only() {
    const { players } = this.position.replay;
    const names = players.map((player, at) => el("option", { value: at }, `Only ${player.name}`));
    const all = ["The bot", "Both bots"][players.length - 1] ?? `All ${players.length} bots`;
    const only = () => this.position.setOnly(this.filter.value === "" ? null : Number(this.filter.value));
    const onchange = () => this.chose(this.filter, only());
    const properties = { "aria-label": "Whose actions and logs", onchange };
    this.filter = el("select", properties, el("option", { value: "" }, all), ...names);
    return this.filter;
  }

  show() {
    const { playback, position } = this;
    const { running } = playback;
    const { content } = position.replay;
    if (running !== this.running) {
      this.running = running;
      this.playButton.replaceChildren(icon(running ? "pause" : "play"));
      this.playButton.title = this.playButton.ariaLabel = running ? "Pause" : "Play";
    }
    this.speed.value = String(playback.speed);
    this.sounds.setAttribute("aria-pressed", String(this.look.sounds));
    const turn = content.allTurns[position.turn];
    this.where.textContent = turn ? `turn ${turn.number} of ${content.lastTurn}` : "start";
    if (this.view) this.view.value = String(position.stream);
    this.belief?.setAttribute("aria-pressed", String(this.beliefs.on));
    this.filter.value = position.only === null ? "" : String(position.only);
    this.settings
      .querySelectorAll(".pen")
      .forEach((/** @type {HTMLElement} */ pen) =>
        pen.setAttribute("aria-pressed", String(position.drawn[Number(pen.dataset.seat)])),
      );
  }
}

/** The buttons that choose a leg; null for a match of one leg. @param {import("arena/legs").Legs} legs */
export function legButtons(legs) {
  if (legs.all.length < 2) return null;
  const buttons = legs.all.map((_, at) => {
    const show = () => at !== legs.number && legs.show(at);
    return sign("button", `Leg ${at + 1}`, `Show leg ${at + 1}`, show, at === legs.number);
  });
  const both = sign("button", "◫", "Both legs side by side", () => legs.toggleTwin(), legs.twin);
  return el("div.legs", { role: "group", "aria-label": "Legs" }, ...buttons, both);
}

/**
 * @param {string} name @param {string | Node} face @param {string} title @param {() => void} run
 * @param {boolean} [on] whether it is on, for a button that switches something on and off
 */
function sign(name, face, title, run, on) {
  return el(
    name,
    { title, "aria-label": title, "aria-pressed": on === undefined ? null : String(on), onclick: run },
    face,
  );
}

/** @param {keyof typeof ICONS} name */
function icon(name) {
  return shape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, shape("path", { d: ICONS[name] }));
}

export function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => undefined);
}

export function help() {
  const rows = KEYS.map(([key, text]) => el("tr", {}, el("th", {}, el("kbd", {}, key)), el("td", {}, text)));
  const dialog = el(
    "dialog.help",
    { "aria-label": "Keys", onclick: () => dialog.close() },
    el("h2", {}, "Keys"),
    el("table", {}, el("tbody", {}, ...rows)),
    el("p.dim", {}, "On a touch screen: swipe the board for turns, zoom with two fingers, tap a thing to look at it."),
  );
  return dialog;
}
