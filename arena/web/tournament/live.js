// Keeps the page up to date. The server escapes all text. The page's policy allows only scripts in files of this
// server, so nothing in the data can run.

const MOST_BOARDS = 4;
const HOLD = 6000; // milliseconds for which a board shows the result of its match
const PATIENCE = 30000; // milliseconds from the end of its match until a board is removed, with or without a result
const screen = document.getElementById("sections").dataset.screen === "true";
let version = "";

async function refresh() {
  try {
    const answer = await fetch(`/state?version=${encodeURIComponent(version)}`);
    if (!answer.ok) throw new Error(String(answer.status));
    const state = await answer.json();
    version = state.version;
    for (const [key, text] of Object.entries(state.fragments)) show(key, text);
    boards(state.running);
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
  place.querySelectorAll("details").forEach((one, index) => (one.open = open[index] ?? false));
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
    link.href = `/match/${one.match_id}`;
    link.textContent = `${one.stage} ${one.round}: ${one.names.join(" – ")}`;
    caption.append(link);
    const frame = document.createElement("iframe");
    frame.src = `/match/${one.match_id}#live`; // `#live` shows the result if the match ends before the page has loaded
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

// The big screen shows one section after the other.
function rotate() {
  const all = [...document.querySelectorAll("#sections section")];
  const sections = all.filter((one) => one.id !== "recent");
  let at = 0;
  const next = () => {
    const boardsThere = document.getElementById("boards").children.length > 0;
    do at = (at + 1) % sections.length;
    while (sections[at].id === "running" && !boardsThere);
    for (const one of all) one.hidden = one !== sections[at];
  };
  next();
  setInterval(next, 12000);
}

if (screen) {
  document.documentElement.classList.add("screen");
  rotate();
}
refresh();
