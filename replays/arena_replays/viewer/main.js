/**
 * Starts the viewer with what the page carries or points to.
 * @module
 */

import { App } from "arena/app";
import { beside } from "arena/compare";
import { el, fill } from "arena/dom";
import { follow } from "arena/live";
import { read, Unreadable } from "arena/reader";

/** @typedef {{url?: string, other?: string, inline?: boolean, live?: boolean, name?: string}} Config */

async function start() {
  const host = /** @type {HTMLElement} */ (document.getElementById("viewer"));
  const config = /** @type {Config} */ (JSON.parse(document.getElementById("arena-config")?.textContent ?? "{}"));
  try {
    const [bytes, { createRenderer }] = await Promise.all([load(config), import("arena/renderer")]);
    const content = await read(bytes);
    const app = new App(host, content, createRenderer, Boolean(config.live) && !content.ended);
    if (config.other) beside(app, await read(await load({ url: config.other })), createRenderer);
    Object.assign(globalThis, { arena: app });
    animate(app);
    app.followLink();
    if (app.live && config.url) follow(app, config.url, bytes.length);
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    const sentence = error instanceof Unreadable ? error.message : `This replay cannot be shown: ${error}`;
    fill(host, el("p.unreadable", { role: "alert" }, sentence));
    document.documentElement.dataset.ready = "failed";
  }
}

/** @param {Config} config @returns {Promise<Uint8Array>} */
async function load(config) {
  if (config.inline) {
    const text = document.getElementById("arena-replay")?.textContent ?? "";
    return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  }
  const answer = await fetch(String(config.url));
  if (!answer.ok) throw new Unreadable("The replay is not there any more.");
  return new Uint8Array(await answer.arrayBuffer());
}

/** @param {App} app */
function animate(app) {
  let last = performance.now();
  const step = (/** @type {number} */ now) => {
    requestAnimationFrame(step);
    const elapsed = Math.min(100, Math.max(0, now - last));
    last = now;
    app.tick(elapsed);
  };
  app.tick(0);
  requestAnimationFrame(step);
}

start();
