/** Hands a bot in to the season whose server has this page. */

import { button, fill, make } from "./make.js";
import { archive } from "./store.js";

const PAUSE = 700; // milliseconds between two looks at the report
const RUNNING = ["waiting", "checking"];

export class Season {
  /** @param {any} page @param {string} name of the season */
  constructor(page, name) {
    this.page = page;
    this.name = name;
    this.place = /** @type {HTMLElement} */ (document.getElementById("season"));
    this.count = 0;
    this.show();
  }

  /** Who is signed in now; the session can have changed in another tab. */
  async session() {
    const answer = await fetch("../api/session");
    return answer.ok ? answer.json() : {};
  }

  async show() {
    const { team, role } = await this.session().catch(() => ({}));
    const home = make("a", { href: "../" }, this.name);
    if (role === "member")
      fill(
        this.place,
        button("Hand in", () => this.handIn(), "main"),
        ` ${team}, `,
        home,
      );
    else fill(this.place, home, make("a", { href: "../sign-in" }, "Sign in to hand in"));
  }

  /** Hands in what the editor shows, and nothing that Python has made: it may have run the code of others. */
  async handIn() {
    const { page } = this;
    const count = ++this.count;
    const name = page.store.current;
    page.store.keep();
    page.tab("output");
    try {
      const { csrf } = await this.session();
      const typed = await (await fetch(`typed/${page.game.name}.py`)).text();
      const body = await archive(name, { ...page.folder(), [`${page.game.name}.py`]: typed });
      const headers = { "X-CSRF": csrf ?? "", "X-File-Name": `${name}.tar.gz`, Accept: "application/json" };
      let version = await read(fetch("../api/submit", { method: "POST", body, headers }));
      page.say(`${name} is handed in: version ${version.number} of ${version.team}.`);
      while (this.report(version)) {
        await new Promise((done) => setTimeout(done, PAUSE));
        if (count !== this.count) return; // another version is handed in
        const { team, number } = version;
        version = await read(fetch(`../api/version/${encodeURIComponent(team)}/${number}`));
      }
    } catch (error) {
      page.say(error instanceof Error ? error.message : String(error), true);
    }
  }

  /** Shows the report of a version. Returns whether it is not complete. @param {any} version */
  report({ team, number, state, problem, waits, lines, url, active }) {
    const runs = RUNNING.includes(state);
    const rows = lines.map((/** @type {any} */ one) => {
      const mark = one.passed === undefined ? "…" : one.passed ? "✓" : "✗";
      return make(
        "li",
        {},
        `${mark} ${one.name ?? one.running}`,
        one.problem_text && make("pre", {}, one.problem_text),
      );
    });
    const passed = active ? "It plays on the ladder now." : "It passed. On its page you can let it play on the ladder.";
    const end = state === "passed" ? passed : `It does not play: ${problem}.`;
    fill(
      document.getElementById("output"),
      make("h2", {}, `Version ${number} of ${team}: ${state}`),
      make("ul", { class: "report" }, ...rows),
      make("p", { role: "status" }, runs ? waits || "The season checks it…" : end, " "),
      make("a", { href: `..${url}` }, "Its page"),
    );
    if (!runs) this.page.say(end, state !== "passed");
    return runs;
  }
}

/** @param {Promise<Response>} request @returns {Promise<any>} */
async function read(request) {
  const answer = await request;
  const document = await answer.json().catch(() => ({ message: `The server answered with ${answer.status}.` }));
  if (!answer.ok) throw new Error(`${document.message} ${document.hint ?? ""}`.trim());
  return document;
}
