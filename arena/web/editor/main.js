/**
 * The editor's page: connects the parts, checks while the user draws, saves and plays.
 * @module
 */

import { el, fill } from "arena/dom";

import { address, ask } from "./ask.js";
import { Editor, TOOLS } from "./editor.js";
import { valueAt } from "./model.js";
import { drawPalette, groupsOf, sign } from "./palette.js";
import { Panels } from "./panels.js";
import { Playing } from "./playing.js";
import { Stage } from "./stage.js";
import { SYMMETRIES } from "./symmetry.js";
import { look, onTheme, setDark } from "./theme.js";

const CHECK_AFTER = 120; // milliseconds without a change, after which the map is checked
const SIGNS = {
  undo: "M9 7L4.5 11.5 9 16M5 11.5h9a5 5 0 0 1 0 10h-2",
  redo: "M15 7l4.5 4.5L15 16M19 11.5h-9a5 5 0 0 0 0 10h2",
  theme: "M12 4.5a7.5 7.5 0 1 0 0 15zM12 4.5a7.5 7.5 0 1 1 0 15",
};
const KEYS = [
  ["1 – 9, 0", "choose a brush"],
  ["b u g e v", "pencil, rectangle, fill, eraser, select"],
  ["arrows, space", "move over the board, paint"],
  ["Delete", "erase, or remove the selected thing"],
  ["r, t", "turn what comes next (or is selected); its next team"],
  ["s", "the next symmetry"],
  ["Ctrl Z, Ctrl Y", "undo, redo"],
  ["Ctrl S, p", "save, play"],
  ["right button", "erase"],
];

class Page {
  /** @param {HTMLElement} host @param {any} config */
  constructor(host, config) {
    this.config = config;
    this.editor = new Editor(config);
    this.title = el("h1", {});
    this.state = el("span.state", { role: "status" });
    this.undo = this.button("undo", "Undo (Ctrl Z)", () => this.editor.model.undo());
    this.redo = this.button("redo", "Redo (Ctrl Y)", () => this.editor.model.redo());
    this.symmetry = el("select.symmetry", {
      id: "symmetry",
      "aria-label": "Symmetry",
      onchange: (/** @type {any} */ event) => this.editor.setSymmetry(event.target.value),
    });
    for (const one of SYMMETRIES) this.symmetry.append(el("option", { value: one.id }, one.title));
    const bar = el(
      "header.bar",
      {},
      el(
        "nav.crumbs",
        {},
        el("a", { href: address("") }, "Arena"),
        el("span", {}, "›"),
        el("a", { href: address(`rules/${config.game}`) }, config.gameTitle),
        el("span", {}, "›"),
        this.title,
      ),
      this.state,
      el(
        "div.settings",
        {},
        this.undo,
        this.redo,
        this.symmetry,
        this.button("theme", "Light or dark", () => setDark(!look.dark)),
        el("button.sign", { title: "Keys (?)", "aria-label": "Keys", onclick: () => this.help.showModal() }, "?"),
      ),
      el(
        "div.deeds",
        {},
        el("button.plain", { id: "save", title: "Save (Ctrl S)", onclick: () => this.save() }, "Save"),
        el("button.primary", { id: "play", title: "Play (p)", onclick: () => this.play() }, "Play"),
      ),
    );
    this.palette = el("aside.palette", { "aria-label": "Brushes" });
    const board = el("div.board-host", {});
    this.words = el("p.words", { id: "cell-text" });
    this.facts = el("p.facts", {});
    this.notice = el("p.notice", { role: "status", hidden: true });
    const side = el("aside.side", {});
    fill(
      host,
      bar,
      this.palette,
      el("main.main", {}, board, el("footer.foot", {}, this.words, this.facts), this.notice),
      side,
    );
    host.className = "editor";
    this.stage = new Stage(board, this.editor, look);
    const save = () => this.save();
    const download = () => this.download();
    this.panels = new Panels(side, this.editor, {
      show: (cell) => this.stage.show(cell),
      save,
      download,
      tell: (message, bad) => this.tell(message, bad),
    });
    this.playing = new Playing(document.body, this.editor);
    this.help = el(
      "dialog.help",
      {},
      el(
        "table",
        {},
        ...KEYS.map(([keys, what]) => el("tr", {}, el("th", {}, el("kbd", {}, keys)), el("td", {}, what))),
      ),
      el("form", { method: "dialog" }, el("button.plain", {}, "Close")),
    );
    document.body.append(this.help);
    this.naming = el("dialog.playing", { "aria-label": "Save" });
    document.body.append(this.naming);
    this.checking = 0;
    this.checks = 0;
    this.editor.addEventListener("change", (event) => this.changed(/** @type {CustomEvent} */ (event).detail));
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("beforeunload", (event) => this.editor.model.dirty && event.preventDefault());
    onTheme(() => this.changed("tool"));
    this.changed("document");
  }

  /** @param {keyof typeof SIGNS} name @param {string} title @param {() => void} run */
  button(name, title, run) {
    return el("button.sign", { title, "aria-label": title, id: name, onclick: run }, sign(SIGNS[name]));
  }

  /** @param {string} what */
  changed(what) {
    const { editor } = this;
    this.words.textContent = this.stage.words;
    this.stage.request();
    if (what === "cursor") return;
    const { model } = editor;
    this.undo.disabled = !model.canUndo;
    this.redo.disabled = !model.canRedo;
    this.symmetry.value = editor.symmetry;
    const title = valueAt(editor.document, editor.spec.title) || valueAt(editor.document, ["name"]);
    this.title.textContent = typeof title === "string" && title ? title.slice(0, 80) : "Without a name";
    this.facts.textContent = editor.facts.join("  ·  ");
    this.showState();
    if (what === "document") this.checkSoon();
    if (what !== "problems" && !(model.open && this.stage.doing)) drawPalette(this.palette, editor, look);
    if (what === "problems") this.panels.drawProblems();
    else if (what !== "tool" && !(model.open && this.stage.doing)) this.panels.draw();
  }

