// The big screen. It shows in turn pages of the table, a match with its result, and the next matches.

import { fill } from "../scripts/fill.js";

const ROWS = 15;
const SIGNS = { W: "●", D: "◐", L: "○" }; // won, drawn, lost; the newest result is at the right
const SECONDS = Number(new URLSearchParams(location.search).get("seconds") || 12);
const LONGEST = 10; // an unfinished match is shown for at most this many times SECONDS
const part = (id) => document.getElementById(id);
let state = { rows: [], board: null, recent: [], running: [], next: [], announcements: [], deadline: "", finals: "" };

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

// Return a team with its sign, as the macro `bot` of all pages draws it.
function chip({ team, sign }) {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = drawn.appendChild(document.createElementNS(drawn.namespaceURI, "path"));
  for (const [name, value] of [
    ["class", "sign"],
    ["viewBox", "-.5 -.5 6 6"],
    ["aria-hidden", "true"],
  ])
    drawn.setAttribute(name, value);
  path.setAttribute("fill", sign.color);
  path.setAttribute("d", sign.path);
  const made = element("span", "", drawn, element("bdi", team));
  [made.className, made.title] = ["bot", team];
  return made;
}

function versus(match) {
  return match.players.map((player) => player.name).join(" – ");
}

function result(match) {
  const points = match.players.map((player) => player.points).join(" : ");
  return `${versus(match)}  ${[points, match.note].filter(Boolean).join(", ")}`;
}

async function table(from) {
  const rows = state.rows.slice(from, from + ROWS).map((row) => {
    const cells = [
      `${row.place}.`,
      chip(row),
      row.rating.toFixed(2).replace(/^-(0\.00)$/, "$1"),
      [...row.last].map((kind) => SIGNS[kind]).join(" "),
      `${row.matches} matches`,
    ];
    const line = element("tr", "");
    for (const [index, cell] of cells.entries()) {
      const made = element("td", "", cell);
      if (index < 2) made.className = "left name";
      line.append(made);
    }
    return line;
  });
  const content = rows.length
    ? element("table", "", element("tbody", "", ...rows))
    : element("p", "No team has a bot.");
  part("table").querySelector(".content").replaceChildren(content);
  fill(part("table"));
  await sleep(SECONDS);
}

async function coming() {
  const lines = [
    ...state.announcements,
    ...(state.deadline ? [`Deadline: ${state.deadline}`] : []),
    ...state.running.map((one) => `Now: ${versus(one)}`),
    ...state.next.map((names) => `Next: ${names.join(" – ")}`),
    ...state.recent.map((match) => `Result: ${result(match)}`),
  ].slice(0, ROWS);
  const content = lines.length ? lines : ["No match yet."];
  part("next")
    .querySelector(".content")
    .replaceChildren(...content.map((text) => element("p", text)));
  await sleep(SECONDS);
}

// Show a running match until its end, or the last match. The board stays with the result.
async function board() {
  const match = state.running.find((one) => one.watch) ?? state.board;
  const frame = part("board").querySelector("iframe") ?? part("board").appendChild(element("iframe", ""));
  frame.title = versus(match);
  const address = `/match/${match.id}/watch#live`; // `#live` shows the end if the match is over
  part("caption").textContent = match.running ? `Now: ${versus(match)}` : result(match);
  if (frame.getAttribute("src") !== address) frame.src = address;
  const end = Date.now() + 1000 * SECONDS * LONGEST;
  while (Date.now() < end && !isOver(frame)) await sleep(0.2);
  await renew();
  const over = state.recent.find((one) => one.id === match.id);
  if (over) part("caption").textContent = result(over);
  await sleep(SECONDS);
}

// Return whether the board shows the end of its match.
function isOver(frame) {
  const app = frame.contentWindow?.arena;
  return app?.playback?.last > 0 && !app.live && app.playback.frame >= app.playback.last;
}

// The last finals have a big screen of their own. It goes on where it was.
async function finals() {
  const frame = part("finals").querySelector("iframe") ?? part("finals").appendChild(element("iframe", ""));
  frame.title = "Finals";
  const address = `/finals/${encodeURIComponent(state.finals)}/screen?seconds=${SECONDS}`;
  if (frame.getAttribute("src") !== address) frame.src = address;
  await sleep(4 * SECONDS);
}

async function rotate() {
  for (let at = 0; ; at += 1) {
    await renew();
    const steps = [];
    for (let from = 0; from === 0 || from < state.rows.length; from += ROWS) steps.push(["table", () => table(from)]);
    if (state.board || state.running.some((one) => one.watch)) steps.push(["board", board]);
    if (state.finals) steps.push(["finals", finals]);
    steps.push(["next", coming]);
    const [id, draw] = steps[at % steps.length];
    for (const one of ["table", "board", "finals", "next"]) part(one).hidden = one !== id;
    document.documentElement.dataset.step = id;
    await draw();
  }
}
rotate();
