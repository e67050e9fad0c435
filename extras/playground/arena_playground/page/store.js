/** What the browser keeps: the user's bots with their last versions, and the progress on the ladder. */

const VERSIONS = 20;
/** The characters that a link can bring. */
const MOST_SHARED = 200_000;

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

  /** Adds a bot under a free name, or finds it, and opens it. @param {string} wanted @param {string} code */
  add(wanted, code) {
    const base = wanted.replace(/[^A-Za-z0-9_]+/g, "_").slice(0, 30) || "bot";
    let name = base;
    for (let number = 2; this.bots[name] && this.bots[name].code !== code; number++) name = `${base}_${number}`;
    this.bots[name] ??= { code, versions: [] };
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
  const text = btoa(String.fromCharCode(...(await packed(code, "deflate-raw"))));
  return `#game=${game}&code=${text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The code in the end of an address; empty if there is none, or too much. @param {string} hash */
export async function fromLink(hash) {
  const text = new URLSearchParams(hash.slice(1)).get("code") ?? "";
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const decoder = new TextDecoder();
    let code = "";
    // Part by part, since a short text can unpack to any size.
    const parts = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    for (let part = await parts.read(); !part.done; part = await parts.read()) {
      code += decoder.decode(part.value, { stream: true });
      if (code.length > MOST_SHARED) return "";
    }
    return code;
  } catch {
    return "";
  }
}

/** A folder as a .zip file. @param {string} name of the folder @param {Record<string, string>} files */
export async function archive(name, files) {
  const encoder = new TextEncoder();
  const [parts, listed] = [/** @type {Uint8Array[]} */ ([]), /** @type {Uint8Array[]} */ ([])];
  let at = 0;
  for (const [path, text] of Object.entries(files)) {
    const [own, data] = [encoder.encode(`${name}/${path}`), encoder.encode(text)];
    // The needed version, names in UTF-8, stored, 1 January 1980, checksum, sizes, and no further field.
    const about = bytes("222224442", 20, 0x800, 0, 0, 0x21, await checksum(data), data.length, data.length, own.length);
    listed.push(bytes("42", 0x02014b50, 20), about, bytes("222244", 0, 0, 0, 0, 0, at), own);
    parts.push(bytes("4", 0x04034b50), about, bytes("2", 0), own, data);
    at = new Blob(parts).size;
  }
  const [count, length] = [Object.keys(files).length, new Blob(listed).size];
  return new Blob([...parts, ...listed, bytes("42222442", 0x06054b50, 0, 0, count, count, length, at, 0)]);
}

/** Numbers, the lowest byte first. @param {string} sizes of each, in bytes @param {...number} values */
function bytes(sizes, ...values) {
  const cut = (/** @type {number} */ value, /** @type {number} */ at) =>
    [0, 8, 16, 24].slice(0, Number(sizes[at])).map((place) => (value >>> place) & 255);
  return Uint8Array.from(values.flatMap(cut));
}

/** The CRC-32 of bytes, which stands near the end of their gzip file. @param {Uint8Array} data */
async function checksum(data) {
  const { buffer } = await packed(data, "gzip");
  return new DataView(buffer).getUint32(buffer.byteLength - 8, true);
}

/** @param {BlobPart} data @param {CompressionFormat} format */
async function packed(data, format) {
  const stream = new Blob([data]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Lets the user save a file. @param {string} name @param {BlobPart} data */
export function save(name, data) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
