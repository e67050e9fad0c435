"""The loop over real processes: everything is played once, whatever goes wrong on the way."""

import contextlib
import json
import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from contests_toys import (
    ExecutorEngine,
    add_team,
    add_version,
    is_readable,
    opened,
    result_of,
    run_of,
    toy_engine,
    toys,
    write_config,
    write_toys,
)
from test_statuses import until_running
from waiting import until

from arena.contests.config import StageConfig
from arena.contests.contest_journal import ContestJournal
from arena.contests.ladder.encounters import pair, specs_of
from arena.contests.loop import Loop
from arena.contests.open_contest import open_contest
from arena.contests.queue.local import LocalEngine, physical_cores
from arena.contests.report.progress import ProgressObserver
from arena.contests.status_file import StatusFile
from arena.errors import ArenaError
from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult
from arena.match.void import RETRIES
from arena.play.referee.cores import can_pin

STAGES = (StageConfig("swiss", "swiss", rounds=3), StageConfig("final", "double_elimination", advance=4))
ALL = StageConfig("all", "round_robin")


def run_toys(folder, stages=STAGES, count=6, **options):
    with toys(write_toys(folder, *stages, seed="s", id="t"), count) as opened:
        engine = toy_engine(opened.folder, 2, rated=False)
        try:
            return Loop(opened, engine, **options).run(), opened.state
        finally:
            engine.close()


@contextlib.contextmanager
def loop_of(folder, *stages, result, count=2, threads=1, window=4, observer=None, stays=False, **settings):
    """A loop whose matches a function plays."""
    engine = ExecutorEngine(ThreadPoolExecutor(threads), result, window)
    with toys(write_toys(folder, *stages, **settings), count) as opened, contextlib.closing(engine):
        yield opened, Loop(opened, engine, observer, stays=stays)


@pytest.mark.process
def test_plays_to_the_end_and_keeps_each_replay(tmp_path):
    report, state = run_toys(tmp_path)
    assert report.finished
    matches = [one for run in state.stages.values() for one in run.matches()]
    assert report.played == len(matches) > 20
    folder = tmp_path / "league"
    with contextlib.closing(ContestJournal(folder, read_only=True)) as journal:
        journal.read()
        for spec, result in matches:
            stored = journal.history.played[spec.match_id].result
            assert is_readable(folder / stored.replay)
            assert result.winner == stored.winner
    assert not list(folder.glob("replays/*/*.tmp.*"))


def test_a_second_process_is_refused(tmp_path):
    with (
        toys(write_toys(tmp_path, ALL), 4) as opened,
        pytest.raises(ArenaError, match=f"PID {os.getpid()}") as caught,
        open_contest(opened.path),
    ):
        pass
    assert caught.value.exit_code == 15


def test_one_match_of_a_pairing_is_repeated_for_a_bot_whose_sandbox_is_killed(tmp_path):
    attempts = Counter()

    def killed(spec):
        attempts[spec.number] += 1
        players = tuple(PlayerResult("void", detail="killed" if name == "bot001" else "") for name in spec.names)
        return MatchResult(players, Outcome(None, "killed_from_outside"), void="no result")

    for stop in (True, False):  # the count is in the journal, so another start gives no other match
        with loop_of(tmp_path, ALL, result=killed) as (opened, loop):
            loop._limit = int(stop)
            loop.run()
            matches = run_of(opened).matches()
            assert (opened.state.void_counts, opened.state.void_causes) == ({"bot001": 1, "bot002": 1}, {"bot001": 1})
    assert sorted(attempts.values()) == [1, 2]
    for spec, result in matches:
        assert result.players[spec.names.index("bot001")].ending == "crashed"
        assert result.points(spec.names.index("bot002")) == 1.0
        assert not result.void


def test_a_void_that_is_nobodys_stays_without_a_winner():
    void = MatchResult((PlayerResult("void"), PlayerResult("void")), Outcome(None, "interrupted"), void="no result")
    assert void.without_void() == void
    three = tuple(PlayerResult("void", detail="late" if player == 1 else "") for player in range(3))
    decided = MatchResult(three, Outcome(None, "host_late"), void="no result").without_void()
    assert [decided.points(player) for player in range(3)] == [0.75, 0.0, 0.75]
    assert [player.ending for player in decided.players] == ["drawn", "timed_out", "drawn"]
    assert decided.outcome.ranks == (1, 3, 1)


def test_a_kill_in_a_match_against_oneself_names_the_entrant(tmp_path):
    with loop_of(tmp_path, ALL, result=lambda _: result_of(0)) as (opened, loop):
        one = opened.state.active("bot001").player
        opened.write(pair(opened.state, "trial", (one, one), 1, "bot001"))
        [spec] = specs_of(opened.state, next(iter(opened.state.encounters.newest())))
        players = (PlayerResult("void"), PlayerResult("void", detail="killed"))
        killed = MatchResult(players, Outcome(None, "killed_from_outside"), void="no result")
        assert spec.names[1] == "bot001 (2)"
        assert loop._killed_in(spec, killed) == ("trial", spec.round, 0, "bot001")


@pytest.mark.parametrize(
    ("reason", "ending", "expected"),
    [
        ("host_late", "void", "timed_out"),
        ("killed_from_outside", "void", "crashed"),
        ("crashed", "crashed", "crashed"),
        ("no_start", "no_start", "no_start"),
        ("out_of_memory", "out_of_memory", "out_of_memory"),
        ("no_start", "void", "no_start"),  # in results of earlier versions
    ],
)
def test_the_loser_of_a_void_match_gets_the_ending_of_its_cause(reason, ending, expected):
    players = (PlayerResult("void"), PlayerResult(ending, detail="why"))
    decided = MatchResult(players, Outcome(None, reason), void="no result").without_void()
    assert [player.ending for player in decided.players] == ["won", expected]
    assert (decided.winner, decided.void) == (0, "")
    left = (PlayerResult("timed_out", detail="slow"), *players, PlayerResult("void"))
    decided = MatchResult(left, Outcome(None, reason), void="no result").without_void()
    assert [player.ending for player in decided.players] == ["timed_out", "drawn", expected, "drawn"]
    assert decided.outcome.ranks == (3, 1, 3, 1)


