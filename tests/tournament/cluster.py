"""A Dask scheduler and workers on this machine, as processes."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed")
HERE = str(Path(__file__).parent)
ARENA = str(Path(sys.executable).with_name("arena"))


def start(*words, path=HERE, log=os.devnull):
    with open(log, "wb") as output:
        return subprocess.Popen(
            [*words], env=os.environ | {"PYTHONPATH": str(path)}, start_new_session=True, stdout=output, stderr=output
        )


def end(process, number=signal.SIGKILL):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
    process.wait(30)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def machines(*options):
    """A scheduler and a worker with one slot for each list of options; kills what is left."""
    address = f"tcp://127.0.0.1:{free_port()}"
    port = address.rpartition(":")[2]
    scheduler = start(ARENA, "scheduler", "--port", port)
    workers = []
    try:
        with distributed.Client(address, timeout="60s", set_as_default=False) as client:
            workers += [start(ARENA, "worker", "--scheduler", address, "--slots", "1", *words) for words in options]
            if options:
                client.wait_for_workers(len(options), timeout=90)
        yield address, workers, scheduler
    finally:
        for process in (*workers, scheduler):
            end(process)
