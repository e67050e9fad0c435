/** The page of the spectators' phones. It follows the show; what the organizer allows can be guessed before a match. */

import { el, fill } from "../viewer/dom.js";
import { follow, post } from "./following.js";
import { fit, percent } from "./parts.js";
import { SCENES } from "./scenes.js";

/** @typedef {import("./following.js").State} State */

const [title, scenes, guess, next] = [el("header"), el("main"), el("section.guess", { hidden: true }), el("footer")];
/** @type {import("./scenes.js").Shown | null} */
let shown = null;
let [key, drawn, guessed] = ["", "", ""];

/** @param {State} state */
function show(state) {
  const { scene } = state;
  const kind = SCENES[scene.kind] ? scene.kind : "waiting";
  const plays = kind === "match" || kind === "result";
  const here = plays ? `match ${scene.match}` : `${kind} ${scene.id}`;
  if (here !== key || (JSON.stringify(scene) !== drawn && !shown?.update)) {
    key = here;
    shown?.close?.();
    shown = SCENES[kind](scene, state);
    shown.stage?.setDark(matchMedia("(prefers-color-scheme: dark)").matches);
    fill(scenes, shown.node);
    shown.enter?.();
  } else if (JSON.stringify(scene) !== drawn) shown?.update?.(scene, state);
  drawn = JSON.stringify(scene);
  const place = typeof scene.place === "string" ? scene.place : "";
  const about = kind === "bracket" || kind === "table" ? scene.title : place; // the other scenes say their title
  fill(title, el("b", {}, state.contest), el("span", {}, about ?? ""));
  const again = kind === "result" && scene.match;
  const link = again && el("a.again", { href: `/match/${scene.match}` }, "Watch it again, and ask what if");
  const coming = state.next && `Next: ${state.next.title}, ${state.next.players.map((one) => one.name).join(" – ")}`;
  fill(next, ...[link, el("p", {}, coming || ""), el("p", {}, (state.announcements ?? [])[0] ?? "")].filter(Boolean));
  predict(state.predictions ?? null);
  document.documentElement.dataset.step = String(state.step);
  fit(scenes);
}

/** @param {any} predictions */
function predict(predictions) {
  const now = JSON.stringify(predictions);
  if (now === guessed) return;
  guessed = now;
  const { open, match, players = [], own, brier, place, of, forecaster } = predictions ?? {};
  const [first, second] = players.map((/** @type {{name: string}} */ player) => player.name);
  const parts = [];
  if (first && typeof own === "number")
    parts.push(
      el("p", {}, `You say: ${first} wins with ${percent(own)}, ${second} with ${percent(1 - own)}. It is locked.`),
    );
  else if (open) parts.push(question(match, first, second));
  if (typeof brier === "number") {
    const ours = typeof forecaster === "number" ? ` Our forecast has ${forecaster}.` : "";
    const words = `You are in place ${place} of ${of}, with our forecast. Your score is ${brier}, and less is better:`;
    const scale = "who always says 50 % has 0.25, who is always sure and right has 0.";
    parts.push(el("p", {}, `${words} ${scale}${ours}`));
  }
  const asks = open && typeof own !== "number";
  guess.hidden = parts.length === 0;
  fill(guess, el("h2", {}, asks ? `Who wins the pairing, ${first} or ${second}?` : "Your guesses"), ...parts);
}

/** @param {string} match @param {string} first @param {string} second */
function question(match, first, second) {
  const range = el("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 5,
    value: 50,
    "aria-label": `Chance that ${first} wins`,
  });
  const [words, wrong] = [el("output"), el("p.wrong", { role: "alert" })];
  const say = () => (words.textContent = `${first} ${range.value} % : ${100 - range.value} % ${second}`);
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    await fetch("/show"); // it gives this phone the cookie by which its guesses are known
    const button = /** @type {any} */ (event).submitter;
    button.disabled = true;
    wrong.textContent = await post("/show/guess", { match, win: range.value / 100 });
    button.disabled = !wrong.textContent; // the next state says that it is locked
  };
  range.addEventListener("input", say);
  say();
  return el("form", { onsubmit: send }, range, words, el("button", {}, "Lock my guess"), wrong);
}

const team = document.getElementById("team"); // what a member of a team can write
fill(document.body, title, scenes, guess, next, ...(team ? [team] : []));
addEventListener("resize", () => fit(scenes));
follow("/show/state.json?", show, (status) => (document.documentElement.dataset.lost = String(status !== 200)));
