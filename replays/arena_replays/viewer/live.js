/**
 * Follows a match that is still running: asks for what is new, and stays at the end unless the viewer looks elsewhere.
 * @module
 */

import { Content, read } from "arena/reader";
import { States } from "arena/states";

/** @param {import("arena/app").App} app @param {string} url @param {number} have bytes there are already */
export async function follow(app, url, have) {
  let bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  let generation = "";
  app.playback.seek(app.playback.last);
  for (;;) {
    const answer = await fetch(`${url}?from=${have}&generation=${generation}`).catch(() => null);
    if (!answer || !answer.ok) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      continue;
    }
    const more = new Uint8Array(await answer.arrayBuffer());
    const whole = answer.headers.get("X-Arena-Whole") === "1";
    generation = answer.headers.get("X-Arena-Generation") ?? "";
    bytes = whole ? more : join(bytes.subarray(0, have), more);
    have = bytes.length;
    if (whole) replace(app, await read(bytes));
    else await read(bytes, app.content);
    arrived(app);
    if (app.content.ended) break;
  }
  app.live = false;
  app.extend();
}

/** @param {import("arena/app").App} app @param {Content} content */
function replace(app, content) {
  app.content = content;
  app.streams = content.streams.map((frames) => new States(frames));
}

/** @param {import("arena/app").App} app */
function arrived(app) {
  const { playback } = app;
  const atEnd = playback.frame >= playback.last;
  const before = playback.last;
  app.extend();
  if (atEnd && playback.last > before && !playback.playing) playback.play();
}

/** @param {Uint8Array} one @param {Uint8Array} other */
function join(one, other) {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
