/** Films the board. `chromium.py` runs this script in the page of a replay; the script is not part of the page. */

/** @param {string} format `gif` or `webm` @returns {Promise<string>} the film in base64 */
// biome-ignore lint/correctness/noUnusedVariables: `chromium.py` calls it.
async function record(format) {
  const app = /** @type {any} */ (globalThis).arena;
  app.playback.pause();
  const bytes = format === "gif" ? gif(app) : await webm(app);
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

/** Makes a picture of the start and one of each turn. @param {any} app */
function gif(app) {
  const { position, replay, board } = app;
  const width = 560;
  const head = 34;
  const height = head + Math.round((width * board.height) / board.width);
  const small = document.createElement("canvas");
  [small.width, small.height] = [width, height];
  const to = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d", { willReadFrequently: true }));
  const shot = (/** @type {number} */ turn) => {
    position.seekTurn(turn);
    app.tick(0);
    to.fillStyle = getComputedStyle(document.body).backgroundColor;
    to.fillRect(0, 0, width, height);
    to.drawImage(board.canvas, 0, head, width, height - head);
    heading(app, to, width, head);
    return to.getImageData(0, 0, width, height).data;
  };
  const last = replay.content.allTurns.length - 1;
  const palette = paletteOf([0, 0.3, 0.6, 1].map((part) => shot(Math.round(last * part))));
  const out = [...letters("GIF89a"), ...short(width), ...short(height), 0xf7, 0, 0];
  for (const [r, g, b] of palette.colors) out.push(r, g, b);
  out.push(0x21, 0xff, 11, ...letters("NETSCAPE2.0"), 3, 1, 0, 0, 0);
  /** @type {Uint8Array | null} */
  let before = null;
  for (let turn = -1; turn <= last; turn++) {
    const picture = palette.indexes(shot(turn));
    const changed = picture.map((color, at) => (before && before[at] === color ? 255 : color));
    out.push(0x21, 0xf9, 4, 5, ...short(turn === last ? 250 : 12), 255, 0);
    out.push(0x2c, 0, 0, 0, 0, ...short(width), ...short(height), 0, 8);
    compress(changed, out);
    before = picture;
  }
  out.push(0x3b);
  return Uint8Array.from(out);
}

/**
 * Writes names, scores and the turn above the board.
 * @param {any} app @param {CanvasRenderingContext2D} to @param {number} width @param {number} height
 */
function heading(app, to, width, height) {
  const style = getComputedStyle(document.body);
  const { position, replay, scores } = app;
  const { content, players } = replay;
  const state = position.states.at(position.frame);
  const turn = `${content.numberOf(position.turn)}/${content.lastTurn}`;
  const room = (width - 70) / Math.max(1, players.length);
  to.font = `600 ${room > 150 ? 15 : 11}px system-ui, sans-serif`;
  to.textBaseline = "middle";
  to.textAlign = "left";
  players.forEach((/** @type {any} */ player, /** @type {number} */ at) => {
    const value = scores.series?.value(state, at);
    const score = typeof value === "number" ? ` ${value}` : "";
    const left = 8 + at * room;
    to.fillStyle = player.color;
    to.beginPath();
    to.arc(left + 5, height / 2, 5, 0, 7);
    to.fill();
    to.fillStyle = style.color;
    let name = player.name;
    while (name.length > 1 && to.measureText(`${name}${score}`).width > room - 24) name = name.slice(0, -1);
    to.fillText(`${name === player.name ? name : `${name.slice(0, -1)}…`}${score}`, left + 15, height / 2);
  });
  to.textAlign = "right";
  to.fillText(turn, width - 8, height / 2);
}

/** @param {number} value */
const short = (value) => [value & 255, value >> 8];

/** @param {string} text */
const letters = (text) => Array.from(text, (letter) => letter.charCodeAt(0));

/**
 * The 255 most common colours of some pictures, and a last colour that stands for "no change".
 * @param {Uint8ClampedArray[]} pictures
 */
function paletteOf(pictures) {
  const counts = new Uint32Array(32768);
  const key = (/** @type {Uint8ClampedArray} */ data, /** @type {number} */ at) =>
    ((data[at] >> 3) << 10) | ((data[at + 1] >> 3) << 5) | (data[at + 2] >> 3);
  for (const data of pictures) for (let at = 0; at < data.length; at += 4) counts[key(data, at)]++;
  const common = Array.from(counts.keys())
    .sort((one, other) => counts[other] - counts[one])
    .slice(0, 255);
  const colors = common.map((code) => [((code >> 10) << 3) | 4, (((code >> 5) & 31) << 3) | 4, ((code & 31) << 3) | 4]);
  colors.push([0, 0, 0]);
  const nearest = new Int16Array(32768).fill(-1);
  const find = (/** @type {number} */ code) => {
    const [r, g, b] = [(code >> 10) << 3, ((code >> 5) & 31) << 3, (code & 31) << 3];
    let best = 0;
    let least = Infinity;
    for (let at = 0; at < 255; at++) {
      const far = (colors[at][0] - r) ** 2 + (colors[at][1] - g) ** 2 + (colors[at][2] - b) ** 2;
      if (far < least) [best, least] = [at, far];
    }
    return best;
  };
  const indexes = (/** @type {Uint8ClampedArray} */ data) => {
    const picture = new Uint8Array(data.length / 4);
    for (let at = 0; at < data.length; at += 4) {
      const code = key(data, at);
      if (nearest[code] < 0) nearest[code] = find(code);
      picture[at / 4] = nearest[code];
    }
    return picture;
  };
  return { colors, indexes };
}

/**
 * The LZW of GIF: codes of 9 to 12 bits, in blocks of at most 255 bytes.
 * @param {Uint8Array} picture @param {number[]} out
 */
function compress(picture, out) {
  let table = new Map();
  let [bits, next, buffer, filled] = [9, 258, 0, 0];
  /** @type {number[]} */
  const block = [];
  const flush = () => {
    if (block.length) out.push(block.length, ...block);
    block.length = 0;
  };
  const emit = (/** @type {number} */ code) => {
    buffer |= code << filled;
    for (filled += bits; filled >= 8; filled -= 8, buffer >>>= 8) if (block.push(buffer & 255) === 255) flush();
  };
  emit(256);
  let prefix = picture[0];
  for (let at = 1; at < picture.length; at++) {
    const key = (prefix << 8) | picture[at];
    const known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    emit(prefix);
    table.set(key, next);
    if (next++ === 1 << bits) bits++;
    if (next === 4096) {
      emit(256);
      [table, bits, next] = [new Map(), 9, 258];
    }
    prefix = picture[at];
  }
  emit(prefix);
  emit(257);
  if (filled) block.push(buffer & 255);
  flush();
  out.push(0);
}
