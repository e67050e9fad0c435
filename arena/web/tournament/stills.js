// Draws the last position of each match in a list, when it comes near the window. Under the pointer, its last action is
// played once more. The game's own renderer draws; without it, or without the replay, there is no picture.
import { createRenderer } from "arena/renderer";
import { drawStill } from "arena/stills";
import { decode } from "msgpack";

const MOVE = 700; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");
const known = new Map(); // the data by address: lists are made again with each result

async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(String(answer.status));
  return decode(new Uint8Array(await answer.arrayBuffer()));
}

async function draw(canvas) {
  const address = canvas.dataset.still;
  if (!known.has(address)) known.set(address, load(address));
  try {
    const paint = drawStill(canvas, createRenderer, await known.get(address));
    canvas.closest("li, a")?.addEventListener("pointerenter", () => still.matches || play(paint));
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
  { rootMargin: "200px" },
);

function find() {
  for (const canvas of document.querySelectorAll("canvas[data-still]:not([data-found])")) {
    canvas.dataset.found = "true";
    near.observe(canvas);
  }
}

new MutationObserver(find).observe(document.body, { childList: true, subtree: true });
find();
