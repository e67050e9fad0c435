/**
 * The edited document and its history. A stroke of the brush is one step, for any number of tiles.
 * @module
 */

const MOST_STEPS = 500;

/**
 * @typedef {Record<string, any>} MapDocument a map file of any game
 */

export class Model extends EventTarget {
  /** @param {MapDocument} document */
  constructor(document) {
    super();
    this.steps = [JSON.stringify(document)];
    this.at = 0;
    this.document = document;
    this.saved = this.steps[0];
    this.open = false;
  }

  get text() {
    return this.steps[this.at];
  }

  get dirty() {
    return this.text !== this.saved;
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.steps.length - 1;
  }

  /** Begins a stroke: changes until `commit` are one step. */
  begin() {
    this.open = true;
  }

  /** @param {(document: MapDocument) => void} change changes the document in place */
  edit(change) {
    change(this.document);
    if (this.open) this.tell();
    else this.commit();
  }

  /** Ends a stroke. If nothing changed, no step is added. */
  commit() {
    this.open = false;
    const text = JSON.stringify(this.document);
    if (text === this.text) return;
    this.steps.splice(this.at + 1, Infinity, text);
    if (this.steps.length > MOST_STEPS) this.steps.shift();
    this.at = this.steps.length - 1;
    this.tell();
  }

  /** @param {MapDocument} document replaces the whole document, as one step of the history */
  replace(document) {
    this.document = document;
    this.commit();
  }

  undo() {
    if (this.open) this.commit();
    if (this.canUndo) this.go(this.at - 1);
  }

  redo() {
    if (this.canRedo) this.go(this.at + 1);
  }

  markSaved() {
    this.saved = this.text;
    this.tell();
  }

  /** @param {number} step */
  go(step) {
    this.at = step;
    this.document = JSON.parse(this.text);
    this.tell();
  }

  tell() {
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {any} document @param {(string | number)[]} path @returns {any} undefined where there is nothing */
export function valueAt(document, path) {
  return path.reduce(
    (value, key) => (value !== null && typeof value === "object" && Object.hasOwn(value, key) ? value[key] : undefined),
    document,
  );
}

/**
 * Sets a value, or removes it (with undefined). Containers are added and removed as needed.
 * @param {any} document @param {(string | number)[]} path @param {any} value
 * @param {any} [container] copied where a list or object is missing; an empty object if not given
 */
export function setValue(document, path, value, container) {
  const [key, ...rest] = path;
  if (!rest.length) {
    if (Array.isArray(document)) document[Number(key)] = value ?? null;
    else if (value === undefined) delete document[key];
    else document[key] = value;
    return;
  }
  let inner = Object.hasOwn(document, key) ? document[key] : undefined;
  if (inner === null || typeof inner !== "object") {
    if (value === undefined) return;
    inner = document[key] = container ? structuredClone(container) : {};
  }
  setValue(inner, rest, value, container);
  const empty = Array.isArray(inner) ? inner.every((one) => one === null) : !Object.keys(inner).length;
  if (empty) delete document[key];
}
