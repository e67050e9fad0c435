/**
 * The right column: the form, the board, the problems, and the file.
 * @module
 */

import { el, fill } from "arena/dom";

import { drawFields, idOf } from "./fields.js";
import { complete, flip, resize, shift, swapTeams, turnRight } from "./symmetry.js";

/** @typedef {import("./editor.js").Editor} Editor */
/**
 * @typedef {{show: (cell: {x: number, y: number}) => void, save: () => void, download: () => void,
 *   tell: (message: string, bad?: boolean) => void}} Actions
 */

export class Panels {
  /** @param {HTMLElement} host @param {Editor} editor @param {Actions} actions */
  constructor(host, editor, actions) {
    this.host = host;
    this.editor = editor;
    this.actions = actions;
    this.tab = "fields";
    /** @type {Record<string, any>} */
    this.panels = {
      fields: el("div.panel", { id: "panel-fields", role: "tabpanel" }),
      board: el("div.panel", { id: "panel-board", role: "tabpanel" }),
      problems: el("div.panel", { id: "panel-problems", role: "tabpanel" }),
      file: el("div.panel", { id: "panel-file", role: "tabpanel" }),
    };
    const titles = { fields: "Settings", board: "Board", problems: "Problems", file: "File" };
    /** @type {Record<string, any>} */
    this.tabs = Object.fromEntries(
      Object.entries(titles).map(([id, title]) => [
        id,
        el(
          "button",
          { role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => this.open(id) },
          title,
        ),
      ]),
    );
    fill(host, el("div.tabs", { role: "tablist" }, ...Object.values(this.tabs)), ...Object.values(this.panels));
    this.open("fields");
  }

  /** @param {string} tab */
  open(tab) {
    this.tab = tab;
    for (const [id, panel] of Object.entries(this.panels)) {
      panel.hidden = id !== tab;
      this.tabs[id].setAttribute("aria-selected", String(id === tab));
    }
    this.draw();
  }

  draw() {
    if (this.tab === "fields") drawFields(this.panels.fields, this.editor);
    if (this.tab === "board") this.drawBoard();
    if (this.tab === "file") this.drawFile();
    this.drawProblems();
  }

  /** Updates only what depends on the last check: the user is perhaps typing into another panel. */
  drawProblems() {
    if (this.tab === "problems") this.listProblems();
    const errors = this.editor.problems.filter((problem) => problem.error).length;
    const count = this.editor.problems.length;
    fill(
      this.tabs.problems,
      el("span", {}, "Problems"),
      ...(count ? [el(errors ? "b.count.bad" : "b.count", {}, String(count))] : []),
    );
  }

  listProblems() {
    const { editor } = this;
    const rows = editor.problems.map((problem) =>
      el(
        "li",
        {},
        el(
          problem.error ? "button.problem.error" : "button.problem",
          { "data-code": problem.code, onclick: () => this.lead(problem) },
          el("span", {}, problem.message),
          el(
            "small",
            {},
            [problem.cell ? `at ${problem.cell[0]}, ${problem.cell[1]}` : problem.where, problem.code]
              .filter(Boolean)
              .join(" · "),
          ),
        ),
      ),
    );
    const good = el("div.good", {}, el("b", {}, "Nothing is wrong."), ...editor.facts.map((fact) => el("p", {}, fact)));
    fill(this.panels.problems, rows.length ? el("ul.problems", {}, ...rows) : good);
  }

  /** Goes to the place of a problem. @param {import("./editor.js").Problem} problem */
  lead(problem) {
    if (problem.cell) return this.actions.show({ x: problem.cell[0], y: problem.cell[1] });
    const fields = this.editor.spec.fields.flatMap((group) => group.fields);
    const field =
      fields.find((one) => one.path.join(".") === problem.where) ??
      fields.find((one) => one.path[0] === problem.where.split(".")[0]);
    if (!field) return undefined;
    this.open("fields");
    const input = document.getElementById(idOf(field));
    input?.closest("details")?.setAttribute("open", "");
    input?.focus();
    return undefined;
  }

