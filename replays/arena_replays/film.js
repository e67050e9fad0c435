/** Films a match in the page of a replay. `chromium.py` runs this script there; it is not part of the page. */

/** @param {string} format `gif` or `webm` @returns {Promise<string>} the film in base64 */
// biome-ignore lint/correctness/noUnusedVariables: `chromium.py` calls it.
async function record(format) {
  const app = /** @type {any} */ (globalThis).arena;
  app.playback.pause();
  const { film, turns } = await import("arena/film");
  const bytes = format === "gif" ? await film(app, turns(app)) : await webm(app);
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Films the match while it plays. The film has at most about 30 s, except for very long matches. @param {any} app */
async function webm(app) {
  const { playback, position, board } = app;
  const parts = /** @type {Blob[]} */ ([]);
  const film = new MediaRecorder(board.canvas.captureStream(30), {
    mimeType: "video/webm",
    videoBitsPerSecond: 2_500_000,
  });
  film.ondataavailable = (event) => parts.push(event.data);
  const stopped = new Promise((resolve) => (film.onstop = resolve));
  position.seek(0);
  playback.setSpeed(Math.max(1, Math.min(32, Math.ceil((position.last * 300) / 30_000))));
  film.start();
  playback.play();
  while (playback.playing) await new Promise((resolve) => setTimeout(resolve, 50));
  await new Promise((resolve) => setTimeout(resolve, 600));
  film.stop();
  await stopped;
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
