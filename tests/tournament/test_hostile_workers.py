"""Workers that send what runs code where it is unpickled: it runs on their own machine, or nowhere."""

import contextlib
import os
import sys
from pathlib import Path

import pytest
from cluster import HERE, distributed, end, machines
from tournament_toys import RemoteToy, config_of, entrants_of

from arena.journal.files import temporary_replay_path
from arena.tournament.plan.config import StageConfig
from arena.tournament.run.organizer import organize
from arena.tournament.run.runner import Runner

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]

CONFIG = config_of(StageConfig("league", "round_robin", rounds=1), seed="evil", id="evil")
ATTACKS = ["result", "nonsense", "error", "event", "live", "warning", "requests", "graph"]


@contextlib.contextmanager
def hostile_worker(address, attack, bomb, monkeypatch):
    """Start a worker that attacks in each match, and return nothing before it has joined."""
    from cluster import start

    monkeypatch.setenv("EVIL", attack)
    monkeypatch.setenv("BOMB", str(bomb))
    options = ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--resources", "slot=1", "--name", "evil"]
    worker = start(
        sys.executable, "-m", "dask", "worker", address, *options,
        "--preload", str(Path(HERE) / "evil_worker.py"), log=bomb.with_name("evil.log"),
    )  # fmt: skip
    try:
        yield worker
    finally:
        end(worker)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_a_worker_sends_runs_elsewhere(tmp_path, monkeypatch, capfd, caplog, attack):
    from arena.matches.engines.dask import DaskEngine

    bomb = tmp_path / "bomb"
    with machines([]) as (address, _, scheduler), hostile_worker(address, attack, bomb, monkeypatch) as evil:
        with distributed.Client(address, timeout="30s", set_as_default=False) as waiting:
            waiting.wait_for_workers(2, timeout=60)
        client = distributed.Client(address, timeout="30s", set_as_default=False)
        with organize(tmp_path / "league", CONFIG, entrants_of(8)) as organizer:
            engine = DaskEngine(
                client,
                lambda _spec: RemoteToy(0.02),
                lambda content: f"bot {content}".encode(),
                lambda match_id: temporary_replay_path(tmp_path / "league", match_id),
            )
            with contextlib.closing(engine):
                report = Runner(organizer.schedule, organizer.journal, engine).run()
        assert report.finished
        assert not report.stuck
        assert scheduler.poll() is None
        exploded = set(map(int, bomb.read_text().split())) if bomb.exists() else set()
        assert exploded <= {evil.pid}, (exploded, os.getpid(), scheduler.pid)
        assert not bomb.with_name("bomb.dump").exists()
    assert "gets no more matches" in caplog.text or attack == "event"  # the scheduler has ended that connection
    assert "PRINTED" not in capfd.readouterr().out


def test_the_scheduler_takes_every_message_that_workers_and_organizers_need():
    """A refused message closes the connection: with `report-key` refused, a worker's death ended whole tournaments."""
    from distributed import worker_state_machine

    from arena.matches.engines.dask_scheduler import _MESSAGES

    of_workers = {one.op for one in worker_state_machine.SendMessageToScheduler.__subclasses__()}
    assert len(of_workers) > 5
    assert of_workers | {"report-key"} <= _MESSAGES
