/** The dialog that makes what one can send of a match: a link, pictures, one page, and a line for another page. */

import { el, fill } from "arena/dom";
import { film, LONGEST, lengthOf, picture, stretch } from "arena/film";

/** @typedef {import("arena/film").Filmed} Filmed */

/** The length of the stretch that is offered first, in seconds. */
const SHORT = 10;
/** Size of a match in another page: the least at which the viewer has no scrollbars. */
const [WIDE, TALL] = [640, 560];

/** Opens the dialog. @param {Filmed} app */
export function share(app) {
  app.playback.pause();
  app.links?.write();
  const close = el("button", { "aria-label": "Close", onclick: () => dialog.close() }, "✕");
  const dialog = el(
    "dialog.help.share",
    { "aria-label": "Share", onclose: () => dialog.remove() },
    el("div.head", {}, el("h2", {}, "Share"), close),
    ...linked(app),
    ...pictures(app),
    ...animated(app),
    ...wholes(app),
    ...embedded(app),
  );
  document.body.append(dialog);
  dialog.showModal();
}

const isServed = () => /^https?:$/.test(location.protocol);

/** Whether only this machine can open the address of the page. */
const isLocal = () => /^(localhost|127\.|\[::1\])/.test(location.hostname);

/**
 * Whether the address of the page leads to this match: not if somebody opened a file, or plays it here.
 * @param {import("arena/replay").Leg} leg
 */
const hasAddress = ({ source }) => Boolean(source?.pages || source?.inline);

/**
 * The address of what the page shows now; of the match itself, if it is shown inside of another page.
 * @param {Filmed} app
 */
function linked({ replay }) {
  if (!isServed() || !hasAddress(replay.leg)) return [];
  const note = isLocal() && "Only this machine opens it, while the command runs. To send the match, send its page.";
  return part("Link to this moment", note, copied(location.href, "Address"));
}

/** @param {Filmed} app */
function pictures(app) {
  const button = el("button", {}, "Save the picture");
  working(button, async () => save(await picture(app), `${nameOf(app)}-turn-${numberAt(app)}.png`));
  return part("Picture", `Turn ${numberAt(app)}, as the board shows it.`, button);
}

/** @param {Filmed} app */
function animated(app) {
  const { position } = app;
  const { turns } = position;
  if (!turns.length) return [];
  const [first, last] = stretchAt(app);
  const [from, to] = [first, last].map((at, index) =>
    el(
      "select",
      { "aria-label": ["From turn", "To turn"][index], onchange: () => choose(index) },
      ...turns.map((turn) => el("option", { value: turn.index, selected: turn.index === at }, turn.number)),
    ),
  );
  const length = el("span.dim", { role: "status" });
  const button = el("button", {}, "Make the film");
  const made = el("div.made");
  const shots = () => stretch(app, Number(from.value), Number(to.value));
  const choose = (/** @type {number} */ index) => {
    if (Number(from.value) > Number(to.value)) [from, to][1 - index].value = [from, to][index].value;
    length.textContent = `${lengthOf(shots()).toFixed(0)} s`;
    fill(made);
  };
  working(button, async () => {
    const bar = el("progress", { "aria-label": "The film", max: 1, value: 0 });
    fill(made, bar);
    const bytes = await film(app, shots(), (part) => (bar.value = part));
    const blob = new Blob([bytes], { type: "image/gif" });
    const name = `${nameOf(app)}-turns-${turns[from.value].number}-${turns[to.value].number}.gif`;
    const url = URL.createObjectURL(blob);
    const size = bytes.length < 1e6 ? `${Math.ceil(bytes.length / 1e3)} kB` : `${(bytes.length / 1e6).toFixed(1)} MB`;
    fill(made, el("img", { src: url, alt: name }), el("a", { href: url, download: name }, `Save it (${size})`));
  });
  choose(0);
  const row = el("p.row-of", {}, "turns ", from, " to ", to, length, button);
  return part("Animated picture", `A GIF of at most ${LONGEST} s; a longer stretch is played faster.`, row, made);
}

/** Some turns that begin at the position, or end at the last one. @param {Filmed} app */
function stretchAt(app) {
  const { turns, turn } = app.position;
  const fits = (/** @type {number} */ first, /** @type {number} */ last) =>
    lengthOf(stretch(app, first, last)) <= SHORT;
  let [first, last] = [Math.max(0, turn), Math.max(0, turn)];
  while (last < turns.length - 1 && fits(first, last + 1)) last++;
  while (first > 0 && fits(first - 1, last)) first--;
  return [first, last];
}

