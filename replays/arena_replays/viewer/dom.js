/** Functions to build the page. Text from a replay becomes text nodes only, never markup. */

/**
 * An element with properties and children; strings become text.
 * @param {string} name a tag, and classes if wanted: `div.card.wide`
 * @param {Record<string, any>} [properties] `on...` are listeners, the rest attributes
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {any}
 */
export function el(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      node.append(child instanceof Node ? child : document.createTextNode(clip(String(child))));
    }
  }
  return node;
}

/**
 * Makes an element of a picture.
 * @param {string} name @param {Record<string, string | number>} attributes @param {...Node} children
 */
export function shape(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** @param {string} text @param {number} [most] @returns {string} the first `most` characters, and how many there are */
export function clip(text, most = 4000) {
  return text.length > most ? `${text.slice(0, most)}… (${text.length.toLocaleString("en")} characters)` : text;
}

/** @param {number | null} micros */
export function duration(micros) {
  if (micros === null) return "–";
  if (micros < 1e5) return `${(micros / 1000).toFixed(1)} ms`;
  return `${(micros / 1e6).toFixed(micros < 1e7 ? 2 : 1)} s`;
}

/** A value as one short line. @param {any} value @param {number} [most] @returns {string} */
export function short(value, most = 300) {
  if (typeof value === "string") return clip(value || "“”", most);
  if (value === null || value === undefined) return "none";
  if (typeof value === "object" && value instanceof Uint8Array) return `${value.length} bytes`;
  if (typeof value !== "object") return String(value);
  return clip(flat(value, 0), most);
}

/** @param {any} value @param {number} depth @returns {string} */
function flat(value, depth) {
  if (typeof value !== "object" || value === null) return value === null ? "none" : String(value).slice(0, 200);
  if (depth > 4) return "…";
  const list = Array.isArray(value);
  const parts = (list ? value.slice(0, 60) : Object.keys(value).slice(0, 60)).map((/** @type {any} */ item) =>
    list ? flat(item, depth + 1) : `${String(item).slice(0, 60)} ${flat(value[item], depth + 1)}`,
  );
  return list ? `[${parts.join(", ")}]` : parts.join(", ");
}

/** An action as people read it. @param {any} action */
export function actionText(action) {
  if (typeof action !== "object" || action === null) return short(action);
  const { type, ...rest } = action;
  const values = Object.entries(rest).filter(([, value]) => value !== "");
  const words = values.map(([key, value]) => (key === "x" || key === "y" ? short(value) : `${key} ${short(value)}`));
  return clip(`${type ?? ""} ${words.join(" ")}`.trim());
}

/**
 * Isolates a name from a replay, so that it cannot change the direction of the text around it.
 * @param {{name: string, color: string, index: number}} player
 */
export function nameTag({ name, color, index }) {
  const tag = el("bdi.name", { "data-seat": index, title: name }, clip(name, 60));
  tag.style.setProperty("--team", color);
  return tag;
}

/**
 * The players of a turn: one, or those who moved at the same time.
 * @param {{times: {player: number}[]}} turn @param {{name: string}[]} players
 */
export function namesIn({ times }, players) {
  const names = times.map(({ player }) => clip(players[player]?.name ?? `player ${player}`, 40));
  return names.length > 3 ? `${names.length} players` : names.join(", ");
}

/** @param {HTMLElement} host @param {...Node} children */
export function fill(host, ...children) {
  host.replaceChildren(...children);
}

/**
 * Shows a few words above the pointer, inside the given element, or below the element. Without words it shows nothing.
 * @param {HTMLElement} tip @param {string} text @param {PointerEvent} event @param {HTMLElement} inside
 * @param {boolean} [below] whether the words are below the element, where they cover no button above it
 */
export function showTip(tip, text, event, inside, below = false) {
  const box = inside.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  tip.hidden = !text;
  tip.textContent = text;
  tip.style.left = `${x}px`;
  // Near the upper edge of the board there is room below the pointer only.
  const under = below ? box.height + 2 : y < 60 ? y + 22 : null;
  tip.style.top = under === null ? "" : `${under}px`;
  tip.style.bottom = under === null ? `${box.height - y + 14}px` : "";
  tip.style.translate = `${(-100 * x) / Math.max(1, box.width)}%`;
}

/** Makes a canvas as sharp as the screen. @param {HTMLCanvasElement} canvas */
export function sharpen(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const { clientWidth: width, clientHeight: height } = canvas;
  const [across, down] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
  return { width, height, ratio };
}

/** How much larger than usual the page's text is: pictures with text in them grow with it. */
export const textScale = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 14;

/** @param {any} value @returns {number | null} */
export const finite = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
