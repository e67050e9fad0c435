/**
 * The start page: games with their maps, and recent replays.
 * @module
 */

import { el, fill } from "arena/dom";
import { drawStill } from "arena/stills";
import { decode } from "msgpack";

import { address, ask } from "./ask.js";
import { sign } from "./palette.js";
import { look, setDark } from "./theme.js";

const NEAR = { rootMargin: "600px" }; // a picture is there before it is scrolled to
const HALF = "M12 4.5a7.5 7.5 0 1 0 0 15zM12 4.5a7.5 7.5 0 1 1 0 15";

const config = JSON.parse(document.getElementById("arena-config")?.textContent ?? "{}");
/** @type {any} */
const latest = config.games.find((/** @type {any} */ game) => game.name === config.replays[0]?.game);
/** @type {{game: any}} the game that was chosen above the cards; first that of the last match */
const chosen = { game: latest ?? config.games[0] };

/** @param {any} game */
function gameCard(game) {
  const facts = [game.players, game.rulesets.length > 1 && `rulesets ${game.rulesets.join(" and ")}`]
    .filter(Boolean)
    .join(" · ");
  const names = game.bots.map((/** @type {any} */ bot) => bot.title).join(", ");
  return el(
    "article.game",
    { id: `game-${game.name}` },
    el("header", {}, el("h3", {}, game.title), el("small", {}, game.version)),
    el("p", {}, game.doc),
    el("p.dim", {}, facts),
    names && el("p.dim", {}, `Bots: ${names}`),
    el(
      "div.buttons",
      {},
      el("a.plain", { href: address(`rules/${game.name}`) }, "Rules"),
      game.editor && el("a.plain", { href: address(`edit/${game.name}`) }, `New ${game.editor.noun}`),
    ),
    game.maps.length ? el("ul.maps", {}, ...game.maps.map((/** @type {any} */ map) => mapCard(game, map))) : null,
  );
}

// -- what to do first ----------------------------------------------------------------------------------

/** @param {string} label @param {any} [preferred] the value that is chosen first */
function botChoice(label, preferred) {
  const options = chosen.game.bots.map((/** @type {any} */ { value, title, doc }) =>
    el("option", { value, title: doc, selected: value === preferred }, title),
  );
  return el("select", { "aria-label": label }, ...options);
}

/**
 * A card with a form that starts a match. The other seats of a game for more players have the first bot.
 * @param {string} id @param {string} title @param {string} words @param {any[]} fields @param {string} verb
 * @param {() => string[]} bots the bots by seat, or `human`
 */
function startCard(id, title, words, fields, verb, bots) {
  const status = el("p.dim", { role: "status" });
  const button = el("button.do", { type: "submit" }, verb);
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    button.disabled = true;
    status.textContent = "The match begins.";
    try {
      const { match } = await ask(`start/${chosen.game.name}`, { bots: bots() });
      await follow(match, status);
    } catch (error) {
      status.textContent = String(/** @type {any} */ (error).message ?? error);
    }
    button.disabled = false;
  };
  const form = el("form", { onsubmit: submit }, ...fields, button);
  return el("article.first", { id }, el("h2", {}, title), el("p", {}, words), form, status);
}

/**
 * Waits until a person can play a match, or until it is over, and goes there.
 * @param {number} match @param {HTMLElement} status
 */
