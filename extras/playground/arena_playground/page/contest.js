/** Hands a bot in to the contest whose server has this page. */

import { button, fill, make } from "./make.js";

const PAUSE = 700; // milliseconds between two looks at the report
const RUNNING = ["waiting", "checking"];

export class Contest {
  /** @param {any} page @param {string} name of the contest */
  constructor(page, name) {
    this.page = page;
    this.name = name;
    this.place = /** @type {HTMLElement} */ (document.getElementById("contest"));
    this.count = 0;
    this.shown = make("section");
    this.told = false;
    this.show();
  }

  /** Who is signed in now; the session can have changed in another tab. */
  async session() {
    const answer = await fetch("../api/session");
    return answer.ok ? answer.json() : {};
  }

  async show() {
    const { team, role, takes_bots: open } = await this.session().catch(() => ({}));
    const home = make("a", { href: "../" }, this.name);
    if (!open) fill(this.place, home);
    else if (role === "member")
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
    this.shown = make("section", { class: "version" }, make("p", { class: "dim" }, "The files are being sent."));
    this.told = false;
    fill(/** @type {HTMLElement} */ (document.getElementById("output")), this.shown);
    try {
      const { csrf } = await this.session();
      const body = await page.packed();
      const headers = { "X-CSRF": csrf ?? "", "X-File-Name": `${name}.zip`, Accept: "application/json" };
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
  report({ team, number, state, problem, waits, lines, url, active, scores, comparison, compares }) {
    const checked = !RUNNING.includes(state);
    const rows = lines.map((/** @type {any} */ { name: line, running, passed, problem_text: text }) => {
      const mark = passed === undefined ? "…" : passed ? "✓" : "✗";
      return make("li", {}, `${mark} ${line ?? running}`, text && make("pre", {}, text));
    });
    const passed = active ? "It plays on the ladder now." : "It passed. On its page you can let it play on the ladder.";
    const end = state === "passed" ? passed : `It does not play: ${problem}.`;
    fill(
      this.shown, // which is not on the page any more if the user has played since
      make("h2", {}, `Version ${number} of ${team}: ${state}`),
      make("p", { role: "status" }, checked ? end : waits || "The contest checks it…", " "),
      scores.length > 0 && make("h2", {}, "Against the built-in bots"),
      scores.length > 0 && make("ul", {}, ...scores.map((/** @type {any} */ one) => make("li", {}, ...result(one)))),
      compares && make("p", { class: "dim" }, "Some matches are still to be played."),
      comparison && make("h2", {}, `Against version ${comparison.version}`),
      comparison && make("p", {}, ...result(comparison), ". ", difference(comparison)),
      make("a", { href: `..${url}` }, "Its page"),
      make("ul", { class: "report" }, ...rows),
    );
    if (checked && !this.told) this.page.say(end, state !== "passed");
    this.told = checked;
    return !checked || compares;
  }
}

/** The points against one opponent, and each match. @param {any} one */
function result({ opponent, points, matches, version }) {
  const links = matches.map((/** @type {any} */ { id, score, points: own }) => {
    const word = { 1: "won", 0: "lost" }[own] ?? `${own} points`;
    return make("a", { href: `../match/${id}` }, `${word} with score ${score}`);
  });
  const lead = `${version ? "" : `${opponent}: `}${points} of ${matches.length} points `;
  return [lead, ...links.flatMap((link, at) => (at ? [", ", link] : [link]))];
}

/** Where the first match differs from that of the version before. @param {any} comparison */
function difference({ version, differs }) {
  if (differs === 0) return `In its first match, it did the same in every turn as version ${version}.`;
  return differs ? `In its first match, it first did something else than version ${version} in turn ${differs}.` : "";
}

/** @param {Promise<Response>} request @returns {Promise<any>} */
async function read(request) {
  const answer = await request;
  const document = await answer.json().catch(() => ({ message: `The server answered with ${answer.status}.` }));
  if (!answer.ok) throw new Error(`${document.message} ${document.hint ?? ""}`.trim());
  return document;
}