  drawBoard() {
    const { editor } = this;
    const { least, greatest } = editor.spec.size;
    const { width, height } = editor.size;
    const number = (
      /** @type {string} */ title,
      /** @type {number} */ value,
      /** @type {(value: number) => void} */ set,
    ) => {
      const box = el("input", {
        type: "number",
        min: least,
        max: greatest,
        value,
        "aria-label": title,
        id: `size-${title.toLowerCase()}`,
      });
      box.addEventListener("change", () => {
        const wanted = Math.round(Number(box.value));
        if (wanted >= least && wanted <= greatest) set(wanted);
        else box.value = String(value);
      });
      return el("label.size", {}, el("span", {}, title), box);
    };
    const button = (/** @type {string} */ title, /** @type {(spec: any, document: any) => void} */ change) =>
      el("button.plain", { onclick: () => editor.transform(change) }, title);
    const arrow = (
      /** @type {string} */ title,
      /** @type {string} */ text,
      /** @type {number} */ dx,
      /** @type {number} */ dy,
    ) =>
      el(
        "button.plain",
        {
          title,
          "aria-label": title,
          onclick: () => editor.transform((spec, document) => shift(spec, document, dx, dy)),
        },
        text,
      );
    const hasTeams = editor.spec.layers.some((layer) => layer.team);
    fill(
      this.panels.board,
      el(
        "section.form",
        {},
        el("h3", {}, `Size, ${least} to ${greatest}`),
        el(
          "div.row2",
          {},
          number("Width", width, (value) =>
            editor.transform((spec, document) => resize(spec, document, value, height)),
          ),
          number("Height", height, (value) =>
            editor.transform((spec, document) => resize(spec, document, width, value)),
          ),
        ),
      ),
      el(
        "section.form",
        {},
        el("h3", {}, "Turn and flip"),
        el(
          "div.buttons",
          {},
          button("Turn right", turnRight),
          button("Flip left – right", (spec, document) => flip(spec, document, true)),
          button("Flip top – bottom", (spec, document) => flip(spec, document, false)),
          hasTeams && button("Swap the teams", swapTeams),
        ),
      ),
      el(
        "section.form",
        {},
        el("h3", {}, "Shift"),
        el(
          "div.buttons",
          {},
          arrow("Left", "←", -1, 0),
          arrow("Up", "↑", 0, -1),
          arrow("Down", "↓", 0, 1),
          arrow("Right", "→", 1, 0),
        ),
      ),
      el(
        "section.form",
        {},
        el("h3", {}, "Complete"),
        el("p.empty", {}, "Makes the second part of the map a mirror image of the first."),
        el(
          "div.buttons",
          {},
          button("By half a turn", (spec, document) => complete(spec, document, "rotate")),
          button("Left – right", (spec, document) => complete(spec, document, "sides")),
          button("Top – bottom", (spec, document) => complete(spec, document, "ends")),
        ),
      ),
    );
  }

  drawFile() {
    const { editor } = this;
    const text = el("textarea.json", { rows: 16, spellcheck: "false", "aria-label": "The file" });
    text.value = JSON.stringify(editor.document, null, 1)
      .replace(/\n\s+(?=[^[\]{}]*[}\]])/g, " ")
      .slice(0, 400_000);
    const take = (/** @type {string} */ source) => {
      try {
        const read = JSON.parse(source);
        if (
          typeof read !== "object" ||
          read === null ||
          !Array.isArray(read[editor.spec.grid.key]) ||
          !read[editor.spec.grid.key].every((/** @type {any} */ row) => typeof row === "string" && row.length <= 128) ||
          read[editor.spec.grid.key].length > 128
        ) {
          throw new Error(`it is no ${editor.spec.noun} of this game`);
        }
        editor.selected = null;
        editor.model.replace(read);
        this.actions.tell("The map was loaded. Undo restores the previous one.");
      } catch (error) {
        this.actions.tell(`The map cannot be loaded: ${error instanceof Error ? error.message : error}`, true);
      }
    };
    const chosen = el("input", { type: "file", accept: ".json,application/json", hidden: true });
    chosen.addEventListener("change", async () => chosen.files[0] && take(await chosen.files[0].text()));
    fill(
      this.panels.file,
      el(
        "section.form",
        {},
        el("h3", {}, "File"),
        el("p.empty", {}, editor.target ? `Saved to ${editor.target}` : "Not saved to a file yet."),
        el(
          "div.buttons",
          {},
          el("button.plain", { onclick: this.actions.save }, "Save"),
          el("button.plain", { onclick: this.actions.download }, "Download"),
          el("button.plain", { onclick: () => chosen.click() }, "Open…"),
          chosen,
        ),
      ),
      el(
        "section.form",
        {},
        el("h3", {}, "As JSON"),
        text,
        el("div.buttons", {}, el("button.plain", { onclick: () => take(text.value) }, "Take over")),
      ),
    );
  }
}
