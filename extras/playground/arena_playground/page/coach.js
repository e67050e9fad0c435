/** The coach: Python in a frame of the page of a replay, which calls it. See `arena/coach` in the viewer. */

import { python } from "./python.js";

/** @param {string} name @param {any} request @param {Uint8Array} replay @param {(found: any) => void} heard */
async function ask(name, request, replay, heard = () => {}) {
  await python.ready;
  // Only now, so that the files that Python needed are loaded once.
  navigator.serviceWorker?.register("offline.js").catch(() => {});
  return python.call(name, request, (kind, text) => kind === "document" && heard(JSON.parse(text)), replay);
}

Object.assign(globalThis, { coach: { ask, stop: () => python.stop("Stopped.") } });
