"""A match in memory is the same match as with processes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from same import LINEUPS, both

from arena.match.ending import CRASHES
from arena.match.result import TimeUsed
from arena.study.checks.verification import verify

pytestmark = pytest.mark.process

UNRULY = Path(__file__).with_name("unruly.py")
WHO_PLAYS = {"saloon": 2, "laser_flag": 2, "derelict": 2, "snakes": 4}
SHORT: dict[str, dict[str, Any]] = {"saloon": {"max_turns": 40}}


@pytest.mark.parametrize("game", LINEUPS)
def test_built_in_bots_play_the_same_match(tmp_path: Path, game: str) -> None:
    one, other, memory, processes = both(tmp_path, game, LINEUPS[game], 5)
    assert memory == processes
    assert (one.digest, one.course, one.outcome) == (other.digest, other.course, other.outcome)
    assert (one.turns, one.actions) == (other.turns, other.actions)
    assert verify(one.replay).ok


def test_players_who_move_at_the_same_time_play_the_same_match_one_after_the_other(tmp_path: Path) -> None:
    _, _, memory, processes = both(tmp_path, "snakes", LINEUPS["snakes"], 5, sandbox="none", max_isolation=0)
    assert memory == processes


@pytest.mark.parametrize("game", WHO_PLAYS)
def test_refusals_logs_and_drawings_are_the_same(tmp_path: Path, game: str) -> None:
    bots = [UNRULY] * WHO_PLAYS[game]
    one, other, memory, processes = both(tmp_path, game, bots, 8, options=SHORT.get(game))
    assert memory == processes
    assert any(entry[0] == "refuse" for entry in memory["truth"])
    assert {note[2] for note in memory["notes"]} >= {"log", "draw"}
    assert all(memory["printed"][: len(bots)])
    assert verify(one.replay).ok
    assert [player.refusals for player in one.players] == [player.refusals for player in other.players]


FAILURES = [
    *(("saloon", fails) for fails in ("start", "raise", "exit", "unsendable", "refusals", "large")),
    *(("snakes", fails) for fails in ("raise", "refusals", "idle")),
]


@pytest.mark.parametrize(("game", "fails"), FAILURES)
def test_a_bot_fails_in_the_same_way(tmp_path: Path, game: str, fails: str) -> None:
    settings = [{"fails": fails}, *[{}] * (WHO_PLAYS[game] - 1)]
    bots = [UNRULY] * WHO_PLAYS[game]
    one, other, memory, processes = both(tmp_path, game, bots, 4, settings=settings, options=SHORT.get(game))
    assert memory == processes
    for mine, theirs in zip(one.players, other.players, strict=True):
        same = replace(theirs, clock=TimeUsed(), isolation=mine.isolation, bot_hash="", exit="", stderr="")
        assert replace(mine, clock=TimeUsed(), exit="", stderr="") == same
        if theirs.ending in CRASHES:  # a program that is killed can still complain of its lost connection
            assert mine.last_words == theirs.last_words
    assert one.players[0].failed