  showState() {
    const { editor } = this;
    const errors = editor.problems.filter((problem) => problem.error).length;
    const saved = editor.model.dirty ? "not saved" : editor.target ? `saved to ${editor.target}` : "";
    const verdict = !editor.checked ? "checking" : errors ? `${errors} problem${errors === 1 ? "" : "s"}` : "playable";
    this.state.className = `state ${errors ? "bad" : "good"}`;
    this.state.textContent = [verdict, saved].filter(Boolean).join(" · ");
  }

  checkSoon() {
    clearTimeout(this.checking);
    this.checking = window.setTimeout(() => this.check(), CHECK_AFTER);
  }

  async check() {
    const number = ++this.checks;
    try {
      const { problems, facts } = await ask(`check/${this.config.game}`, { document: this.editor.document });
      if (number !== this.checks) return;
      Object.assign(this.editor, { problems, facts, checked: true });
      this.editor.tell("problems");
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error), true);
    }
  }

  /** @param {string} message @param {boolean} [bad] */
  tell(message, bad) {
    this.notice.textContent = message;
    this.notice.className = bad ? "notice bad" : "notice";
    this.notice.hidden = false;
    clearTimeout(this.forgetting);
    this.forgetting = window.setTimeout(() => (this.notice.hidden = true), bad ? 12000 : 4000);
  }

  settle() {
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && /^(INPUT|TEXTAREA)$/.test(activeElement.tagName)) activeElement.blur();
    if (this.editor.model.open) this.editor.model.commit();
  }

  play() {
    this.settle();
    this.playing.open();
  }

  save() {
    this.settle();
    if (this.editor.target) this.send(this.editor.target, true);
    else this.askName();
  }

  fileName() {
    const name = valueAt(this.editor.document, ["name"]);
    const plain = String(typeof name === "string" ? name : "")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "");
    return `${plain.slice(0, 60) || this.editor.spec.noun}.json`;
  }

  /** @param {string} [complaint] @param {string} [name] */
  askName(complaint, name) {
    const box = el("input", { id: "file-name", "aria-label": "File name", autocomplete: "off", spellcheck: "false" });
    box.value = name ?? this.fileName();
    const send = (/** @type {boolean} */ replace) => {
      this.naming.close();
      this.send(box.value.trim().replace(/(\.json)?$/, ".json"), replace);
    };
    fill(
      this.naming,
      el("h2", {}, "Save as"),
      el("label.size", {}, el("span", {}, "File"), box),
      ...(complaint ? [el("p.complaint", { role: "alert" }, complaint)] : []),
      el(
        "div.buttons",
        {},
        el("button.primary", { id: "save-now", onclick: () => send(false) }, "Save"),
        complaint && el("button.plain", { onclick: () => send(true) }, "Replace it"),
        el("button.plain", { onclick: () => this.naming.close() }, "Back"),
      ),
    );
    box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && send(false));
    if (!this.naming.open) this.naming.showModal();
    box.select();
  }

  /** @param {string} name @param {boolean} replace */
  async send(name, replace) {
    const { model } = this.editor;
    const text = model.text;
    try {
      const answer = await ask(`save/${this.config.game}`, { document: JSON.parse(text), name, replace });
      if (answer.exists) return this.askName(answer.message, name);
      this.editor.target = name;
      model.saved = text;
      model.tell();
      this.tell(`Saved: ${name}. Play it with: ${answer.play}`);
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error), true);
    }
    return undefined;
  }

  download() {
    this.settle();
    const address = URL.createObjectURL(
      new Blob([`${JSON.stringify(this.editor.document, null, 2)}\n`], { type: "application/json" }),
    );
    const link = el("a", { href: address, download: this.editor.target || this.fileName() });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    const command = event.ctrlKey || event.metaKey;
    if (document.querySelector("dialog[open]") || event.altKey) return;
    const { editor } = this;
    const letter = event.key.toLowerCase();
    /** @type {Record<string, () => void>} */
    const commands = {
      z: () => (event.shiftKey ? editor.model.redo() : editor.model.undo()),
      y: () => editor.model.redo(),
      s: () => this.save(),
    };
    /** @type {Record<string, () => void>} */
    const keys = {
      r: () => editor.cycle("facing"),
      t: () => editor.cycle("first"),
      s: () => editor.nextSymmetry(),
      p: () => this.play(),
      "?": () => this.help.showModal(),
      escape: () => this.drop(),
    };
    for (const tool of TOOLS) keys[tool.key] = () => editor.setTool(tool.id);
    groupsOf(editor)
      .flatMap((group) => group.brushes)
      .slice(0, 10)
      .forEach(({ choice }, index) => (keys[String((index + 1) % 10)] = () => editor.choose(choice)));
    const run = command ? (typing && letter !== "s" ? undefined : commands[letter]) : typing ? undefined : keys[letter];
    if (!run) return;
    event.preventDefault();
    run();
  }

  drop() {
    this.editor.anchor = null;
    this.editor.selected = null;
    this.editor.tell("tool");
  }
}

const config = JSON.parse(document.getElementById("arena-config")?.textContent ?? "{}");
const page = new Page(/** @type {HTMLElement} */ (document.getElementById("page")), config);
Object.assign(globalThis, { arena: page });
document.documentElement.dataset.ready = "true";
