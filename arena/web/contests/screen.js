// The big screen. It shows in turn the standings and the brackets, a match with its result, and the next matches.

import { fill } from "../scripts/fill.js";
import { isOver } from "./boards.js";
import { written } from "./times.js";

const ROWS = 15;
const SECONDS = Number(new URLSearchParams(location.search).get("seconds") || 12); // for each step
const LONGEST = 10; // an unfinished match is shown for at most this many times SECONDS
const place = document.getElementById("screen");
let state = { sections: [], board: null, recent: [], running: [], next: [], announcements: [], deadline: "" };

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

async function renew() {
  try {
    state = await (await fetch("/screen.json")).json();
  } catch {
    // While the server restarts, keep the data of the last answer.
  }
}

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

// Show one section, with a new element unless it is there already, and hide the others. Return it.
function section(id, title) {
  let shown = document.getElementById(id);
  if (!shown) {
    shown = element("section", "", element("h2", ""));
    shown.id = id;
    place.append(shown);
  }
  shown.querySelector("h2").textContent = title;
  for (const one of place.children) one.hidden = one !== shown;
  document.documentElement.dataset.step = id;
  return shown;
}

function content(shown, ...children) {
  shown.querySelector(".content")?.remove();
  const made = element("div", "", ...children);
  made.className = "content";
  shown.append(made);
  return made;
}

const versus = (match) => match.sides.map((side) => side.name).join(" – ");

function result(match) {
  const points = match.sides.map((side) => side.score).join(" : ");
  return `${versus(match)}  ${[points, match.note].filter(Boolean).join(", ")}`;
}

// The standings or the bracket of a stage, or the ladder. The server escapes all text, and the page's policy allows
// only scripts in files of this server, so nothing in the data can run.
async function table({ id, kind, title, html }) {
  const shown = section(id, title);
  const inner = content(shown);
  inner.innerHTML = html;
  const rows = kind === "table" ? [...(inner.querySelector("tbody")?.rows ?? [])] : [];
  for (let from = 0; from === 0 || from < rows.length; from += ROWS) {
    for (const [at, row] of rows.entries()) row.hidden = at < from || at >= from + ROWS;
    const heading = shown.querySelector("h2");
    if (rows.length > ROWS)
      heading.dataset.rows = `${from + 1}–${Math.min(from + ROWS, rows.length)} of ${rows.length}`;
    else delete heading.dataset.rows;
    fill(shown);
    await sleep(SECONDS);
  }
}

const moment = (what, time) => (time ? [`${what}: ${written(new Date(time.at), time.zone)}`] : []);

async function coming() {
  const lines = [
    ...state.announcements,
    ...moment("Opens", state.opens),
    ...moment("Deadline", state.deadline),
    ...state.running.map((one) => `Now: ${versus(one)}`),
    ...state.next.map((names) => `Next: ${names.join(" – ")}`),
    ...state.recent.map((match) => `Result: ${result(match)}`),
  ].slice(0, ROWS);
  content(
    section("next", "Now and next"),
    ...(lines.length ? lines : ["No match yet."]).map((text) => element("p", text)),
  );
  await sleep(SECONDS);
}

// Show a running match until its end, or the last match. The board stays with the result.
async function board() {
  const match = state.running.find((one) => one.watch) ?? state.board;
  const shown = section("board", match.running ? `${match.place}: ${versus(match)}` : result(match));
  const frame = shown.querySelector("iframe") ?? shown.appendChild(element("iframe", ""));
  frame.title = versus(match);
  const address = `/match/${match.id}/watch#live`; // `#live` shows the end if the match is over
  if (frame.getAttribute("src") !== address) frame.src = address;
  const end = Date.now() + 1000 * SECONDS * LONGEST;
  while (Date.now() < end && !isOver(frame)) await sleep(0.2);
  await renew();
  const over = state.recent.find((one) => one.id === match.id);
  if (over) shown.querySelector("h2").textContent = result(over);
  await sleep(SECONDS);
}

async function rotate() {
  for (;;) {
    await renew();
    const known = new Set(["board", "next", ...state.sections.map((one) => one.id)]);
    for (const one of [...place.children]) if (!known.has(one.id)) one.remove();
    for (const one of state.sections) await table(one);
    if (state.board || state.running.some((one) => one.watch)) await board();
    await coming();
  }
}
rotate();
