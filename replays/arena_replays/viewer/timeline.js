/**
 * The timeline: the marks of failures and important events, the win probability, and a lane for each player with the
 * time that each turn took. A legend below says what is shown.
 */

import { clip, el, fill, namesIn, sharpen, showTip, textScale } from "arena/dom";

/**
 * @typedef {{turn: number, frame: number, player: number, label: string,
 *   kind: "refusal" | "ending" | "game" | "turning" | "difference"}} Mark
 */

const MOST_ROWS = 4;
// Sizes in pixels, if the text of the page has its usual size:
const MARK = 9; // the width of a mark
const TRACK = 34; // the height of the track with logged numbers, and of the win probability
/** What the signs mean. @type {[string, string, string][]} kind, sign and words */
const SIGNS = [
  ["turning", "▼", "turning point"],
  ["game", "◆", "event of the game"],
  ["refusal", "●", "refused action"],
  ["ending", "▮", "a program or a player is out"],
  ["difference", "▮", "the matches part here"],
];
const MARK_COLORS = { refusal: "#d9a514", ending: "#e5484d", game: "", turning: "", difference: "#c44dff" };

export class Timeline {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/thoughts").LoggedNumbers} logged
   */
  constructor(position, playback, logged) {
    this.position = position;
    this.playback = playback;
    this.logged = logged;
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
    /** The legend. */
    this.key = el("ul.key", { "aria-label": "Legend of the timeline" });
    this.keyed = "";
    /** @type {Mark[]} */
    this.marks = [];
    /** @type {Mark[]} */
    this.drawn = [];
    /** @type {{mark: Mark, x: number, row: number}[]} */
    this.places = [];
    this.rows = 1;
    this.widths = "";
    /** @type {{key: string, most: number, all: {turn: number, tall: Map<number, number>}[]}} */
    this.bands = { key: "", most: 1, all: [] };
    /** The pictures of all turns as they are before the position and after it, and what they depend on. */
    this.pictures = [document.createElement("canvas"), document.createElement("canvas")];
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
    if (mark) return position.seekIn(mark.turn, mark.frame);
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
      const open = free.findIndex((from) => from <= x);
      const row = open >= 0 ? open : free.length < MOST_ROWS ? free.length : -1;
      if (row < 0) continue;
      free[row] = x + MARK;
      this.places.push({ mark, x, row });
    }
    this.rows = Math.max(1, free.length);
    this.node.style.setProperty("--rows", String(this.rows));
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
    const chance = this.chanceIn(turn.number);
    if (chance) lines.splice(1, 0, chance);
    showTip(this.tip, lines.join("\n"), event, this.canvas, true);
  }

  /** The win probability after a turn, in words; "" if it is not known. @param {number} number of the turn */
  chanceIn(number) {
    const { explained, players } = this.position.replay;
    const parts = (explained?.win ?? []).map((rows, at) => {
      const after = rows.find(({ turn }) => turn === number)?.after;
      return after === undefined ? "" : `${clip(players[at]?.name ?? "", 20)} ${Math.round(100 * after)} %`;
    });
    const known = parts.filter(Boolean).slice(0, 4).join(", ");
    return known && `to win: ${known}`;
  }

  /** Says what is on the timeline. @param {string} logged name of the logged numbers, or "" @param {boolean} chances */
  showKey(logged, chances) {
    const kinds = new Set(this.drawn.map(({ kind }) => kind));
    const rows = SIGNS.filter(([kind]) => kinds.has(/** @type {Mark["kind"]} */ (kind)));
    const key = [...rows.map(([kind]) => kind), logged, chances].join();
    if (key === this.keyed) return;
    this.keyed = key;
    const row = (/** @type {string} */ kind, /** @type {string} */ sign, /** @type {string} */ words) =>
      el(`li.sign-${kind}`, {}, el("span", { "aria-hidden": "true" }, sign), words);
    fill(
      this.key,
      ...rows.map(([kind, sign, words]) => row(kind, sign, words)),
      ...(chances ? [row("chance", "╱", "win probability")] : []),
      row("time", "▂▅", "thinking time of each turn"),
      ...(logged ? [row("logged", "╱", `“${clip(logged, 24)}”, logged by the bots`)] : []),
    );
  }

  /**
   * The bands of the turns: the time of each player. If there are more turns than pixels, some turns share a band.
   * @param {number} each the number of turns in a band
   */
  bandsOf(each) {
    const { turns } = this.position;
    const last = turns[turns.length - 1];
    const key = `${turns.length} ${last?.times.length} ${last?.ended} ${each}`;
    if (key === this.bands.key) return this.bands;
    /** @type {{turn: number, tall: Map<number, number>}[]} */
    const all = [];
    let most = 1;
    for (const { index, times } of turns) {
      if (index % each === 0) all.push({ turn: index, tall: new Map() });
      const { tall } = all[all.length - 1];
      for (const { player, wall } of times) {
        tall.set(player, Math.max(tall.get(player) ?? 0, wall ?? 0));
        most = Math.max(most, wall ?? 0);
      }
    }
    this.bands = { key, most, all };
    return this.bands;
  }

  draw() {
    const { turns, turn: now, replay } = this.position;
    const { content, explained } = replay;
    const { width: across, height: down, ratio } = sharpen(this.canvas);
    if (!across || !down) return;
    const scale = textScale();
    const width = across / scale;
    const step = width / Math.max(1, turns.length);
    this.arrange(step);
    const logged = this.logged.all;
    const track = logged.find(({ name }) => name === (this.track ?? logged[0]?.name));
    const bands = this.bandsOf(Math.max(1, Math.ceil(turns.length / across)));
    const ink = getComputedStyle(this.node).color;
    const key = [across, down, ratio, scale, bands, this.drawn, explained?.win, track, ink];
    if (key.some((part, at) => part !== this.painted[at])) {
      this.painted = key;
      this.showKey(track?.name ?? "", Boolean(explained?.win.length));
      this.paint(bands, track, step);
    }
    const g = this.canvas.getContext("2d");
    g.resetTransform();
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const split = Math.round((now + 1) * step * scale * ratio);
    this.pictures.forEach((picture, at) => {
      const [left, right] = at ? [split, picture.width] : [0, split];
      const [wide, high] = [right - left, picture.height];
      if (wide > 0 && high > 0) g.drawImage(picture, left, 0, wide, high, left, 0, wide, high);
    });
    g.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
    this.drawCursor(g, Math.max(4, Math.min(width - 4, this.place(step))), down / scale, ink);
    this.canvas.setAttribute("aria-valuemin", String(content.numberOf(-1)));
    this.canvas.setAttribute("aria-valuemax", String(content.lastTurn));
    this.canvas.setAttribute("aria-valuenow", String(content.numberOf(now)));
    this.canvas.setAttribute("aria-valuetext", now < 0 ? "the start" : `turn ${turns[now]?.number}`);
  }

  /**
   * Paints the turns: one picture for those up to the position, one for those after it.
   * @param {{most: number, all: {turn: number, tall: Map<number, number>}[]}} bands
   * @param {import("arena/thoughts").Logged | undefined} track @param {number} step
   */
  paint(bands, track, step) {
    const { players, explained } = this.position.replay;
    const { clientHeight: down, width, height } = this.canvas;
    const scale = textScale();
    const marks = 10 * this.rows + 4;
    const chances = explained?.win.length ? TRACK : 0;
    const top = marks + chances;
    this.node.style.setProperty("--track", `${((track ? TRACK : 0) + chances) / 14}rem`);
    const bottom = down / scale - (track ? TRACK : 0);
    const lane = (bottom - top - 2) / Math.max(1, players.length);
    this.pictures.forEach((picture, at) => {
      [picture.width, picture.height] = [width, height];
      const g = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
      const sharp = (height / down) * scale;
      g.setTransform(sharp, 0, 0, sharp, 0, 0);
      g.globalAlpha = at ? 0.32 : 0.95; // what is still to come is pale
      for (const { turn, tall } of bands.all) {
        tall.forEach((wall, player) => {
          const high = lane * (0.28 + 0.62 * Math.sqrt(wall / bands.most));
          g.fillStyle = players[player]?.color ?? "#888888";
          const floor = top + lane * ((players[player] ? player : 0) + 1);
          g.fillRect(turn * step, floor - high, Math.max(0.6, step - (step > 3 ? 1 : 0)), high);
        });
      }
      g.globalAlpha = 1;
      if (explained && chances) this.drawChances(g, explained.win, step, marks, top);
      if (track) this.drawTrack(g, track, step, bottom);
      for (const { mark, x, row } of this.places) this.drawMark(g, mark, x, 6 + 10 * row);
    });
  }

  /** @param {number} step */
  place(step) {
    const { turns, turn: index, frame, fraction } = this.position;
    const turn = turns[index];
    if (!turn) return 1;
    const inside = (frame - turn.first + fraction) / Math.max(1, turn.last - turn.first);
    return (turn.index + Math.max(0, Math.min(1, inside))) * step;
  }

  /**
   * Draws each player's win probability above the lanes, around a line at 50 %.
   * @param {CanvasRenderingContext2D} g @param {import("arena/replay").Chance[][]} win @param {number} step
   * @param {number} top @param {number} height
   */
  drawChances(g, win, step, top, height) {
    const y = (/** @type {number} */ value) => height - 3 - value * (height - top - 6);
    const ink = getComputedStyle(this.node).color;
    const { content, players } = this.position.replay;
    g.globalAlpha = 0.35;
    g.fillStyle = ink;
    for (let x = 0; x < this.canvas.clientWidth; x += 8) g.fillRect(x, y(0.5), 4, 1);
    g.globalAlpha = 1;
    // with two players the other line is the same upside down
    const shown = players.length === 2 ? [players[0]] : players;
    for (const { index, color } of shown) {
      const rows = win[index] ?? [];
      const right = (/** @type {import("arena/replay").Chance} */ { turn }) => (content.indexOf(turn) + 1) * step;
      g.beginPath();
      rows.forEach((row, at) => {
        g.lineTo(at ? right(rows[at - 1]) : content.indexOf(row.turn) * step, y(row.high));
        g.lineTo(right(row), y(row.high));
      });
      for (const row of [...rows].reverse()) {
        g.lineTo(right(row), y(row.low));
        g.lineTo(content.indexOf(row.turn) * step, y(row.low));
      }
      [g.fillStyle, g.globalAlpha] = [color, 0.25];
      g.fill();
      g.globalAlpha = 1;
    }
    for (const { index, color } of shown)
      for (const [stroke, width] of /** @type {[string, number][]} */ ([
        [ink, 3],
        [color, 2],
      ])) {
        g.beginPath();
        for (const { turn, before, after } of win[index] ?? []) {
          g.lineTo(content.indexOf(turn) * step, y(before));
          g.lineTo((content.indexOf(turn) + 1) * step, y(after));
        }
        [g.strokeStyle, g.lineWidth] = [stroke, width];
        g.stroke();
      }
  }

  /**
   * Draws logged numbers below the lanes, each player's in the player's colour.
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
    const style = getComputedStyle(document.body);
    [g.font, g.textBaseline, g.lineJoin] = ["600 11px system-ui, sans-serif", "top", "round"];
    [g.fillStyle, g.strokeStyle, g.lineWidth] = [style.color, style.backgroundColor, 4];
    g.strokeText(clip(name, 30), 8, top + 2); // the lines of the track pass behind its name
    g.fillText(clip(name, 30), 8, top + 2);
  }

  /** @param {CanvasRenderingContext2D} g @param {Mark} mark @param {number} x @param {number} y its middle */
  drawMark(g, mark, x, y) {
    g.fillStyle = MARK_COLORS[mark.kind] || this.position.replay.players[mark.player]?.color || "#888888";
    g.beginPath();
    if (mark.kind === "refusal") g.arc(x, y, 2.2, 0, 7);
    else if (mark.kind === "turning") {
      for (const dx of [-4.5, 4.5]) g.lineTo(x + dx, y - 4);
      g.lineTo(x, y + 5);
    } else if (mark.kind === "game") {
      for (const [dx, dy] of [
        [0, -5],
        [3.6, 0],
        [0, 5],
        [-3.6, 0],
      ])
        g.lineTo(x + dx, y + dy);
    } else g.rect(x - 2, y - 5, 4, 10);
    g.fill();
  }

  /** @param {CanvasRenderingContext2D} g @param {number} x @param {number} height @param {string} ink */
  drawCursor(g, x, height, ink) {
    g.fillStyle = ink;
    g.fillRect(x - 1, 2, 2, height - 2);
    g.beginPath();
    g.arc(x, 5, 4, 0, 7);
    g.fill();
  }
}

/** @typedef {{turn: number, frame: number}} Place */

/** Less than 0 if one place is before the other. @param {Place} one @param {Place} other */
const order = (one, other) => one.turn - other.turn || one.frame - other.frame;
