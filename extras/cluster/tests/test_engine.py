"""Many machines, played on this one: a scheduler and its workers, some of them killed in the middle."""

import contextlib
import shutil
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cluster import ARENA, end, machines, on, worker
from contest_commands import refused
from contests_toys import is_readable, toy_engine, toys, write_toys
from remote_toy import run_on
from waiting import until

import arena_saloon
from arena.bots.builtin import module_source
from arena.contests.config import StageConfig
from arena.contests.engines import find_engine
from arena.contests.loop import Loop
from arena.contests.open_contest import read_contest
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game
from arena_cluster.keys import check_address
from arena_replays import Reader, ReplayError

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]

STAGES = (
    StageConfig("league", "round_robin", rounds=3),
    StageConfig("swiss", "swiss", rounds=4),
    StageConfig("final", "double_elimination", advance=4),
)
SHORT = (StageConfig("league", "round_robin"),)
"""For tests that are over when the first matches are."""


def count_of(folder):
    """Return the number of results in the journal of a contest."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{folder / 'journal.db'}?mode=ro", uri=True)) as connection:
            return connection.execute("select count(*) from entries where kind = 'result'").fetchone()[0]
    except sqlite3.OperationalError:  # it is being made
        return 0


def run_here(path):
    """Play the contest of a file with eight toys on this machine."""
    with toys(path, 8) as opened, contextlib.closing(toy_engine(opened.folder, 2, rated=False)) as engine:
        return Loop(opened, engine).run()


@contextlib.contextmanager
def after(*steps):
    """Do something to a contest after so many of its results: steps of folder, count and function."""
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
        report = run_on(address, write_toys(tmp_path, *STAGES, name="remote", seed="dask", id="dask"))
    assert report.finished
    assert not report.stuck
    run_here(write_toys(tmp_path, *STAGES, name="local", seed="dask", id="dask"))
    one, other = read_contest(remote), read_contest(local)
    assert len(one.played) >= 200
    assert count_of(remote) == len(one.played) == count_of(local)
    assert not one.conflicts
    assert [run.rank() for run in one.stages.values()] == [run.rank() for run in other.stages.values()]
    for played in one.played.values():
        assert is_readable(remote / played.replay)
    assert not list(remote.glob("replays/*/*.tmp.*"))


@pytest.mark.kill  # workers come and go
def test_matches_of_lost_workers_go_to_one_that_comes_later(tmp_path):
    with machines(2) as (address, workers, _):

        def replace_all():
            for lost in workers:
                end(lost)
            workers.append(worker(address))

        path = write_toys(tmp_path, *SHORT)
        with after((path.with_suffix(""), 30, replace_all)):
            report = run_on(address, path)
        assert report.finished
        assert not report.stuck
        assert workers[-1].poll() is None


@pytest.mark.kill  # one more contest with workers
def test_a_lost_scheduler_is_one_message_and_loses_nothing(tmp_path):
    path = write_toys(tmp_path, *SHORT)
    folder = path.with_suffix("")
    with (
        machines(2) as (address, _, scheduler),
        after((folder, 30, lambda: end(scheduler))),
        pytest.raises(ArenaError, match="scheduler does not answer any more") as caught,
    ):
        run_on(address, path)
    assert caught.value.exit_code == ExitCode.NOT_REACHED
    done = count_of(folder)
    assert done >= 30
    report = run_here(path)
    assert report.finished
    assert report.played == count_of(folder) - done


LEAGUE = """
[contest]
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
    """Run the contest of a folder on a cluster; its output goes into a file."""
    words = ("contest", "run", "--no-check", *on(address))
    with (folder / "output").open("w") as output:
        process = subprocess.Popen([ARENA, *words], cwd=folder, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.kill  # two workers with rules of their own
def test_a_worker_with_other_rules_is_named_and_the_others_play(tmp_path):
    (tmp_path / "contest.toml").write_text(LEAGUE)
    shutil.copytree(Path(arena_saloon.__file__).parent, tmp_path / "other" / "arena_saloon")
    with (tmp_path / "other" / "arena_saloon" / "state.py").open("a") as stream:
        stream.write("# other rules")
    with machines(0) as (address, workers, _):
        workers.append(worker(address, path=tmp_path / "other"))
        with running(tmp_path, address) as process:
            until(lambda: "gets no matches: it has other rules of the game" in (tmp_path / "output").read_text())
            assert process.poll() is None
            assert count_of(tmp_path / "contest") == 0
            workers.append(worker(address))
            assert process.wait(120) == 0, (tmp_path / "output").read_text()
    said = (tmp_path / "output").read_text()
    assert said.count("gets no matches") == 1
    assert "Traceback" not in said
    assert len(read_contest(tmp_path / "contest").played) == 6


SLOW = """
import time
from saloon import AI
class Slow(AI):
    def run_turn(self):
        time.sleep(0.1)
"""


@pytest.mark.kill  # a scheduler, a worker and a server
def test_a_match_on_a_worker_can_be_watched(tmp_path):
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "main.py").write_text(SLOW)
    (tmp_path / "slow" / "saloon.py").write_text(module_source(find_game("saloon")))
    text = LEAGUE.replace("builtin:rowdy", "slow").replace("max_turns = 6", "max_turns = 40")
    (tmp_path / "contest.toml").write_text(text.replace('[[bots]]\npath = "builtin:sheriff"\n', ""))
    watched = 0
    with machines(1) as (address, _, _), running(tmp_path, address) as process:
        while process.poll() is None and watched < 5:
            time.sleep(0.1)
            for path in tmp_path.glob("contest/replays/*/*.tmp.*"):
                with contextlib.suppress(ReplayError):
                    watched = max(watched, len(Reader(path).turns))
        assert process.wait(120) == 0, (tmp_path / "output").read_text()
    assert watched >= 5
    assert not list(tmp_path.glob("contest/replays/*/*.tmp.*"))
    for played in read_contest(tmp_path / "contest").played.values():
        assert not Reader(tmp_path / "contest" / played.replay).truncated


@pytest.mark.parametrize(
    "address", ["", "junk", "tcp://x:y", "tcp://x:\u00b2", f"tcp://x:{'9' * 5000}", "tcp://[::1:5", "tcp://a..b:5"]
)
def test_an_address_of_no_scheduler(address):
    with pytest.raises(ArenaError, match="is not an address of a scheduler") as found:
        check_address(address)
    assert found.value.exit_code == ExitCode.NOT_REACHED


@pytest.mark.kill  # waits for time limits
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "junk"])
def test_a_scheduler_that_is_not_there(tmp_path, address):
    (tmp_path / "contest.toml").write_text(LEAGUE)
    run = ("contest", "run", "--no-check", *on(address))
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
