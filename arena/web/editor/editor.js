/**
 * The state of editing: tool, brush, symmetry, cursor, selection; and the effect of a stroke on the document.
 * @module
 */

import * as cells from "./cells.js";
import { Model } from "./model.js";
import { SYMMETRIES, turned, twinsOf, valuesOfTwin } from "./symmetry.js";

/** @typedef {import("./cells.js").Spec} Spec */
/**
 * @typedef {{kind: "tile", char: string} | {kind: "letter"} | {kind: "thing", layer: import("./cells.js").Layer,
 *   brush: import("./cells.js").Brush}} Choice
 */
/** @typedef {{code: string, message: string, where: string, cell: [number, number] | null, error: boolean}} Problem */
/** @typedef {{x: number, y: number}} Cell */

export const TOOLS = [
  { id: "pencil", title: "Pencil", key: "b", icon: "M5 19l1-4L16.5 4.5l3 3L9 18zM14 7l3 3" },
  { id: "rectangle", title: "Rectangle", key: "u", icon: "M4.5 6.5h15v11h-15z" },
  {
    id: "fill",
    title: "Fill",
    key: "g",
    icon: "M11 4.5l7 7-6.5 6.5-7-7zM5 11h12.5M19.5 15.5c1.5 2 1.5 4 0 4s-1.5-2 0-4z",
  },
  { id: "erase", title: "Eraser", key: "e", icon: "M4.5 14.5l9-9 6 6-8 8h-4zM9 10l6 6M10 19.5h9.5" },
  { id: "select", title: "Select and move", key: "v", icon: "M7 4.5l11 8.5-5 .8 2.8 5-2.3 1.2-2.7-5L7 18.5z" },
];

export class Editor extends EventTarget {
  /** @param {any} config */
  constructor(config) {
    super();
    /** @type {Spec} */
    this.spec = config.editor;
    this.config = config;
    this.model = new Model(config.document);
    this.tool = "pencil";
    this.symmetry = "none";
    this.letter = "A";
    /** @type {Record<string, Record<string, any>>} for each layer, the field values of things still to be placed */
    this.next = Object.fromEntries(
      this.spec.layers.map((layer) => [
        layer.key,
        Object.fromEntries(layer.fields.map((field) => [field.name, field.default ?? null])),
      ]),
    );
    /** @type {Choice} */
    this.choice = {
      kind: "tile",
      char: (this.spec.grid.tiles.find((tile) => tile.char !== this.spec.grid.fill) ?? this.spec.grid.tiles[0]).char,
    };
    /** @type {Cell | null} */
    this.cursor = null;
    /** @type {Cell | null} */
    this.anchor = null;
    /** @type {{layer: string, x: number, y: number} | null} */
    this.selected = null;
    /** @type {Problem[]} */
    this.problems = [];
    /** @type {string[]} */
    this.facts = [];
    this.checked = false;
    this.target = config.target;
    this.model.addEventListener("change", () => this.tell("document"));
  }

  get document() {
    return this.model.document;
  }

  get size() {
    return cells.sizeOf(this.spec, this.document);
  }

  get variant() {
    return cells.variantOf(this.spec, this.document);
  }

  /** @param {string} what changed */
  tell(what) {
    this.dispatchEvent(new CustomEvent("change", { detail: what }));
  }

  /** @param {string} tool */
  setTool(tool) {
    this.tool = tool;
    if (tool !== "select") this.selected = null;
    this.tell("tool");
  }

  /** @param {Choice} choice */
  choose(choice) {
    this.choice = choice;
    if (this.tool === "erase" || this.tool === "select") this.tool = "pencil";
    if (choice.kind === "thing" && this.tool === "fill") this.tool = "pencil";
    this.selected = null;
    this.tell("tool");
  }

  /** @param {string} symmetry */
  setSymmetry(symmetry) {
    this.symmetry = symmetry;
    this.tell("tool");
  }

  nextSymmetry() {
    const at = SYMMETRIES.findIndex((one) => one.id === this.symmetry);
    this.setSymmetry(SYMMETRIES[(at + 1) % SYMMETRIES.length].id);
  }

  /** @param {Cell | null} cell */
  moveCursor(cell) {
    if (cell?.x === this.cursor?.x && cell?.y === this.cursor?.y) return;
    this.cursor = cell;
    this.tell("cursor");
  }

  /** @returns {import("./cells.js").Entry | null} */
  get selection() {
    const { selected } = this;
    const layer = selected && this.spec.layers.find((one) => one.key === selected.layer);
    if (!selected || !layer) return null;
    return (
      cells.entriesOf(this.document, layer).find((entry) => entry.x === selected.x && entry.y === selected.y) ?? null
    );
  }

