"""Workers that send what runs code where it is unpickled: it runs on their own machine, or nowhere."""

import contextlib
import os
import sys

import pytest
from cluster import HERE, client_of, end, machines, start
from contests_toys import write_toys
from remote_toy import PROGRAMS, run_on

from arena.contests.config import StageConfig

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]

ATTACKS = ["result", "nonsense", "error", "live", "warning", "requests", "graph", "event"]


@contextlib.contextmanager
def hostile_worker(address, bomb, monkeypatch):
    """Start a worker that attacks in its first matches, and return nothing before it has joined."""
    monkeypatch.setenv("BOMB", str(bomb))
    options = ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--resources", f"{PROGRAMS}=1", "--name", "evil"]
    worker = start(
        sys.executable, "-m", "dask", "worker", address, *options,
        "--preload", str(HERE / "evil_worker.py"), log=bomb.with_name("evil.log"),
    )  # fmt: skip
    try:
        with client_of(address) as waiting:
            waiting.wait_for_workers(2, timeout=60)
        yield worker
    finally:
        end(worker)


@pytest.mark.promise("worker-code")
def test_nothing_that_a_worker_sends_runs_elsewhere(tmp_path, monkeypatch, capfd):
    bomb = tmp_path / "bomb"
    with machines(1) as (address, _, scheduler), hostile_worker(address, bomb, monkeypatch) as evil:
        report = run_on(
            address, write_toys(tmp_path, StageConfig("league", "round_robin", rounds=1), seed="evil", id="evil")
        )
        assert report.finished
        assert not report.stuck, "the matches of the attacks are played again"
        assert scheduler.poll() is None
        assert bomb.with_name("attacked").read_text().split()[::2] == ATTACKS
        exploded = set(map(int, bomb.read_text().split()))
        assert exploded == {evil.pid}, (exploded, os.getpid(), scheduler.pid)
        assert not bomb.with_name("bomb.dump").exists()
    assert "PRINTED" not in capfd.readouterr().out


def test_the_scheduler_takes_every_message_that_workers_and_organizers_need():
    """A refused message closes the connection: with `report-key` refused, a worker's death ended whole contests."""
    from distributed import worker_state_machine

    from arena_cluster.scheduler import _MESSAGES

    of_workers = {one.op for one in worker_state_machine.SendMessageToScheduler.__subclasses__()}
    assert len(of_workers) > 5
    assert of_workers | {"report-key"} <= _MESSAGES
