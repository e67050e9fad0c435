"""The tab "Why": what it says about a loss without an explanation, while one is computed, and in an exported page."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from contradictions import of_the_tab

from arena.cli import cli
from arena.study.coach.stored import cache_path, explanation_of
from arena.web.analyses import LONGEST_EXPLANATION
from arena_replays import Reader

View = Callable[..., Any]

LOSER = """
from arena_player import AI


class Loser(AI):
    def run_turn(self):
        self.act({"type": "move", "cowboy": "c1", "x": 0, "y": 0})
        self.act({"type": "end_turn"})
"""
STUBBORN = LOSER.replace('self.act({"type": "end_turn"})', "self.run_turn()")

RECURSIVE = """
from arena_player import AI


class Recursive(AI):
    def run_turn(self):
        self.search(0)

    def search(self, depth):
        if depth == 30:
            raise RuntimeError("no move left")
        return self.expand(depth)

    def expand(self, depth):
        return self.search(depth + 1)
"""


def arena(*words: object) -> None:
    run = CliRunner().invoke(cli, [str(word) for word in words])
    assert run.exit_code == 0, run.output


@pytest.fixture(scope="module")
def recorded(play: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("why")
    (folder / "loser.py").write_text(LOSER)
    return play(folder / "lost.arena", str(folder / "loser.py"), "builtin:pianist", seed=3)


@pytest.fixture
def lost(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(recorded, tmp_path / "lost.arena"))


def test_a_loss_opens_with_what_the_replay_itself_says(viewer: View, serve: Callable[..., str], lost: Path) -> None:
    view = viewer().open(serve(lost))
    assert view.page.get_attribute("#tab-why", "aria-selected") == "true"
    view.page.wait_for_selector("#panel-why :text('× bad argument')")
    text = view.page.inner_text("#panel-why")
    assert text.count("cannot catch up.") == 1, "one text about one loss"
    assert "Lost (" not in text
    assert view.page.locator("#panel-why .explain").count() == 0, "this server computes nothing"
    view.page.locator("#panel-why .groups button").nth(1).click()
    view.until(
        "arena.replay.content.refusals.some((one) => arena.replay.content.turnAt(one.turn) === arena.position.turn)"
    )


def test_all_refused_actions_are_counted_also_those_that_the_file_leaves_out(
    viewer: View, exported: Callable[..., str], play: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    replay = play(tmp_path / "refused.arena", str(tmp_path / "stubborn.py"), "builtin:pianist")
    assert len(Reader(replay).refusals) < 101
    view = viewer().open(exported(replay))
    text = view.page.inner_text("#panel-why")
    assert "101 refused actions" in text
    assert "101 × bad argument first in turn 1" in text
    view.page.click("#tab-result")
    view.page.click("#panel-result .technical summary")
    facts = view.page.locator("#panel-result dl").all_inner_texts()
    assert ["101" in text for text in facts[:3]] == [True, False, True], "loser, winner, match"


def test_built_in_bots_open_with_the_match(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer().open(exported(match))
    assert view.page.get_attribute("#tab-turn", "aria-selected") == "true"
    view.page.click("#tab-why")
    assert "pianist cannot catch up" in view.page.inner_text("#panel-why")


def test_a_crash_opens_at_the_crash_without_an_explanation(
    viewer: View, exported: Callable[..., str], crash: Path
) -> None:
    view = viewer().open(exported(crash))
    assert view.turn == 40
    assert "I forgot my hat" in view.page.inner_text("#panel-why")


def test_a_long_traceback_shows_where_it_began_and_where_it_ended(
    viewer: View, explaining: Callable[[Path], str], play: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "recursive.py").write_text(RECURSIVE)
    url = explaining(play(tmp_path / "deep.arena", str(tmp_path / "recursive.py"), "builtin:pianist"))
    view = viewer().open(url)
    assert view.page.inner_text(".caption") == "Turn 1. recursive crashed."
    trace = view.page.locator("#panel-why .trace")
    lines = trace.inner_text().split("\n")
    assert len(lines) < 15
    assert lines[2].strip() == "self.search(0)"
    assert lines[-1] == "RuntimeError: no move left"
    assert view.do("document.querySelector('.trace').scrollHeight <= document.querySelector('.trace').clientHeight")
    view.page.click("text=Show all lines")
    assert trace.inner_text().count("in search") == 31

    phone = viewer(390, 844).open(url)
    card = phone.do("document.querySelector('#panel-why article').getBoundingClientRect()")  # it is made again soon
    assert card["y"] >= 0
    board = phone.page.locator("canvas.board").bounding_box()
    assert board["y"] + board["height"] <= card["y"] <= 844 - 200, "the board stays above the sheet with the reason"
    phone.page.click("#panel-why .show-turn")
    assert phone.page.locator(".stage").bounding_box()["y"] > -1, "the board is shown again"
    tabs, button = (phone.page.locator(name).bounding_box() for name in (".tabs", ".what-if-open"))
    assert button["x"] >= tabs["x"] + tabs["width"], "it covers no text"


def test_what_a_program_printed_at_its_end_is_short(viewer: View, exported: Callable[..., str], crash: Path) -> None:
    own = ["Current thread 0x7f (most recent call first):", '  File "/bot/bot.py", line 3 in run_turn']
    error = ["Exception in thread main: no move"]
    view = viewer().open(exported(crash))
    for printed, shown in (
        (own + ['  File "/arena/packages/arena_player/session.py", line 1 in play'] * 5, 3),
        ([*error, "    at Bot.run(Bot.java:3)", "    at Bot.main(Bot.java:9)"], 3),
        (error + ["    at Bot.search(Bot.java:3)"] * 90, 8),
        ([f"line {number}" for number in range(90)], 13),
    ):
        view.page.evaluate(
            """(payload) => {
              arena.replay.content.notes.length = 0;
              arena.replay.content.notes.push({ turn: 0, frame: 0, player: 0, kind: "stderr", payload, refused: 0 });
              arena.why.build();
            }""",
            "\n".join(printed),
        )
        lines = view.page.locator("#panel-why .trace").inner_text().split("\n")
        assert len(lines) == shown
        assert set(lines) - set(printed) <= {f"  … {len(printed) - shown + 1} lines …"}


@pytest.mark.kill  # `tests/web/test_explaining.py` does it without a page
def test_a_server_explains_a_loss_while_the_page_shows_the_results_so_far(
    viewer: View, explaining: Callable[[Path], str], lost: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "arena.web.analyses.SECONDS", LONGEST_EXPLANATION
    )  # a loaded machine takes a while for the first results
    view = viewer().open(explaining(lost))
    view.until("arena.replay.explained?.playouts?.count > 0")
    assert view.do("arena.why.share < 1"), "it is still being computed"
    assert view.page.get_attribute("#tab-why", "aria-selected") == "true"
    assert "Playing " in view.page.inner_text(".why-status")
    assert view.page.locator(".why-status progress").count() == 1
    view.page.goto("about:blank")  # it asks no more when the server stops


def test_a_kept_explanation_is_exported(viewer: View, explained_replay: Path, tmp_path: Path) -> None:
    page, exported = tmp_path / "page.html", tmp_path / "exported.html"
    document = explanation_of(explained_replay)
    arena("explain", explained_replay, "--html", page)
    arena("replay", "export", explained_replay, "--html", exported)
    assert exported.read_text() == page.read_text(), "both commands write the same page"
    cache_path(explained_replay).unlink()
    view = viewer().open(page.as_uri())
    view.until("arena.replay.explained !== null")
    assert "playouts" in view.page.inner_text(".why-status")
    assert view.page.locator("#panel-why article").count() == 1
    assert list(of_the_tab(document, view.page.inner_text("#panel-why"))) == []
