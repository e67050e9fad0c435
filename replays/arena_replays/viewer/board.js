/** The board: a canvas, the game's renderer, and the drawings of bots on top. */

import { adviceAt, drawArrows } from "arena/arrows";
import { drawBeliefs } from "arena/believed";
import { cuesOf, shakeOf } from "arena/cues";
import { clip, el, sharpen, showTip } from "arena/dom";
import { SMALL } from "arena/grid";
import { drawId, drawRulers, gridOf } from "arena/rulers";
import { actionInWords, eventInWords } from "arena/wording";
import { Zoom } from "arena/zoom";

/** @typedef {import("arena/states").State} State */
/** @typedef {import("arena/states").States} States */
/** @typedef {import("arena/reader").Note} Note */

const MOST_SHAPES = 1000;
const MOST_PAUSE = 6000;
const COLOR_NAME = /^(#[0-9a-f]{3,8}|[a-z]{3,20})$/i;

/** The canvas dispatches `zoom` after the zoom has changed. */
export class Board {
  /**
   * @param {HTMLElement} host @param {(canvas: HTMLCanvasElement, context: any) => any} createRenderer
   * @param {{players: import("arena/replay").Player[], schema: any, header: Record<string, any>}} shown
   */
  constructor(host, createRenderer, { players, schema, header }) {
    this.host = host;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "board";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The board");
    host.append(this.canvas);
    this.zoom = new Zoom(this.canvas, host, () => {
      this.stale = true;
      this.canvas.dispatchEvent(new Event("zoom"));
    });
    this.renderer = createRenderer(this.canvas, { players, schema, header, assets: {} });
    this.players = players;
    this.schema = schema;
    this.tip = el("div.tip", { hidden: true, "aria-hidden": "true" });
    host.append(this.tip);
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", (event) => this.hover(event, true));
    /** @type {State} the state that was drawn last */
    this.state = new Map();
    /** @type {string | null} the thing under the pointer */
    this.hovered = null;
    /** @type {import("arena/wording").Meant | null} what the row under the pointer is about */
    this.meant = null;
    /** Whether the board shows the ids of all things, as logs and the protocol name them. */
    this.names = false;
    /** @type {import("arena/believed").Believed | null} what a player could believe here */
    this.believed = null;
    /** @type {import("arena/arrows").Arrow[]} the better orders of a lesson */
    this.advice = [];
    this.width = this.height = 0;
    this.ratio = 1;
    /** @type {ReturnType<typeof gridOf>} columns and rows */
    this.size = null;
    /** @type {{states: States | null, frame: number, cues: Required<import("arena/cues").Cue>[]}} asked for last */
    this.cued = { states: null, frame: -1, cues: [] };
    /** @type {string} */
    this.failure = "";
    new ResizeObserver(() => (this.stale = true)).observe(this.canvas);
    /** Whether it is drawn again. */
    this.stale = true;
  }

  /**
   * Draws a position as it is seen.
   * @param {import("arena/position").Position} position @param {{dark: boolean, still: boolean}} look
   */
  show(position, { dark, still }) {
    const { frame, fraction, replay, selected, states, stream } = position;
    const turn = replay.content.allTurns[Math.max(0, position.turn)];
    const player = stream ? stream - 1 : null;
    const since = states.at(Math.max(0, (turn?.first ?? 1) - 1));
    const drawings = position.drawingsAt(turn, frame);
    this.advice = adviceAt(position);
    this.draw(states, frame, still ? 1 : fraction, { dark, still, selected, player, since }, drawings);
  }

  /**
   * @param {States} states @param {number} frame @param {number} fraction
   * @param {{dark: boolean, still: boolean, selected: string | null, player: number | null, since: any}} look
   * @param {Note[]} drawings
   */
  draw(states, frame, fraction, look, drawings) {
    if (this.stale) Object.assign(this, sharpen(this.canvas), { stale: false });
    const after = states.at(frame);
    this.state = after;
    const before = frame > 0 ? states.at(frame - 1) : after;
    const events = states.frames[frame]?.events ?? [];
    const g = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.clearRect(0, 0, this.width, this.height);
    g.globalAlpha = 1;
    const { zoom, ratio } = this;
    g.setTransform(ratio * zoom.scale, 0, 0, ratio * zoom.scale, ratio * zoom.x, ratio * zoom.y);
    try {
      this.renderer.draw(before, after, fraction, events, {
        ...look,
        hovered: this.hovered,
        width: this.width,
        height: this.height,
        beat: look.still ? 0 : frame + fraction,
      });
      this.failure = "";
    } catch (error) {
      this.failure = `The renderer of this game failed here: ${String(error).slice(0, 200)}`;
    }
    this.shake(look.still || fraction === 1 ? [] : this.cuesOf(states, frame), fraction);
    if (!this.renderer.place) return;
    if (this.believed) drawBeliefs(g, this.believed, this.renderer.place);
    this.drawShapes(g, drawings);
    drawArrows(g, this.renderer.place, this.advice);
    if (this.meant) this.drawMeant(g, this.meant);
    this.drawIds(g, look.selected);
    this.size = gridOf(after, this.schema, this.size?.[2]);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.size && this.width >= SMALL) drawRulers(g, this.renderer.place, this.size, zoom, this.height, look.dark);
  }

  /** The sounds and shakes of a frame. @param {States} states @param {number} frame */
  cuesOf(states, frame) {
    if (states !== this.cued.states || frame !== this.cued.frame) {
      const events = states.frames[frame]?.events ?? [];
      const given = events.length ? this.ask("cues", events, states.at(frame - 1), states.at(frame)) : [];
      this.cued = { states, frame, cues: cuesOf(given, events) };
    }
    return this.cued.cues;
  }

  /**
   * Moves the canvas, which costs no drawing.
   * @param {Required<import("arena/cues").Cue>[]} cues @param {number} fraction
   */
  shake(cues, fraction) {
    const [x, y] = shakeOf(cues, fraction);
    const moved = x || y ? `${x.toFixed(1)}px ${y.toFixed(1)}px` : "";
    if (moved !== this.canvas.style.translate) this.canvas.style.translate = moved;
  }

  /** Draws the ids of all things; else of the selected one and of those that a row is about. */
  drawIds(/** @type {CanvasRenderingContext2D} */ g, /** @type {string | null} */ selected) {
    const wanted = this.names ? [...this.state.keys()].slice(0, MOST_SHAPES) : [selected, ...(this.meant?.ids ?? [])];
    for (const id of new Set(wanted)) {
      const thing = this.state.get(id ?? "");
      if (typeof thing?.x === "number" && typeof thing.y === "number")
        drawId(g, this.renderer.place, clip(thing.id, 8), thing.x, thing.y);
    }
  }

  /** Shows the ids of all things, or of none. */
  toggleNames() {
    this.names = !this.names;
    this.stale = true;
  }

  /**
   * Draws frames around the things and tiles that a row is about.
   * @param {CanvasRenderingContext2D} g @param {import("arena/wording").Meant} meant
   */
  drawMeant(g, { ids, tiles }) {
    const things = ids.map((id) => this.state.get(id)).filter((thing) => typeof thing?.x === "number");
    const places = [...things.map((thing) => [thing?.x, thing?.y]), ...tiles];
    for (const [style, width] of /** @type {[string, number][]} */ ([
      ["rgb(0 0 0 / 70%)", 6],
      ["#ffe14d", 3],
    ])) {
      [g.strokeStyle, g.lineWidth] = [style, width];
      for (const [x, y] of places) {
        const [left, top] = this.renderer.place(x, y);
        const [right, bottom] = this.renderer.place(x + 1, y + 1);
        g.beginPath();
        g.roundRect(left + 1, top + 1, right - left - 2, bottom - top - 2, (right - left) * 0.18);
        g.stroke();
      }
    }
  }

  /** @param {CanvasRenderingContext2D} g @param {Note[]} drawings */
  drawShapes(g, drawings) {
    let left = MOST_SHAPES;
    const unit = this.renderer.place(1, 0)[0] - this.renderer.place(0, 0)[0];
    for (const note of drawings) {
      if (!Array.isArray(note.payload)) continue;
      for (const shape of note.payload) {
        if (left-- <= 0) return;
        if (shape && typeof shape === "object") this.drawShape(g, shape, note.player, unit);
      }
    }
  }

  /** @param {CanvasRenderingContext2D} g @param {any} shape @param {number} player @param {number} unit */
  drawShape(g, shape, player, unit) {
    const numbers = [shape.x, shape.y, shape.x2 ?? shape.x, shape.y2 ?? shape.y];
    if (!numbers.every((value) => typeof value === "number" && Math.abs(value) < 10000)) return;
    const [x, y] = this.renderer.place(numbers[0], numbers[1]);
    const [x2, y2] = this.renderer.place(numbers[2], numbers[3]);
    const color = COLOR_NAME.test(shape.color ?? "") ? shape.color : this.players[player]?.color;
    g.strokeStyle = g.fillStyle = color ?? "#ff00aa";
    g.lineWidth = Math.max(1.5, unit * 0.06);
    g.globalAlpha = 0.85;
    g.beginPath();
    if (shape.kind === "line") {
      g.moveTo(x, y);
      g.lineTo(x2, y2);
      g.stroke();
    } else if (shape.kind === "rectangle") {
      g.strokeRect(x, y, x2 - x, y2 - y);
      g.globalAlpha = 0.15;
      g.fillRect(x, y, x2 - x, y2 - y);
    } else if (shape.kind === "text") {
      g.font = `600 ${Math.max(11, unit * 0.34)}px system-ui, sans-serif`;
      g.textAlign = "left";
      g.textBaseline = "middle";
      g.lineWidth = 3;
      g.strokeStyle = "rgba(0,0,0,.6)";
      g.strokeText(String(shape.text ?? "").slice(0, 200), x, y);
      g.fillText(String(shape.text ?? "").slice(0, 200), x, y);
    } else {
      g.arc(x, y, Math.max(3, unit * 0.14), 0, 7);
      g.fill();
    }
    g.globalAlpha = 1;
  }

  /** @param {PointerEvent | MouseEvent} event @returns {string | null} the thing under the pointer */
  pick(event) {
    return this.ask("pick", ...this.zoom.pointAt(event)) ?? null;
  }

  /**
   * Calls a function of the renderer. Returns undefined if the renderer has no such function, or if the function fails.
   * @param {string} name @param {...any} given
   */
  ask(name, ...given) {
    try {
      return this.renderer[name]?.(...given);
    } catch {
      return undefined;
    }
  }

  /** Describes the thing under the pointer in a few words. @param {PointerEvent} event @param {boolean} [gone] */
  hover(event, gone = event.pointerType === "touch") {
    const thing = gone ? undefined : this.state.get(this.pick(event) ?? "");
    const text = thing && (this.ask("tip", thing.id, this.state) ?? `${thing.class} ${thing.id}`);
    this.canvas.style.cursor = thing ? "pointer" : "";
    showTip(this.tip, text ? clip(String(text), 300) : "", event, this.canvas);
    const hovered = thing?.id ?? null;
    if (hovered === this.hovered) return;
    this.hovered = hovered;
    this.stale = true;
  }

  /** An action in words: from the renderer, or else from the schema. @param {any} action @param {State} before */
  words(action, before) {
    return clip(String(this.ask("action", action, before) ?? actionInWords(action, before, this)), 300);
  }

  /** An event in words: from the renderer, or else its values. @param {any} event @param {() => State} before */
  tell(event, before) {
    return clip(String(this.ask("tell", event, before) ?? eventInWords(event, before(), this)), 300);
  }

  /** How much longer than usual a frame is shown, in milliseconds. @param {Record<string, any>[]} events */
  pauseOf(events) {
    const times = events.slice(0, 100).map((event) => Number(this.ask("duration", event)) || 0);
    return Math.min(
      MOST_PAUSE,
      times.reduce((sum, time) => sum + Math.max(0, time), 0),
    );
  }
}
