/** How the page looks: light or dark, with movements or still. Dispatches `change`. */
export class Look extends EventTarget {
  constructor() {
    super();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    this.dark = scheme.matches;
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scheme.addEventListener("change", ({ matches }) => this.setDark(matches));
    this.setDark(this.dark);
  }

  /** @param {boolean} dark */
  setDark(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.dispatchEvent(new Event("change"));
  }
}
