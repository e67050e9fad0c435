/**
 * Follows a running match: requests new data, and stays at the end unless the user goes to another position.
 */

import { read } from "arena/reader";
import { States } from "arena/states";

/**
 * @param {import("arena/match").Match} match @param {import("arena/match").Leg} leg @param {string} url
 * @param {number} have the number of bytes that the page has already
 */
export async function follow(match, leg, url, have) {
  let bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  let generation = "";
  if (match.app.leg === leg) match.app.playback.seek(match.app.playback.last);
  while (!leg.content.ended) {
    const answer = await fetch(`${url}?from=${have}&generation=${generation}`).catch(() => null);
    if (!answer?.ok) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      continue;
    }
    const more = new Uint8Array(await answer.arrayBuffer());
    const whole = answer.headers.get("X-Arena-Whole") === "1";
    generation = answer.headers.get("X-Arena-Generation") ?? "";
    bytes = whole ? more : new Uint8Array(await new Blob([bytes.subarray(0, have), more]).arrayBuffer());
    have = bytes.length;
    const before = leg.content;
    leg.content = whole ? await read(bytes) : await read(bytes, before);
    if (match.app.leg === leg) arrived(match.app, before);
  }
  leg.live = false;
  match.app.extend();
  if (match.app.leg === leg) match.app.why.begin(true);
}

/** @param {import("arena/app").App} app @param {import("arena/reader").Content} before */
function arrived(app, before) {
  const { playback, content } = app;
  if (content !== before) app.streams = content.streams.map((frames) => new States(frames));
  app.following &&= playback.playing || playback.frame >= playback.last;
  const last = playback.last;
  app.extend();
  if (!app.following) return;
  // A match may be faster than its animation. Then frames are skipped.
  const newest = playback.turns[playback.turns.length - 1];
  if (newest && playback.frame < newest.first - 1) playback.seek(newest.first - 1);
  if (playback.frame < playback.last && (playback.last > last || content.ended)) playback.play();
}
