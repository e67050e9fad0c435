/**
 * A match on a screen: the board of the viewer in a frame, the players with their scores, who leads and why, what the
 * bots themselves say, and what the things on the board are. The replay in the frame grows at the pace of the show.
 */

import { el, fill } from "../viewer/dom.js";
import { face, fit, name, percent, tinted } from "./parts.js";

const PATIENCE = 6000; // milliseconds after which a frame that shows nothing is loaded again: the server was away
const MOST_LETTERS = 110; // of what happened in the turn that made the lead
const MOST_KINDS = 7; // of things in a legend
const SPEEDS = [0.25, 16]; // of the movements on the board; slower and faster ones look broken
const REMEMBERED = 15 * 60_000; // milliseconds after which a kind of things is explained again: people come and go
/** @type {Map<string, {match?: string, at: number}>} where and when this page has explained a kind of things */
const explained = new Map();

export class Stage {
  /** @param {import("./following.js").Scene} scene */
  constructor(scene) {
    this.dark = true;
    this.scores = (scene.players ?? []).map(() => el("b.score"));
    this.sides = el("div.sides");
    this.leads = el("p.leads");
    this.chances = el("div.chances");
    this.legend = el("ul.legend");
    this.moment = el("p.moment", { role: "status" });
    this.banner = el("div.ended", { hidden: true });
    this.frame = el("iframe", { title: "The board", tabindex: -1 });
    const aside = el("aside", {}, el("div.why", {}, this.chances, this.leads), this.legend);
    const board = el("div.frame", {}, this.frame, this.banner, this.moment);
    this.node = el(`div.stage.of${Math.min(scene.players?.length ?? 2, 9)}`, {}, this.sides, board, aside);
    /** @type {any} the viewer in the frame, when it has read the replay */
    this.app = null;
    this.loaded = 0;
    this.watched = "";
    /** @type {Map<string, HTMLElement>} the kinds of things in the legend */
    this.known = new Map();
    fill(this.sides, ...(scene.players ?? []).map((player, at) => this.side(player, at)));
    this.timer = setInterval(() => this.look(), 200);
    this.update(scene);
  }

  /** @param {import("./following.js").Player} player @param {number} at */
  side(player, at) {
    return tinted(
      el("div.side", { "data-key": player.name }, face(player), name(player.name, 2), this.scores[at]),
      player,
    );
  }

  /** @param {import("./following.js").Scene} scene */
  update(scene) {
    this.scene = scene;
    const { watch, players = [], leads, claims = [], moment, kind } = scene;
    if (watch && this.watched !== watch) this.load(watch);
    this.node.classList.toggle("over", kind === "result");
    this.node.classList.toggle("paused", Boolean(scene.paused));
    this.moment.textContent = moment?.title ?? "";
    this.moment.classList.toggle("seen", Boolean(moment));
    const said = [leads?.text ?? "", this.reason(leads?.gained ?? 0)].filter(Boolean).join(". ");
    const changes = this.leads.textContent !== said;
    this.leads.textContent = said;
    const shares = leads
      ? (leads.shares ?? players.map((_, at) => (at === leads.player ? leads.share : 1 - leads.share)))
      : [];
    const rows = players.map((player, at) => chance(player, shares[at], claims.find((one) => one.player === at)?.win));
    fill(this.chances, ...(leads || claims.length ? [el("small", {}, "Chance to win"), ...rows] : []));
    if (kind === "result") this.end(scene);
    this.banner.hidden = kind !== "result";
    if (changes) this.shorten();
    this.look();
  }

  /** What happened in the turn that brought most to who leads. @param {number} gained the turn, from 1; 0 for none */
  reason(gained) {
    if (!gained || !this.app || gained > this.app.position.turn) return ""; // nothing before the board shows it
    const words = this.app.caption.of(gained - 1);
    return words.length > MOST_LETTERS ? `${words.slice(0, MOST_LETTERS).replace(/\s\S*$/, "")} …` : words;
  }

  /** @param {import("./following.js").Scene} scene */
  end({ text, reason, players = [] }) {
    const winner = players.find(({ won }) => won);
    fill(this.banner, name(text ?? "", 2), reason ? el("p", {}, reason) : "");
    tinted(this.banner, winner ?? {}).classList.toggle("drawn", !winner);
    players.forEach(({ score }, at) => (this.scores[at].textContent = String(score ?? "")));
    for (const [at, side] of [...this.sides.children].entries())
      side.classList.toggle("lost", Boolean(winner) && !players[at].won);
  }

  load(/** @type {string} */ watch) {
    this.app = null;
    this.frame.classList.remove("ready");
    this.watched = watch;
    this.loaded = Date.now();
    this.frame.src = `${watch}#live`;
  }

