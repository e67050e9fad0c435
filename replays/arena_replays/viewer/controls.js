/** Buttons for playing, speed and display; and the list of keys. */

import { el } from "arena/dom";
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
  ["d", "bots' drawings"],
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
});

export class Controls {
  /** @param {import("arena/app").App} app */
  constructor(app) {
    this.app = app;
    const { playback } = app;
    /** @type {boolean | null} */
    this.running = null;
    this.playButton = el("button.play", { onclick: () => playback.toggle() });
    this.speed = el(
      "select.speed",
      { "aria-label": "Speed", onchange: () => playback.setSpeed(Number(this.speed.value)) },
      ...SPEEDS.map((speed) => el("option", { value: speed }, `${speed}×`)),
    );
    this.where = el("output.where");
    this.transport = el(
      "div.transport",
      { role: "toolbar", "aria-label": "Playing" },
      this.button("start", "To the start", () => playback.seek(0)),
      this.button("turnBack", "One turn back", () => playback.stepTurn(-1)),
      this.button("back", "One action back", () => playback.stepAction(-1)),
      this.playButton,
      this.button("on", "One action on", () => playback.stepAction(1)),
      this.button("turnOn", "One turn on", () => playback.stepTurn(1)),
      this.button("end", "To the end", () => playback.seekTurn(playback.turns.length - 1)),
      this.speed,
      this.where,
    );
    this.settings = el(
      "div.settings",
      {},
      ...this.views(),
      app.beliefs.offered && this.unseen(),
      ...this.drawings(),
      this.only(),
      sign("button.sign", "◐", "Light or dark", () => app.setDark(!app.look.dark)),
      sign("button.sign", icon("full"), "Full screen", fullScreen),
      sign("button.sign", "?", "Keys", () => app.help.showModal()),
    );
  }

  /** @param {keyof typeof ICONS} name @param {string} title @param {() => void} run */
  button(name, title, run) {
    return sign("button", icon(name), title, run);
  }

  /** The buttons that choose a leg; null for a match of one leg. */
  legs() {
    const { match } = this.app;
    if (match.legs.length < 2) return null;
    const legs = match.legs.map((_, at) =>
      sign("button", `Leg ${at + 1}`, `Show leg ${at + 1}`, () => at !== match.leg && match.show(at), at === match.leg),
    );
    const both = sign("button", "◫", "Both legs side by side", () => match.toggleTwin(), match.twin);
    return el("div.legs", { role: "group", "aria-label": "Legs" }, ...legs, both);
  }

  views() {
    const { app } = this;
    if (app.streams.length < 2) return [];
    const names = ["Spectators", ...app.players.map((player) => `Eyes of ${player.name}`)].slice(0, app.streams.length);
    this.view = el(
      "select",
      { "aria-label": "View", onchange: () => app.setStream(Number(this.view.value)) },
      ...names.map((name, at) => el("option", { value: at }, name)),
    );
    return [this.view];
  }

  unseen() {
    this.belief = sign("button.sign", "◌", "Where the unseen may be", () => this.app.beliefs.toggle(), false);
    return this.belief;
  }

  drawings() {
    const { app } = this;
    /** @param {number[]} seats @param {string} title @param {string} [color] */
    const pen = (seats, title, color) => {
      const toggle = () => {
        const on = !app.drawn[seats[0]];
        for (const at of seats) app.drawn[at] = on;
        app.changed();
      };
      const button = sign("button.sign.pen", "✎", title, toggle, true);
      button.dataset.seat = String(seats[0]);
      if (color) button.style.setProperty("--team", color);
      return button;
    };
    if (app.players.length > 4) return [pen([...app.players.keys()], "Drawings of all")];
    return app.players.map((player, at) => pen([at], `Drawings of ${player.name}`, player.color));
  }

  only() {
    const { app } = this;
    const names = app.players.map((player, at) => el("option", { value: at }, `Only ${player.name}`));
    this.filter = el(
      "select",
      {
        "aria-label": "Whose actions and logs",
        onchange: () => {
          app.only = this.filter.value === "" ? null : Number(this.filter.value);
          app.changed();
        },
      },
      el(
        "option",
        { value: "" },
        app.players.length === 1
          ? "The bot"
          : app.players.length === 2
            ? "Both bots"
            : `All ${app.players.length} bots`,
      ),
      ...names,
    );
    return this.filter;
  }

  show() {
    const { playback, content } = this.app;
    const running = playback.playing && playback.until === Infinity;
    if (running !== this.running) {
      this.running = running;
      this.playButton.replaceChildren(icon(running ? "pause" : "play"));
      this.playButton.title = this.playButton.ariaLabel = running ? "Pause" : "Play";
    }
    this.speed.value = String(playback.speed);
    const turn = content.allTurns[playback.turn];
    this.where.textContent = turn ? `turn ${turn.number} of ${content.lastTurn}` : "start";
    if (this.view) this.view.value = String(this.app.stream);
    this.belief?.setAttribute("aria-pressed", String(Boolean(this.app.beliefs.on)));
    this.filter.value = this.app.only === null ? "" : String(this.app.only);
    this.settings
      .querySelectorAll(".pen")
      .forEach((/** @type {HTMLElement} */ pen) =>
        pen.setAttribute("aria-pressed", String(this.app.drawn[Number(pen.dataset.seat)])),
      );
  }
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
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
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
