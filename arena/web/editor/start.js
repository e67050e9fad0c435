/**
 * The start page: games with their maps, and recent replays.
 * @module
 */

import { el, fill } from "arena/dom";

import { address } from "./ask.js";
import { paintThumbnail } from "./paint.js";
import { sign } from "./palette.js";
import { look, onTheme, setDark } from "./theme.js";

const THUMBNAIL = 132;
const HALF = "M12 4.5a7.5 7.5 0 1 0 0 15zM12 4.5a7.5 7.5 0 1 1 0 15";
/** @type {(() => void)[]} */
const pictures = [];

/** @param {any} game */
function gameCard(game) {
  const facts = [game.players, game.rulesets.length > 1 && `rulesets ${game.rulesets.join(" and ")}`]
    .filter(Boolean)
    .join(" · ");
  const bots = game.bots.length ? el("p.dim", {}, `Built-in bots: ${game.bots.join(", ")}`) : null;
  const [one, other] = [game.bots[game.bots.length - 1], game.bots[game.bots.length - 2] ?? game.bots[0]];
  const command = one && el("pre.command", {}, `arena play ${game.name} my_bot.py builtin:${other ?? one}`);
  return el(
    "article.game",
    { id: `game-${game.name}` },
    el("header", {}, el("h2", {}, game.title), el("small", {}, game.version)),
    el("p", {}, game.doc),
    el("p.dim", {}, facts),
    bots,
    command,
    el(
      "div.buttons",
      {},
      el("a.plain", { href: address(`rules/${game.name}`) }, "Rules"),
      game.editor && el("a.plain", { href: address(`edit/${game.name}`) }, `New ${game.editor.noun}`),
    ),
    game.maps.length ? el("ul.maps", {}, ...game.maps.map((/** @type {any} */ map) => mapCard(game, map))) : null,
  );
}

/** @param {any} game @param {any} map */
function mapCard(game, map) {
  const title = String(map.document?.title ?? map.document?.name ?? map.name);
  if (!game.editor || !map.document) return el("li", {}, el("span.map", {}, title));
  const canvas = el("canvas", { "aria-hidden": "true" });
  const paint = () => paintThumbnail(canvas, game.editor, map.document, look.dark, THUMBNAIL);
  pictures.push(paint);
  paint();
  return el(
    "li",
    {},
    el(
      "a.map",
      {
        href: address(`edit/${game.name}?map=${encodeURIComponent(map.name)}`),
        title: String(map.document.description ?? ""),
      },
      el("span.picture", {}, canvas),
      el("span", {}, title),
    ),
  );
}

/** @param {number} seconds since 1970 */
function ago(seconds) {
  const minutes = Math.max(0, (Date.now() / 1000 - seconds) / 60);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(seconds * 1000).toLocaleDateString("en", { year: "numeric", month: "short", day: "numeric" });
}

/** @param {any} replay */
function replayRow(replay) {
  return el(
    "li",
    {},
    el(
      "a.replay",
      { href: address(replay.url) },
      el("b", {}, replay.title),
      el("span", {}, replay.result),
      el("small", {}, `${replay.file} · ${ago(replay.written)}`),
    ),
  );
}

const config = JSON.parse(document.getElementById("arena-config")?.textContent ?? "{}");
const replays = config.replays.length
  ? el("ul.replays", {}, ...config.replays.map(replayRow))
  : el("p.empty", {}, "None in the folder replays/ yet. Matches that you play are listed here.");
fill(
  /** @type {HTMLElement} */ (document.getElementById("page")),
  el(
    "header.bar",
    {},
    el("h1", {}, "Arena"),
    el("span.state", {}, "programs that play games"),
    el(
      "div.settings",
      {},
      el(
        "button.sign",
        { title: "Light or dark", "aria-label": "Light or dark", onclick: () => setDark(!look.dark) },
        sign(HALF),
      ),
    ),
  ),
  el(
    "main.start",
    {},
    el("section.games", {}, ...config.games.map(gameCard)),
    el("section.recent", {}, el("h2", {}, "Recent replays"), replays),
  ),
);
document.body.classList.add("scrolls");
onTheme(() => pictures.forEach((paint) => paint()));
document.documentElement.dataset.ready = "true";
