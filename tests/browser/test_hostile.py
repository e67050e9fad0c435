"""Files that mean harm, and files that are broken: nothing runs, nothing freezes, and the page says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena.play.memory import play_in_memory
from arena_replays import Reader, Writer, records
from arena_replays.page import Renderer, script_json

View = Callable[..., Any]

SCRIPT = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


@pytest.fixture
def hostile(match: Path, tmp_path: Path) -> Path:
    header = Reader(match).header
    players = [{"name": SCRIPT}, {"name": "\u202eevil" + "x" * 100_000}]
    wrong = {"title": SCRIPT, "players": players, "map": SCRIPT, "clock": {"turn": -5}}
    writer = Writer(tmp_path / "hostile.arena", {**header, **wrong})
    writer.setup([], [["game", "+", "Game", "game", "width", 22, "game", "height", 12]])
    deep: Any = "deep"
    for _ in range(25):
        deep = {"__proto__": [deep], SCRIPT: deep} if len(str(deep)) < 4000 else [deep]
    shapes = [{"kind": "point", "x": at % 22, "y": at % 12, "color": "url(evil)"} for at in range(50_000)]
    wild = [{"kind": SCRIPT, "x": 1e308, "y": -1e308}, {"kind": "text", "x": 1, "y": 1, "text": "y" * 100_000}, 7, None]
    for turn in range(12):
        writer.note(turn % 2, "log", SCRIPT)
        writer.note(turn % 2, "stderr", "z" * 500_000)
        writer.note(turn % 2, "draw", wild + shapes)
        writer.refuse(turn % 2, {"type": SCRIPT, "x": deep}, SCRIPT, SCRIPT)
        delta = [f"c{turn}", "+", "Cowboy", f"c{turn}", "x", turn, f"c{turn}", "y", 1e300, "nobody", "x", 3]
        delta += ["__proto__", "+", "Cowboy", "__proto__", "__proto__", {"polluted": 1}, f"c{turn}", "job", [deep]]
        delta += [f"c{turn}", "hazards", "nonsense", f"c{turn}", "health", float("nan")]
        writer.do(turn % 2, {"type": "move", "__proto__": SCRIPT}, [], [delta], [[{"kind": SCRIPT, "tile": [{}, []]}]])
        writer.turn(turn * -1000, turn % 2, -5_000_000, -1, -(2**60), b"12345678")
    writer.seat(1, SCRIPT, SCRIPT)
    writer.finish({"outcome": {"winner": 99, "reason": SCRIPT}, "players": [{"ending": SCRIPT, "stderr": SCRIPT}] * 9})
    return writer.path


@pytest.mark.parametrize("renderer", shortened(["default", "saloon"]))
def test_a_hostile_replay_neither_runs_nor_freezes(
    viewer: View, exported: Callable[..., str], saloon: Renderer, hostile: Path, renderer: str
) -> None:
    view = viewer().open(exported(hostile, saloon if renderer == "saloon" else None))
    for tab in ("turn", "charts", "inspect", "result"):
        view.page.click(f"#tab-{tab}")
        for turn in (0, 5, 11):
            view.do(f"arena.position.seekTurn({turn})")
            view.settle()
    view.do("arena.position.select('__proto__')")
    view.page.click("#tab-inspect")
    view.do("document.querySelectorAll('summary').forEach((one) => one.click())")
    view.settle()
    assert view.do("window.hacked") is None
    assert view.do("({}).polluted") is None
    assert view.page.locator("script:not([id]):not([type])").count() == 0
    assert view.page.locator("#viewer img").count() == 0
    longest = view.do(
        """new Promise((done) => { let last = performance.now(), worst = 0, left = 30;
            arena.position.seek(0); arena.playback.play();
            const step = (now) => { worst = Math.max(worst, now - last); last = now;
                left-- ? requestAnimationFrame(step) : done(worst); };
            requestAnimationFrame(step); })"""
    )
    assert longest < 3000, "the page froze"


def test_the_served_page_forbids_everything_else(serve: Callable[..., str], match: Path, viewer: View) -> None:
    view = viewer()
    answer = view.page.goto(serve(match))
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self' 'sha256-")
    assert "unsafe" not in policy
    refused = view.do(
        """new Promise((done) => { addEventListener('securitypolicyviolation', () => done(true));
            const one = document.createElement('script'); one.textContent = 'window.hacked = 1';
            document.body.append(one); setTimeout(() => done(false), 2000); })"""
    )
    assert refused
    assert view.do("window.hacked") is None
    assert len(view.complaints) == 1
    view.complaints.clear()


def test_texts_cannot_leave_their_block_in_the_page() -> None:
    text = script_json({"name": SCRIPT})
    assert "<script>window" not in text
    assert "<img" not in text


def test_a_cut_file_is_shown_as_far_as_it_goes(
    viewer: View, exported: Callable[..., str], match: Path, tmp_path: Path
) -> None:
    reader = Reader(match)
    journal = _journal_of(reader, tmp_path / "journal.arena", turns=20)
    data = journal.read_bytes()
    journal.write_bytes(data[: len(data) - 40])
    view = viewer().open(exported(journal))
    assert "damaged: the file ends in the middle of a record" in view.page.inner_text(".notice")
    view.page.keyboard.press("End")
    assert view.turn == 18


def test_a_match_that_was_killed_is_shown_as_far_as_it_went(
    viewer: View, exported: Callable[..., str], match: Path, tmp_path: Path
) -> None:
    view = viewer().open(exported(_journal_of(Reader(match), tmp_path / "journal.arena", turns=20)))
    assert view.page.inner_text(".notice") == "This recording ends before the match does."
    view.page.keyboard.press("End")
    assert view.turn == 19


def _journal_of(reader: Reader, path: Path, turns: int) -> Path:
    """The first turns of a match as a referee leaves them that is killed."""
    frames = list(reader.frames())
    writer = Writer(path, reader.header)
    writer.setup([], [frames[0][0]])
    for turn in reader.turns[:turns]:
        for index in range(turn.first, turn.last):
            writer.do(turn.player, {"type": "end_turn"}, [], [frames[index][0]], [frames[index][1]])
        writer.turn(turn.number, turn.player, 10, None, None, b"12345678")
    writer.abandon()
    return path


def test_what_a_limit_has_cut_off_is_said(
    viewer: View, exported: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.arena"
    monkeypatch.setattr("arena_replays.limits.PIECE", 300)
    monkeypatch.setattr("arena_replays.records.MAX_RECORD", 4_096 + 300)  # 300 bytes for an entry
    play_in_memory("snakes", ["builtin:forager", "builtin:hatchling"], seed=1, replay=str(path))
    monkeypatch.undo()
    view = viewer().open(exported(path))
    assert view.page.inner_text(".notice") == Reader(path).notice


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("foreign", "This file is not a replay of Arena."),
        ("newer", "This replay has format version 9; this viewer reads version 1."),
        ("empty", "This file is not a replay of Arena."),
        ("headless", "This replay is damaged: the file ends in the middle of a record at byte 8."),
    ],
)
def test_files_that_cannot_be_shown_say_why(
    viewer: View, serve: Callable[..., str], match: Path, tmp_path: Path, name: str, message: str
) -> None:
    path = tmp_path / "changing.arena"
    path.write_bytes(match.read_bytes())
    url = serve(path)
    data = {
        "foreign": b"\x89PNG\r\n\x1a\n" + b"\0" * 99,
        "newer": records.MAGIC + b"\x09" + match.read_bytes()[8:],
        "empty": b"",
        "headless": match.read_bytes()[:300],
    }[name]
    view = viewer(fresh=True)
    module = {"body": "export const createRenderer = () => ({})", "content_type": "text/javascript"}
    view.page.route(url.replace("/view/0", "/renderer/0/"), lambda route: route.fulfill(**module))
    path.write_bytes(data)
    view.open(url)
    assert view.page.inner_text("[role=alert]") == message
