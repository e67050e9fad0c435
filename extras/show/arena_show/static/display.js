/**
 * A screen. It registers itself with a secret id that the browser keeps, gets its role from the server, and draws what
 * the server says: for `/display?overlay` on a transparent ground, for `/display?sounds` with sounds.
 */

import { el, fill } from "../viewer/dom.js";
import { noiseOf, play } from "../viewer/synth.js";
import { follow, now, sleep } from "./following.js";
import { clock, fit, isStill } from "./parts.js";
import { SCENES } from "./scenes.js";

/** @typedef {import("./following.js").State} State */

const KEY = "arena-show screens";
const ASKED = 150; // milliseconds in which other windows of this browser say which ids they have
const FADING = 250; // milliseconds
const PIECES = 22; // of paper
const options = new URLSearchParams(location.search);

class Display {
  constructor() {
    const overlay = options.has("overlay");
    document.documentElement.classList.toggle("overlay", overlay);
    this.place = el("b");
    this.title = el("bdi");
    this.hour = el("time");
    this.scenes = el("main");
    this.news = el("p.news", { role: "status" });
    this.clap = el("div.clap", { "aria-hidden": "true" });
    const blank = el("div.blank");
    this.header = el("header", {}, this.place, el("span.title", {}, this.title), this.hour);
    fill(document.body, this.header, this.scenes, this.news, this.clap, blank);
    /** @type {import("./scenes.js").Shown | null} */
    this.shown = null;
    this.key = "";
    this.drawn = "";
    this.applause = -1;
    addEventListener("resize", () => fit(document.body));
    setInterval(() => (this.hour.textContent = clock(now())), 1000);
    this.hour.textContent = clock(now());
  }

  /** @param {State} state */
  show(state) {
    const kind = kindOf(state);
    const scene = state.scene ?? { id: "", kind: "waiting" };
    const plays = kind === "match" || kind === "result"; // the board of a match stays for its result
    const key = plays ? `match ${scene.match}` : `${kind} ${scene.id}`;
    const drawn = JSON.stringify([scene, ...besides(kind, state)]);
    const first = this.key === "";
    if (key !== this.key || (drawn !== this.drawn && !this.shown?.update)) this.change(key, kind, state);
    else if (drawn !== this.drawn && this.shown) {
      this.shown.update?.(scene, state);
      fit(this.shown.node);
    }
    this.drawn = drawn;
    this.place.textContent =
      kind === "code" ? "" : ([scene.place, state.game].find((one) => typeof one === "string") ?? "");
    this.title.textContent = kind === "bracket" || kind === "table" ? (scene.title ?? "") : state.contest;
    this.news.textContent = (state.announcements ?? [])[0] ?? "";
    fit(this.header);
    const { dataset } = document.documentElement;
    Object.assign(dataset, {
      step: String(state.step ?? ""),
      role: state.role ?? "",
      kind,
      blank: String(Boolean(state.blank)),
    });
    if (!first && (state.applause ?? 0) > this.applause) this.celebrate();
    if (!first && dataset.heard !== key + kind) heard(kind, scene);
    dataset.heard = key + kind;
    this.applause = state.applause ?? 0;
  }

  /** @param {string} key @param {string} kind @param {State} state */
  change(key, kind, state) {
    const old = this.shown;
    const again = key === this.key;
    fill(this.clap);
    const next = SCENES[kind](state.scene, state);
    next.node.classList.add("scene");
    this.scenes.append(next.node);
    Object.assign(this, { key, shown: next });
    fit(next.node);
    if (next.enter) {
      next.enter();
      fit(next.node); // rows are new ones then
    }
    if (!isStill() && !again) next.node.animate({ opacity: [0, 1] }, { duration: FADING, easing: "ease-out" });
    old?.close?.();
    if (!old) return;
    old.node.animate({ opacity: [1, 0] }, { duration: isStill() || again ? 0 : FADING, fill: "forwards" });
    setTimeout(() => old.node.remove(), again ? 0 : FADING);
    if (kind === "award" && state.scene.place === 1) setTimeout(() => this.shown === next && this.celebrate(), 2000);
  }

  /** Lets paper rain; with reduced motion, nothing moves. */
  celebrate() {
    sound("chime");
    if (isStill()) return;
    const pieces = Array.from({ length: PIECES }, (_, at) => {
      const piece = el("i");
      const [x, turn] = [(at * 37 + 11) % 100, (at % 2 ? 1 : -1) * (300 + ((at * 71) % 400))];
      piece.style.left = `${x}%`;
      piece.style.background = `hsl(${(at * 67) % 360} 70% 62%)`;
      const [up, down] = ["translateY(-8vh)", `translateY(108vh) rotate(${turn}deg)`];
      piece.animate(
        { transform: [up, down] },
        { duration: 2600 + ((at * 131) % 1800), delay: (at * 53) % 700, fill: "both" },
      );
      return piece;
    });
    fill(this.clap, ...pieces);
    setTimeout(() => pieces[0].isConnected && fill(this.clap), 5200);
  }
}

/** @param {State} state */
function kindOf({ role, scene }) {
  if (!role) return "code";
  if (options.has("overlay")) return scene?.kind ?? "waiting";
  return ["next", "queue", "clock", "notes"].includes(role) ? role : (scene?.kind ?? "waiting");
}

// What a page is drawn from besides the scene.
function besides(/** @type {string} */ kind, /** @type {State} */ { next, queue, notes, code, ends }) {
  return { next: [next], queue: [queue], notes: [notes, next], code: [code], clock: [ends] }[kind] ?? [];
}

/** @type {{context: AudioContext, noise: AudioBuffer} | null} made for the first sound */
let speaker = null;

function sound(/** @type {string} */ name) {
  if (!options.has("sounds")) return;
  if (!speaker) {
    const context = new AudioContext();
    speaker = { context, noise: noiseOf(context) };
  }
  play(speaker.context, speaker.noise, speaker.context.destination, name);
}

function heard(/** @type {string} */ kind, /** @type {import("./following.js").Scene} */ scene) {
  if (kind === "result" || (kind === "award" && scene.place === 1)) sound("fanfare");
  else sound(kind === "award" || kind === "intro" ? "gong" : "blip");
}

/** The id of this window. A browser keeps the ids of all its windows, and gives each open window another one. */
async function identity() {
  const channel = new BroadcastChannel(KEY);
  const taken = new Set();
  channel.onmessage = ({ data }) => taken.add(data.mine);
  channel.postMessage({ ask: true });
  await sleep(ASKED);
  /** @type {string[]} */
  const known = JSON.parse(localStorage.getItem(KEY) ?? "[]");
  const mine = [sessionStorage.getItem(KEY), ...known].find((one) => one && !taken.has(one)) ?? fresh();
  sessionStorage.setItem(KEY, mine);
  localStorage.setItem(KEY, JSON.stringify([...new Set([...known, mine])]));
  channel.onmessage = ({ data }) => data.ask && channel.postMessage({ mine });
  return mine;
}

const fresh = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const display = new Display();
const address = `/display/state.json?id=${await identity()}&`;
follow(
  address,
  (state) => display.show(state),
  (status) => (document.documentElement.dataset.lost = String(status !== 200)),
);
