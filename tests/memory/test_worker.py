"""Matches in worker processes: what hangs or ends its process costs one player the match, and nobody else anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from same import LINEUPS, recorded
from shortened import shortened

from arena.bots.seat_program import RESIGNED
from arena.game import Clock
from arena.match.job import HUMAN, Job, SeatAssignment
from arena.match.limits import MEBIBYTE, Limits, Policy
from arena.match.result import MatchResult
from arena.match.stack import last_stack
from arena.play.memory import play_in_memory
from arena.play.memory.workers import MemoryWorkers
from arena.play.referee.match_process import play_in_process
from arena.play.seats.waiting import PipeWaiting, SeatClient, wants_action
from arena.study.checks.verification import verify
from arena_player.errors import PlayerError
from arena_replays import Reader

pytestmark = pytest.mark.process

FAILING = Path(__file__).with_name("failing.py")
LIMIT, START_LIMIT = 0.4, 2.0
LOOPS = ("loop", "backtracking", "acted", "stubborn", "sleep", "lock", "joined", "flood", "unfinished")
CRASHES = ("exit", "segfault", "interrupt", "leave", "recursion", "abort", "terminated", "raised")
FINE = ("turn_thread", "end_raised", "end_loop", "end_exit", "turn_silent", "turn_elsewhere")
ENDS = {
    **{f"turn_{name}": "timed_out" for name in LOOPS},
    **{f"turn_{name}": "crashed" for name in CRASHES},
    **{f"turn_{name}": "out_of_memory" for name in ("memory", "starved")},
    **{f"start_{name}": "no_start" for name in ("loop", "raised", "exit")},
    **dict.fromkeys(FINE, "lost"),
}
USUAL = (*LOOPS[:3], *CRASHES[:3], "memory", "thread", "loop", "raised")
"""The kinds of failures that differ for the worker. `pytest -m kill` runs all."""


def kind(name: str) -> Any:
    usual = name.partition("_")[2] in USUAL and (name.startswith("turn") or "exit" not in name)
    return pytest.param(name, marks=() if usual else pytest.mark.kill)


@pytest.fixture(scope="module")
def workers() -> Iterator[MemoryWorkers]:
    workers = MemoryWorkers("saloon")
    yield workers
    workers.close()


def failing(folder: Path, fails: str, **how: Any) -> Job:
    """Return a match whose first player fails."""
    seats = SeatAssignment(str(FAILING), "failing", {"fails": fails}), SeatAssignment("builtin:rowdy", "other")
    limit = 60.0 if "memory" in fails else LIMIT
    clock = Clock(START_LIMIT, bank=None, increment=0.0, turn=limit, grace=0.0)
    limits = Limits(memory=30 * MEBIBYTE)
    return Job("saloon", seats, {}, 1, clock=clock, limits=limits, replay=str(folder / "match.arena"), **how)


@pytest.mark.parametrize("fails", [*map(kind, ENDS)])
def test_one_ending_in_time_and_the_next_match_runs(tmp_path: Path, workers: MemoryWorkers, fails: str) -> None:
    result = workers.begin(failing(tmp_path, fails)).wait()
    me, other = result.players
    assert (me.ending, other.ending) == (ENDS[fails], "won")
    assert verify(result.replay).ok
    logs = [note.payload for note in Reader(Path(result.replay)).notes if note.kind == "log"]
    if me.ending == "timed_out":
        assert me.detail == f"took longer than {LIMIT:g} s"
        stack = last_stack(me.stderr)
        assert stack is not None
        assert stack.position is not None
        assert stack.position.function == fails.removeprefix("turn_")
    if fails == "turn_acted":
        assert logs == ["second turn"], "what came before the loop is recorded, also the move"
    if fails == "turn_loop":
        assert me.stdout == "before the loop\n"
    if fails == "end_raised":
        assert me.failed_after_the_match
    assert workers.begin(failing(tmp_path, "")).wait().has_verdict


def test_others_play_on_and_a_skipped_turn_is_no_end(tmp_path: Path, workers: MemoryWorkers) -> None:
    skips = workers.begin(failing(tmp_path, "turn_loop", policy=Policy(timeout="strike", strikes=3))).wait()
    assert (skips.players[0].ending, skips.players[0].strikes) == ("timed_out", 3)
    assert verify(skips.replay).ok


def test_a_match_without_an_end_is_stopped(tmp_path: Path, workers: MemoryWorkers) -> None:
    seats = SeatAssignment("builtin:sheriff"), SeatAssignment("builtin:pianist")
    match = workers.begin(Job("saloon", seats, seed=1, replay=str(tmp_path / "m.arena"), progress=True))
    result = match.wait(lambda _: match.interrupt())
    assert result.outcome.reason == "interrupted by SIGINT"
    assert verify(result.replay).ok


@pytest.mark.parametrize("resigns", [False, True])
def test_a_person_plays(tmp_path: Path, workers: MemoryWorkers, resigns: bool) -> None:
    waiting = PipeWaiting()
    seats = SeatAssignment(HUMAN, address=waiting.address), SeatAssignment("builtin:rowdy")
    ended: list[MatchResult] = []
    job = Job("saloon", seats, {"max_turns": 10}, 1, replay=str(tmp_path / "m.arena"))
    referee = Thread(target=lambda: ended.append(MemoryWorkers("saloon").begin(job).wait()), daemon=True)
    referee.start()
    offer = next(waiting)
    client = SeatClient(offer.link())
    turns = 0
    with suppress(PlayerError):  # the connection ends with the match
        while message := client.receive():
            if wants_action(message):
                turns += 1
                if resigns and turns == 2:
                    offer.end(RESIGNED)
                else:
                    client.act(message["legal_actions"][-1])
    referee.join()
    client.close()
    waiting.close()
    assert next(waiting, None) is None
    assert ended[0].players[0].ending == ("resigned" if resigns else "lost")
    assert verify(ended[0].replay).ok


@pytest.mark.parametrize("game", LINEUPS)
@pytest.mark.parametrize("seeds", shortened([1, 25]))
def test_the_match_is_the_same_as_with_processes(tmp_path: Path, game: str, seeds: int) -> None:
    workers = MemoryWorkers(game)
    for seed in range(seeds):
        seats = tuple(map(SeatAssignment, LINEUPS[game]))
        jobs = [Job(game, seats, seed=seed, replay=str(tmp_path / f"{name}.arena")) for name in ("worker", "process")]
        one, other = workers.begin(jobs[0]).wait(), play_in_process(jobs[1])
        assert recorded(Path(one.replay)) == recorded(Path(other.replay))
        assert (one.digest, one.course, one.outcome) == (other.digest, other.course, other.outcome)
        assert [player.bot_hash for player in one.players] == [player.bot_hash for player in other.players]
        assert play_in_memory(game, LINEUPS[game], seed=seed).course == one.course
    workers.close()
