"""The page of a replay in a single file."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from arena_replays import Reader, Replay, export_html, notebook, page, show
from arena_replays.errors import CannotWrite, NotAReplay
from arena_replays.export import headline_of


def test_a_file_that_is_no_replay_is_refused(tmp_path: Path) -> None:
    (tmp_path / "foreign.arena").write_bytes(b"nothing")
    with pytest.raises(NotAReplay):
        export_html(tmp_path / "foreign.arena", tmp_path / "out.html")


def test_the_single_file_points_nowhere(replay: Path, tmp_path: Path) -> None:
    export_html(replay, tmp_path / "out.html")
    text = (tmp_path / "out.html").read_text()
    assert 'http-equiv="Content-Security-Policy"' in text
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert len(text) - replay.stat().st_size * 4 / 3 < 365_000
    with pytest.raises(CannotWrite, match="no such file"):
        export_html(replay, tmp_path / "none" / "out.html")


def test_a_notebook_gets_a_frame_of_its_own(replay: Path) -> None:
    cell = show(replay, height=500)._repr_html_()
    assert cell.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert 'sandbox="allow-scripts"' in cell
    assert "height:500px" in cell


def test_a_replay_displays_itself_with_the_renderer_of_its_game_if_that_is_installed(replay: Path) -> None:
    data = replay.read_bytes()
    cell = Replay(data)._repr_html_()
    assert cell == Replay(replay)._repr_html_() == show(replay)._repr_html_()
    renderer = notebook.installed_renderer(Reader(data).header["game"])
    assert page.page([data], renderer, headline_of([data])) in html.unescape(cell)
    assert notebook.installed_renderer("no game of this name") is None


def test_a_renderer_has_the_modules_beside_it_that_it_imports(replay: Path, tmp_path: Path) -> None:
    texts = {
        "main": 'import { a } from "./a.js";\nimport { Grid } from "arena/grid";\n// no module: "./c.js"\n',
        "a": "import { b } from './b-2.js';\n/** @typedef {import(\"./missing.js\").M} M */\n",
        "b-2": 'import { Grid } from "arena/grid";\nimport {\n  brush,\n} from "arena/shapes";\n',
        "c": "nobody imports it",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.js").write_text(text)
    renderer = page.read_renderer(tmp_path / "main.js")
    assert [renderer.file(path) for path in ("", "a.js", "b-2.js")] == [texts["main"], texts["a"], texts["b-2"]]
    assert [renderer.file(path) for path in ("c.js", "main.js", "../a.js")] == [None] * 3
    modules = renderer.modules()
    assert set(modules) == {"arena/renderer", "arena/renderer/a", "arena/renderer/b-2"}
    assert modules["arena/renderer"].startswith('import { a } from "arena/renderer/a";')
    assert modules["arena/renderer/a"].startswith("import { b } from 'arena/renderer/b-2';")
    assert '"arena/renderer/b-2":"data:' in page.page([replay.read_bytes()], renderer, "")
    stills = json.loads(page.stills_imports(renderer))["imports"]
    assert {*modules, "arena/grid", "arena/shapes", "arena/stills"} <= set(stills)


def test_a_renderer_of_one_module_is_its_source(replay: Path) -> None:
    source = "export const createRenderer = () => ({});"
    data = [replay.read_bytes()]
    assert page.page(data, source, "") == page.page(data, page.Renderer(source), "")
    assert page.page(data, None, "") == page.page(data, page.read_renderer(None), "")


@pytest.mark.process
def test_the_joined_modules_are_one_module_with_all_that_they_export(tmp_path: Path) -> None:
    """Two of them with the same name at their top level are an error of syntax."""
    joined = tmp_path / "joined.mjs"
    joined.write_text(page.joined())
    if (node := shutil.which("node")) is None:
        pytest.skip("needs Node")
    checked = subprocess.run([node, "--check", joined], capture_output=True, text=True)
    assert checked.stderr == ""
    exported = re.compile(r"\bexport (?:async )?(?:function\*?|class|const|let) ([\w$]+)")
    parts = [page.asset(file) for name, file in page.MODULES.items() if name not in page.APART]
    names = [name for part in parts for name in exported.findall(part)]
    assert len(names) > 100
    assert set(exported.findall(page.joined())) == set(names)


def test_comments_go_and_code_stays() -> None:
    source = "/**\n * Much to say.\n */\n/** One line. */\nconst a = 1;\n  // why\n  /** @type {any} */ (b).c();\n"
    assert page.without_comments(source) == "const a = 1;(b).c();"
    lines = 'import { a } from "b";\nimport { c } from "d";\nc(); // why;\nconst e = [\n  1,\n  2\n]\nf()\n'
    assert page.without_comments(lines) == (
        'import { a } from "b";\nimport { c } from "d";\nc();const e = [1,2\n]\nf()'
    )
    assert page.without_comments('a("x; // y");\nb === c\n') == 'a("x; // y");\nb===c'
