/** Runs Python. The page sends this text, Python's files and then calls; nothing is loaded from anywhere. */

/** The memory that Python may use, in pages of 64 KiB: 1 GiB. */
const MOST_PAGES = 16384;
let call = null;

addEventListener("message", async ({ data }) => {
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
    let found = call(data.name, data.text, data.replay);
    if (typeof found !== "string") {
      const proxy = found;
      found = proxy.toJs();
      proxy.destroy();
    }
    postMessage({ kind: "answer", id: data.id, found });
  } catch (error) {
    postMessage({ kind: "failed", id: data.id, message: String(error).slice(-2000) });
  }
});

async function start({ files, packages: added }) {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength / 65536 + pages > MOST_PAGES) throw new RangeError("no more memory");
    return grow.call(this, pages);
  };
  delete self.close; // the page would wait for the next answer in vain
  const module = (bytes) => import(URL.createObjectURL(new Blob([bytes], { type: "text/javascript" })));
  const served = { "pyodide.asm.wasm": "application/wasm", "python_stdlib.zip": "application/zip" };
  self.fetch = async (url) => {
    const name = String(url).split("/").pop();
    return new Response(files[name], { headers: { "Content-Type": served[name] } });
  };
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all([
    module(files["pyodide.mjs"]),
    module(files["pyodide.asm.mjs"]),
  ]);
  const python = await loadPyodide({
    indexURL: "https://pyodide.invalid/",
    packageBaseUrl: "https://pyodide.invalid/",
    lockFileContents: new TextDecoder().decode(files["pyodide-lock.json"]),
    createPyodideModule,
  });
  const packages = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
  for (const name of added) python.unpackArchive(files[name], "zip", { extractDir: packages });
  const emit = (kind, document) => {
    const found = document.toJs ? document.toJs({ dict_converter: Object.fromEntries }) : document;
    document.destroy?.();
    postMessage({ kind: "event", name: kind, found: found.slice ? found.slice() : found });
  };
  return python.runPython("import arena_playground.inside as inside; inside.make_call")(emit);
}
