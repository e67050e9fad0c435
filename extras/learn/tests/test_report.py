"""`arena game report`: what it measures, and how it says it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import lanterns_game
import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.errors import ExitCode
from arena.game import Seeded, load
from arena.pages.render import render_source_alone
from arena_learn.report.making import Wanted, make
from arena_learn.report.measuring import estimate, histogram, share_of_dice
from arena_learn.report.playing import Played, Setup
from arena_learn.report.text import lines

SMALL = {"max_turns": 8}
BOTS = ("rowdy", "sheriff", "search")


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return make(Wanted(load("saloon"), SMALL, bots=BOTS, games=4, playouts=2))


def test_the_report_of_saloon(report: dict[str, Any]) -> None:
    assert report["bots"] == list(BOTS)
    assert report["games"] == 12
    assert report["unfinished"] == 0
    first, second = report["seats"]
    assert first["mean"] + second["mean"] == pytest.approx(1)
    assert report["turns"]["most"] == 8
    assert sum(bar["count"] for bar in report["turns"]["histogram"]) == 12
    assert report["branching"]["sheriff"]["mean"] > 1
    assert [(step["playouts"], step["against"], step["games"]) for step in report["steps"]] == [
        (4, 2, 4),
        (8, 4, 4),
        (16, 8, 4),
    ]
    assert "Player" not in report["unused"]["classes"]


def test_the_same_seed_gives_the_same_report(report: dict[str, Any]) -> None:
    assert make(Wanted(load("saloon"), SMALL, bots=BOTS, games=4, playouts=2)) == report


def test_a_report_that_is_stopped_is_about_the_games_that_were_played() -> None:
    def stop(text: str) -> None:
        if text == "rowdy: game 3 of 4":
            raise KeyboardInterrupt

    found = make(Wanted(load("saloon"), SMALL, bots=("rowdy",), games=4), stop)
    assert (found["games"], found["stopped"], found["steps"]) == (2, True, [])
    assert lines(found)[-2:] == [
        "  - 2 of 4 games of bots against themselves",
        "  - 12 of 12 games of the search with twice its budget",
    ]


def test_a_report_keeps_its_time() -> None:
    """A turn is not interrupted, so the time is exceeded by one at most."""
    found = make(Wanted(load("saloon"), SMALL, bots=("rowdy",), games=400, playouts=8, seconds=2))
    assert 0 < found["games"] < 400
    assert not found["stopped"]
    assert any(text.endswith("games of bots against themselves") for text in found["missing"])


def test_every_line_is_said(report: dict[str, Any]) -> None:
    text = "\n".join(lines(report))
    for word in (
        "seat 0",
        "Turns:",
        "Legal actions:",
        "Changes of the lead",
        "Decided by dice",
        "never used",
        "4 against 2",
    ):
        assert word in text


def test_a_cooperative_game_has_its_common_score_on_the_page() -> None:
    found = make(Wanted(lanterns_game.spec(), bots=("search",), games=2, playouts=1))
    assert found["cooperative"]
    assert found["steps"] == []
    source = files("arena_learn.report").joinpath("page.html").read_text(encoding="utf-8")
    page = render_source_alone(source, title="Lanterns", report=found)
    assert "Common score" in page
    assert f'<td class="left">{found["seats"][0]["mean"]:.4g}' in page
    assert "Points of each seat" not in page


def test_maps_alternate_and_are_compared() -> None:
    game = load("derelict")
    names = game.maps[:2]
    found = make(Wanted(game, {}, maps=names, bots=("castaway",), games=4, steps=0))
    assert [row["map"] for row in found["maps"]] == list(names)
    assert sum(row["games"] for row in found["maps"]) == found["games"]


@pytest.mark.parametrize(
    ("points", "share"),
    [
        ([[1, 0], [0, 1], [1, 0], [0, 1]], 1.0),  # the dice alone decide
        ([[1, 1], [0, 0], [1, 1], [0, 0]], 0.0),  # the setup alone decides
        ([[1, 1], [1, 1]], None),
    ],
)
def test_the_share_of_the_dice(points: list[list[float]], share: float | None) -> None:
    game = load("saloon")
    options = game.resolve_options({})
    state = game.start(options, Seeded(1))
    games = [
        Played("rowdy", Setup(number, "", options, state), dice, (value, 1 - value))
        for number, group in enumerate(points)
        for dice, value in enumerate(group)
    ]
    assert share_of_dice(games) == (share if share is None else pytest.approx(share, abs=0.01))


def test_equal_results_have_an_interval_too() -> None:
    assert estimate(((setup, 1.0) for setup in range(30)), share=True)["interval"] == [0.9, 1.1]
    assert estimate([(0, 1.0), (0, 0.0)])["interval"] is None, "two games of one setup say nothing about others"


def test_games_of_one_setup_count_once() -> None:
    """Equal games of a setup add nothing. Counted one by one, they would make the interval narrower."""
    once = estimate([(0, 0.2), (1, 0.9), (2, 0.4), (3, 0.7)])
    twice = estimate([(setup, value) for setup, value in enumerate((0.2, 0.9, 0.4, 0.7)) for _ in range(2)])
    assert (twice["mean"], twice["interval"]) == (once["mean"], once["interval"])
    assert (twice["count"], twice["setups"]) == (8, 4)


def test_a_histogram_has_all_values() -> None:
    bars = histogram([3, 3, 4, 90])
    assert sum(bar["count"] for bar in bars) == 4
    assert bars[0]["from"] == 3
    assert bars[-1]["to"] >= 90
    assert histogram([5, 5]) == [{"from": 5, "to": 5, "count": 2}]


def test_the_command_prints_json_and_writes_a_page(tmp_path: Path) -> None:
    page = tmp_path / "saloon.html"
    arguments = ["game", "report", "saloon", "--games", "2", "--playouts", "1", "-o", "max_turns=4"]
    done = CliRunner().invoke(cli, [*arguments, "--json", "--html", str(page)])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["game"] == "saloon"
    text = page.read_text()
    assert "<script" not in text
    assert "When the budget of the search doubles" in text


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nothing"], ExitCode.UNKNOWN_GAME, "There is no game nothing"),
        (["saloon", "--players", "3"], ExitCode.BAD_OPTION, "saloon is for 2 players, not 3."),
        (["saloon", "--bot", "nobody"], ExitCode.BAD_BOT, "saloon has no built-in bot nobody"),
        (["saloon", "--map", "x"], ExitCode.BAD_OPTION, "The game saloon has no maps."),
        (["derelict", "--map", "absent"], ExitCode.BAD_OPTION, "absent"),
        (["saloon", "--games", "1"], ExitCode.USAGE, "1 is not in the range x>=2"),
    ],
)
def test_bad_input_has_one_message(arguments: list[str], code: int, words: str) -> None:
    done = CliRunner().invoke(cli, ["game", "report", *arguments])
    assert done.exit_code == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
