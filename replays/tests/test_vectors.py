"""Both readers, Python and JavaScript, agree with the test vectors of the format."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from replay_vectors import content

from arena_replays import Reader

VECTORS = Path(__file__).parents[2] / "docs" / "replay-vectors"
READ = """
import { readFileSync } from "node:fs";
import { read } from "arena/reader";
import { States } from "arena/states";
const plain = (key, value) => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value);
const found = [];
for (const { hex } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const content = await read(new Uint8Array(Buffer.from(hex, "hex")));
  const views = content.streams.map((frames) => frames.slice().map(({ delta, events }) => [delta, events]));
  const last = content.streams.map((frames) => Object.fromEntries(new States(frames).at(frames.length - 1)));
  const actions = content.actions.slice().map(([player, action, draws]) => ["do", player, action, draws]);
  const notes = content.notes.map((one) => [one.turn, one.frame, one.player, one.kind, one.payload, one.refused]);
  const { footer, problem, entries } = content;
  found.push({ actions, views, last, notes, footer, problem, entries });
}
console.log(JSON.stringify(found, plain));
"""


def load(name: str) -> list[dict[str, Any]]:
    vectors: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text())
    return vectors


@pytest.mark.parametrize("vector", load("valid"), ids=lambda vector: vector["name"])
def test_valid_files_are_read(vector: dict[str, Any]) -> None:
    reader = Reader(bytes.fromhex(vector["hex"]))
    assert {key: vector[key] for key in ("truth", "views", "last", "notes", "footer")} == content(reader)
    assert reader.ended == (vector["name"] != "journal")
    assert not reader.ended or reader.check() == []


@pytest.mark.parametrize("vector", load("invalid"), ids=lambda vector: vector["name"])
def test_invalid_files_are_read_up_to_the_damage(vector: dict[str, Any]) -> None:
    reader = Reader(bytes.fromhex(vector["hex"]))
    assert reader.truncated
    assert reader.problem
    assert len(reader.truth) == vector["entries"]


@pytest.mark.process
def test_the_viewer_agrees(viewer_modules: Path) -> None:
    (viewer_modules / "vectors.mjs").write_text(READ)
    results = {}
    for name in ("valid", "invalid"):
        command = ["node", "vectors.mjs", str(VECTORS / f"{name}.json")]
        done = subprocess.run(command, capture_output=True, text=True, cwd=viewer_modules, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        results[name] = json.loads(done.stdout)
    for vector, read in zip(load("valid"), results["valid"], strict=True):
        assert read["problem"] == "", vector["name"]
        assert read["actions"] == [entry for entry in vector["truth"] if entry[0] == "do"]
        for key in ("views", "notes", "footer"):
            assert read[key] == vector[key], (vector["name"], key)
        states = [
            {id_: {field: value for field, value in one.items() if field != "id"} for id_, one in state.items()}
            for state in read["last"]
        ]
        assert states == vector["last"], vector["name"]
    for vector, read in zip(load("invalid"), results["invalid"], strict=True):
        assert read["problem"], vector["name"]
        assert read["entries"] == vector["entries"], vector["name"]
