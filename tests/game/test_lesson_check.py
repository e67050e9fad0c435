"""`arena game check` tries the detectors of a game on its random games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import process_time
from typing import Any

import pytest

from arena.game import Mistake, PlayerTurn
from arena.match.lookup import find_game
from arena.testing import inspect_game

SALOON = find_game("saloon")
SMALL = {"width": 8, "height": 6, "max_turns": 12}
Turns = Sequence[PlayerTurn[Any]]


def crashes(turns: Turns) -> Iterator[Mistake]:
    yield Mistake("You never see this.", [turns[9**9].number])


def is_slow(turns: Turns) -> Iterator[Mistake]:
    begun = process_time()
    while process_time() < begun + 0.6:
        pass
    yield from ()


def calls_in_twice(turns: Turns) -> Iterator[Mistake]:
    call = {"type": "call_in", "gun": f"g{turns[0].player}", "job": "Brawler"}
    yield Mistake("You should have called in two.", [turns[0].number], better=[call, call])


def names_another_turn(turns: Turns) -> Iterator[Mistake]:
    yield Mistake("You should not have come.", [turns[-1].number + 1])


def is_right(turns: Turns) -> Iterator[Mistake]:
    for turn in turns:
        assert turn.before.current_player == turn.player
        assert turn.after.reason or turn.after.current_player != turn.player
        assert turn.later.reason or turn.later.current_player == turn.player
        state, left = turn.played(turn.actions)
        assert left == turn.actions
        assert state.current_turn == turn.after.current_turn
        yield Mistake("You should have waited.", [turn.number], better=[{"type": "end_turn"}])


@pytest.mark.parametrize(
    ("detector", "said"),
    [
        (crashes, "the detector crashes raised IndexError"),
        (is_slow, "ms a turn; the limit is 10 ms"),
        (calls_in_twice, "the detector calls_in_twice, in turn 1: better has the action {'type': 'call_in'"),
        (names_another_turn, "and the player had no such turn"),
    ],
)
def test_a_bad_detector_is_named_with_its_seed_and_player(detector: Any, said: str) -> None:
    report = inspect_game(replace(SALOON, lessons=(is_right, detector)), games=1, options=SMALL, seed="7")
    finding = report.findings[0]
    assert said in finding.message
    assert finding.rule == "lessons"
    assert "seed 7/0" in finding.place
    assert finding.place.endswith("turns of player 0")


def test_a_good_detector_is_accepted() -> None:
    assert inspect_game(replace(SALOON, lessons=(is_right,)), games=2, options=SMALL).findings == ()
