/** The presenter's remote on a phone. What is pressed often is at the bottom, where the thumb is. */

import { el, fill } from "../viewer/dom.js";
import { follow, post, sleep } from "./following.js";
import { clock } from "./parts.js";

/** @typedef {Omit<import("./following.js").State, "steps"> & {steps: import("./following.js").Step[]}} State */

const LONGEST = 1500; // milliseconds until a state is here that follows from a button

const place = {
  top: el("header"),
  now: el("section.now"),
  notes: el("section.notes"),
  steps: el("ol"),
  wrong: el("p.wrong", { role: "alert" }),
};
/** @type {Record<string, HTMLButtonElement>} */
const buttons = {};
/** @type {State | null} */
let state = null;

/** @param {string} act @param {string} title @param {string} [kind] */
function button(act, title, kind = "") {
  buttons[act] = el("button", { type: "button", class: kind, onclick: () => press(act) }, title);
  return buttons[act];
}

/** @param {string} act @param {string} [to] */
async function press(act, to = "") {
  if (!state) return;
  const { paused = false } = state.scene;
  navigator.vibrate?.(15);
  const fields = { do: act === "pause" && paused ? "resume" : act, step: state.step, to };
  const before = state;
  for (const one of Object.values(buttons)) one.disabled = true; // until the next state: a second tap would do it twice
  place.wrong.textContent = await post("/show/act", fields);
  if (!place.wrong.textContent) await sleep(LONGEST);
  if (state !== before) return;
  // What was pressed has changed nothing, or this remote does not know yet what others have pressed.
  const answer = await fetch("/remote/state.json").catch(() => null);
  const latest = answer?.ok ? await answer.json() : before;
  if (state === before) show(latest);
}

/** @param {State} latest */
function show(latest) {
  state = latest;
  const { scene, step, steps, ends, contest, blank } = latest;
  const at = steps.findIndex((one) => one.id === scene.id);
  const next = steps[at + 1];
  const kind = scene.kind;
  fill(place.top, el("b", {}, contest), ends ? el("span", {}, `ends at ${clock(ends)}`) : "");
  const wait = blank ? "The screens are blank." : "";
  fill(
    place.now,
    el("p.dim", {}, `Step ${at + 1} of ${steps.length}`),
    el("h1", {}, steps[at]?.title ?? scene.title ?? ""),
    wait && el("p.wrong", {}, wait),
    next ? "" : el("p.dim", {}, "This is the last step."), // the notes say what is next
  );
  fill(place.notes, ...(latest.notes ?? []).map((text) => el("p", {}, text)));
  const rows = steps.map((one) => {
    const current = one.id === scene.id && "step";
    const onclick = () => confirm(`Jump to "${one.title}"?`) && press("jump", one.id);
    const words = el("span", {}, one.title);
    return el(
      `li${one.done ? ".done" : ""}`,
      {},
      el("button", { type: "button", "aria-current": current, onclick }, words, el("small", {}, `${one.minutes} min`)),
    );
  });
  fill(place.steps, ...rows);
  const plays = kind === "match";
  buttons.pause.textContent = scene.paused ? "Go on" : "Pause";
  buttons.blank.setAttribute("aria-pressed", String(Boolean(blank)));
  const allowed = {
    next: Boolean(next),
    back: step > 0,
    pause: plays,
    slower: plays,
    faster: plays,
    moment: plays && latest.moment !== false,
    reveal: plays,
  };
  for (const [name, one] of Object.entries(buttons)) one.disabled = /** @type {any} */ (allowed)[name] === false;
}

const match = el("div.row", {}, button("slower", "Slower"), button("pause", "Pause"), button("faster", "Faster"));
const more = el("div.row", {}, button("moment", "To the moment"), button("reveal", "Reveal"));
const hall = el("div.row", {}, button("applause", "Applause"), button("blank", "Blank"));
const main = el("div.row", {}, button("back", "Back", "back"), button("next", "Next", "next"));
const finish = el(
  "button.end",
  { type: "button", onclick: () => confirm("End the show for everybody?") && press("end") },
  "End the show",
);
const list = el("details", {}, el("summary", {}, "All steps"), place.steps, finish);
fill(
  document.body,
  place.top,
  el("main", {}, place.now, place.notes, list),
  el("footer", {}, place.wrong, match, more, hall, main),
);

// Only with HTTPS.
const asleep = () => void (/** @type {any} */ (navigator).wakeLock?.request("screen").catch(() => {}));
document.addEventListener("visibilitychange", asleep);
asleep();

follow("/remote/state.json?", show, (status) => {
  const refused = status === 401 || status === 403 || status === 404;
  const words = refused
    ? "This remote is signed out. Ask the organizer for a new link."
    : "No connection. Trying again.";
  place.wrong.textContent = status === 200 ? "" : words;
});
