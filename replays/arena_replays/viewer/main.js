/** Starts the viewer with the replays in the page, or with those that the page links to. */

import { Coach } from "arena/coach";
import { el, fill } from "arena/dom";
import { follow } from "arena/live";
import { Match } from "arena/match";
import { read, Unreadable } from "arena/reader";

/** @typedef {import("arena/replay").Source} Source */

async function start() {
  const host = /** @type {HTMLElement} */ (document.getElementById("viewer"));
  /** @type {{legs?: Source[], leg?: number, other?: Source, coach?: string, place?: import("arena/ending").Place}} */
  const config = JSON.parse(document.getElementById("arena-config")?.textContent ?? "{}");
  const sources = config.legs ?? [];
  const linked = /[#&](t=|tab=|live)/.test(location.hash);
  const frame = new URLSearchParams(location.hash.slice(1)).get("frame"); // later the viewer changes the address
  try {
    const { createRenderer } = await import("arena/renderer");
    const files = await Promise.all([...sources, ...(config.other ? [config.other] : [])].map(load));
    const contents = await Promise.all(files.map((bytes) => read(bytes)));
    // A page from a disk has no other pages.
    const coach = config.coach && location.protocol !== "file:" ? new Coach(config.coach) : null;
    const all = [...sources, ...(config.other ? [config.other] : [])].map((source, at) => ({
      coach,
      bytes: files[at],
      content: contents[at],
      live: Boolean(source.live) && !contents[at].ended,
      source,
    }));
    const legs = all.slice(0, sources.length);
    const match = new Match(host, legs, createRenderer, all[sources.length] ?? null, config.leg, config.place);
    animate(match);
    match.links.follow();
    if (frame) match.app.position.seek(Number(frame) || 0);
    if (sources[0]?.what_if) (await import("arena/what_if")).offerWhatIf(match);
    match.app.why.begin(linked);
    legs.forEach((leg, at) => leg.live && follow(match, leg, String(sources[at].url), files[at].length));
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    const sentence = error instanceof Unreadable ? error.message : `This replay cannot be shown: ${error}`;
    fill(host, el("p.unreadable", { role: "alert" }, sentence));
    document.documentElement.dataset.ready = "failed";
  }
}

/** @param {Source} source @returns {Promise<Uint8Array>} */
async function load({ url, inline, common }) {
  if (inline && common) {
    const packed = new Blob([block("arena-common"), block(inline)]).stream();
    const stream = packed.pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer()).subarray(common);
  }
  if (inline) return block(inline);
  const answer = await fetch(String(url));
  if (!answer.ok) throw new Unreadable("The replay does not exist any more.");
  return new Uint8Array(await answer.arrayBuffer());
}

/** @param {string} id @returns {Uint8Array<ArrayBuffer>} the bytes in a block of the page */
function block(id) {
  const text = document.getElementById(id)?.textContent ?? "";
  return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
}

/** @param {Match} match */
function animate(match) {
  let last = performance.now();
  const step = (/** @type {number} */ now) => {
    requestAnimationFrame(step);
    const elapsed = Math.min(100, Math.max(0, now - last));
    last = now;
    match.app.tick(elapsed);
  };
  match.app.tick(0);
  requestAnimationFrame(step);
}

start();
