/**
 * Plays the map with built-in bots, and shows the match.
 * @module
 */

import { el, fill } from "arena/dom";

import { address, ask } from "./ask.js";

/** @typedef {import("./editor.js").Editor} Editor */

const STATUS_EVERY = 150; // milliseconds between two requests for the state of a running match

export class Playing {
  /** @param {HTMLElement} host @param {Editor} editor */
  constructor(host, editor) {
    this.editor = editor;
    this.dialog = el("dialog.playing", { "aria-label": "Play" });
    this.body = el("div", {});
    this.dialog.append(this.body);
    host.append(this.dialog);
    const { bots } = editor.config;
    /** @type {string[]} */
    // the second strongest bot, since the strongest one thinks longest
    this.bots = Array.from({ length: editor.config.players }, () => bots[Math.max(0, bots.length - 2)]?.name ?? "");
    /** @type {number | null} */
    this.trial = null;
    this.dialog.addEventListener("close", () => this.stop());
  }

  open() {
    this.dialog.classList.remove("watching");
    this.ask("");
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** @param {string} complaint */
  ask(complaint) {
    const { editor } = this;
    const errors = editor.problems.filter((problem) => problem.error).length;
    const { bots } = editor.config;
    const choosers = this.bots.map((chosen, player) => {
      const box = el("select", {
        id: `bot-${player}`,
        onchange: (/** @type {any} */ event) => (this.bots[player] = event.target.value),
      });
      for (const bot of bots)
        box.append(el("option", { value: bot.name, selected: bot.name === chosen }, `${bot.name} – ${bot.doc}`));
      return el("label.size", {}, el("span", {}, `Player ${player + 1}`), box);
    });
    const why =
      complaint ||
      (errors
        ? "There are problems: the map cannot be played yet."
        : bots.length
          ? ""
          : "This game has no built-in bots.");
    const start = el(
      "button.primary",
      { disabled: Boolean(errors || !bots.length), onclick: () => this.start() },
      "Play",
    );
    fill(
      this.body,
      el("h2", {}, "Play it"),
      ...choosers,
      ...(why ? [el("p.complaint", { role: "alert" }, why)] : []),
      el("div.buttons", {}, start, el("button.plain", { onclick: () => this.dialog.close() }, "Back")),
    );
    start.focus();
  }

  async start() {
    const progress = el("p.progress", { role: "status" }, "Starting…");
    fill(
      this.body,
      el("h2", {}, "Playing"),
      progress,
      el("div.spinner", {}),
      el("div.buttons", {}, el("button.plain", { onclick: () => this.dialog.close() }, "Stop")),
    );
    try {
      const { trial } = await ask(`play/${this.editor.config.game}`, {
        document: this.editor.document,
        bots: this.bots,
      });
      this.trial = trial;
      while (this.trial === trial) {
        const status = await ask(`trial/${trial}`);
        if (this.trial !== trial) return;
        if (status.state === "failed") throw new Error([status.message, status.hint].filter(Boolean).join(" "));
        if (status.state !== "playing" && status.state !== "waiting") {
          this.trial = null;
          return this.show(status);
        }
        progress.textContent = status.turn ? `Turn ${status.turn}   ${status.scores.join(" : ")}` : "Starting…";
        await new Promise((done) => setTimeout(done, STATUS_EVERY));
      }
    } catch (error) {
      this.trial = null;
      this.ask(error instanceof Error ? error.message : String(error));
    }
    return undefined;
  }

  /** @param {any} status */
  show(status) {
    if (!/^view\/\d+$/.test(status.view)) return this.ask("The match has no replay.");
    const view = address(status.view);
    this.dialog.classList.add("watching");
    fill(
      this.body,
      el(
        "header",
        {},
        el("b", {}, status.result),
        el("a", { href: view, target: "_blank", rel: "noopener" }, "Open in a tab"),
        el("button.plain", { onclick: () => this.open() }, "Again"),
        el("button.primary", { onclick: () => this.dialog.close() }, "Back to the map"),
      ),
      el("iframe", { src: view, title: "The match" }),
    );
    return undefined;
  }

  stop() {
    const { trial } = this;
    this.trial = null;
    fill(this.body);
    if (trial !== null) ask(`stop/${trial}`, {}).catch(() => null);
  }
}
