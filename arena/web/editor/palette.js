/**
 * The left column: tools, brushes, and the fields of the next or selected thing.
 * @module
 */

import { el, fill } from "arena/dom";

import { describeEntry, isOffered } from "./cells.js";
import { TOOLS } from "./editor.js";
import { paintSwatch } from "./paint.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./editor.js").Choice} Choice */
/** @typedef {import("./cells.js").Field} Field */

/**
 * All brushes in order; digits choose the first ten.
 * @param {Editor} editor
 * @returns {{title: string, brushes: {title: string, choice: Choice}[]}[]}
 */
export function groupsOf(editor) {
  const { spec, variant } = editor;
  const groups = [
    {
      title: "Tiles",
      brushes: spec.grid.tiles.map((tile) => ({
        title: tile.title,
        choice: /** @type {Choice} */ ({ kind: "tile", char: tile.char }),
      })),
    },
  ];
  for (const layer of [...spec.layers].reverse()) {
    if (!isOffered(layer, variant)) continue;
    const brushes = layer.brushes
      .filter((brush) => isOffered(brush, variant))
      .map((brush) => ({ title: brush.title, choice: /** @type {Choice} */ ({ kind: "thing", layer, brush }) }));
    const single = brushes.length === 1;
    const last = groups[groups.length - 1];
    if (single && last.title === "Marks") last.brushes.unshift(...brushes);
    else groups.push({ title: single ? "Marks" : layer.title, brushes });
  }
  if (spec.overlay)
    groups.push({
      title: `${spec.overlay.title}s`,
      brushes: [{ title: spec.overlay.title, choice: { kind: "letter" } }],
    });
  return groups;
}

/** @param {Choice} one @param {Choice} other */
function same(one, other) {
  if (one.kind === "tile" && other.kind === "tile") return one.char === other.char;
  if (one.kind === "thing" && other.kind === "thing") return one.brush === other.brush;
  return one.kind === other.kind;
}

/** @param {HTMLElement} host @param {Editor} editor @param {{dark: boolean}} look */
export function drawPalette(host, editor, look) {
  const focus = host.contains(document.activeElement) ? document.activeElement?.getAttribute("data-id") : null;
  let number = 0;
  const all = groupsOf(editor);
  const many = all.reduce((sum, group) => sum + group.brushes.length, 0) > 10;
  const groups = all.map((group) =>
    el(
      "section.group",
      {},
      el("h3", {}, group.title),
      el(
        many ? "div.brushes.many" : "div.brushes",
        {},
        ...group.brushes.map(({ title, choice }) => brushButton(editor, look, title, choice, number++)),
      ),
    ),
  );
  fill(host, toolRow(editor), ...groups, details(editor));
  if (focus) /** @type {any} */ (host.querySelector(`[data-id="${CSS.escape(focus)}"]`))?.focus();
}

/** @param {Editor} editor */
function toolRow(editor) {
  return el(
    "div.tools",
    { role: "toolbar", "aria-label": "Tools" },
    ...TOOLS.map((tool) =>
      el(
        "button.tool",
        {
          title: `${tool.title} (${tool.key})`,
          "aria-label": tool.title,
          "aria-pressed": String(editor.tool === tool.id),
          "data-id": `tool-${tool.id}`,
          onclick: () => editor.setTool(tool.id),
        },
        sign(tool.icon),
      ),
    ),
  );
}

/** @param {string} path */
export function sign(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/**
 * @param {Editor} editor @param {{dark: boolean}} look @param {string} title @param {Choice} choice
 * @param {number} number
 */
function brushButton(editor, look, title, choice, number) {
  const chosen = same(editor.choice, choice) && editor.tool !== "erase" && editor.tool !== "select";
  const key = number < 10 ? String((number + 1) % 10) : "";
  const button = el(
    "button.brush",
    {
      "aria-pressed": String(chosen),
      title: key ? `${title} (${key})` : title,
      "data-id": `brush-${title}`,
      onclick: () => editor.choose(choice),
    },
    swatch(editor, look, choice),
    el("span", {}, title),
    key && el("kbd", { "aria-hidden": "true" }, key),
  );
  return button;
}

/** @param {Editor} editor @param {{dark: boolean}} look @param {Choice} choice */
function swatch(editor, look, choice) {
  if (choice.kind === "letter") return el("b.letter", {}, editor.letter);
  const canvas = el("canvas.swatch", { "aria-hidden": "true" });
  if (choice.kind === "tile") {
    paintSwatch(canvas, editor.spec.grid.tiles.find((tile) => tile.char === choice.char)?.look ?? {}, null, look.dark);
  } else {
    const values = { ...editor.next[choice.layer.key], ...choice.brush.values };
    paintSwatch(canvas, choice.brush.look, { layer: choice.layer, index: -1, x: 0, y: 0, values }, look.dark);
  }
  return canvas;
}

/** Shows the fields of the selected thing, or of the next one. @param {Editor} editor */
function details(editor) {
  const entry = editor.selection;
  if (entry) {
    const fields = entry.layer.fields.map((field) =>
      chooser(field, entry.values[field.name] ?? field.default ?? null, (value) =>
        editor.setField(entry.layer.key, field.name, value),
      ),
    );
    return el(
      "section.group.details",
      {},
      el("h3", {}, `Selected: ${describeEntry(entry)} at ${entry.x}, ${entry.y}`),
      ...fields,
      el("button.plain", { onclick: () => editor.removeSelection() }, "Remove"),
    );
  }
  const { choice } = editor;
  if (editor.tool === "select") return el("p.empty", {}, "Click a thing to select it, drag it to move it.");
  if (editor.tool === "erase") return el("p.empty", {}, "Removes the top of a cell: things first, then the tile.");
  if (choice.kind === "letter") return letters(editor);
  if (choice.kind !== "thing") return el("span", {});
  const open = choice.layer.fields.filter((field) => !(field.name in choice.brush.values) && !field.optional);
  if (!open.length) return el("span", {});
  return el(
    "section.group.details",
    {},
    ...open.map((field) =>
      chooser(field, editor.next[choice.layer.key][field.name], (value) =>
        editor.setField(choice.layer.key, field.name, value),
      ),
    ),
  );
}

/** @param {Field} field @param {any} value @param {(value: any) => void} set */
function chooser(field, value, set) {
  const buttons = field.choices.map((choice) =>
    el(
      "button",
      {
        role: "radio",
        "aria-checked": String(choice.value === value),
        "data-id": `${field.name}-${choice.title}`,
        onclick: () => set(choice.value),
      },
      choice.title,
    ),
  );
  return el(
    "div.chooser",
    { role: "radiogroup", "aria-label": field.title },
    el("span.dim", {}, field.title),
    el("div.segments", {}, ...buttons),
  );
}

/** @param {Editor} editor */
function letters(editor) {
  const overlay = editor.spec.overlay;
  const select = el("select", {
    "aria-label": overlay?.title,
    onchange: (/** @type {any} */ event) => {
      editor.letter = event.target.value;
      editor.tell("tool");
    },
  });
  for (const letter of [...(overlay?.letters ?? ""), overlay?.none ?? "."]) {
    select.append(
      el("option", { value: letter, selected: letter === editor.letter }, letter === overlay?.none ? "none" : letter),
    );
  }
  return el("section.group.details", {}, el("div.chooser", {}, el("span.dim", {}, overlay?.title), select));
}
