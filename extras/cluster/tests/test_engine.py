"""Many machines, played on this one: a scheduler and its workers, some of them killed in the middle."""

import contextlib
import json
import shutil
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cluster import ARENA, end, machines, on, worker
from remote_toy import run_on
from tournament_commands import refused
from tournament_toys import config_of, entrants_of, is_readable, toy_engine
from waiting import until

import arena_saloon
from arena.bots.game_files import module_source
from arena.engines import find_engine
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game
from arena.tournament.plan.config import StageConfig
from arena.tournament.report.documents import standings_document
from arena.tournament.run.organizer import organize, read_snapshot
from arena.tournament.run.runner import Runner
from arena_cluster.keys import check_address
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


def count_of(folder):
    """Return the number of results in the journal of a tournament."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{folder / 'journal.db'}?mode=ro", uri=True)) as connection:
            return connection.execute("select count(*) from entries where kind = 'result'").fetchone()[0]
    except sqlite3.OperationalError:  # it is being made
        return 0


@contextlib.contextmanager
def after(*steps):
    """Do something to a tournament after so many of its results: steps of folder, count and function."""
    over = threading.Event()

    def follow():
        for folder, count, act in steps:
            while count_of(folder) < count and not over.is_set():
                time.sleep(0.03)
            assert not over.is_set(), f"the run was over before {count} results"
            act()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(follow)
        try:
            yield
        finally:
            over.set()
        done.result()


@pytest.mark.kill
def test_200_matches_with_two_of_three_workers_killed(tmp_path):
    remote, local = tmp_path / "remote", tmp_path / "local"
    with (
        machines(3) as (address, workers, _),
        after((remote, 40, lambda: end(workers[0])), (remote, 90, lambda: end(workers[1]))),
    ):
        report = run_on(address, remote, CONFIG)
    assert report.finished
    assert not report.stuck
    with organize(local, CONFIG, entrants_of(8)) as organizer:
        engine = toy_engine(local, 2, rated=False)
        Runner(organizer.schedule, organizer.journal, engine).run()
        engine.close()
    one, other = read_snapshot(remote), read_snapshot(local)
    matches = one.schedule.matches()
    assert len(matches) >= 200
    assert count_of(remote) == len(matches) == count_of(local)
    assert one.conflicts == ()
    assert json.dumps(standings_document(one)) == json.dumps(standings_document(other))
    for _, outcome in matches:
        assert is_readable(remote / outcome.replay)
    assert not list(remote.glob("replays/*/*.tmp.*"))


def test_matches_of_lost_workers_go_to_one_that_comes_later(tmp_path):
    with machines(2) as (address, workers, _):

        def replace_all():
            for lost in workers:
                end(lost)
            workers.append(worker(address))

        with after((tmp_path, 30, replace_all)):
            report = run_on(address, tmp_path, SHORT)
        assert report.finished
        assert not report.stuck
        assert workers[-1].poll() is None


def test_a_lost_scheduler_is_one_message_and_loses_nothing(tmp_path):
    with (
        machines(2) as (address, _, scheduler),
        after((tmp_path, 30, lambda: end(scheduler))),
        pytest.raises(ArenaError, match="scheduler does not answer any more") as caught,
    ):
        run_on(address, tmp_path, SHORT)
    assert caught.value.exit_code == ExitCode.NOT_REACHED
    done = count_of(tmp_path)
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


@contextlib.contextmanager
def running(folder, address):
    """Run the tournament of a folder on a cluster; its output goes into a file."""
    words = ("tournament", "run", "--no-check", *on(address))
    with (folder / "output").open("w") as output:
        process = subprocess.Popen([ARENA, *words], cwd=folder, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_worker_with_other_rules_is_named_and_the_others_play(tmp_path):
    (tmp_path / "league.toml").write_text(LEAGUE)
    shutil.copytree(Path(arena_saloon.__file__).parent, tmp_path / "other" / "arena_saloon")
    with (tmp_path / "other" / "arena_saloon" / "state.py").open("a") as stream:
        stream.write("# other rules")
    with machines(0) as (address, workers, _):
        workers.append(worker(address, path=tmp_path / "other"))
        with running(tmp_path, address) as process:
            until(lambda: "gets no matches: it has other rules of the game" in (tmp_path / "output").read_text())
            assert process.poll() is None
            assert count_of(tmp_path / "league") == 0
            workers.append(worker(address))
            assert process.wait(120) == 0, (tmp_path / "output").read_text()
    said = (tmp_path / "output").read_text()
    assert said.count("gets no matches") == 1
    assert "Traceback" not in said
    assert len(read_snapshot(tmp_path / "league").schedule.matches()) == 6


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
    watched = 0
    with machines(1) as (address, _, _), running(tmp_path, address) as process:
        while process.poll() is None and watched < 5:
            time.sleep(0.1)
            for path in tmp_path.glob("league/replays/*/*.tmp.*"):
                with contextlib.suppress(ReplayError):
                    watched = max(watched, len(Reader(path).turns))
        assert process.wait(120) == 0, (tmp_path / "output").read_text()
    assert watched >= 5
    assert not list(tmp_path.glob("league/replays/*/*.tmp.*"))
    for _, outcome in read_snapshot(tmp_path / "league").schedule.matches():
        assert not Reader(tmp_path / "league" / outcome.replay).truncated


@pytest.mark.parametrize(
    "address", ["", "junk", "tcp://x:y", "tcp://x:\u00b2", f"tcp://x:{'9' * 5000}", "tcp://[::1:5", "tcp://a..b:5"]
)
def test_an_address_of_no_scheduler(address):
    with pytest.raises(ArenaError, match="is not an address of a scheduler") as found:
        check_address(address)
    assert found.value.exit_code == ExitCode.NOT_REACHED


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "junk"])
def test_a_scheduler_that_is_not_there(tmp_path, address):
    (tmp_path / "league.toml").write_text(LEAGUE)
    run = ("tournament", "run", "--no-check", *on(address))
    message = "No Dask scheduler answers" if address.endswith(":9") else "is not an address of a scheduler"

    def call(words):
        return subprocess.run([ARENA, *words], cwd=tmp_path, capture_output=True, text=True, timeout=120)

    with ThreadPoolExecutor(2) as pool:  # each waits for an answer until its time limit
        for done in pool.map(call, [run, ("cluster", "worker", "--scheduler", address)]):
            refused(done, ExitCode.NOT_REACHED, message)


@pytest.mark.parametrize("options", [{}, {"keys": "x"}, {"scheduler": "tcp://127.0.0.1:9", "speed": "1"}])
def test_options_that_are_missing_or_unknown(options):
    with pytest.raises(ArenaError, match="The engine dask has the options scheduler and keys") as found:
        find_engine("dask")(None, options)
    assert found.value.exit_code == ExitCode.USAGE
