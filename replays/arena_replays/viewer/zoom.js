/** Zoom and pan of a board: wheel, two fingers, dragging and keys. */

import { el } from "arena/dom";

const MOST_SCALE = 8;

export class Zoom {
  /** @param {HTMLCanvasElement} canvas @param {HTMLElement} host @param {() => void} changed */
  constructor(canvas, host, changed) {
    this.canvas = canvas;
    this.changed = changed;
    this.scale = 1;
    /** Where the upper left corner of the whole board is, in pixels of the canvas. */
    this.x = this.y = 0;
    /** @type {Map<number, {x: number, y: number}>} the pointers that touch the board */
    this.touches = new Map();
    this.moved = 0;
    this.whole = el("button.whole", { hidden: true, onclick: () => this.to(1, 0, 0) }, "Whole board");
    host.append(this.whole);
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (event) => this.touches.delete(/** @type {PointerEvent} */ (event).pointerId));
    // The end of a drag does not count as a click.
    canvas.addEventListener("click", (event) => this.moved > 4 && event.stopImmediatePropagation(), true);
  }

  /** A point of the page as a point of the board. @param {MouseEvent} event @returns {[number, number]} */
  pointAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left - this.x) / this.scale, (event.clientY - box.top - this.y) / this.scale];
  }

  /** Zooms around a point of the canvas; around the middle if no point is given. @param {number} factor */
  by(factor, px = this.canvas.clientWidth / 2, py = this.canvas.clientHeight / 2) {
    const scale = Math.max(1, Math.min(MOST_SCALE, this.scale * factor));
    const grown = scale / this.scale;
    this.to(scale, px - (px - this.x) * grown, py - (py - this.y) * grown);
  }

  /** The scale, and the middle of the view as shares of width and height: `2,0.5,0.4`; "" for the whole board. */
  get place() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const middle = [(width / 2 - this.x) / this.scale / width, (height / 2 - this.y) / this.scale / height];
    return this.scale > 1 ? [this.scale, ...middle].map((part) => part.toFixed(2)).join() : "";
  }

  set place(text) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const [scale, x, y] = text.split(",").map((part) => Math.max(0, Math.min(MOST_SCALE, Number(part) || 0)));
    if (scale > 1) this.to(scale, width * (0.5 - scale * x), height * (0.5 - scale * y));
    else this.to(1, 0, 0);
  }

  /** @param {number} dx in pixels @param {number} dy */
  pan(dx, dy) {
    this.to(this.scale, this.x + dx, this.y + dy);
  }

  /** @param {number} scale @param {number} x @param {number} y */
  to(scale, x, y) {
    const { clientWidth, clientHeight } = this.canvas;
    this.scale = scale < 1.02 ? 1 : scale;
    this.x = Math.max(clientWidth * (1 - this.scale), Math.min(0, x));
    this.y = Math.max(clientHeight * (1 - this.scale), Math.min(0, y));
    this.whole.hidden = this.scale === 1;
    // One finger scrolls the page or swipes, unless there is something to pan.
    this.canvas.style.touchAction = this.scale > 1 ? "none" : "";
    this.changed();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const page = document.documentElement;
    if (!event.ctrlKey && this.scale === 1 && page.scrollHeight > page.clientHeight) return; // scroll the page
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const pixels = event.deltaY * (event.deltaMode ? 30 : 1);
    this.by(Math.exp(-Math.max(-200, Math.min(200, pixels)) / 300), event.clientX - box.left, event.clientY - box.top);
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (!this.touches.size) this.moved = 0;
    this.touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.touches.get(event.pointerId);
    if (!before) return;
    const here = { x: event.clientX, y: event.clientY };
    const other = [...this.touches].find(([id]) => id !== event.pointerId)?.[1];
    this.touches.set(event.pointerId, here);
    const [dx, dy] = [here.x - before.x, here.y - before.y];
    if (this.scale > 1 || other) this.moved += Math.abs(dx) + Math.abs(dy);
    if (other) {
      const box = this.canvas.getBoundingClientRect();
      const apart = (/** @type {{x: number, y: number}} */ one) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
      const middle = [(here.x + other.x) / 2 - box.left, (here.y + other.y) / 2 - box.top];
      this.by(apart(here) / apart(before), ...middle);
      this.pan(dx / 2, dy / 2);
    } else if (this.scale > 1) this.pan(dx, dy);
  }
}