/** The whole match as one page: from the server, or else this page itself. @param {Filmed} app */
function wholes(app) {
  const pages = app.replay.leg.source?.pages;
  const note = "One file with the viewer, which opens in any browser, without a network.";
  if (pages?.length)
    return part("One page", note, ...pages.map(({ title, url }) => el("a", { href: url, download: true }, title)));
  if (!isWhole()) return [];
  const button = el("button", {}, "Save the page");
  working(button, async () => save(new Blob([ownPage(app)], { type: "text/html" }), `${nameOf(app)}.html`));
  return part("One page", note, button);
}

/** Whether this page has the viewer in it, and does not load it from a server. */
const isWhole = () => Boolean(document.querySelector("script[type=importmap]")?.textContent?.includes("data:"));

/**
 * This page as it was before it was shown, with all that it has loaded.
 * @param {Filmed} app @returns {string}
 */
function ownPage({ legs }) {
  const page = /** @type {any} */ (document.documentElement.cloneNode(true));
  for (const node of page.querySelectorAll("script[src], dialog, .studio")) node.remove();
  fill(page.querySelector("#viewer"));
  const block = page.querySelector("#arena-config");
  const { coach: _, place: __, opens, ...config } = JSON.parse(block.textContent); // other pages, which are not there
  if (opens) config.legs = legs.all.map(({ bytes }, at) => inline(block, `arena-replay-${at + 1}`, bytes));
  block.textContent = JSON.stringify(config).replaceAll("<", "\\u003c");
  return `<!doctype html>\n<html lang="en">${page.getHTML()}</html>\n`;
}

/** Puts a replay into a page. @param {Element} before @param {string} id @param {Uint8Array} [bytes] */
function inline(before, id, bytes = new Uint8Array()) {
  let letters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) letters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  before.after(el("script", { type: "text/plain", id }, ""));
  /** @type {any} */ (before.nextSibling).textContent = btoa(letters);
  return { inline: id };
}

/** A line of HTML that shows the match inside of another page. @param {Filmed} app */
function embedded(app) {
  const { hash } = location;
  const { leg } = app.replay;
  const alone = !isServed() || isLocal() || !hasAddress(leg);
  if (alone && !isWhole() && !leg.source?.pages?.length) return [];
  const address = alone ? `${nameOf(app)}.html${hash}` : location.href;
  const note = alone ? "Put the saved page beside yours." : "For a page of a course, a team or a blog.";
  const frame = `src="${attribute(address)}" title="${attribute(document.title)}" width="${WIDE}" height="${TALL}"`;
  const line = `<iframe ${frame} allow="fullscreen" style="border:0;max-width:100%"></iframe>`;
  return part("In another page", note, copied(line, "Line of HTML"));
}

/** @param {string} text */
const attribute = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** @param {string} title @param {string | false} note @param {...Node} content */
const part = (title, note, ...content) => [
  el("h3", {}, title),
  note && el("p.dim", {}, note),
  el("div.row-of", {}, ...content),
];

/** A text with a button that copies it. @param {string} text @param {string} label */
function copied(text, label) {
  const field = el("input", { readonly: true, value: text, "aria-label": label, onfocus: () => field.select() });
  const button = el("button", {}, "Copy");
  button.addEventListener("click", async () => {
    field.select();
    // Without a secure address, browsers have only the older way.
    await (navigator.clipboard ? navigator.clipboard.writeText(text) : document.execCommand("copy"));
    button.textContent = "Copied";
  });
  return el("p.row-of", {}, field, button);
}

/** Runs something for a button. @param {HTMLButtonElement} button @param {() => Promise<void>} run */
function working(button, run) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    const failed = button.parentElement?.querySelector(".wrong");
    failed?.remove();
    try {
      await run();
    } catch (error) {
      button.after(el("span.wrong", { role: "alert" }, `This did not work: ${error}`));
    }
    button.disabled = false;
  });
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The number of the turn that is shown. @param {Filmed} app */
const numberAt = ({ position, replay }) => replay.content.numberOf(position.turn);

/** A name for files. @param {Filmed} app */
function nameOf({ replay, legs }) {
  const words = [replay.header.game ?? "match", ...replay.players.slice(0, 4).map(({ name }) => name)];
  if (legs.all.length > 1) words.push(`leg ${replay.number + 1}`);
  return words
    .map((word) => String(word).replace(/[^\p{L}\p{N}]+/gu, "_"))
    .join("-")
    .slice(0, 100);
}
