/**
 * Light or dark colours: the system's setting, until the user changes it.
 * @module
 */

const wish = matchMedia("(prefers-color-scheme: dark)");

export const look = { dark: wish.matches };

/** @type {(() => void)[]} */
const listeners = [];

/** @param {() => void} listener called when the colours change */
export function onTheme(listener) {
  listeners.push(listener);
}

/** @param {boolean} dark */
export function setDark(dark) {
  look.dark = dark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}

wish.addEventListener("change", (event) => setDark(event.matches));
setDark(wish.matches);
