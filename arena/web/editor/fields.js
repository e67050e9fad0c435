/**
 * The form for all values that are not on the board. An empty field is not written to the file; then the game's default
 * applies. Only a required text is written even if it is empty.
 * @module
 */

import { el, fill } from "arena/dom";

import { isOffered } from "./cells.js";
import { setValue, valueAt } from "./model.js";

/** @typedef {import("./editor.js").Editor} Editor */
/**
 * @typedef {{path: (string | number)[], title: string, type?: string, choices?: any[], doc?: string,
 *   defaults?: Record<string, any>, nullable?: boolean, least?: number, greatest?: number, container?: any,
 *   required?: boolean}} FormField
 */
/** @typedef {{title: string, folded?: boolean, only?: string[], fields: FormField[]}} FormGroup */

/** @type {Set<string>} the groups that were opened by hand */
const unfolded = new Set();

/** @param {HTMLElement} host @param {Editor} editor */
export function drawFields(host, editor) {
  const active = /** @type {any} */ (document.activeElement);
  if (host.contains(active) && /^(INPUT|TEXTAREA)$/.test(active.tagName) && active.dataset.own === "typing") return;
  const focus = host.contains(active) ? active.id : "";
  fill(
    host,
    ...editor.spec.fields.filter((group) => isOffered(group, editor.variant)).map((group) => drawGroup(editor, group)),
  );
  if (focus) /** @type {any} */ (host.querySelector(`#${CSS.escape(focus)}`))?.focus();
}

/** @param {Editor} editor @param {FormGroup} group */
function drawGroup(editor, group) {
  const rows = group.fields.map((field) => drawField(editor, field, Boolean(group.folded)));
  if (!group.folded) return el("section.form", {}, el("h3", {}, group.title), ...rows);
  const changed = group.fields.filter((field) => valueAt(editor.document, field.path) !== undefined).length;
  const details = el(
    "details.form",
    { open: unfolded.has(group.title) },
    el("summary", {}, group.title, changed > 0 && el("b.count", {}, String(changed))),
    ...rows,
  );
  details.addEventListener("toggle", () => (details.open ? unfolded.add(group.title) : unfolded.delete(group.title)));
  return details;
}

/** @param {FormField} field */
export function idOf(field) {
  return `field-${field.path.join("-")}`;
}

/** @param {Editor} editor @param {FormField} field @param {boolean} isRule whether a button resets it */
function drawField(editor, field, isRule) {
  const value = valueAt(editor.document, field.path);
  const isSet = value !== undefined && !(value === null && (field.container || !field.nullable));
  const input =
    field.choices || field.type === "bool" ? select(editor, field, value, isSet) : text(editor, field, value, isSet);
  const note = el("small.note", { id: `${idOf(field)}-note` }, field.doc ?? "");
  const clear =
    isRule &&
    isSet &&
    el(
      "button.clear",
      {
        title: "Back to the default",
        "aria-label": `${field.title}: back to the default`,
        onclick: () => set(editor, field, undefined),
      },
      "×",
    );
  const row = el(
    "div.field",
    {},
    el("label", { for: idOf(field) }, field.title),
    el("div.entry", {}, input, clear),
    note,
  );
  row.classList.toggle("changed", isRule && isSet);
  return row;
}

/** @param {Editor} editor @param {FormField} field @param {any} value */
function set(editor, field, value) {
  editor.model.edit((document) => setValue(document, field.path, value, field.container));
}

/** @param {Editor} editor @param {FormField} field @returns {string} the default in words; empty without a default */
function defaultOf(editor, field) {
  if (!field.defaults || !(editor.variant in field.defaults)) return "";
  return inWords(field.defaults[editor.variant]);
}

/** @param {any} value */
function inWords(value) {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.join(", ") || "nothing";
  return String(value).replaceAll("_", " ");
}

/** @param {Editor} editor @param {FormField} field @param {any} value @param {boolean} isSet */
function select(editor, field, value, isSet) {
  const choices = field.choices ?? [true, false];
  const texts = choices.map((choice) => JSON.stringify(choice));
  const preset = defaultOf(editor, field);
  const box = el("select", { id: idOf(field), "aria-describedby": `${idOf(field)}-note` });
  box.append(el("option", { value: "" }, preset ? `${preset} (default)` : "–"));
  choices.forEach((choice, index) => box.append(el("option", { value: texts[index] }, inWords(choice))));
  if (isSet && !texts.includes(JSON.stringify(value)))
    box.append(el("option", { value: JSON.stringify(value) }, `${inWords(value)} (?)`));
  box.value = isSet ? JSON.stringify(value) : "";
  box.addEventListener("change", () => set(editor, field, box.value === "" ? undefined : JSON.parse(box.value)));
  return box;
}

/** @param {Editor} editor @param {FormField} field @param {any} value @param {boolean} isSet */
function text(editor, field, value, isSet) {
  const long = field.type === "long";
  const shown = isSet ? (typeof value === "string" ? value : inWords(value)) : "";
  const box = el(long ? "textarea" : "input", {
    id: idOf(field),
    rows: long ? 3 : null,
    placeholder: defaultOf(editor, field),
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${idOf(field)}-note`,
  });
  if (field.type === "int") box.inputMode = "numeric";
  box.value = shown;
  let open = false;
  box.addEventListener("input", () => {
    const read = parse(field, box.value);
    box.setAttribute("aria-invalid", String(!read));
    box.dataset.own = "typing";
    if (!read) return;
    if (!open) editor.model.begin();
    open = true;
    set(editor, field, read.value);
  });
  box.addEventListener("change", () => {
    delete box.dataset.own;
    if (open) editor.model.commit();
    open = false;
  });
  box.addEventListener("blur", () => {
    delete box.dataset.own;
    if (box.getAttribute("aria-invalid") === "true") editor.tell("document");
  });
  return box;
}

/** @param {FormField} field @param {string} typed @returns {{value: any} | null} null if the text is no valid value */
function parse(field, typed) {
  if (field.type !== "int") return { value: typed === "" && !field.required ? undefined : typed };
  const word = typed.trim().toLowerCase();
  if (word === "") return { value: undefined };
  if (field.nullable && ["none", "null", "∞"].includes(word)) return { value: null };
  return /^[-+]?\d{1,9}$/.test(word) ? { value: Number(word) } : null;
}
