"""Matches of Snakes with real programs that fail: they leave, and the others play to the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.builtin import module_source
from arena.cli.match_report import print_results
from arena.game import Clock, load
from arena.match.result import MatchResult
from arena.study.checks.verification import verify
from arena.testing import play_match
from arena_replays import Reader

CLOCK = Clock(startup=10.0, bank=None, increment=0.0, turn=0.4, grace=0.05)
BOT = """
import os, threading
from random import Random
from snakes import AI

class Bot(AI):
    def start(self):
        self.random = Random(self.index)

    def run_turn(self):
        {failure}
        moves = self.snake.safe_moves
        self.snake.move(self.random.choice(moves) if moves else "up")
"""
CRASH = "if self.turn == 5: raise RuntimeError('lost my way')"
SPIN = "while self.turn == 9: pass"
LEAP = """if self.turn >= 2:
            threading.Timer(0.02, os._exit, (3,)).start()
            return self.snake.move({-1: "left", 1: "right"}[1 if self.snake.head.x > 5 else -1])"""


@pytest.fixture
def bots(tmp_path: Path) -> dict[str, Path]:
    """Return the file of a bot for each way to fail."""
    (tmp_path / "snakes.py").write_text(module_source(load("snakes")))
    paths = {}
    for name, failure in {"crash": CRASH, "spin": SPIN, "leap": LEAP, "fine": "pass"}.items():
        paths[name] = tmp_path / f"{name}.py"
        paths[name].write_text(BOT.format(failure=failure))
    return paths


def _endings(result: MatchResult) -> list[tuple[str, str]]:
    return [(player.ending, result.place(seat)) for seat, player in enumerate(result.players)]


@pytest.mark.process
def test_the_last_two_play_to_the_end(
    bots: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = tmp_path / "five.arena"
    names = ("crash", "fine", "leap", "spin", "fine")
    seats = [bots[name] for name in names]
    results = [play_match("snakes", seats, seed=3, clock=CLOCK, replay=replay) for _ in range(3)]
    result = results[0]
    crash, one, leap, spin, other = _endings(result)
    assert (crash[0], spin[0], leap[0]) == ("crashed", "timed_out", "lost")
    assert {one, other} == {("won", "1st of 5"), ("lost", "2nd of 5")}
    assert result.outcome.reason == "last_snake"
    assert result.outcome.ranks[3] < result.outcome.ranks[0]
    assert result.turns > 9
    assert len({(tuple(_endings(one)), one.digest, one.turns) for one in results}) == 1
    found = verify(replay)
    assert found.ok, found.problem
    assert found.complete
    print_results([result], as_json=False, single=True)
    shown = capsys.readouterr().out
    assert all(f" {words} " in shown for words in ("crashed, 4th of 5", "5th of 5", "timed_out, 3rd of 5", "1st of 5"))
    reader = Reader(replay)
    assert [(entry[1], reader.truth.index(entry) > 0) for entry in reader.truth if entry[0] == "leave"] == [
        (0, True),
        (3, True),
    ]
    assert [(ending.player, ending.ending) for ending in reader.endings] == [(0, "crashed"), (3, "timed_out")]
    assert reader.footer is not None
    assert [one["place"] for one in reader.footer["players"]] == [place for _, place in _endings(result)]


@pytest.mark.process
def test_the_match_ends_when_one_player_is_left(bots: dict[str, Path], tmp_path: Path) -> None:
    replay = tmp_path / "four.arena"
    names = ("crash", "spin", "leap", "fine")
    result = play_match("snakes", [bots[name] for name in names], seed=3, clock=CLOCK, replay=replay)
    assert result.winner == 3
    assert [ending for ending, _ in _endings(result)] == ["crashed", "timed_out", "lost", "won"]
    assert result.outcome.ranks[1] == 2
    assert sorted(result.outcome.ranks) == [1, 2, 3, 4]
    found = verify(replay)
    assert found.ok, found.problem
