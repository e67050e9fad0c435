"""The page of a replay in a single file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena_replays import export_html, page, show
from arena_replays.errors import CannotWrite, NotAReplay


def test_a_file_that_is_no_replay_is_refused(tmp_path: Path) -> None:
    (tmp_path / "foreign.arena").write_bytes(b"nothing")
    with pytest.raises(NotAReplay):
        export_html(tmp_path / "foreign.arena", tmp_path / "out.html")


def test_the_single_file_points_nowhere(replay: Path, tmp_path: Path) -> None:
    export_html(replay, tmp_path / "out.html")
    text = (tmp_path / "out.html").read_text()
    assert 'http-equiv="Content-Security-Policy"' in text
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert len(text) - replay.stat().st_size * 4 / 3 < 330_000
    with pytest.raises(CannotWrite, match="no such file"):
        export_html(replay, tmp_path / "none" / "out.html")


def test_a_notebook_gets_a_frame_of_its_own(replay: Path) -> None:
    cell = show(replay, height=500)._repr_html_()
    assert cell.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert 'sandbox="allow-scripts"' in cell
    assert "height:500px" in cell


def test_comments_go_and_code_stays() -> None:
    source = "/**\n * Much to say.\n */\n/** One line. */\nconst a = 1;\n  // why\n  /** @type {any} */ (b).c();\n"
    assert page.without_comments(source) == "const a = 1;\n/** @type {any} */ (b).c();"
