/** The page: the editor on the left, the board on the right, and what happened below it. */

import { Contest } from "./contest.js";
import { Editor } from "./editor.js";
import { button, fill, make } from "./make.js";
import { PATIENT, Python, python, text } from "./python.js";
import { Series } from "./series.js";
import { archive, fromLink, Store, save, toLink } from "./store.js";

const BY_HAND = "by hand";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

class Page {
  /** @param {any} config */
  constructor(config) {
    this.config = config;
    this.python = python;
    /** @type {Python | null} the second Python, for completions while a match runs */
    this.helper = null;
    /** @type {Uint8Array | null} the replay that is shown */
    this.replay = null;
    this.shows = false;
    /** @type {any} where a person chooses actions */
    this.panel = null;
    /** How many matches and moves have ended. */
    this.played = 0;
    this.editor = new Editor($("editor"), {
      run: () => {
        this.run();
        return true;
      },
      changed: (code) => this.changed(code),
      complete: (code, line, column, prefix) => this.ask("complete", { code, line, column, prefix }),
      about: async (label) => (await this.ask("about", { label })) ?? "",
      explain: async (code, line, column) => (await this.ask("explain", { code, line, column })) ?? "",
    });
    this.series = new Series(this);
    fill(
      $("game"),
      ...config.games.map(({ name, title }) => make("option", { value: name }, title)),
      ...config.without.map((/** @type {string} */ text) => make("option", { disabled: true }, text)),
    );
    if (config.contest) this.contest = new Contest(this, config.contest);
    $("version").textContent = `Arena ${config.version}`;
    this.connect();
  }

  async begin() {
    const linked = new URLSearchParams(location.hash.slice(1));
    const code = await fromLink(location.hash);
    const wanted = linked.get("game") ?? localStorage.getItem("arena-playground game");
    const game = this.config.games.find(({ name }) => name === wanted) ?? this.config.games[0];
    $("game").value = game.name;
    this.play(game);
    // Code from a link is shown, and runs only when the user presses Run.
    if (code) {
      this.store.add("shared", code);
      history.replaceState(null, "", location.pathname);
      this.open();
      this.say("This code came with the link. Read it before you run it.");
    } else if (linked.has("code")) this.say("The code of this link cannot be read, or it is too long.", true);
    else this.say("Python is loading…");
    document.documentElement.dataset.ready = "editor";
    try {
      await this.python.ready;
      if (!linked.has("code")) this.say("Ready. Ctrl+Enter runs a match.");
      document.documentElement.dataset.ready = "true";
      // Only now, so that the files that Python needed are loaded once.
      await navigator.serviceWorker?.register("offline.js").catch(() => {});
    } catch (error) {
      this.say(message(error), true);
    }
  }

  /** Starts the editor's Python when the editor is first used: it takes as much as the Python that plays. */
  async help() {
    await this.python.ready;
    this.helper ??= new Python(["arena", "jedi", ...this.config.wheels], PATIENT);
    await this.helper.ready;
  }

