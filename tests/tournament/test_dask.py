"""Many machines, played on this one: a scheduler, three workers, two of them killed in the middle."""

import contextlib
import json
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from cluster import ARENA, distributed, end, machines, start
from tournament_toys import RemoteToy, config_of, entrants_of, is_readable, tournament_of, toy_engine

import arena_saloon
from arena.bots.game_files import module_source
from arena.errors import ArenaError
from arena.journal.files import temporary_replay_path
from arena.match.lookup import find_game
from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.schedule import Schedule
from arena.tournament.report.documents import standings_document
from arena.tournament.run.organizer import organize, read_snapshot
from arena.tournament.run.runner import Runner
from arena_replays import Reader, ReplayError

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]

CONFIG = config_of(
    StageConfig("league", "round_robin", rounds=3),
    StageConfig("swiss", "swiss", rounds=4),
    StageConfig("final", "double_elimination", advance=4),
    seed="dask",
    id="dask",
)


SHORT = config_of(StageConfig("league", "round_robin"), seed="dask", id="dask")
"""For tests that are over when the first matches are."""


@pytest.fixture
def cluster():
    """A scheduler and three workers."""
    with machines([], [], []) as found:
        yield found


def run_on(address, folder, kill=(), config=CONFIG):
    client = distributed.Client(address, timeout="30s", set_as_default=False)
    with organize(folder, config, entrants_of(8)) as organizer:
        engine = DaskEngine(
            client,
            lambda _spec: RemoteToy(0.02),
            lambda content: f"bot {content}".encode(),
            lambda match_id: temporary_replay_path(folder, match_id),
        )
        journal = organizer.journal.folder / "journal.db"
        over = threading.Event()

        def killer():
            for process, due in kill:
                while count_of(journal) < due and not over.is_set():
                    time.sleep(0.03)
                end(process)

        thread = threading.Thread(target=killer)
        thread.start()
        try:
            return Runner(organizer.schedule, organizer.journal, engine).run()
        finally:
            over.set()
            thread.join()
            engine.close()


def count_of(journal):
    import sqlite3

    try:
        with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as connection:
            return connection.execute("select count(*) from entries where kind = 'result'").fetchone()[0]
    except sqlite3.OperationalError:  # it is being made
        return 0


from arena.matches.engines.dask import DaskEngine  # noqa: E402 - after the check that Dask is there


def test_200_matches_with_two_of_three_workers_killed(cluster, tmp_path):
    address, workers, _ = cluster
    remote, local = tmp_path / "remote", tmp_path / "local"
    report = run_on(address, remote, [(workers[0], 40), (workers[1], 90)])
    assert report.finished
    assert not report.stuck
    with organize(local, CONFIG, entrants_of(8)) as organizer:
        engine = toy_engine(local, 2, rated=False)
        Runner(organizer.schedule, organizer.journal, engine).run()
        engine.close()
    one, other = read_snapshot(remote), read_snapshot(local)
    matches = one.schedule.matches()
    assert len(matches) >= 200
    assert count_of(remote / "journal.db") == len(matches) == count_of(local / "journal.db")
    assert one.conflicts == ()
    assert json.dumps(standings_document(one)) == json.dumps(standings_document(other))
    for _, outcome in matches:
        assert is_readable(remote / outcome.replay)
    assert not list(remote.glob("replays/*/*.tmp.*"))


def test_matches_of_lost_workers_go_to_one_that_comes_later(tmp_path):
    with machines([], []) as (address, workers, _), contextlib.ExitStack() as stack:
        runs = []
        over = threading.Event()

        def replace_all():
            journal = tmp_path / "journal.db"
            while (not journal.exists() or count_of(journal) < 30) and not over.is_set():
                time.sleep(0.03)
            for worker in workers:
                end(worker)
            runs.append(start(ARENA, "worker", "--scheduler", address, "--slots", "1"))
            stack.callback(end, runs[0])

        thread = threading.Thread(target=replace_all)
        thread.start()
        try:
            report = run_on(address, tmp_path, config=SHORT)
        finally:
            over.set()
            thread.join()
        assert report.finished
        assert not report.stuck
        assert runs[0].poll() is None


class Ending:
    """A client whose scheduler ends while a match of a lost worker is sent again."""

    status = "running"

    def __init__(self):
        self.workers = {"one": {"resources": {"slot": 1}}}

    def scheduler_info(self, n_workers):
        return {"workers": self.workers}

    def subscribe_topic(self, *topic):
        pass

    def unsubscribe_topic(self, topic):
        pass

    def submit(self, *call, **options):
        return self

    def add_done_callback(self, call):
        pass

    def cancel(self, force):
        self.status = "closed"

    def close(self):
        pass