  /** Looks what the frame shows. */
  look() {
    const page = this.frame.contentWindow;
    const ready = page?.document.documentElement?.dataset.ready;
    if (!this.app && ready === "true") this.begin(page.arena);
    if (!this.app && this.watched && Date.now() - this.loaded > PATIENCE) this.load(this.watched);
    if (!this.app) return;
    const { position, scores } = this.app;
    if (this.scene?.kind !== "result")
      this.scores.forEach((score, at) => {
        const value = scores.series?.value(position.state, at);
        const text = typeof value === "number" ? String(value) : "";
        const wider = text.length !== score.textContent?.length;
        if (score.textContent !== text) score.textContent = text;
        if (wider) fit(this.sides);
      });
    this.explain();
  }

  /** @param {boolean} dark */
  setDark(dark) {
    this.dark = dark;
    this.app?.look.setDark(dark);
  }

  begin(/** @type {any} */ app) {
    this.app = app;
    this.setDark(this.dark);
    this.frame.classList.add("ready"); // until now it is a white page
    let [at, last] = [performance.now(), app.position.last];
    // The movements take as long as the show gives the turns. A little faster, so that they never fall behind.
    app.replay.addEventListener("grow", () => {
      const [now, newest] = [performance.now(), app.position.last];
      let length = 0;
      for (let frame = last + 1; frame <= newest; frame++) length += app.playback.lengthOf(frame);
      const speed = (1.15 * length) / Math.min(8000, now - at);
      if (newest > last) app.playback.setSpeed(Math.max(SPEEDS[0], Math.min(SPEEDS[1], speed)));
      if (newest > last) [at, last] = [now, newest];
    });
  }

  /**
   * Keeps in the legend what is on the board, with pictures. What another match has explained just before is known.
   */
  explain() {
    const { board, position, replay } = this.app;
    const { match } = this.scene ?? {};
    if (!board.renderer.place || !board.width) return;
    const placed = [...board.state.values()].filter(({ x, y }) => typeof x === "number" && typeof y === "number");
    for (const [kind, row] of this.known)
      if (!placed.some((thing) => thing.class === kind)) {
        row.remove();
        this.known.delete(kind);
      }
    const before = position.states.at(Math.max(0, position.frame - 1));
    for (const thing of placed) {
      const kind = replay.schema?.classes?.[thing.class];
      const was = before.get(thing.id);
      const stands = was?.x === thing.x && was?.y === thing.y; // what moves or appears is not in its place yet
      if (!kind?.placed || !stands || this.known.has(thing.class) || this.known.size >= MOST_KINDS) continue;
      const last = explained.get(thing.class);
      if (last && last.match !== match && Date.now() - last.at < REMEMBERED) continue;
      const [x, y] = board.renderer.place(thing.x, thing.y);
      const side = board.renderer.place(thing.x + 1, thing.y)[0] - x;
      const picture = el("canvas", { width: 96, height: 96 });
      const from = [x, y, side, side].map((value) => value * board.ratio);
      picture.getContext("2d").drawImage(board.canvas, ...from, 0, 0, 96, 96);
      const words = thing.class.replace(
        /(?<=[a-z])[A-Z]/g,
        (/** @type {string} */ letter) => ` ${letter.toLowerCase()}`,
      );
      const [sentence] = String(kind.doc ?? "").split(/(?<=[.;:])\s/);
      const row = el("li", {}, picture, el("span", {}, el("b", {}, words), ` ${sentence}`));
      this.known.set(thing.class, row);
      this.legend.append(row);
      this.shorten();
      if (row.isConnected) explained.set(thing.class, { match, at: Date.now() });
    }
  }

  /** Leaves out what does not fit. */
  shorten() {
    const { legend } = this;
    while (legend.lastElementChild && legend.scrollHeight > legend.clientHeight + 1) legend.lastElementChild.remove();
  }

  close() {
    clearInterval(this.timer);
  }
}

/**
 * A player's chance by our estimate, and what its bot says.
 * @param {import("./following.js").Player} player @param {number | undefined} share @param {number | undefined} claim
 */
function chance(player, share, claim) {
  const [bar, mark] = [el("i"), el("u")];
  bar.style.transform = `scaleX(${share ?? 0})`;
  mark.style.left = `${100 * (claim ?? 0)}%`;
  const words = [share === undefined ? "" : percent(share), claim === undefined ? "" : `it says ${percent(claim)}`];
  const meter = el("span.meter", {}, bar, claim !== undefined && mark);
  return tinted(el("div", {}, face(player), meter, el("span.share", {}, words.filter(Boolean).join(", "))), player);
}
