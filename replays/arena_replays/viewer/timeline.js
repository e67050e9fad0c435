/**
 * The timeline: the marks of dear mistakes, failures and important events; and the graph of who is likely to win, with
 * the players' names and the numbers of the turns.
 */

import { turnPlace } from "arena/chances";
import { clip, el, namesIn, sharpen, showTip, textScale } from "arena/dom";

/**
 * @typedef {{turn: number, frame: number, player: number, label: string, sign?: string, last?: number,
 *   kind: "refusal" | "ending" | "game" | "lesson" | "difference"}} Mark
 * of a lesson: its sign, and the index of its last turn
 */

const MOST_LANES = 4;
// Sizes in pixels, if the text of the page has its usual size:
const MARK = 9; // the width of a mark, or of a letter of its sign
const GRAPH = 66;
const NUMBERS_HEIGHT = 16; // the room for the numbers of turns
const TRACK = 34; // the height of the track with logged numbers
const LABEL_FONT = "600 11px system-ui, sans-serif";
const KIND_SIGNS = { refusal: "●", ending: "▮", game: "◆", lesson: "", difference: "▮" };
const MARK_COLORS = { refusal: "#d9a514", ending: "#e5484d", game: "", lesson: "#e5484d", difference: "#c44dff" };

export class Timeline {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/thoughts").LoggedNumbers} logged @param {import("arena/chances").Chances} chances
   */
  constructor(position, playback, logged, chances) {
    this.position = position;
    this.playback = playback;
    this.logged = logged;
    this.chances = chances;
    this.canvas = el("canvas.timeline", {
      role: "slider",
      tabindex: 0,
      "aria-label": "Turn",
      "aria-valuenow": "0",
      onpointerdown: (/** @type {PointerEvent} */ event) => this.drag(event),
      onpointermove: (/** @type {PointerEvent} */ event) => this.move(event),
      onpointerleave: () => (this.tip.hidden = true),
    });
    this.tip = el("div.tip", { hidden: true, "aria-hidden": "true" });
    this.node = el("div.timeline-box", {}, this.canvas, this.tip);
    /** @type {Mark[]} */
    this.marks = [];
    /** @type {Mark[]} */
    this.drawn = [];
    /** @type {{mark: Mark, x: number, row: number}[]} */
    this.places = [];
    this.rows = 1;
    this.widths = "";
    /** The picture of all turns, and what it depends on. */
    this.picture = document.createElement("canvas");
    /** @type {any[]} */
    this.painted = [];
    /** @type {string | null} the name of the logged numbers in the track; null for the first name, "" for no track */
    this.track = null;
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.seekTo(event);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.canvas.hasPointerCapture(event.pointerId)) this.seekTo(event);
    this.hover(event);
  }

  /** @param {PointerEvent} event */
  seekTo(event) {
    const { position } = this;
    this.playback.pause();
    const mark = event.type === "pointerdown" && this.markAt(event);
    if (mark) return this.showMark(mark);
    const place = this.placeAt(event);
    const turn = position.turns[Math.floor(place)];
    if (turn) position.seekIn(turn.index, turn.first + Math.floor((place % 1) * Math.max(1, turn.last - turn.first)));
  }

  /**
   * @param {PointerEvent} event
   * @returns {number} the turn under the pointer; the fraction is the position inside the turn
   */
  placeAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return Math.max(0, Math.min(0.99999, (event.clientX - box.left) / box.width)) * this.position.turns.length;
  }

  /** Sets the marks. Of several marks of one turn, kind and player, only the first is drawn. @param {Mark[]} marks */
  setMarks(marks) {
    const seen = new Map();
    for (const mark of marks) {
      const key = `${mark.turn} ${mark.kind} ${mark.player}`;
      if (!seen.has(key)) seen.set(key, mark);
    }
    this.marks = marks;
    this.drawn = [...seen.values()].sort((one, other) => one.turn - other.turn);
    this.widths = "";
  }

  /** Goes to a mark; plays the turns of a lesson, from just before them. @param {Mark} mark */
  showMark({ turn, frame, kind, last }) {
    if (kind === "lesson") this.playback.showTurns(turn, last);
    else this.position.seekIn(turn, frame);
  }

  /** Shows other logged numbers below the turns. @param {string} name of the numbers; "" for none */
  showTrack(name) {
    this.track = name;
    this.draw();
  }

  /** Goes to the next mark, or to the one before. @param {number} step 1 or -1 */
  jump(step) {
    const { position } = this;
    const here = { turn: position.turn, frame: position.frame };
    const marks = this.drawn.map(({ turn, frame }) => ({ turn, frame: position.frameIn(turn, frame) })).sort(order);
    const next =
      step > 0 ? marks.find((mark) => order(mark, here) > 0) : marks.findLast((mark) => order(mark, here) < 0);
    this.playback.pause();
    if (next) position.seekIn(next.turn, next.frame);
  }

  /**
   * Puts marks that would cover each other into different rows. If there are too many, some are left out.
   * @param {number} step the width of a turn
   */
  arrange(step) {
    const key = `${step} ${this.drawn.length}`;
    if (key === this.widths) return;
    this.widths = key;
    /** @type {number[]} the x from which each row is free */
    const free = [];
    /** @type {{mark: Mark, x: number, row: number}[]} */
    this.places = [];
    for (const mark of this.drawn) {
      const x = (mark.turn + 0.5) * step;
      const half = ((mark.sign?.length ?? 1) * MARK) / 2;
      const open = free.findIndex((from) => from <= x - half);
      const row = open >= 0 ? open : free.length < MOST_LANES ? free.length : -1;
      if (row < 0) continue;
      free[row] = x + half;
      this.places.push({ mark, x, row });
    }
    this.rows = Math.max(1, free.length);
  }

  /** @param {PointerEvent} event @returns {Mark | null} */
  markAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top].map((at) => at / textScale());
    const near = this.places.filter((one) => Math.abs(one.x - x) <= 6 && Math.abs(6 + 10 * one.row - y) <= 6);
    near.sort((one, other) => Math.abs(one.x - x) - Math.abs(other.x - x));
    return near[0]?.mark ?? null;
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const turn = this.position.turns[Math.floor(this.placeAt(event))];
    if (!turn) return;
    const here = this.marks.filter((mark) => mark.turn === turn.index).slice(0, 4);
    const lines = [
      `Turn ${turn.number} · ${namesIn(turn, this.position.replay.players)}`,
      ...here.map(({ label }) => clip(label, 60)),
    ];
    const after = this.chances.at(turn.index + 1)?.values.slice(0, 4) ?? [];
    const { players } = this.position.replay;
    const shares = after.map((value, at) => `${clip(players[at]?.name ?? "", 20)} ${Math.round(100 * value)} %`);
    if (shares.length) lines.splice(1, 0, `to win: ${shares.join(", ")}`);
    showTip(this.tip, lines.join("\n"), event, this.canvas, true);
  }

  draw() {
    const { position, chances } = this;
    const { turns, turn: now, frame, fraction, replay } = position;
    const { content } = replay;
    const { width: across, height: down, ratio } = sharpen(this.canvas);
    if (!across || !down) return;
    const scale = textScale();
    const width = across / scale;
    const step = width / Math.max(1, turns.length);
    this.arrange(step);
    const logged = this.logged.all;
    const track = logged.find(({ name }) => name === (this.track ?? logged[0]?.name));
    const { points } = chances;
    const top = 10 * this.rows + 4;
    const floor = top + (chances.offered ? GRAPH : 0);
    this.node.style.setProperty("--tall", `${(floor + NUMBERS_HEIGHT + (track ? TRACK : 0)) / 14}rem`);
    const { color: ink, backgroundColor: ground } = getComputedStyle(document.body);
    const key = [across, down, ratio, scale, turns.length, this.drawn, points, track, ink];
    if (key.some((part, at) => part !== this.painted[at])) {
      this.painted = key;
      const g = /** @type {CanvasRenderingContext2D} */ (this.picture.getContext("2d"));
      [this.picture.width, this.picture.height] = [this.canvas.width, this.canvas.height];
      g.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
      [g.strokeStyle, g.lineJoin, g.font] = [ground, "round", LABEL_FONT];
      if (points.length) this.drawChances(g, points, step, top, floor);
      this.drawAxis(g, step, floor, ink);
      if (track) this.drawTrack(g, track, step, floor + NUMBERS_HEIGHT);
      for (const { mark, x, row } of this.places) this.drawMark(g, mark, x, 6 + 10 * row, floor);
    }
    const g = this.canvas.getContext("2d");
    g.resetTransform();
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.picture, 0, 0);
    g.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
    const x = turnPlace(turns[now], frame, fraction) * step;
    [g.fillStyle, g.globalAlpha] = [ground, 0.55]; // what is still to come is pale
    g.fillRect(x, top, width, floor - top);
    g.globalAlpha = 1;
    if (points.length) this.drawLabels(g, top, floor, ink);
    g.fillStyle = ink;
    g.fillRect(0, floor, x, 3);
    const cursor = Math.max(4, Math.min(width - 4, x));
    g.fillRect(cursor - 1, 2, 2, (track ? down / scale : floor + 3) - 2);
    g.beginPath();
    g.arc(cursor, 5, 4, 0, 7);
    g.fill();
    this.canvas.setAttribute("aria-valuemin", String(content.numberOf(-1)));
    this.canvas.setAttribute("aria-valuemax", String(content.lastTurn));
    this.canvas.setAttribute("aria-valuenow", String(content.numberOf(now)));
    this.canvas.setAttribute("aria-valuetext", now < 0 ? "the start" : `turn ${turns[now]?.number}`);
  }

  /**
   * Draws each player's win probability around a line at 50 %, with the interval of playouts, or dashed without them.
   * @param {CanvasRenderingContext2D} g @param {(import("arena/chances").Point | undefined)[][]} points
   * @param {number} step @param {number} top @param {number} floor
   */
  drawChances(g, points, step, top, floor) {
    const { players } = this.position.replay;
    const y = (/** @type {number} */ value) => floor - 2 - value * (floor - top - 4);
    const shown = players.length === 2 ? [players[0]] : players; // the other line is the same upside down
    for (const { index, color } of shown) {
      const known = (points[index] ?? []).flatMap((point, place) => (point ? [{ ...point, x: place * step }] : []));
      g.beginPath();
      for (const { x, high } of known) g.lineTo(x, y(high));
      for (const { x, low } of [...known].reverse()) g.lineTo(x, y(low));
      [g.fillStyle, g.globalAlpha] = [color, 0.5 / (1 + shown.length)];
      g.fill();
      g.globalAlpha = 1;
      for (const [at, { x, value, sure }] of known.slice(1).entries()) {
        g.beginPath();
        g.moveTo(known[at].x, y(known[at].value));
        g.lineTo(x, y(value));
        g.setLineDash(sure && known[at].sure ? [] : [3, 3]);
        [g.strokeStyle, g.lineWidth] = [color, 2];
        g.stroke();
      }
    }
    g.setLineDash([]);
  }

  /**
   * Draws the line at 50 %, and says what the graph shows.
   * @param {CanvasRenderingContext2D} g @param {number} top @param {number} floor @param {string} ink
   */
  drawLabels(g, top, floor, ink) {
    const { players } = this.position.replay;
    const pair = players.length === 2;
    const middle = (top + floor) / 2;
    [g.fillStyle, g.globalAlpha] = [ink, 0.3];
    for (let x = 0; x < this.canvas.clientWidth; x += 8) g.fillRect(x, middle, 4, 1);
    [g.globalAlpha, g.strokeStyle, g.lineJoin] = [1, getComputedStyle(document.body).backgroundColor, "round"];
    const write = this.writer(g);
    let [x, low] = [write("100 %", 4, top, ink) + 8, write("0 %", 4, floor - 15, ink) + 8];
    write("50 %", 4, middle - 6, ink);
    if (!pair) x = write("to win:", x, top, ink) + 8;
    for (const { name, color, index } of players) {
      const text = clip(name, 24) + (pair ? " wins" : "");
      if (!pair && x + g.measureText(text).width > this.canvas.clientWidth) break; // a phone has no room for eight
      if (pair && index) low = write(text, low, floor - 15, color);
      else x = write(text, x, top, color) + 8;
    }
  }

  /** Returns a function that writes a text and returns where it ends. @param {CanvasRenderingContext2D} g */
  writer(g) {
    const { backgroundColor } = getComputedStyle(document.body);
    return (
      /** @type {string} */ text,
      /** @type {number} */ x,
      /** @type {number} */ y,
      /** @type {string} */ color,
    ) => {
      [g.font, g.textBaseline, g.textAlign] = [LABEL_FONT, "top", "left"];
      [g.fillStyle, g.strokeStyle, g.lineWidth] = [color, backgroundColor, 4];
      g.strokeText(text, x, y); // lines pass behind it
      g.fillText(text, x, y);
      return x + g.measureText(text).width;
    };
  }

  /** Draws the line of the turns with some of their numbers. */
  drawAxis(/** @type {any} */ g, /** @type {number} */ step, /** @type {number} */ floor, /** @type {string} */ ink) {
    const { turns } = this.position;
    [g.fillStyle, g.globalAlpha] = [ink, 0.2];
    g.fillRect(0, floor, turns.length * step, 3);
    g.globalAlpha = 1;
    const write = this.writer(g);
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((many) => many * step > 56) ?? 1e5;
    let free = -Infinity;
    for (const { index, number } of turns) {
      const x = (index + 0.5) * step - 5;
      if ((number % every && index) || x < free) continue;
      const text = index ? String(number) : `turn ${number}`;
      if (x + 8 * text.length < turns.length * step) free = write(text, Math.max(4, x), floor + 5, ink) + 8;
    }
  }

  /**
   * Draws logged numbers below the turns, each player's in the player's colour.
   * @param {CanvasRenderingContext2D} g @param {import("arena/thoughts").Logged} track @param {number} step
   * @param {number} top
   */
  drawTrack(g, { name, values }, step, top) {
    const all = values.flat().filter((value) => value !== null);
    const low = all.reduce((least, value) => Math.min(least, value), Infinity);
    const high = all.reduce((most, value) => Math.max(most, value), -Infinity);
    const y = (/** @type {number} */ value) => top + TRACK - 3 - ((value - low) / (high - low || 1)) * (TRACK - 8);
    values.forEach((line, player) => {
      g.beginPath();
      line.forEach((value, turn) => {
        if (value !== null) for (const at of [turn + 0.3, turn + 0.7]) g.lineTo(at * step, y(value));
      });
      [g.strokeStyle, g.lineWidth] = [this.position.replay.players[player]?.color ?? "#888888", 1.75];
      g.stroke();
    });
    this.writer(g)(clip(name, 30), 8, top + 2, getComputedStyle(document.body).color);
  }

  /** @param {CanvasRenderingContext2D} g @param {Mark} mark @param {number} x @param {number} y its middle */
  drawMark(g, { kind, player, sign = KIND_SIGNS[kind] }, x, y, floor = y) {
    const color =
      (sign === "?" ? MARK_COLORS.refusal : MARK_COLORS[kind]) || this.position.replay.players[player]?.color;
    g.fillStyle = color ?? "#888888";
    if (kind === "lesson") g.fillRect(x - 0.5, y + 6, 1, floor - y - 6);
    this.writer(g)(sign, x - g.measureText(sign).width / 2, y - 6, String(g.fillStyle));
  }
}

/** @typedef {{turn: number, frame: number}} Place */

/** Less than 0 if one place is before the other. @param {Place} one @param {Place} other */
const order = (one, other) => one.turn - other.turn || one.frame - other.frame;
