/**
 * The board on the screen: draws it, and turns pointer and keys into strokes.
 * @module
 */

import { el, textScale } from "arena/dom";

import { describeCell, rowsOf } from "./cells.js";
import { rectangle } from "./editor.js";
import { paintEntry, paintMap, surfacesOf, themeOf } from "./paint.js";
import { twinsOf, valuesOfTwin } from "./symmetry.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./editor.js").Cell} Cell */

const MARGIN = 22;
const LARGEST_CELL = 64; // with text of the usual size

export class Stage {
  /** @param {HTMLElement} host @param {Editor} editor @param {{dark: boolean}} look */
  constructor(host, editor, look) {
    this.host = host;
    this.editor = editor;
    this.look = look;
    this.canvas = el("canvas.map-board", {
      tabindex: 0,
      role: "application",
      "aria-label": "The board: arrows move, space paints, delete erases",
      "aria-describedby": "cell-text",
    });
    host.append(this.canvas);
    this.unit = 1;
    this.left = this.top = 0;
    /** @type {"" | "stroke" | "rectangle" | "move"} */
    this.doing = "";
    /** @type {Set<string>} */
    this.touched = new Set();
    /** @type {Cell | null} */
    this.last = null;
    this.flash = 0;
    this.waiting = false;
    this.canvas.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.down(event));
    this.canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.move(event));
    this.canvas.addEventListener("pointerup", () => this.up());
    this.canvas.addEventListener("pointercancel", () => this.up());
    this.canvas.addEventListener("pointerleave", () => this.doing || this.editor.moveCursor(null));
    this.canvas.addEventListener("contextmenu", (/** @type {Event} */ event) => event.preventDefault());
    this.canvas.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    new ResizeObserver(() => this.request()).observe(host);
    this.picture = document.createElement("canvas");
    this.pictured = "";
    this.version = 0;
    editor.addEventListener("change", (/** @type {any} */ event) => {
      if (event.detail === "document") this.version++;
      this.request();
    });
  }

  request() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  /** Where the middle of a cell is, in pixels of the page. @param {Cell} cell @returns {[number, number]} */
  middle({ x, y }) {
    return [this.left + (x + 0.5) * this.unit, this.top + (y + 0.5) * this.unit];
  }

  /** @param {PointerEvent} event @returns {Cell | null} */
  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left - this.left) / this.unit);
    const y = Math.floor((event.clientY - box.top - this.top) / this.unit);
    const { width, height } = this.editor.size;
    return x >= 0 && y >= 0 && x < width && y < height ? { x, y } : null;
  }

  /** @param {PointerEvent} event */
  down(event) {
    const { editor } = this;
    const cell = this.cellAt(event);
    if (event.pointerType === "mouse" && event.button > 2) return;
    this.canvas.focus({ preventScroll: true });
    if (!cell || this.doing) return;
    this.canvas.setPointerCapture(event.pointerId);
    editor.moveCursor(cell);
    this.last = cell;
    this.touched.clear();
    if (event.button === 2) {
      this.before = editor.tool;
      editor.setTool("erase");
    }
    if (editor.tool === "select") {
      editor.selectAt(cell);
      this.doing = "move";
    } else if (editor.tool === "rectangle") {
      editor.anchor = cell;
      this.doing = "rectangle";
      this.request();
    } else if (editor.tool === "fill" && editor.choice.kind !== "thing") {
      editor.applyFill(cell);
    } else {
      this.doing = "stroke";
      editor.model.begin();
      this.stroke(cell);
    }
  }

  /** @param {PointerEvent} event */
  move(event) {
    const cell = this.cellAt(event);
    this.editor.moveCursor(cell);
    if (!cell || !this.doing || !this.last || (cell.x === this.last.x && cell.y === this.last.y)) return;
    if (this.doing === "stroke" && this.paintsOn) for (const one of line(this.last, cell)) this.stroke(one);
    if (this.doing === "move") {
      if (!this.editor.model.open) this.editor.model.begin();
      this.editor.moveSelection(cell);
    }
    this.last = cell;
  }

  up() {
    const { editor, doing } = this;
    this.doing = "";
    if (doing === "rectangle" && editor.anchor && this.last) {
      const from = editor.anchor;
      editor.anchor = null;
      editor.applyRectangle(from, this.last);
    }
    if (editor.model.open) editor.model.commit();
    if (this.before) editor.setTool(this.before);
    this.before = undefined;
  }

  /** Whether a drag over the board paints each cell on its way. */
  get paintsOn() {
    const { choice, tool } = this.editor;
    return tool === "erase" || choice.kind !== "thing" || Boolean(choice.layer.pair);
  }

  /** @param {Cell} cell */
  stroke(cell) {
    const name = `${cell.x},${cell.y}`;
    if (this.touched.has(name)) return;
    this.touched.add(name);
    this.editor.apply(cell);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { editor } = this;
    const { width, height } = editor.size;
    const step = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    })[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = editor.cursor ?? { x: Math.floor(width / 2), y: Math.floor(height / 2) };
    if (step) {
      const to = { x: clamp(here.x + step[0], width), y: clamp(here.y + step[1], height) };
      if (event.shiftKey && editor.tool === "select") editor.moveSelection(to);
      editor.moveCursor(editor.cursor ? to : here);
    } else if (event.key === " " || event.key === "Enter") {
      this.keyStroke(here);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      if (editor.selection) editor.removeSelection();
      else this.with("erase", () => editor.apply(here));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Cell} cell */
  keyStroke(cell) {
    const { editor } = this;
    editor.moveCursor(cell);
    if (editor.tool === "select") editor.selectAt(cell);
    else if (editor.tool === "fill") editor.applyFill(cell);
    else if (editor.tool !== "rectangle") editor.apply(cell);
    else if (!editor.anchor) editor.anchor = cell;
    else {
      const from = editor.anchor;
      editor.anchor = null;
      editor.applyRectangle(from, cell);
    }
    this.request();
  }

  /** @param {string} tool @param {() => void} run */
  with(tool, run) {
    const before = this.editor.tool;
    this.editor.tool = tool;
    run();
    this.editor.tool = before;
  }

  /** Highlights a cell for a moment. @param {Cell} cell */
  show(cell) {
    this.editor.moveCursor(cell);
    this.flash = performance.now();
    this.canvas.scrollIntoView({ block: "nearest" });
    this.request();
  }

  draw() {
    const { editor, look } = this;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const { clientWidth: across, clientHeight: down } = this.host;
    const [wide, high] = [Math.max(1, Math.round(across * ratio)), Math.max(1, Math.round(down * ratio))];
    if (this.canvas.width !== wide || this.canvas.height !== high)
      Object.assign(this.canvas, { width: wide, height: high });
    const { width, height } = editor.size;
    const room = Math.min(LARGEST_CELL * textScale(), (across - 2 * MARGIN) / width, (down - 2 * MARGIN) / height);
    this.unit = Math.max(4, Math.floor(room * ratio) / ratio); // whole pixels: no seams between cells
    this.left = Math.round((across - width * this.unit) / 2);
    this.top = Math.round((down - height * this.unit) / 2);
    const g = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, across, down);
    this.paintPicture(width, height, ratio);
    g.drawImage(this.picture, this.left, this.top, this.picture.width / ratio, this.picture.height / ratio);
    g.translate(this.left, this.top);
    g.strokeStyle = themeOf(look.dark).line;
    g.strokeRect(0, 0, width * this.unit, height * this.unit);
    this.drawNumbers(g, width, height);
    this.drawAxes(g, width, height);
    this.drawProblems(g);
    this.drawSelection(g);
    this.drawCursor(g);
  }

  /**
   * Keeps the map as a picture, so that moving the cursor is fast.
   * @param {number} width @param {number} height
   * @param {number} ratio
   */
  paintPicture(width, height, ratio) {
    const { editor, look, unit } = this;
    const wanted = [this.version, look.dark, unit, ratio, width, height].join(" ");
    if (wanted === this.pictured) return;
    this.pictured = wanted;
    Object.assign(this.picture, { width: Math.ceil(width * unit * ratio), height: Math.ceil(height * unit * ratio) });
    const g = /** @type {CanvasRenderingContext2D} */ (this.picture.getContext("2d"));
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    paintMap(g, editor.spec, editor.document, { dark: look.dark, unit });
  }

  /** @param {CanvasRenderingContext2D} g @param {number} width @param {number} height */
  drawNumbers(g, width, height) {
    const every = this.unit >= 17 ? 1 : this.unit >= 9 ? 2 : 5;
    g.font = "10px system-ui, sans-serif";
    g.fillStyle = this.look.dark ? "rgba(225,233,246,.6)" : "rgba(20,28,45,.6)";
    g.textAlign = "center";
    g.textBaseline = "middle";
    for (let x = 0; x < width; x += every) g.fillText(String(x), (x + 0.5) * this.unit, -10);
    for (let y = 0; y < height; y += every) g.fillText(String(y), -11, (y + 0.5) * this.unit);
  }

  /** @param {CanvasRenderingContext2D} g @param {number} width @param {number} height */
  drawAxes(g, width, height) {
    const { symmetry } = this.editor;
    if (symmetry === "none") return;
    const [w, h] = [width * this.unit, height * this.unit];
    g.strokeStyle = this.accent;
    g.fillStyle = this.accent;
    g.lineWidth = 1.5;
    g.setLineDash([6, 6]);
    g.beginPath();
    if (symmetry === "sides" || symmetry === "both") {
      g.moveTo(w / 2, -6);
      g.lineTo(w / 2, h + 6);
    }
    if (symmetry === "ends" || symmetry === "both") {
      g.moveTo(-6, h / 2);
      g.lineTo(w + 6, h / 2);
    }
    g.stroke();
    g.setLineDash([]);
    if (symmetry === "rotate") {
      g.beginPath();
      g.arc(w / 2, h / 2, 9, 0.4, Math.PI - 0.3);
      g.moveTo(w / 2 + 9 * Math.cos(Math.PI + 0.4), h / 2 + 9 * Math.sin(Math.PI + 0.4));
      g.arc(w / 2, h / 2, 9, Math.PI + 0.4, 2 * Math.PI - 0.3);
      g.stroke();
      g.beginPath();
      g.arc(w / 2, h / 2, 2.5, 0, 7);
      g.fill();
    }
  }

  get accent() {
    return this.look.dark ? "#eda35b" : "#a4551b";
  }

  /** @param {CanvasRenderingContext2D} g */
  drawProblems(g) {
    const { width, height } = this.editor.size;
    for (const { cell, error } of this.editor.problems) {
      if (!cell) continue;
      const [x, y] = [Math.max(-0.3, Math.min(width - 0.7, cell[0])), Math.max(-0.3, Math.min(height - 0.7, cell[1]))];
      const color = error ? (this.look.dark ? "#ff6f62" : "#d0302a") : this.look.dark ? "#f0c24f" : "#b07c00";
      const u = this.unit;
      g.strokeStyle = color;
      g.lineWidth = Math.max(2, u * 0.07);
      g.beginPath();
      g.roundRect(x * u + 1, y * u + 1, u - 2, u - 2, u * 0.16);
      g.stroke();
      const radius = Math.max(5, u * 0.17);
      g.fillStyle = color;
      g.beginPath();
      g.arc((x + 1) * u - radius * 0.6, y * u + radius * 0.6, radius, 0, 7);
      g.fill();
      g.fillStyle = this.look.dark && !error ? "#000" : "#fff";
      g.font = `800 ${radius * 1.5}px system-ui, sans-serif`;
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillText("!", (x + 1) * u - radius * 0.6, y * u + radius * 0.68);
    }
  }

  /** @param {CanvasRenderingContext2D} g */
  drawSelection(g) {
    const entry = this.editor.selection;
    if (!entry) return;
    this.frame(g, entry, this.accent, 3);
  }

  /** @param {CanvasRenderingContext2D} g */
  drawCursor(g) {
    const { editor } = this;
    const { cursor, choice, tool, spec } = editor;
    if (!cursor) return;
    const area = editor.anchor ? rectangle(editor.anchor, cursor) : [cursor];
    const surface = surfacesOf(spec, rowsOf(spec, editor.document));
    const things = choice.kind === "thing" && tool !== "erase" && tool !== "select";
    for (const cell of area.slice(0, 4000)) {
      const twins =
        tool === "select"
          ? [{ ...cell, across: false, down: false }]
          : twinsOf(editor.symmetry, editor.size, cell.x, cell.y);
      for (const twin of twins) {
        if (twin !== twins[0] && choice.kind === "thing" && !choice.layer.symmetric && tool !== "erase") continue;
        if (things && choice.kind === "thing") {
          g.globalAlpha = 0.55;
          const values = valuesOfTwin(choice.layer, editor.values, twin, editor.symmetry);
          paintEntry(
            g,
            { layer: choice.layer, index: -1, x: twin.x, y: twin.y, values },
            { dark: this.look.dark, unit: this.unit },
            surface,
          );
          g.globalAlpha = 1;
        } else if (tool !== "select") {
          g.fillStyle =
            tool === "erase" ? "rgba(208,48,42,.22)" : this.look.dark ? "rgba(255,255,255,.2)" : "rgba(20,28,45,.18)";
          g.fillRect(twin.x * this.unit, twin.y * this.unit, this.unit, this.unit);
        }
      }
    }
    this.frame(g, cursor, this.look.dark ? "#ffffff" : "#221d18", 2);
    const since = performance.now() - this.flash;
    if (since < 700) {
      const grow = (1 - since / 700) * this.unit * 0.8;
      g.strokeStyle = this.accent;
      g.lineWidth = 3;
      g.strokeRect(
        cursor.x * this.unit - grow,
        cursor.y * this.unit - grow,
        this.unit + 2 * grow,
        this.unit + 2 * grow,
      );
      this.request();
    }
  }

  /** @param {CanvasRenderingContext2D} g @param {Cell} cell @param {string} color @param {number} width */
  frame(g, cell, color, width) {
    g.strokeStyle = color;
    g.lineWidth = width;
    g.beginPath();
    g.roundRect(cell.x * this.unit + 1, cell.y * this.unit + 1, this.unit - 2, this.unit - 2, this.unit * 0.14);
    g.stroke();
  }

  /** Describes the cell under the cursor in words. */
  get words() {
    const { cursor, spec, document } = this.editor;
    return cursor ? `${cursor.x}, ${cursor.y}: ${describeCell(spec, document, cursor.x, cursor.y)}` : "";
  }
}

/** @param {number} value @param {number} size */
function clamp(value, size) {
  return Math.max(0, Math.min(size - 1, value));
}

/**
 * Returns the cells on the line after `from`, up to `to`, so that strokes have no gaps.
 * @param {Cell} from @param {Cell} to @returns {Cell[]}
 */
function line(from, to) {
  const steps = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y));
  return Array.from({ length: steps }, (_, at) => ({
    x: Math.round(from.x + ((to.x - from.x) * (at + 1)) / steps),
    y: Math.round(from.y + ((to.y - from.y) * (at + 1)) / steps),
  }));
}