def test_a_match_fails_if_the_scheduler_ends_while_it_is_sent_again(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.matches.engines.dask._LOOK", 0.02)
    client = Ending()
    engine = DaskEngine(client, lambda _spec: RemoteToy(), lambda _content: b"", lambda match_id: tmp_path / match_id)
    with contextlib.closing(engine):
        for spec in Schedule(tournament_of(2, StageConfig("all", "round_robin", games=2))).take():
            client.status, client.workers = "running", {"one": {"resources": {"slot": 1}}}
            future = engine.submit(spec, 0)
            client.workers = {"other": {"resources": {"slot": 1}}}
            with pytest.raises(ArenaError, match="does not answer any more"):
                future.result(10)
            client.workers = {}
            assert any(thread.name == "lost workers" for thread in threading.enumerate())


def test_a_lost_scheduler_is_one_message_and_loses_nothing(cluster, tmp_path):
    address, _, scheduler = cluster
    with pytest.raises(ArenaError, match="scheduler does not answer any more") as caught:
        run_on(address, tmp_path, [(scheduler, 30)], SHORT)
    assert caught.value.exit_code == 17
    done = count_of(tmp_path / "journal.db")
    assert done >= 30
    with organize(tmp_path, SHORT, entrants_of(8)) as organizer:
        engine = toy_engine(tmp_path, 2, rated=False)
        report = Runner(organizer.schedule, organizer.journal, engine).run()
        engine.close()
        assert report.finished
        assert report.played == organizer.journal.count() - done


LEAGUE = """
[tournament]
name = "Two machines"
game = "saloon"
isolation = "none"
[options]
max_turns = 6
[clock]
turn = 2.0
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "builtin:pianist"
[[bots]]
path = "builtin:sheriff"
[[stages]]
format = "round_robin"
games = 2
"""


def test_a_slow_worker_gets_longer_clocks_and_a_far_too_slow_one_no_matches(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_WORKER_SPEED", "12")
    (tmp_path / "league.toml").write_text(LEAGUE)
    cache = ["--cache", str(tmp_path / "cache")]
    with machines(["--speed", "8", *cache], ["--speed", "1", *cache]) as (address, _, _):
        done = subprocess.run(
            [ARENA, "tournament", "run", "--no-check", "--engine", "dask", "--scheduler", address],
            cwd=tmp_path, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    assert done.returncode == 0, (done.stdout, done.stderr)
    snapshot = read_snapshot(tmp_path / "league")
    outcomes = [outcome for _, outcome in snapshot.schedule.matches()]
    assert len(outcomes) == 6
    assert {outcome.clock_factor for outcome in outcomes} == {1.5}
    clocks = [Reader(tmp_path / "league" / outcome.replay).header["clock"] for outcome in outcomes]
    assert {clock["turn"] for clock in clocks} == {3.0}
    shown = subprocess.run(
        [ARENA, "tournament", "show", snapshot.schedule.matches()[0][0].match_id],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert "clocks x 1.5" in shown.stdout


def test_a_worker_with_other_rules_is_named_and_the_others_play(tmp_path):
    (tmp_path / "league.toml").write_text(LEAGUE)
    shutil.copytree(Path(arena_saloon.__file__).parent, tmp_path / "other" / "arena_saloon")
    with (tmp_path / "other" / "arena_saloon" / "state.py").open("a") as stream:
        stream.write("# other rules")
    cache, logs = ["--slots", "1", "--cache", str(tmp_path / "cache")], [tmp_path / f"{n}.log" for n in range(3)]
    words = [ARENA, "tournament", "run", "--engine", "dask"]
    with machines() as (address, workers, _):
        bad = [ARENA, "worker", "--scheduler", address, *cache]
        workers += [start(*bad, path=tmp_path / "other", log=log) for log in logs]
        with distributed.Client(address, timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(3, timeout=90)
            alone = subprocess.run(
                [*words, "--scheduler", address], cwd=tmp_path, capture_output=True, text=True, timeout=120
            )
            workers.append(start(*bad))
            client.wait_for_workers(4, timeout=90)
        done = subprocess.run(
            [*words, "--scheduler", address], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
    for run in (alone, done):
        assert "gets no matches: it has other rules of saloon" in run.stderr
        assert "Traceback" not in run.stderr
    assert alone.returncode != 0
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert len(read_snapshot(tmp_path / "league").schedule.matches()) == 6
    said = "".join(log.read_text() for log in logs)
    assert "gets no matches" in said
    assert "Traceback" not in said


SLOW = """
import time
from saloon import AI
class Slow(AI):
    def run_turn(self):
        time.sleep(0.1)
"""


def test_a_match_on_a_worker_can_be_watched(tmp_path):
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "main.py").write_text(SLOW)
    (tmp_path / "slow" / "saloon.py").write_text(module_source(find_game("saloon")))
    text = LEAGUE.replace("builtin:rowdy", "slow").replace("max_turns = 6", "max_turns = 40")
    (tmp_path / "league.toml").write_text(text.replace('[[bots]]\npath = "builtin:sheriff"\n', ""))
    with machines(["--cache", str(tmp_path / "cache")]) as (address, _, _):
        command = [ARENA, "tournament", "run", "--no-check", "--engine", "dask", "--scheduler", address]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        watched = 0
        try:
            while process.poll() is None and watched < 5:
                time.sleep(0.1)
                for path in tmp_path.glob("league/replays/*/*.tmp.*"):
                    with contextlib.suppress(ReplayError):
                        watched = max(watched, len(Reader(path).turns))
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 0, (out, err)
    assert watched >= 5
    assert not list(tmp_path.glob("league/replays/*/*.tmp.*"))
    for _, outcome in read_snapshot(tmp_path / "league").schedule.matches():
        assert not Reader(tmp_path / "league" / outcome.replay).truncated
