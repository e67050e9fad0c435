/** Follows a running match: requests new data until the match ends. */

import { read } from "arena/reader";

/**
 * @param {import("arena/match").Match} match @param {import("arena/replay").Leg} leg @param {string} url
 * @param {number} have the number of bytes that the page has already
 */
export async function follow(match, leg, url, have) {
  const isShown = () => match.legs.current === leg;
  let bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  let generation = "";
  if (isShown()) match.app.position.seek(match.app.position.last);
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
    leg.content = whole ? await read(bytes) : await read(bytes, leg.content);
    if (isShown()) match.app.following.grow();
  }
  leg.live = false;
  leg.bytes = bytes;
  match.app.replay.grow();
  if (!isShown()) return;
  match.app.chances.load().then(() => match.app.replay.explain(null));
  match.app.why.begin(true);
}