  /** @param {Cell} cell */
  selectAt(cell) {
    const found = cells.entriesAt(this.spec, this.document, cell.x, cell.y);
    const at = found.findIndex(
      (entry) =>
        entry.layer.key === this.selected?.layer && entry.x === this.selected?.x && entry.y === this.selected?.y,
    );
    const entry = found[at > 0 ? at - 1 : found.length - 1];
    this.selected = entry ? { layer: entry.layer.key, x: entry.x, y: entry.y } : null;
    this.tell("tool");
  }

  /** @param {Cell} cell where the selected thing goes */
  moveSelection(cell) {
    const entry = this.selection;
    if (!entry || (entry.x === cell.x && entry.y === cell.y)) return;
    if (cells.entriesAt(this.spec, this.document, cell.x, cell.y).some((other) => other.layer === entry.layer)) return;
    this.selected = { layer: entry.layer.key, ...cell };
    this.model.edit((document) => cells.moveEntry(document, entry, cell.x, cell.y));
  }

  removeSelection() {
    const entry = this.selection;
    if (!entry) return;
    this.model.edit((document) => cells.removeAt(document, entry.layer, entry.x, entry.y));
    this.selected = null;
    this.tell("tool");
  }

  /**
   * Sets a field of the selected thing. Without a selection, sets the field of things still to be placed.
   * @param {string} layer @param {string} name
   * @param {any} value
   */
  setField(layer, name, value) {
    const entry = this.selection;
    if (entry) this.model.edit((document) => cells.setField(document, entry, name, value));
    else this.next[layer][name] = value;
    this.tell("tool");
  }

  /**
   * Changes a field to its next value, for the same things as `setField`. A facing turns clockwise.
   * @param {"facing" | "first"} which the facing, or the first other field that the brush leaves open
   */
  cycle(which) {
    const entry = this.selection;
    const layer = entry?.layer ?? (this.choice.kind === "thing" ? this.choice.layer : null);
    const fixed = entry ? {} : this.choice.kind === "thing" ? this.choice.brush.values : {};
    const field = layer?.fields.find((one) =>
      which === "facing" ? one.name === layer.facing : one.name !== layer.facing && !(one.name in fixed),
    );
    if (!layer || !field) return;
    const now = entry ? (entry.values[field.name] ?? field.default ?? null) : this.next[layer.key][field.name];
    const at = field.choices.findIndex((choice) => choice.value === now);
    const value = which === "facing" ? turned(now, 1) : field.choices[(at + 1) % field.choices.length].value;
    this.setField(layer.key, field.name, value);
  }

  /** The values of the thing that a click would put into a cell now. @returns {Record<string, any>} */
  get values() {
    const { choice } = this;
    if (choice.kind !== "thing") return {};
    const names = choice.layer.fields.map((field) => field.name);
    const all = { ...this.next[choice.layer.key], ...choice.brush.values };
    return Object.fromEntries(names.map((name) => [name, all[name]]));
  }

  /** Applies the tool and the brush to one cell and its twins. @param {Cell} cell */
  apply(cell) {
    const { spec, choice } = this;
    const twins = twinsOf(this.symmetry, this.size, cell.x, cell.y);
    this.model.edit((document) => {
      for (const twin of twins) {
        if (this.tool === "erase") cells.erase(spec, document, twin.x, twin.y);
        else if (choice.kind === "tile") cells.setTile(spec, document, twin.x, twin.y, choice.char);
        else if (choice.kind === "letter") cells.setLetter(spec, document, twin.x, twin.y, this.letter);
        else if (twin === twins[0] || choice.layer.symmetric)
          cells.put(
            spec,
            document,
            choice.layer,
            twin.x,
            twin.y,
            valuesOfTwin(choice.layer, this.values, twin, this.symmetry),
          );
      }
    });
  }

  /** @param {Cell} from @param {Cell} to */
  applyRectangle(from, to) {
    this.model.begin();
    for (const cell of rectangle(from, to)) this.apply(cell);
    this.model.commit();
  }

  /** @param {Cell} cell */
  applyFill(cell) {
    this.model.begin();
    for (const [x, y] of cells.areaFrom(this.spec, this.document, cell.x, cell.y)) this.apply({ x, y });
    this.model.commit();
  }

  /** @param {(spec: Spec, document: any) => void} change of the whole map */
  transform(change) {
    this.selected = null;
    this.model.edit((document) => change(this.spec, document));
  }
}

/** @param {Cell} from @param {Cell} to @returns {Cell[]} */
export function rectangle(from, to) {
  const found = [];
  for (let y = Math.min(from.y, to.y); y <= Math.max(from.y, to.y); y++) {
    for (let x = Math.min(from.x, to.x); x <= Math.max(from.x, to.x); x++) found.push({ x, y });
  }
  return found;
}
