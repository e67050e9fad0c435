/** What the browser keeps: the user's bots with their last versions, and the progress on the ladder. */

const VERSIONS = 20;

/** @typedef {{code: string, versions: {at: number, code: string}[]}} Bot */

export class Store {
  /** @param {string} game @param {string} template the code of the first bot */
  constructor(game, template) {
    this.key = `arena-playground ${game}`;
    this.template = template;
    /** Whether the browser keeps nothing, for example in a private window. */
    this.forgets = false;
    const kept = this.read();
    /** @type {Record<string, Bot>} */
    this.bots = kept.bots ?? { my_bot: { code: template, versions: [] } };
    /** @type {string} */
    this.current = this.bots[kept.current] ? kept.current : Object.keys(this.bots)[0];
    /** @type {string[]} the bosses that were beaten */
    this.beaten = kept.beaten ?? [];
  }

  read() {
    try {
      return JSON.parse(localStorage.getItem(this.key) ?? "{}");
    } catch {
      return {};
    }
  }

  write() {
    const { bots, current, beaten } = this;
    try {
      localStorage.setItem(this.key, JSON.stringify({ bots, current, beaten }));
      this.forgets = false;
    } catch {
      this.forgets = true;
    }
  }

  get bot() {
    return this.bots[this.current];
  }

  /** @param {string} code */
  change(code) {
    this.bot.code = code;
    this.write();
  }

  /** Keeps the present code as a version. */
  keep() {
    const { bot } = this;
    if (bot.versions[0]?.code === bot.code) return;
    bot.versions = [{ at: Date.now(), code: bot.code }, ...bot.versions].slice(0, VERSIONS);
    this.write();
  }

  /** Adds a bot under a free name, and makes it the current one. @param {string} wanted @param {string} code */
  add(wanted, code) {
    const base = wanted.replace(/[^A-Za-z0-9_]+/g, "_").slice(0, 30) || "bot";
    let name = base;
    for (let number = 2; this.bots[name]; number++) name = `${base}_${number}`;
    this.bots[name] = { code, versions: [] };
    this.current = name;
    this.write();
    return name;
  }

  remove() {
    delete this.bots[this.current];
    if (!Object.keys(this.bots).length) this.bots.my_bot = { code: this.template, versions: [] };
    this.current = Object.keys(this.bots)[0];
    this.write();
  }
}

/** The end of an address that has the code in it. @param {string} game @param {string} code */
export async function toLink(game, code) {
  const packed = await through(new TextEncoder().encode(code), new CompressionStream("deflate-raw"));
  const text = btoa(String.fromCharCode(...packed));
  return `#game=${game}&code=${text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The code in the end of an address; empty if there is none. @param {string} hash */
export async function fromLink(hash) {
  const text = new URLSearchParams(hash.slice(1)).get("code") ?? "";
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const data = await through(bytes, new DecompressionStream("deflate-raw"));
    return new TextDecoder().decode(data.subarray(0, 500_000));
  } catch {
    return "";
  }
}

/** A folder as a .tar.gz file. @param {string} name of the folder @param {Record<string, string>} files */
export async function archive(name, files) {
  const encoder = new TextEncoder();
  const parts = [];
  for (const [path, text] of Object.entries(files)) {
    const data = encoder.encode(text);
    const header = new Uint8Array(512);
    const put = (/** @type {number} */ at, /** @type {string} */ value) => header.set(encoder.encode(value), at);
    const octal = (/** @type {number} */ value, /** @type {number} */ digits) =>
      value.toString(8).padStart(digits, "0");
    put(0, `${name}/${path}`);
    put(100, "0000644\0");
    put(124, `${octal(data.length, 11)}\0`);
    put(136, `${octal(0, 11)}\0`);
    put(148, "        "); // the checksum counts itself as spaces
    put(156, "0");
    put(257, "ustar\x0000");
    const sum = header.reduce((total, one) => total + one, 0);
    put(148, `${octal(sum, 6)}\0`);
    parts.push(header, data, new Uint8Array(-data.length & 511));
  }
  return through(new Blob([...parts, new Uint8Array(1024)]), new CompressionStream("gzip"));
}

/** @param {BlobPart} bytes @param {CompressionStream | DecompressionStream} stream */
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Lets the user save a file. @param {string} name @param {BlobPart} data */
export function save(name, data) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
