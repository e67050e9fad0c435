/** Runs Python. The page sends this text, Python's files and then calls; nothing is loaded from anywhere. */

/** Files by name: promises that the page's messages resolve. */
const files = new Map();

/** The memory that Python may use, in pages of 64 KiB: 1 GiB. */
const MOST_PAGES = 16384;
let call = null;

addEventListener("message", async ({ data }) => {
  if (data.kind === "file") return slot(data.name).resolve(data.data);
  if (data.kind === "start") {
    try {
      call = await start(data);
      postMessage({ kind: "ready" });
    } catch (error) {
      postMessage({ kind: "broken", message: String(error) });
    }
    return;
  }
  try {
    postMessage({ kind: "answer", id: data.id, found: call(data.name, data.text, data.replay) });
  } catch (error) {
    postMessage({ kind: "failed", id: data.id, message: String(error).slice(-2000) });
  }
});

function slot(name) {
  if (!files.has(name)) files.set(name, Promise.withResolvers());
  return files.get(name);
}

/** A packed file, which is unpacked while it is read. */
async function unpacked(name, type) {
  const packed = new Blob([await slot(name).promise]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": type } });
}

async function module(name) {
  return import(URL.createObjectURL(await (await unpacked(name, "text/javascript")).blob()));
}

async function start({ packages: added, wheels }) {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength / 65536 + pages > MOST_PAGES) throw new RangeError("no more memory");
    return grow.call(this, pages);
  };
  delete self.close; // the page would wait for the next answer in vain
  const served = { "pyodide.asm.wasm": "application/wasm", "python_stdlib.zip": "application/zip" };
  self.fetch = async (url) => {
    const name = String(url).split("/").pop();
    return unpacked(name, served[name]);
  };
  const [{ loadPyodide }, { default: createPyodideModule }, lock] = await Promise.all([
    module("pyodide.mjs"),
    module("pyodide.asm.mjs"),
    unpacked("pyodide-lock.json", "application/json"),
  ]);
  const python = await loadPyodide({
    indexURL: "https://pyodide.invalid/",
    packageBaseUrl: "https://pyodide.invalid/",
    lockFileContents: await lock.text(),
    createPyodideModule,
    env: { PYTHONDONTWRITEBYTECODE: "1" }, // nothing is imported twice
  });
  const packages = python.runPython("import site; site.getsitepackages()[0]");
  for (const name of added) {
    if (wheels.includes(name)) python.unpackArchive(await slot(name).promise, "zip", { extractDir: packages });
    else {
      for (const [path, text] of Object.entries(await (await unpacked(name, "application/json")).json())) {
        python.FS.mkdirTree(`${packages}/${path.slice(0, path.lastIndexOf("/"))}`);
        python.FS.writeFile(`${packages}/${path}`, text);
      }
    }
  }
  const emit = (kind, document) => {
    const found = document.toJs ? document.toJs({ dict_converter: Object.fromEntries }) : document;
    document.destroy?.();
    postMessage({ kind: "event", name: kind, found: found.slice ? found.slice() : found });
  };
  return python.runPython("import arena_playground.inside as inside; inside.make_call")(emit);
}