async function follow(match, status) {
  for (;;) {
    const found = await ask(`started/${match}`);
    if (found.human) location.href = found.human[0];
    else if (found.state === "done") location.href = address(found.watch);
    else if (found.state === "failed" || found.state === "stopped") throw new Error(found.message ?? "It was stopped.");
    else if (found.turn !== undefined) status.textContent = `Turn ${found.turn}, ${found.scores.join(" : ")}`;
    if (found.human || found.state === "done") return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** All bots of a match: as many of the last as the game needs. @param {...string} bots */
function seats(...bots) {
  const last = bots[bots.length - 1];
  return [...bots, ...Array.from({ length: Math.max(0, chosen.game.least - bots.length) }, () => last)];
}

function firstCards() {
  const { game } = chosen;
  const own = game.bots.find((/** @type {any} */ bot) => !bot.value.startsWith("builtin:"));
  const builtin = game.bots.filter((/** @type {any} */ bot) => bot.value.startsWith("builtin:"));
  const cards = [];
  if (game.bots.length) {
    const opponent = botChoice("Opponent");
    const [one, other] = [botChoice("First bot", own?.value), botChoice("Second bot", builtin[1]?.value)];
    const play = "You play in the browser, without a clock.";
    const watch = own ? "Your bot, or two of the others." : "Two bots play, and you watch the replay.";
    cards.push(
      startCard("play", "Play against a bot", play, [opponent], "Play", () => seats("human", opponent.value)),
      startCard("watch", "Watch two bots", watch, [one, other], "Watch", () => seats(one.value, other.value)),
    );
  }
  cards.push(writeCard(game), continueCard(game));
  return cards;
}

/** @param {any} game */
function writeCard(game) {
  const opponent = game.bots[0] ? ` ${game.bots[0].value}`.repeat(game.least - 1) : " my_bot".repeat(game.least - 1);
  const lines = `arena new ${game.name} my_bot\narena play ${game.name} my_bot${opponent}`;
  const copied = el("span.dim", { role: "status" });
  const copy = async () => {
    await navigator.clipboard?.writeText(lines);
    copied.textContent = "Copied.";
  };
  return el(
    "article.first",
    { id: "write" },
    el("h2", {}, "Write a bot"),
    el("p", {}, "In a terminal, in the folder where you started this page:"),
    el("pre.command", { tabindex: "0" }, lines),
    el(
      "div.buttons",
      {},
      el("button.plain", { type: "button", onclick: copy }, "Copy"),
      el("a.plain", { href: address(`rules/${game.name}`) }, `Rules of ${game.title}`),
      config.playground && el("span.dim", {}, "In the browser alone: ", el("code", {}, "arena playground")),
      copied,
    ),
  );
}

/** The title of a match; of eight players, the first ones. @param {string} title */
const short = (title) => (title.length > 70 ? `${title.slice(0, 70)}…` : title);

/** @param {any} game */
function continueCard(game) {
  const newest = config.replays[0];
  const own = game.bots.filter((/** @type {any} */ bot) => bot.climb);
  const next = own.map((/** @type {any} */ bot) => bot.climb).slice(0, 3);
  return el(
    "article.first",
    { id: "continue" },
    el("h2", {}, "Continue"),
    newest
      ? el(
          "p",
          {},
          "Your last match: ",
          el("a", { href: address(newest.url), title: newest.title }, short(newest.title)),
          `. ${newest.result}.`,
        )
      : el("p", {}, "Matches that you play are listed below. You can look at every turn, and play on from it."),
    next.length
      ? el("p", {}, "What your bot should learn next:", el("pre.command", { tabindex: "0" }, next.join("\n")))
      : el("p.dim", {}, `You have no bot for ${game.title} in this folder yet.`),
  );
}

/** Shows the cards of the chosen game again. @param {any} host */
function showFirst(host) {
  const choice = el(
    "div.choice",
    { role: "group", "aria-label": "Game" },
    ...config.games.map((/** @type {any} */ game) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": String(game === chosen.game),
          onclick: () => {
            chosen.game = game;
            showFirst(host);
            host.querySelector('[aria-pressed="true"]').focus();
          },
        },
        game.title,
      ),
    ),
  );
  fill(host, choice, el("div.cards", {}, ...(chosen.game ? firstCards() : [])));
}

/** @param {any} game @param {any} map */
function mapCard(game, map) {
  const title = String(map.document?.title ?? map.document?.name ?? map.name);
  const still = `map/${game.name}/${encodeURIComponent(map.name)}`;
  const parts = [el("span.picture", {}, stillOf({ game: game.name, still })), el("span", {}, title)];
  if (!game.editor) return el("li", {}, el("span.map", {}, ...parts));
  const href = address(`edit/${game.name}?map=${encodeURIComponent(map.name)}`);
  return el("li", {}, el("a.map", { href, title: String(map.document?.description ?? "") }, ...parts));
}