@pytest.mark.parametrize("stopped", [False, True], ids=["stuck", "stopped"])
def test_observers_see_the_end_of_a_match_without_a_result(tmp_path, stopped):
    """Several matches run at once. The first fails for good, and another ends after it."""
    dropped, failed, seen = threading.Event(), [], []

    def decide(spec):
        if spec.number == 0:
            failed.append(spec.match_id)
            if stopped:
                loop.stop()
            raise OSError("no more processes")
        if spec.number == 1:  # if all others waited too, no thread would be left to try the first again
            dropped.wait(20)
        return result_of(0)

    class Observed(ProgressObserver):
        def dropped(self, spec, reason):
            super().dropped(spec, reason)
            seen.append((spec.match_id, reason))
            until_running(tmp_path / "league", list(self.running))
            dropped.set()

    tally = Observed()
    (tmp_path / "league").mkdir()
    stage = StageConfig("all", "round_robin", games=4)
    with (
        loop_of(tmp_path, stage, result=decide, threads=2, observer=tally) as (_, loop),
        contextlib.closing(StatusFile(tmp_path / "league", lambda: loop.running)),
    ):
        report = loop.run()
    assert set(seen) == {(failed[0], "no more processes")}
    assert dropped.is_set()
    assert not tally.running
    assert len(seen) == 1
    assert len(report.stuck) == (not stopped)


def test_a_server_plays_a_stuck_match_when_its_cause_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.contests.loop._PAUSE", 0.1)
    tries, cause = [], "the disk is full"

    def play(spec):
        tries.append(spec.match_id)
        if cause:
            raise OSError(cause)
        return result_of(0)

    stage = StageConfig("all", "round_robin", games=1)
    with (
        loop_of(tmp_path, stage, result=play, stays=True) as (opened, started),
        contextlib.closing(started) as loop,
    ):
        loop.start()
        until(lambda: len(tries) > 2 + RETRIES)
        assert loop.report.stuck == {tries[0]: "the disk is full"}
        cause = ""
        until(lambda: opened.state.played and not loop.report.stuck)
        assert (set(tries), set(opened.state.played)) == ({tries[0]}, {tries[0]})


def test_a_ladder_that_cannot_play_writes_seldom(tmp_path):
    """Each drop let the ladder pair the same players again at once: 40 entries of the journal a second, for ever."""

    def fail(spec):
        raise KeyError("lost")

    path = write_config(tmp_path)
    with opened(path) as contest, contextlib.closing(ExecutorEngine(ThreadPoolExecutor(1), fail)) as engine:
        for team in ("Red", "Blue", "Green"):
            add_team(contest, team)
            add_version(contest, team, path="")
        with contextlib.closing(Loop(contest, engine, stays=True)) as loop:
            loop.start()
            until(lambda: "dropped" in loop.problem)
            number = contest.state.number
            time.sleep(0.5)
            assert contest.state.number - number < 10, "two entries for each pair of players who have not failed"


def test_the_first_stop_lets_matches_finish(tmp_path):
    release, begun = threading.Event(), threading.Event()

    def slow(spec):
        begun.set()
        release.wait(30)
        return result_of(0)

    with loop_of(tmp_path, *STAGES, result=slow, count=4, threads=2, window=2) as (opened, loop):

        def interrupt():
            begun.wait(30)
            loop.stop()
            release.set()

        thread = threading.Thread(target=interrupt)
        thread.start()
        report = loop.run()
        thread.join()
        assert report.interrupted
        assert len(opened.state.played) == report.played > 0
        assert not report.finished


def test_oversubscription_is_refused_for_rated_runs(tmp_path):
    with pytest.raises(ArenaError, match="slow each other"):
        toy_engine(tmp_path, len(physical_cores()) + 1)


def test_siblings_of_a_core_stay_empty(tmp_path):
    for cpu, siblings in enumerate(("0,4", "1,5", "2-2,6", "3,7", "0,4", "1,5", "2,6", "3,7")):
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings + "\n")
    assert physical_cores(set(range(8)), tmp_path) == [0, 1, 2, 3]
    assert physical_cores({1, 4, 5}, tmp_path) == [1, 4]


@pytest.mark.parametrize("pinned", [pytest.param(True, marks=pytest.mark.skipif(not can_pin(), reason="no")), False])
def test_each_slot_has_its_core_where_processes_can_be_pinned(monkeypatch, pinned):
    seen = []
    if not pinned:
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
        monkeypatch.delattr(os, "sched_setaffinity", raising=False)

    class Look:
        def wait(self):
            time.sleep(0.05)
            seen.append(frozenset(os.sched_getaffinity(0)) if pinned else frozenset())
            return result_of(0)

        def kill(self):
            """Nothing runs."""

    cores = physical_cores()
    engine = LocalEngine(lambda spec, attempt: Look(), slots=0)
    assert engine.slots == len(cores) > 0
    futures = [engine.submit(json, 0) for _ in range(4 * len(cores))]
    for future in futures:
        future.result()
    engine.close()
    assert set(seen) == ({frozenset({core}) for core in cores} if pinned else {frozenset()})
