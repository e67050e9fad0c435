"""What the caller of a match in memory does besides playing: notes, ends of a seat, and other threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from arena.match.void import OUTAGE
from arena.play.memory import MatchInMemory, Turn
from arena.study.checks.verification import verify
from arena_replays import printed


def match_of(*others: Any, **settings: Any) -> MatchInMemory:
    match = MatchInMemory("snakes", [None, *(others or ["builtin:forager"])], seed=1, **settings)
    assert match.play() == 0
    return match


def test_notes_are_beside_the_action_that_follows(tmp_path: Path) -> None:
    replay = tmp_path / "m.arena"
    match = match_of(replay=replay)
    long = "".join(f"line {number}\n" for number in range(500))
    match.note(0, "I go up. <b>\x1b[2J")
    match.note(0, long)
    match.act(0, match.legal_actions(0)[0])
    match.play()
    with pytest.raises(ValueError, match="Player 1 cannot write a note now"):
        match.note(1, "psst")
    match.resign(0, "no way\nout")
    assert match.result().players[0].detail == r"no way\x0aout"
    assert verify(replay).ok
    lines = list(printed(replay))
    assert "I go up. <b>" in lines[0]
    assert lines[-1] == "turn 1, player 1: line 499"
    with pytest.raises(ValueError, match="The match is over"):
        match.note(0, "late")


def test_too_many_notes_are_the_callers_mistake() -> None:
    match = match_of()
    for _ in range(64):
        match.note(0, "again")
    with pytest.raises(ValueError, match="more than 64 notes"):
        match.note(0, "again")
    match.act(0, match.legal_actions(0)[0])
    assert not match.over


def test_a_match_is_void_with_its_cause(tmp_path: Path) -> None:
    replay = tmp_path / "m.arena"
    match = match_of(replay=replay)
    with pytest.raises(ValueError, match="cause is empty"):
        match.void(0, "")
    match.void(0, "the provider is down")
    result = match.result()
    assert (result.has_verdict, result.outcome.reason) == (False, OUTAGE)
    assert (result.players[0].ending, result.players[0].detail) == ("void", "the provider is down")
    assert result.without_void() == result, "nobody is charged"
    assert verify(replay).ok
    with pytest.raises(ValueError, match="The match is over"):
        match.void(0, "again")


def test_who_has_failed_cannot_make_the_match_void() -> None:
    match = MatchInMemory("snakes", [None] * 4, seed=1)
    match.resign(1)
    assert not match.over
    with pytest.raises(ValueError, match="failed before"):
        match.void(1, "too late")
    match.void(2, "in time")
    assert match.over


def test_each_step_from_another_thread(tmp_path: Path) -> None:
    def step(match: MatchInMemory) -> int | None:
        match.act(0, match.legal_actions(0)[0])
        return match.play()

    here = match_of()
    while step(here) is not None:
        pass
    match = match_of(replay=tmp_path / "m.arena", captures=True)
    player: int | None = 0
    while player is not None:
        with ThreadPoolExecutor(1) as pool:
            player = pool.submit(step, match).result()
    assert match.result().course == here.result().course
    assert verify(tmp_path / "m.arena").ok


def test_two_threads_at_a_time_are_refused() -> None:
    begun, leave = threading.Event(), threading.Event()

    def slow(turn: Turn) -> Any:
        begun.set()
        assert leave.wait(10)
        return turn.legal_actions[0]

    match = MatchInMemory("snakes", [slow, None], seed=1)
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(match.play)
        assert begun.wait(10)
        with pytest.raises(RuntimeError, match="Another thread plays this match"):
            match.resign(1)
        leave.set()
        assert playing.result() == 1
    match.resign(1)
    assert match.over
