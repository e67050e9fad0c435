"""A Dask scheduler and workers on this machine, as processes."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import distributed

HERE = Path(__file__).parent
HELPERS = f"{HERE}{os.pathsep}{HERE.parents[2] / 'tests' / 'contests'}"
ARENA = str(Path(sys.executable).with_name("arena"))


def start(*words, path=HELPERS, log=os.devnull):
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


def worker(address, **settings):
    return start(ARENA, "cluster", "worker", "--scheduler", address, "--slots", "1", **settings)


def on(address):
    """The options of a contest that is played by a cluster."""
    return ("--engine", "dask", "--engine-option", f"scheduler={address}")


def client_of(address):
    return distributed.Client(address, timeout="60s", set_as_default=False)


@contextlib.contextmanager
def machines(count):
    """A scheduler and workers with one slot each; kills what is left."""
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = start(ARENA, "cluster", "scheduler", "--port", address.rpartition(":")[2])
    workers = []
    try:
        with client_of(address) as client:
            workers += [worker(address) for _ in range(count)]
            if count:
                client.wait_for_workers(count, timeout=90)
        yield address, workers, scheduler
    finally:
        for process in (*workers, scheduler):
            end(process)
