/** How the page looks and sounds: light or dark, with movements or still, silent or not. Dispatches `change`. */

const SOUNDS_KEY = "arena-viewer sounds";

export class Look extends EventTarget {
  constructor() {
    super();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.dark = scheme.matches;
    this.still = reduced.matches;
    /** Whether the match is heard; off at first, and remembered. */
    this.sounds = remembered() === "on";
    scheme.addEventListener("change", ({ matches }) => this.setDark(matches));
    reduced.addEventListener("change", ({ matches }) => {
      this.still = matches;
      this.dispatchEvent(new Event("change"));
    });
    this.setDark(this.dark);
  }

  /** @param {boolean} dark */
  setDark(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.dispatchEvent(new Event("change"));
  }

  /** @param {boolean} sounds */
  setSounds(sounds) {
    this.sounds = sounds;
    try {
      localStorage.setItem(SOUNDS_KEY, sounds ? "on" : "off");
    } catch {
      // Some frames and private windows have no storage: then it is not remembered.
    }
    this.dispatchEvent(new Event("change"));
  }
}

function remembered() {
  try {
    return localStorage.getItem(SOUNDS_KEY);
  } catch {
    return null;
  }
}
