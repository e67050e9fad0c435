/** Python in a worker of a frame without an origin. It can be stopped at any moment. */

/** Seconds without a sign of life after which Python is stopped. A loop in Python ends before, with a traceback. */
const SILENCE = 30;
/** The first completion reads much, and on a slow machine this takes long. */
export const PATIENT = 120;
const FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

const config = JSON.parse(document.getElementById("config")?.textContent ?? "{}");

/** @type {Map<string, Promise<Uint8Array>>} */
const loaded = new Map();

/** Loads and unpacks a file once, for all frames. @param {string} name @param {boolean} packed */
function file(name, packed) {
  const known = loaded.get(name) ?? unpack(`python/${name}.bin`, packed);
  loaded.set(name, known);
  return known;
}

/** @param {string} url @param {boolean} packed */
async function unpack(url, packed) {
  const answer = await load(url);
  if (!answer.ok || !answer.body) throw new Error(`${url} is missing on this server.`);
  const stream = packed ? answer.body.pipeThrough(new DecompressionStream("gzip")) : answer.body;
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Loads a file once for all visits, where the browser keeps files (not without TLS). @param {string} url */
async function load(url) {
  const cache = await globalThis.caches?.open(config.cache).catch(() => null);
  const kept = await cache?.match(url);
  if (kept) return kept;
  const answer = await fetch(url);
  if (answer.ok) cache?.put(url, answer.clone()).catch(() => {});
  return answer;
}

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
    const framed = new Promise((resolve) => (this.framed = resolve));
    // As text of this page and not by its address, since a service worker has no part in a frame without an origin.
    this.ready = fetch("sandbox.html")
      .then(async (answer) => {
        this.frame.srcdoc = await answer.text();
        document.body.append(this.frame);
        return framed;
      })
      .then(() => this.start());
  }

  /** Starts Python, or starts it anew. */
  start() {
    this.worker ??= fetch("worker.js").then((answer) => answer.text());
    this.ready = (async () => {
      const [worker, ...data] = await Promise.all([
        this.worker,
        ...FILES.map((name) => file(name, true)),
        ...this.packages.map((name) => file(name, false)),
      ]);
      const files = Object.fromEntries([...FILES, ...this.packages].map((name, at) => [name, data[at]]));
      const begun = new Promise((resolve, reject) => {
        this.begun = { resolve, reject };
      });
      this.frame.contentWindow?.postMessage({ kind: "start", worker, files, packages: this.packages }, "*");
      await begun;
    })();
    return this.ready;
  }

  /** Stops what runs. @param {string} message why, for those who wait for it */
  stop(message) {
    clearTimeout(this.timer);
    for (const { reject } of this.open.values()) reject(new Error(message));
    this.open.clear();
    this.frame.contentWindow?.postMessage({ kind: "stop" }, "*");
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
    const text = JSON.stringify(request);
    this.frame.contentWindow?.postMessage({ kind: "call", id, name, text, replay: replay ?? undefined }, "*");
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
    if (data?.kind === "frame") this.framed?.();
    else if (data?.kind === "ready") this.begun?.resolve();
    else if (data?.kind === "broken") this.begun?.reject(new Error(`Python does not start: ${data.message}`));
    else if (data?.kind === "event") for (const { heard } of this.open.values()) heard(String(data.name), data.found);
    else if (data?.kind === "answer" || data?.kind === "failed") this.finish(data);
    this.wait();
  }

  /** @param {any} data */
  finish({ kind, id, found, message }) {
    const one = this.open.get(id);
    this.open.delete(id);
    if (kind === "failed") {
      one?.reject(new Error(`A fault of Arena, or of code that changed Python: ${message}`));
      this.stop("Python was started again.");
    } else one?.resolve(typeof found === "string" ? JSON.parse(found) : found);
  }
}