/** @param {number} seconds since 1970 */
function ago(seconds) {
  const minutes = Math.max(0, (Date.now() / 1000 - seconds) / 60);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(seconds * 1000).toLocaleDateString("en", { year: "numeric", month: "short", day: "numeric" });
}

/**
 * A position, drawn by the renderer of the game when it is near the window: the last one of a replay, or the first one
 * on a map.
 * @param {{game: string, still: string}} pictured
 */
function stillOf({ game, still }) {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const near = new IntersectionObserver(async ([entry]) => {
    if (!entry.isIntersecting) return;
    near.disconnect();
    try {
      const [{ createRenderer }, answer] = await Promise.all([import(address(`game/${game}/`)), fetch(address(still))]);
      const position = /** @type {any} */ (decode(new Uint8Array(await answer.arrayBuffer())));
      drawStill(canvas, createRenderer, position);
    } catch {
      canvas.hidden = true; // the game is not installed, or the replay is gone
    }
  }, NEAR);
  near.observe(canvas);
  return canvas;
}

/** @param {any} replay */
function replayRow(replay) {
  return el(
    "li",
    {},
    el(
      "a.replay",
      { href: address(replay.url) },
      el("span.picture", {}, stillOf(replay)),
      el("b", {}, replay.title),
      el("span", {}, replay.result),
      el("small", {}, `${replay.file} · ${ago(replay.written)}`),
    ),
  );
}

// -- replays from the disk -----------------------------------------------------------------------------

/** The most bytes that the server takes. */
const MOST = 36e6;
const opened = el("p.dim", { role: "status" });

/** Sends replays to the server on this machine, and goes to their page. @param {FileList} chosen */
async function open(chosen) {
  const files = [...chosen].sort((one, other) => one.name.localeCompare(other.name)); // NAME-1, NAME-2
  if (!files.length) return;
  opened.textContent = "Reading the replay.";
  try {
    if (files.reduce((sum, { size }) => sum + size, 0) > MOST)
      throw new Error(`${files[0].name} is too large for this page. In a terminal: arena view FILE`);
    const sent = files.map(async (file) => ({ name: file.name, data: await base64Of(file) }));
    const { watch } = await ask("open", { files: await Promise.all(sent) });
    location.href = address(watch);
  } catch (error) {
    opened.textContent = String(/** @type {any} */ (error).message ?? error);
  }
}

/** @param {File} file @returns {Promise<string>} */
function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}

function openButton() {
  const input = el("input", { type: "file", accept: ".arena", multiple: true, onchange: () => open(input.files) });
  return el("label.plain.open", { title: "Or drop it on this page" }, input, "Open a replay");
}

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer) open(event.dataTransfer.files);
});

/** Games without maps have short cards. They stand together, so that no long card leaves a gap beside them. */
const games = [...config.games].sort((one, other) => Number(one.maps.length > 0) - Number(other.maps.length > 0));
const first = el("section.firsts", {});
showFirst(first);
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
    first,
    el("section.recent", {}, el("h2", {}, "Recent replays"), el("div.buttons", {}, openButton(), opened), replays),
    el("section", {}, el("h2", {}, "Games and maps"), el("div.games", {}, ...games.map(gameCard))),
  ),
);
/** Starts the match that the address names: a rematch. */
async function again() {
  const [, name, bots] = /^#again=(\w+):(.+)$/.exec(location.hash) ?? [];
  const game = config.games.find((/** @type {any} */ one) => one.name === name);
  if (!game) return;
  history.replaceState(null, "", location.pathname);
  chosen.game = game;
  showFirst(first);
  const status = /** @type {HTMLElement} */ (first.querySelector("#play [role=status]"));
  status.textContent = "The match begins.";
  try {
    const { match } = await ask(`start/${name}`, { bots: decodeURIComponent(bots).split(",") });
    await follow(match, status);
  } catch (error) {
    status.textContent = String(/** @type {any} */ (error).message ?? error);
  }
}
again();
document.body.classList.add("scrolls");
document.documentElement.dataset.ready = "true";
