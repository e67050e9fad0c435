/** Python in a worker of a frame without an origin. It can be stopped at any moment. */

/** Seconds without an event or answer after which Python is stopped. A loop in Python ends before, with a traceback. */
const SILENCE = 30;
/** The first completion reads much, and on a slow machine this takes long. */
export const PATIENT = 120;
/** Characters of an answer. */
const MOST = 20_000_000;
const FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

const config = JSON.parse(document.getElementById("config")?.textContent ?? "{}");

/** @type {Map<string, Promise<ArrayBuffer>>} */
const loaded = new Map();

/** Loads a file once, for all frames. @param {string} name */
function file(name) {
  if (!loaded.has(name)) loaded.set(name, load(`python/${name}.bin`));
  return /** @type {Promise<ArrayBuffer>} */ (loaded.get(name));
}

/** Loads a file once for all visits, where the browser keeps files (not without TLS). @param {string} url */
async function load(url) {
  const cache = await globalThis.caches?.open(config.cache).catch(() => null);
  const kept = await cache?.match(url);
  const answer = kept ?? (await fetch(url));
  if (!answer.ok) throw new Error(`${url} is missing on this server.`);
  if (!kept) cache?.put(url, answer.clone()).catch(() => {});
  return answer.arrayBuffer();
}

export const text = async (/** @type {string} */ url) => (await fetch(url)).text();

export class Python {
  /** @param {string[]} packages archives beside the standard library @param {number} [silence] in seconds */
  constructor(packages, silence = SILENCE) {
    this.packages = packages;
    this.silence = silence;
    /** @type {Map<string, {resolve: Function, reject: Function, heard: Function}>} */
    this.open = new Map();
    this.timer = 0;
    this.frame = document.createElement("iframe");
    this.frame.setAttribute("sandbox", "allow-scripts");
    this.frame.title = "Python";
    this.frame.hidden = true;
    addEventListener("message", (event) => event.source === this.frame.contentWindow && this.receive(event.data));
    this.framed = new Promise((resolve) => (this.enter = resolve));
    // As text of this page and not by its address, since a service worker has no part in a frame without an origin.
    this.drawn = text("sandbox.html").then((source) => {
      this.frame.srcdoc = source;
      document.body.append(this.frame);
    });
    this.start();
  }

  /** Starts Python, or starts it anew. Its files come as they are loaded. */
  start() {
    this.runs = false;
    const begun = new Promise((resolve, reject) => {
      this.begun = { resolve, reject };
    });
    const framed = Promise.all([text("worker.js"), this.drawn, this.framed]).then(([worker]) =>
      this.post({ kind: "start", worker, packages: this.packages, wheels: config.wheels }),
    );
    const files = [...FILES, ...this.packages].map(async (name) => {
      const [data] = await Promise.all([file(name), framed]);
      this.post({ kind: "file", name, data });
    });
    this.ready = Promise.all([begun, ...files]).then(() => {
      this.runs = true;
    });
    return this.ready;
  }

  /** @param {any} message */
  post(message) {
    this.frame.contentWindow?.postMessage(message, "*");
  }

  /** Stops what runs. @param {string} message why, for those who wait for it */
  stop(message) {
    clearTimeout(this.timer);
    for (const { reject } of this.open.values()) reject(new Error(message));
    this.open.clear();
    this.post({ kind: "stop" });
    return this.start();
  }

  get busy() {
    return this.open.size > 0;
  }

  /**
   * @param {string} name @param {any} request
   * @param {(name: string, found: any) => void} heard what is called with events before the answer
   * @param {Uint8Array | null} replay one from which the match starts
   */
  async call(name, request, heard = () => {}, replay = null) {
    await this.ready;
    const id = crypto.getRandomValues(new Uint32Array(4)).join("-"); // so that code cannot answer in Python's place
    const answer = new Promise((resolve, reject) => this.open.set(id, { resolve, reject, heard }));
    this.post({ kind: "call", id, name, text: JSON.stringify(request), replay: replay ?? undefined });
    this.wait();
    return answer;
  }

  wait() {
    clearTimeout(this.timer);
    if (this.busy)
      this.timer = setTimeout(
        () => this.stop(`Python did not answer for ${this.silence} seconds, so it was stopped and started again.`),
        this.silence * 1000,
      );
  }

  /** @param {any} data from the frame: trust nothing in it */
  receive(data) {
    if (data?.kind === "frame") this.enter?.();
    else if (data?.kind === "ready") this.begun?.resolve();
    else if (data?.kind === "broken") this.begun?.reject(new Error(`Python does not start: ${data.message}`));
    else if (data?.kind === "event") for (const { heard } of this.open.values()) heard(String(data.name), data.found);
    else if (data?.kind === "answer" || data?.kind === "failed") this.finish(data);
    this.wait();
  }

  /** @param {any} data */
  finish({ kind, id, found, message }) {
    const one = this.open.get(id);
    if (!one) return;
    this.open.delete(id);
    try {
      if (kind === "failed") throw message;
      if (String(found).length > MOST) throw "The answer is too long.";
      one.resolve(JSON.parse(found));
    } catch (error) {
      one.reject(new Error(`A fault of Arena, or of code that changed Python: ${error}`));
      this.stop("Python was started again.");
    }
  }
}

/** The Python that plays. It starts when this module is there, before the editor is. */
export const python = new Python(["arena", ...config.wheels]);
