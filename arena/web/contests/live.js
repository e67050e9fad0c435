// Keeps the page up to date. The server escapes all text. The page's policy allows only scripts in files of this
// server, so nothing in the data can run.

import { fill } from "../scripts/fill.js";

const MOST_BOARDS = 4;
const HOLD = 6000; // milliseconds for which a board shows the result of its match
const PATIENCE = 30000; // milliseconds from the end of its match until a board is removed, with or without a result
const { state: source, watch, known } = document.getElementById("sections").dataset;
const screen = document.getElementById("sections").dataset.screen === "true";
const SECONDS = Number(new URLSearchParams(location.search).get("seconds") || 12); // for each step of the big screen
const shown = { section: -1, page: 0 };
const filled = new WeakSet();
let version = known ?? "";

async function refresh() {
  try {
    const answer = await fetch(`${source}?version=${encodeURIComponent(version)}`);
    if (!answer.ok) throw new Error(String(answer.status));
    const state = await answer.json();
    version = state.version;
    for (const [key, text] of Object.entries(state.fragments)) show(key, text);
    // The big screen shows the board of the last match if none is running.
    boards(screen && !state.running.length && state.last ? [state.last] : state.running);
    mark(state.running);
    if (screen) turn();
    document.documentElement.dataset.version = version;
    delete document.documentElement.dataset.lost;
  } catch {
    document.documentElement.dataset.lost = "true";
  }
  setTimeout(refresh, 1000);
}

function show(key, text) {
  const place = key === "sub" ? document.getElementById("sub") : document.querySelector(`#${key} .content`);
  const open = [...place.querySelectorAll("details")].map((one) => one.open);
  place.innerHTML = text;
  place.querySelectorAll("details").forEach((one, index) => (one.open = open[index] ?? one.open));
}

// The encounters of a bracket that are being played.
function mark(running) {
  const met = new Set(running.map((one) => [...one.names].sort().join("\n")));
  for (const one of document.querySelectorAll("[data-open]"))
    one.classList.toggle("live", met.has(one.dataset.bots.split("\n").sort().join("\n")));
}

// Keep a board while its match runs: drawing it again would reset the viewer to the start. At the end of the match its
// viewer shows the last turn and the result. The board stays long enough to read it.
function boards(running) {
  const place = document.getElementById("boards");
  const most = screen ? 2 : MOST_BOARDS;
  const wanted = running.filter((one) => one.board);
  for (const old of [...place.children]) {
    const runs = wanted.some((one) => one.match_id === old.dataset.match);
    if (!runs && isSeen(old)) old.remove();
  }
  for (const one of wanted) {
    if (place.children.length >= most) break;
    if ([...place.children].some((child) => child.dataset.match === one.match_id)) continue;
    const figure = document.createElement("figure");
    figure.dataset.match = one.match_id;
    const caption = document.createElement("figcaption");
    const link = document.createElement("a");
    link.href = `${watch}${one.match_id}`;
    link.textContent = one.title;
    caption.append(link);
    const frame = document.createElement("iframe");
    frame.src = `${watch}${one.match_id}#live`; // `#live` shows the result if the match ends before the page has loaded
    frame.title = link.textContent;
    figure.append(caption, frame);
    place.append(figure);
  }
}

// Return whether the board of an ended match can be removed: after HOLD with the result, or after PATIENCE.
function isSeen(figure) {
  const now = Date.now();
  const data = figure.dataset;
  data.over ??= now;
  const app = figure.querySelector("iframe").contentWindow?.arena;
  if (app && !app.live && app.playback.frame >= app.playback.last) data.shown ??= now;
  return now - (data.shown ?? now) > HOLD || now - data.over > PATIENCE;
}

// The big screen shows one section after the other. A long table is shown in pages.
function rotate() {
  const all = [...document.querySelectorAll("#sections section")];
  const sections = all.filter((one) => one.id !== "recent" && one.id !== "details");
  const next = () => {
    if (shown.page + 1 < pages(sections[shown.section]).length) {
      shown.page += 1;
    } else {
      const boardsThere = document.getElementById("boards").children.length > 0;
      do shown.section = (shown.section + 1) % sections.length;
      while (sections[shown.section].id === "running" ? !boardsThere : isEmpty(sections[shown.section]));
      shown.page = 0;
      for (const one of all) one.hidden = one !== sections[shown.section];
    }
    turn();
  };
  next();
  setInterval(next, 1000 * SECONDS);
}

const isEmpty = (section) => section.id !== "standings" && !section.querySelector(".content").hasChildNodes();

// Return the rows of each page of the longest table in a section that is shown.
function pages(section) {
  const tables = [...(section?.querySelectorAll("tbody") ?? [])].filter((one) => one.closest("details") === null);
  const rows = [...(tables.sort((one, other) => other.rows.length - one.rows.length)[0]?.rows ?? [])];
  const first = rows.find((row) => !row.hidden);
  if (!first) return [];
  const room = window.innerHeight - first.getBoundingClientRect().top - 2 * first.offsetHeight;
  const most = Math.max(4, Math.floor(room / first.offsetHeight));
  return Array.from({ length: Math.ceil(rows.length / most) }, (_, at) => rows.slice(at * most, (at + 1) * most));
}

function turn() {
  const section = [...document.querySelectorAll("#sections section")].find((one) => !one.hidden);
  if (!section || section.id === "running") return;
  const content = section.querySelector(".content").firstElementChild;
  if (content && !filled.has(content)) {
    filled.add(content); // the content is new, and all its rows are shown
    fill(section);
  }
  const all = pages(section);
  const page = all[Math.min(shown.page, all.length - 1)];
  if (!page) return;
  const rows = all.flat();
  for (const row of rows) row.hidden = !page.includes(row);
  const from = rows.indexOf(page[0]) + 1;
  const heading = section.querySelector("h2");
  if (all.length > 1) heading.dataset.rows = `${from}–${from + page.length - 1} of ${rows.length}`;
  else delete heading.dataset.rows;
}

// A table of hundreds of rows is laid out in parts, so that the page answers meanwhile.
const later = (rows, at) => setTimeout(() => (document.getElementById("sections").dataset.rows = rows), at);
later("200", 50);
later("all", 150);

if (screen) {
  document.documentElement.classList.add("screen");
  rotate();
}
refresh();
