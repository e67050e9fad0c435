/** Compiles the modules that Python loads at its start. The files of Pyodide are beside this one (see pyodide.py). */
import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "./pyodide.mjs";

const python = await loadPyodide();
python.FS.writeFile("/old.zip", readFileSync("python_stdlib.zip"));
python.runPython(`
import sys, zipfile
import csv, datetime, fractions, hashlib, importlib.metadata, importlib.resources, pickle, platform, secrets, tomllib
from importlib._bootstrap_external import _code_to_hash_pyc

origins = [getattr(module.__spec__, "origin", None) or "" for module in [*sys.modules.values()]]
loaded = {origin.partition(".zip/")[2] for origin in origins}
with zipfile.ZipFile("/old.zip") as old, zipfile.ZipFile("/new.zip", "w") as new:
    for name in sorted(one for one in old.namelist() if not one.endswith("/")):
        data = old.read(name)
        if name in loaded:
            code = compile(data, name, "exec", dont_inherit=True)
            name, data = f"{name}c", bytes(_code_to_hash_pyc(code, bytes(8), False))
        new.writestr(zipfile.ZipInfo(name), data)
`);
writeFileSync("python_stdlib.zip", python.FS.readFile("/new.zip"));
