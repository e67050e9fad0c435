// The big screen: pages of the table, the board of the last match with its result, and what comes next, in turn.

const ROWS = 15;
const SECONDS = Number(new URLSearchParams(location.search).get("seconds") || 12);
const part = (id) => document.getElementById(id);
let state = { rows: [], board: null, recent: [], running: [], next: [], announcements: [] };
let shown = "";

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function result(match) {
  const names = match.players.map((player) => player.name).join(" – ");
  return `${names}  ${match.players.map((player) => player.points).join(" : ")}`;
}

function table(from) {
  const rows = state.rows.slice(from, from + ROWS).map((row) => {
    const cells = [`${row.place}.`, row.team, row.rating.toFixed(2), `${row.matches} matches`];
    const line = element("tr", "");
    for (const [index, cell] of cells.entries()) {
      const made = element("td", cell);
      if (index < 2) made.className = "left";
      line.append(made);
    }
    return line;
  });
  part("table")
    .querySelector(".content")
    .replaceChildren(element("table", "", element("tbody", "", ...rows)));
}

function coming() {
  const lines = [
    ...state.announcements.map((text) => element("p", text)),
    ...state.running.map((one) => element("p", `Now: ${one.names.join(" – ")}`)),
    ...state.next.map((names) => element("p", `Next: ${names.join(" – ")}`)),
    ...state.recent.map((match) => element("p", result(match))),
  ];
  part("next")
    .querySelector(".content")
    .replaceChildren(...lines);
}

// The viewer goes to the end of the match, which shows the result.
function end(frame, tries) {
  const app = frame.contentWindow?.arena;
  if (app?.playback?.last > 0) app.playback.seek(app.playback.last);
  else if (tries > 0) setTimeout(() => end(frame, tries - 1), 200);
}

function board() {
  if (state.board.id === shown) return;
  shown = state.board.id;
  part("caption").textContent = result(state.board);
  const frame = part("board").querySelector("iframe");
  frame.addEventListener("load", () => end(frame, 50), { once: true });
  frame.src = `/match/${shown}/watch`;
}

function steps() {
  const found = [];
  for (let from = 0; from === 0 || from < state.rows.length; from += ROWS) found.push(["table", () => table(from)]);
  if (state.board) found.push(["board", board]);
  found.push(["next", coming]);
  return found;
}

let at = 0;
async function turn() {
  try {
    state = await (await fetch("/screen.json")).json();
  } catch {
    // Keep what is known while the server starts again.
  }
  const all = steps();
  const [id, draw] = all[at % all.length];
  draw();
  for (const one of ["table", "board", "next"]) part(one).hidden = one !== id;
  document.documentElement.dataset.step = id;
  at += 1;
  setTimeout(turn, (id === "board" ? 2 : 1) * SECONDS * 1000);
}
turn();
