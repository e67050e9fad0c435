/** Starts the viewer: with the replays in the page, with those that it links to, or with those that a reader opens. */

import { Coach } from "arena/coach";
import { el, fill } from "arena/dom";
import { follow } from "arena/live";
import { Match } from "arena/match";
import { read, Unreadable } from "arena/reader";

/** @typedef {import("arena/replay").Source} Source */
/**
 * @typedef {{legs?: Source[], leg?: number, other?: Source, coach?: string, opens?: boolean,
 *   place?: import("arena/ending").Place}} Config
 * `opens`: the reader chooses files
 */

const host = /** @type {HTMLElement} */ (document.getElementById("viewer"));
/** @type {Match | null} the match that is shown */
let shown = null;

async function start() {
  /** @type {Config} */
  const config = JSON.parse(document.getElementById("arena-config")?.textContent ?? "{}");
  const wanted = new URLSearchParams(location.hash.slice(1)); // later the viewer changes the address
  if (wanted.has("clip")) document.documentElement.dataset.clip = "";
  animate();
  try {
    if (config.opens) (await import("arena/opening")).offer(host, show);
    else await show(config, wanted, await Promise.all([...(config.legs ?? []), ...rest(config)].map(load)));
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    const sentence = error instanceof Unreadable ? error.message : `This replay cannot be shown: ${error}`;
    fill(host, el("p.unreadable", { role: "alert" }, sentence));
    document.documentElement.dataset.ready = "failed";
  }
}

/** @param {Config} config */
const rest = ({ other }) => (other ? [other] : []);

/**
 * Shows a match instead of the one before.
 * @param {Config} config @param {URLSearchParams} wanted the position in the address
 * @param {Uint8Array[]} files one for each leg, and for the other match
 */
async function show(config, wanted, files) {
  const sources = config.legs ?? [];
  const contents = await Promise.all(files.map((bytes) => read(bytes)));
  const whatIf = sources[0]?.what_if ? await import("arena/what_if") : null; // now, so that no tab moves later
  const { createRenderer } = await rendererOf(contents[0]);
  // A page from a disk has no other pages.
  const coach = config.coach && location.protocol !== "file:" ? new Coach(config.coach) : null;
  const all = [...sources, ...rest(config)].map((source, at) => ({
    coach,
    bytes: files[at],
    content: contents[at],
    live: Boolean(source.live) && !contents[at].ended,
    source,
  }));
  const legs = all.slice(0, sources.length);
  const place = frameElement ? {} : config.place; // a page of the same site around it says where it belongs
  shown?.app.close();
  shown = new Match(host, legs, createRenderer, all[sources.length] ?? null, config.leg, place);
  whatIf?.offerWhatIf(shown);
  const { app } = shown;
  app.tick(0);
  shown.links.follow();
  if (wanted.has("frame")) app.position.seek(Number(wanted.get("frame")) || 0);
  const linked = ["t", "tab", "live", "frame"].some((name) => wanted.has(name));
  app.why.begin(linked);
  const begins = !linked || /^(leg=\d+&)?t=0$/.test(String(wanted)); // the viewer writes this address at the start
  if (begins && !app.replay.live && !config.other && app.position.frame === 0) playOnSight(app);
  for (const [at, leg] of legs.entries()) if (leg.live) follow(shown, leg, String(sources[at].url), files[at].length);
}

/** Some pages have those of several games. @param {import("arena/reader").Content} content @returns {Promise<any>} */
const rendererOf = ({ header }) => import(`arena/game/${header.game}`).catch(() => import("arena/renderer"));

/**
 * Plays a match from its first event as soon as the board is in the window. Sounds begin with the first click or key.
 * @param {import("arena/app").App} app
 */
function playOnSight({ board, look, playback, position }) {
  if (look.still) return;
  const seen = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    seen.disconnect();
    const first = position.states.frames.findIndex(({ events }) => events.length > 0);
    position.seek(first - 1);
    playback.play();
  });
  seen.observe(board.canvas);
  for (const sooner of [position, playback])
    for (const name of ["seek", "state"]) sooner.addEventListener(name, () => seen.disconnect(), { once: true });
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

function animate() {
  let last = performance.now();
  const step = (/** @type {number} */ now) => {
    requestAnimationFrame(step);
    const elapsed = Math.min(100, Math.max(0, now - last));
    last = now;
    shown?.app.tick(elapsed);
  };
  requestAnimationFrame(step);
}

start();
