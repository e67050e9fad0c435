/** The editor: CodeMirror with Python, and with what Python itself knows about the code. */

import * as cm from "./editor/codemirror.js";
import { make } from "./make.js";
import { text } from "./python.js";

/**
 * @typedef {{
 *   run: () => boolean, changed: (code: string) => void,
 *   complete: (code: string, line: number, column: number, prefix: string) => Promise<any[] | null>,
 *   about: (label: string) => Promise<string>,
 *   explain: (code: string, line: number, column: number) => Promise<string>
 * }} Asked
 */
/** @typedef {{line: number, message: string, severity: "error" | "warning", column?: number}} Mark */

const colors = cm.HighlightStyle.define([
  { tag: [cm.tags.keyword, cm.tags.operatorKeyword, cm.tags.modifier], color: "var(--code-word)" },
  { tag: [cm.tags.string, cm.tags.special(cm.tags.string)], color: "var(--code-text)" },
  { tag: [cm.tags.number, cm.tags.bool, cm.tags.null], color: "var(--code-number)" },
  { tag: cm.tags.comment, color: "var(--dim)", fontStyle: "italic" },
  {
    tag: [cm.tags.function(cm.tags.variableName), cm.tags.function(cm.tags.definition(cm.tags.variableName))],
    color: "var(--code-name)",
  },
  { tag: [cm.tags.className, cm.tags.definition(cm.tags.className)], color: "var(--code-name)", fontWeight: "600" },
  { tag: cm.tags.self, color: "var(--code-number)" },
]);

export class Editor {
  /** @param {HTMLElement} host @param {Asked} page what the editor asks of the page */
  constructor(host, page) {
    this.page = page;
    const root = host.attachShadow({ mode: "open" });
    const place = make("div", { id: "place" });
    root.append(place);
    root.adoptedStyleSheets = [new CSSStyleSheet()];
    text("editor.css").then((rules) => root.adoptedStyleSheets.at(-1)?.replace(rules));
    this.extensions = [
      cm.Prec.highest(cm.keymap.of([{ key: "Mod-Enter", run: () => page.run() }])),
      cm.basicSetup,
      cm.keymap.of([cm.indentWithTab]),
      cm.python(),
      cm.indentUnit.of("    "),
      cm.syntaxHighlighting(colors),
      cm.autocompletion({ override: [(context) => this.complete(context)], activateOnTypingDelay: 10 }),
      cm.hoverTooltip((view, position) => this.hover(view, position), { hoverTime: 400 }),
      cm.EditorView.lineWrapping,
      cm.EditorView.contentAttributes.of({ "aria-label": "The code of your bot, in Python", tabindex: "0" }),
      cm.EditorView.updateListener.of((update) => update.docChanged && page.changed(this.code)),
    ];
    this.view = new cm.EditorView({ parent: place, root, state: this.state("") });
  }

  /** @param {string} code */
  state(code) {
    return cm.EditorState.create({ doc: code, extensions: this.extensions });
  }

  get code() {
    return this.view.state.doc.toString();
  }

  /** Opens another file. Undo does not lead back to the one before. @param {string} code */
  open(code) {
    this.view.setState(this.state(code));
  }

  /** Marks lines. @param {Mark[]} marks */
  mark(marks) {
    const { doc } = this.view.state;
    const found = marks
      .filter(({ line }) => line >= 1 && line <= doc.lines)
      .map(({ line, column, message, severity }) => {
        const { from, to, text } = doc.line(line);
        const start = Math.min(to, from + (column ? column - 1 : text.length - text.trimStart().length));
        return { from: start, to: Math.max(start, to), message, severity };
      });
    this.view.dispatch(cm.setDiagnostics(this.view.state, found));
  }

  /** @param {number} line */
  goTo(line) {
    const { doc } = this.view.state;
    const { from } = doc.line(Math.max(1, Math.min(doc.lines, line)));
    this.view.dispatch({ selection: { anchor: from }, effects: cm.EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  /** @param {any} context */
  async complete(context) {
    const word = context.matchBefore(/\w*/);
    if (word.from === word.to && !context.explicit && context.matchBefore(/[.\w]$/) === null) return null;
    const line = context.state.doc.lineAt(context.pos);
    const found = await this.page.complete(this.code, line.number, context.pos - line.from, word.text);
    if (!found?.length || context.aborted) return null;
    const info = async ({ label }) => about(await this.page.about(label));
    const options = found.map(({ label, type }) => ({ label, type, info }));
    return { from: word.from, options, validFor: /^\w*$/ };
  }

  /** @param {any} view @param {number} position */
  async hover(view, position) {
    const line = view.state.doc.lineAt(position);
    const found = await this.page.explain(this.code, line.number, position - line.from);
    return found ? { pos: position, create: () => ({ dom: about(found) }) } : null;
  }
}

/** @param {string} found documentation */
const about = (found) => (found ? make("div", { class: "cm-about" }, found) : null);
