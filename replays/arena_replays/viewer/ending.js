/** The banner at the end of a match: who won and why, and where to go from here. */

import { clip, el, fill, nameTag, shape } from "arena/dom";
import { whyOf } from "arena/outcome";
import { byRank, headline, placeOf, winnersOf } from "arena/result";

const MOST_PLACES = 8;

/** @typedef {{title: string, url: string}} Address */
/**
 * @typedef {{crumbs?: Address[], name?: string, previous?: Address | null, next?: Address | null}} Place
 * where a match belongs: the pages above it, its name there, and the matches before and after it
 */

export class Ending {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/playback").Playback} playback
   * @param {import("arena/board").Board} board @param {import("arena/legs").Legs} legs
   * @param {import("arena/tabs").Tabs} tabs @param {Place} place
   */
  constructor(position, playback, board, legs, tabs, place) {
    this.position = position;
    this.playback = playback;
    this.board = board;
    this.legs = legs;
    this.tabs = tabs;
    this.place = place;
    this.node = el("section.ending", { hidden: true, "aria-label": "Result" });
    this.made = "";
  }

  show() {
    const { playback, position } = this;
    const { content, live } = position.replay;
    const over = Boolean(content.footer) && !live && position.frame >= position.last && !playback.playing;
    this.node.hidden = !over;
    const key = `${over} ${content.allTurns.length} ${this.tabs.offersWhy}`;
    if (!over || key === this.made) return;
    this.made = key;
    fill(this.node, ...this.parts());
    const [winner] = winnersOf(position.replay);
    this.node.style.setProperty("--team", winner?.color ?? "var(--dim)");
  }

  parts() {
    const { board, legs, playback, position, tabs } = this;
    const { content } = position.replay;
    const why = whyOf(board, content.footer);
    const again = () => playback.play();
    const next = legs.all[legs.number + 1];
    const show = () => tabs.open(tabs.offersWhy ? "why" : "result");
    return [
      winnersOf(position.replay).length > 0 && crown(),
      el("div.said", {}, el("h2", {}, headline(position.replay, legs)), el("p", {}, why, this.places())),
      el(
        "div.ways",
        {},
        el("button", { onclick: show }, tabs.offersWhy ? "Why" : "Result"),
        el("button", { onclick: again, title: "Play the match again from its start" }, "Again"),
        next && el("button", { onclick: () => legs.show(legs.number + 1) }, `Leg ${legs.number + 2}`),
        !next && this.place.next && link(this.place.next, "Next game"),
      ),
    ];
  }

  /** The places after the winner, where more than two played. */
  places() {
    const { replay } = this.position;
    const { footer } = replay.content;
    const places = byRank(replay).map((at) => ({ player: replay.players[at], place: placeOf(footer, at) }));
    const named = places.filter(({ place }) => place && !place.startsWith("1st")).slice(0, MOST_PLACES);
    if (replay.players.length < 3 || !named.length) return false;
    return el(
      "span.places",
      {},
      ...named.map(({ player, place }) => el("span", {}, `${place.replace(/ of \d+/, "")} `, nameTag(player))),
    );
  }
}

/** @param {Address} address @param {string} text */
export function link({ title, url }, text) {
  return el("a", { href: url, title, target: "_top" }, text);
}

/** The way back to the pages above a match, and to the matches beside it. @param {Place} place */
export function crumbs({ crumbs: above = [], name = "", previous, next }) {
  if (!above.length && !previous && !next) return null;
  return el(
    "nav.way",
    { "aria-label": "Way back" },
    ...above.flatMap((one, at) => [
      at > 0 && el("span", { "aria-hidden": "true" }, "›"),
      link(one, clip(one.title, 80)),
    ]),
    name && el("span", { "aria-hidden": "true" }, "›"),
    name && el("span", { title: name }, name),
    previous && link({ ...previous, title: `Previous game: ${previous.title}` }, "‹ Previous"),
    next && link({ ...next, title: `Next game: ${next.title}` }, "Next ›"),
  );
}

/** A crown on a 24 by 24 grid. */
export function crown() {
  const path = shape("path", { d: "M3 8l4.6 4L12 5l4.4 7L21 8l-2 11H5z" });
  return shape("svg", { class: "crown", viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
}
