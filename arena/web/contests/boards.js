// The boards of the running matches of stages, and the marks of their encounters in brackets.

const MOST = 4;
const HOLD = 6000; // milliseconds for which a board shows the result of its match
const PATIENCE = 30000; // milliseconds from the end of its match until a board is removed, with or without a result

// Keep a board while its match runs: drawing it again would reset the viewer to the start. At the end of the match its
// viewer shows the last turn and the result. The board stays long enough to read it.
export function boards() {
  const place = document.getElementById("boards");
  if (!place) return;
  const running = [...document.querySelectorAll("#running [data-match]")];
  const wanted = running.filter((one) => "board" in one.dataset);
  for (const old of [...place.children]) {
    const runs = wanted.some((one) => one.dataset.match === old.dataset.match);
    if (!runs && isSeen(old)) old.remove();
  }
  for (const { dataset } of wanted) {
    if (place.children.length >= MOST) break;
    if ([...place.children].some((child) => child.dataset.match === dataset.match)) continue;
    place.append(board(dataset));
  }
  mark(running.map((one) => sorted(one.dataset.bots)));
}

function board({ match, title }) {
  const figure = document.createElement("figure");
  figure.dataset.match = match;
  const caption = document.createElement("figcaption");
  const link = document.createElement("a");
  link.href = `/match/${match}`;
  link.textContent = title;
  caption.append(link);
  const frame = document.createElement("iframe");
  frame.src = `/match/${match}/watch#live`; // `#live` shows the result if the match ends before the page has loaded
  frame.title = title;
  figure.append(caption, frame);
  return figure;
}

// Return whether the board of an ended match can be removed: after HOLD with the result, or after PATIENCE.
function isSeen(figure) {
  const now = Date.now();
  const data = figure.dataset;
  data.over ??= now;
  if (isOver(figure.querySelector("iframe"))) data.shown ??= now;
  return now - (data.shown ?? now) > HOLD || now - data.over > PATIENCE;
}

// Return whether a viewer shows the end of its match.
function isOver(frame) {
  const app = frame.contentWindow?.arena;
  return app?.playback?.last > 0 && !app.live && app.playback.frame >= app.playback.last;
}

const sorted = (bots) => bots.split("\n").sort().join("\n");

// Mark the encounters of brackets that are being played.
function mark(met) {
  for (const one of document.querySelectorAll("[data-open]"))
    one.classList.toggle("live", met.includes(sorted(one.dataset.bots)));
}
