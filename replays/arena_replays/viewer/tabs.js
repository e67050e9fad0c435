/** The tabs beside the board. One panel is shown at a time. */

import { el } from "arena/dom";

/** @typedef {{node: HTMLElement, show?: () => void}} Panel `show` is called for each picture */

/** @type {Record<string, string>} */
const TITLES = { why: "Why", turn: "Turn", charts: "Charts", inspect: "Inspect", result: "Result" };

/** Dispatches `open` when a tab is opened. */
export class Tabs extends EventTarget {
  /** @param {string} current the tab that is open at first */
  constructor(current) {
    super();
    this.current = current;
    /** @type {Record<string, Panel>} */
    this.panels = {};
    /** @type {Record<string, HTMLElement>} */
    this.buttons = {};
    /** @type {Record<string, HTMLElement>} */
    this.sections = {};
    for (const [name, title] of Object.entries(TITLES)) {
      const onclick = () => this.press(name);
      const known = { id: `tab-${name}`, "aria-controls": `panel-${name}`, hidden: name === "why" };
      this.buttons[name] = el("button", { role: "tab", ...known, onclick }, title);
      const named = { id: `panel-${name}`, "aria-label": title };
      this.sections[name] = el("section.panel", { ...named, role: "tabpanel", tabindex: 0 });
    }
    this.bar = el("nav.tabs", { role: "tablist" }, ...Object.values(this.buttons));
    /** The tabs, and the button for "What if". */
    this.row = el("div.tabs-row", {}, this.bar);
    this.node = el("aside.side", {}, this.row, ...Object.values(this.sections));
  }

  /** @param {Record<string, Panel>} panels one for each tab */
  fill(panels) {
    this.panels = panels;
    for (const [name, { node }] of Object.entries(panels)) this.sections[name].append(node);
    this.open(this.current, false);
  }

  get offersWhy() {
    return !this.buttons.why.hasAttribute("hidden");
  }

  /** Opens a tab; on a phone, the open tab closes again. @param {string} name */
  press(name) {
    this.open(name, name !== this.current || this.node.dataset.open !== "true");
  }

  /** Offers the tab that is not on every page. */
  offerWhy() {
    this.buttons.why.removeAttribute("hidden");
  }

  /** @param {string} name @param {boolean} [raised] whether the sheet with the tabs opens on a phone */
  open(name, raised = true) {
    if (!Object.hasOwn(TITLES, name)) return;
    this.current = name;
    this.node.dataset.open = String(raised);
    for (const other of Object.keys(TITLES)) {
      this.sections[other].toggleAttribute("hidden", other !== name);
      this.buttons[other].setAttribute("aria-selected", String(other === name));
    }
    this.dispatchEvent(new Event("open"));
  }

  /** Brings the open panel up to date. */
  show() {
    this.panels[this.current].show?.();
  }
}