  connect() {
    $("controls").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    $("stop").addEventListener("click", () => {
      this.python.stop("Stopped.");
      if (this.series.second?.busy) this.series.second.stop("Stopped.");
    });
    $("game").addEventListener("change", () => {
      localStorage.setItem("arena-playground game", $("game").value);
      this.play(this.config.games.find(({ name }) => name === $("game").value));
    });
    $("bot").addEventListener("change", () => {
      this.store.current = $("bot").value;
      this.store.write();
      this.open();
    });
    const tabs = [...document.querySelectorAll('[role="tab"]')];
    for (const [at, tab] of tabs.entries()) {
      tab.addEventListener("click", () => this.tab(tab.id.slice(4)));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[/** @type {KeyboardEvent} */ (event).key];
        if (!step) return;
        const next = tabs[(at + step + tabs.length) % tabs.length];
        this.tab(next.id.slice(4));
        next.focus();
      });
    }
    document.addEventListener("keydown", (event) => {
      const elsewhere = /** @type {HTMLElement} */ (event.target).closest("#editor, [role=tab]");
      // The frame of the board hears only its own keys.
      if (this.panel?.node.isConnected && !elsewhere) this.panel.key(event);
    });
    for (const kind of ["focusin", "pointerenter"])
      $("editor").addEventListener(kind, () => this.help().catch((error) => this.say(message(error), true)));
    this.menu();
    $("file").addEventListener("change", () => $("file").files[0] && this.take($("file").files[0]));
    this.drops(globalThis);
    addEventListener("message", (event) => {
      if (event.source !== $("board").contentWindow || event.data?.kind !== "board") return;
      this.drops($("board").contentWindow); // where the browser would open the file itself
      this.board.moved = () => this.place();
      this.place(); // the board of the game before may have had a position
      if (this.replay) this.draw(true);
    });
    $("on").addEventListener("click", () => this.branch(false));
    $("by-hand").addEventListener("click", () => this.branch(true));
  }

  menu() {
    const acts = {
      new: () => this.store.add("my_bot", this.game.files["main.py"]),
      remove: () => this.store.remove(),
      open: () => $("file").click(),
      save: () => save("main.py", this.editor.code),
      download: async () => save(`${this.store.current}.zip`, await this.packed()),
      share: () => this.share(),
    };
    for (const [id, act] of Object.entries(acts))
      $(id).addEventListener("click", async () => {
        document.querySelector("details.menu")?.removeAttribute("open");
        await act();
        if (id === "new" || id === "remove") this.open();
      });
    document.addEventListener("click", (event) => {
      const menu = document.querySelector("details.menu");
      if (menu && !menu.contains(/** @type {Node} */ (event.target))) menu.removeAttribute("open");
    });
  }

  /** Takes files that are dropped on a window. @param {any} window */
  drops(window) {
    window.addEventListener("dragover", (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    window.addEventListener("dragleave", (/** @type {DragEvent} */ event) => {
      if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    window.addEventListener("drop", (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (file) this.take(file);
    });
  }

  /** Opens a file of the user: a bot, or a replay. @param {File} file */
  async take(file) {
    if (file.name.endsWith(".py")) {
      this.store.add(file.name.replace(/\.py$/, ""), await file.text());
      this.open();
    } else if (file.name.endsWith(".arena")) {
      this.replay = new Uint8Array(await file.arrayBuffer());
      this.draw(true);
      this.say(`${file.name} is on the board.`);
    } else this.say("Drop a Python file (.py) or a replay (.arena).", true);
  }

  /** Changes the game. @param {any} game */
  play(game) {
    this.game = game;
    this.store = new Store(game.name, game.files["main.py"]);
    this.replay = null;
    $("board").src = `board/${game.name}.html`;
    $("rules").href = `rules/${game.name}.html`;
    fill($("map"), ...["", ...game.maps].map((name) => make("option", { value: name }, name || "of the game")));
    $("map-label").hidden = !game.maps.length;
    const sides = [...Array(game.players[0]).keys()];
    fill($("side"), ...sides.map((at) => make("option", { value: at }, `player ${at + 1}`)));
    this.open();
  }

  /** Shows the current bot. */
  open() {
    const { store, game } = this;
    const names = Object.keys(store.bots);
    fill($("bot"), ...names.map((name) => make("option", { value: name, selected: name === store.current }, name)));
    const before = $("opponent").value;
    const built = game.bots.map(({ name, doc }) => make("option", { value: `builtin:${name}`, title: doc }, name));
    const any = game.further.map(({ name, doc, reference }) =>
      make("option", { value: `builtin:${reference}`, title: doc }, name),
    );
    const own = names.map((name) => make("option", { value: `own:${name}` }, name));
    fill(
      $("opponent"),
      make("optgroup", { label: "Built-in bots" }, ...built),
      any.length > 0 && make("optgroup", { label: "Plays every game" }, ...any),
      make("optgroup", { label: "Your bots" }, ...own),
      make("optgroup", { label: "You" }, make("option", { value: BY_HAND }, "yourself, by hand")),
    );
    if ([...$("opponent").options].some(({ value }) => value === before)) $("opponent").value = before;
    this.editor.open(store.bot.code);
    this.welcome();
    this.versions();
    this.series.show();
  }

  /** Says what to do first. */
  welcome() {
    const { bots } = this.game;
    fill($("output"), $(bots.length ? "welcome" : "alone").content.cloneNode(true));
    for (const [at, one] of $("output").querySelectorAll("strong").entries())
      one.textContent = bots[at]?.name ?? one.textContent;
    for (const one of $("output").querySelectorAll("[data-do]"))
      one.addEventListener("click", () => (one.dataset.do === "run" ? this.run() : this.tab("ladder")));
  }

  versions() {
    const { store } = this;
    const rows = store.bot.versions.map(({ at, code }) =>
      button(new Date(at).toLocaleString(), () => {
        store.keep();
        store.change(code);
        this.open();
      }),
    );
    fill($("versions"), ...(rows.length ? rows : [make("p", { class: "dim" }, "Each run keeps one.")]));
  }

  /** @param {string} code */
  changed(code) {
    this.store?.change(code);
    if (this.store?.forgets) this.say("This browser keeps nothing: save your code as a file.", true);
    clearTimeout(this.checking);
    const timer = setTimeout(async () => {
      const wrong = await this.ask("check", { code });
      if (timer === this.checking) this.editor.mark(wrong ? [{ ...wrong, severity: "error" }] : []);
    }, 500);
    this.checking = timer;
  }

  /** Asks the second Python, which is only for the editor. @param {string} name @param {any} request */
  async ask(name, request) {
    if (!this.helper) return null;
    try {
      return await this.helper.call(name, { game: this.game.name, ...request });
    } catch {
      return null; // it starts again
    }
  }

  // -- a match -------------------------------------------------------------------------------------

  /** The files of the user's bot. @param {string} [name] */
  bot(name = this.store.current) {
    return { "main.py": this.store.bots[name].code };
  }

  get seed() {
    return Math.max(0, Math.round(Number($("seed").value))) || 1;
  }

  /** What plays on the other seats. */
  opponent() {
    const [kind, name] = $("opponent").value.split(/:(.*)/);
    return kind === BY_HAND ? null : kind === "own" ? this.bot(name) : name;
  }

  /** Who plays, by seat. @param {boolean} [byHand] whether the person plays the seat of their bot */
  seats(byHand = false) {
    const rival = this.opponent();
    const side = Number($("side").value);
    const all = Array.from({ length: this.game.players[0] }, (_, at) => at);
    const label = rival === null ? "you" : $("opponent").selectedOptions[0].textContent;
    return {
      players: all.map((at) => (at !== side ? rival : byHand ? null : this.bot())),
      names: all.map((at) => (at !== side ? label : byHand ? "you" : this.store.current)),
      seed: this.seed,
    };
  }

  async run() {
    const options = $("map").value ? { map: $("map").value } : {};
    this.store.keep();
    this.versions();
    await this.match({ ...this.seats(), options });
  }

  /** Plays on from the position on the board. @param {boolean} byHand */
  async branch(byHand) {
    const { frame } = this.board.place;
    this.store.keep();
    await this.match({ ...this.seats(byHand), options: {}, frame, same_dice: $("same").checked }, this.replay);
  }

  /** Names the position on the board. */
  place() {
    const place = this.board?.place;
    $("what-if").hidden = !place;
    $("branches").hidden = Boolean(place?.over);
    if (place) $("turn").textContent = place.over ? "What if? Go back a turn." : `What if, turn ${place.turn}:`;
  }

  get board() {
    return $("board").contentWindow?.board;
  }

  /** Plays a match and shows it. @param {any} request @param {Uint8Array | null} start the replay in which it starts */
  async match(request, start = null) {
    this.tab("output");
    fill($("output"), make("p", { class: "dim" }, "The match is being played."));
    $("board").scrollIntoView({ block: "nearest" }); // on a phone, it is below the code
    await this.work("match", { game: this.game.name, ...request }, true, start);
  }

  /**
   * @param {string} name @param {any} request @param {boolean} [anew] whether another replay begins
   * @param {Uint8Array | null} start the replay in which the match starts
   */
  async work(name, request, anew = false, start = null) {
    if (this.python.busy) return;
    const began = performance.now();
    this.busy(true);
    this.checking = clearTimeout(this.checking); // the marks of the match stay
    this.shows = !anew;
    try {
      const heard = (/** @type {string} */ kind, /** @type {any} */ data) => {
        if (kind !== "replay" && kind !== "whole") return;
        this.replay = data;
        this.draw(!this.shows, kind === "whole");
        this.shows = true;
      };
      const found = await this.python.call(name, request, heard, start);
      this.report(found);
      this.board?.weigh(found.advantage);
      const seconds = ((performance.now() - began) / 1000).toFixed(2);
      if (found.over) this.say(`${found.headline || "No winner"} (${seconds} s)`);
      if (found.restart) this.python.stop("");
    } catch (error) {
      fill($("output"), problem({ message: message(error), hint: "Your code is kept. Change it, and run it again." }));
      this.say(message(error), true);
    } finally {
      this.busy(false);
      this.played++;
    }
  }

  /** @param {boolean} busy */
  busy(busy) {
    $("stop").hidden = !busy;
    $("run").disabled = busy;
    if (busy) this.say(this.python.runs ? "Playing…" : "Python is loading…");
  }

  /** Draws the replay. @param {boolean} first @param {boolean} [whole] see `Board.show` */
  draw(first, whole = false) {
    const { board } = this;
    return board && this.replay ? board.show(this.replay, first, whole) : null;
  }

  /** Shows what was said, refused and raised. @param {any} found */
  report(found) {
    const { editor } = this;
    const failures = [...(found.mishap ? [found.mishap] : []), ...(found.failures ?? [])];
    if (found.mishap) this.say(found.mishap.message, true);
    const refusals = grouped(found.refusals ?? []);
    /** @type {import("./editor.js").Mark[]} */
    const marks = failures.filter(({ file }) => file === "main.py").map((one) => ({ ...one, severity: "error" }));
    for (const { line, file, text, count } of refusals)
      if (file === "main.py") marks.push({ line, message: `Refused ${times(count)}: ${text}`, severity: "warning" });
    editor.mark(marks);
    const lead = (/** @type {any} */ { file, line }) =>
      file === "main.py" && line ? button(`line ${line}`, () => editor.goTo(line), "link") : "";
    const prints = found.prints ?? [];
    const silent = !failures.length && !refusals.length && !prints.length;
    fill(
      $("output"),
      ...failures.slice(0, 12).map((one) => problem(one, lead(one))),
      refusals.length > 0 &&
        make(
          "div",
          { class: "problem mild" },
          make("strong", {}, `${found.refused} refused actions`),
          ...refusals.slice(0, 12).map((one) => make("div", {}, `${times(one.count)} ${one.text} `, lead(one))),
        ),
      prints.length > 0 && make("div", { class: "said" }, ...prints.slice(-500).flatMap((one) => this.line(one))),
      found.over && make("p", {}, make("strong", {}, `${found.headline || "No winner"}.`)),
      found.over &&
        !failures.length &&
        !this.store.beaten.length &&
        this.game.bots.length > 0 &&
        $("next").content.cloneNode(true),
      silent && !found.ask && make("p", { class: "dim" }, "Your bot printed nothing, and nothing was refused."),
    );
    if (found.ask) this.asks(found.ask);
  }

  /** @param {any} note */
  line({ turn, player, kind, payload }) {
    const place = turn === null ? "start" : `turn ${turn}`;
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    const lead = button(place, () => this.board?.seek(turn ?? 0), "link");
    return [make("span", {}, lead, ` player ${player + 1}`), make("pre", { class: kind }, text)];
  }

  /** Lets the person choose an action, below the board or by a click on it. @param {any} ask */
  async asks(ask) {
    const act = (/** @type {any} */ order) => {
      panel.wait("The others move.");
      this.work("act", order);
    };
    const orders = {
      send: (/** @type {any} */ { action }) => act({ action }),
      resign: () => act({ resign: true }),
      next: () => {},
    };
    const panel = await this.board.ask(ask, orders);
    this.panel = panel;
    $("output").prepend(panel.node);
    panel.search.focus();
    this.say(panel.status.textContent);
  }

  // -- files ---------------------------------------------------------------------------------------

  /** The files of the current bot's folder, without the typed module. */
  folder() {
    const files = { ...this.game.files, "main.py": this.editor.code };
    files["bot.toml"] = `name = "${this.store.current}"\n${files["bot.toml"]}`;
    return files;
  }

  /** The folder as a .zip file. The page makes it and not Python, which may have run the code of others. */
  async packed() {
    const typed = `${this.game.name}.py`;
    return archive(this.store.current, { ...this.folder(), [typed]: await text(`typed/${typed}`) });
  }

  async share() {
    const address = location.href.split("#")[0] + (await toLink(this.game.name, this.editor.code));
    try {
      await navigator.clipboard.writeText(address);
      this.say("The link is in the clipboard. Whoever opens it sees your code.");
    } catch {
      history.replaceState(null, "", address);
      this.say("Copy the address of this page: it has your code in it.");
    }
  }

  // -- words ---------------------------------------------------------------------------------------

  /** @param {string} name */
  tab(name) {
    for (const one of ["output", "many", "ladder"]) {
      $(one).hidden = one !== name;
      $(`tab-${one}`).setAttribute("aria-selected", String(one === name));
      $(`tab-${one}`).tabIndex = one === name ? 0 : -1;
    }
  }

  /** @param {string} text @param {boolean} [bad] */
  say(text, bad = false) {
    $("status").textContent = text;
    $("status").classList.toggle("bad", bad);
  }
}

/** @param {unknown} error */
function message(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {any} one what went wrong @param {...any} lead */
function problem({ message: text, hint, traceback, turn }, ...lead) {
  const where = turn === null || turn === undefined ? "" : `In turn ${turn}: `;
  return make(
    "div",
    { class: "problem", role: "alert" },
    make("strong", {}, where + text),
    " ",
    ...lead,
    hint && make("p", {}, hint),
    traceback && make("pre", {}, traceback),
  );
}

/** @param {number} count */
function times(count) {
  return count === 1 ? "once" : `${count} times`;
}

/** Refusals with the same reason at the same line, the most frequent first. @param {any[]} refusals */
function grouped(refusals) {
  /** @type {Map<string, any>} */
  const groups = new Map();
  for (const { code, message: text, action, file, line } of refusals) {
    const key = `${line} ${code}`;
    const one = groups.get(key) ?? { file, line, text: `${action.type}: ${text}`, count: 0 };
    one.count++;
    groups.set(key, one);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

const page = new Page(JSON.parse($("config").textContent));
Object.assign(globalThis, { page });
page.begin();
