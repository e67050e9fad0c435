// Draws the last position of each match in a list, when it comes near the window. Under the pointer, its last action is
// played once more. The game's own renderer draws; without it, or without the replay, there is no picture.
import { createRenderer } from "arena/renderer";
import { drawStill } from "arena/stills";
import { decode } from "msgpack";

const MOVE = 700; // milliseconds
const MOST_KEPT = 300;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const kept = new Map(); // promises of data by address: lists are made again with each result

// Return what `load` promises for an address, which is asked once. What failed is asked again.
function once(address, load) {
  if (!kept.has(address)) {
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    const promise = load(address);
    promise.catch(() => kept.delete(address));
    kept.set(address, promise);
  }
  return kept.get(address);
}

// A server has a file for each position. An exported page has scripts with many: `stills/3.js#17` is number 17 of one.
async function position(address) {
  const [file, number] = address.split("#");
  if (number !== undefined) return decode((await once(file, unpack))[number]);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(String(answer.status));
  return decode(new Uint8Array(await answer.arrayBuffer()));
}

async function unpack(file) {
  const script = document.createElement("script");
  script.src = file;
  await new Promise((done, failed) => {
    script.onload = done;
    script.onerror = failed;
    document.head.append(script);
  });
  const packed = Uint8Array.from(atob(document.getElementById(file).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return decode(new Uint8Array(await new Response(stream).arrayBuffer()));
}

async function draw(canvas) {
  try {
    const paint = drawStill(canvas, createRenderer, await once(canvas.dataset.still, position));
    canvas.closest("li, a, tr")?.addEventListener("pointerenter", () => still.matches || play(paint));
  } catch {
    canvas.hidden = true;
  }
}

function play(paint) {
  const start = performance.now();
  const step = (now) => {
    const part = Math.min(1, (now - start) / MOVE);
    paint(part);
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      draw(entry.target);
    }
  },
  { rootMargin: "1200px" },
);

function find() {
  for (const canvas of document.querySelectorAll("canvas[data-still]:not([data-found])")) {
    canvas.dataset.found = "true";
    near.observe(canvas);
  }
}

new MutationObserver(find).observe(document.body, { childList: true, subtree: true });
find();
