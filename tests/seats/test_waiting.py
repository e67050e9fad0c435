"""The folder with the socket of an external player: it goes with the process that made it, also after `kill -9`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.play.seats.waiting import Waiting

pytestmark = pytest.mark.process
WAITS = "from arena.play.seats.waiting import Waiting\nplace = Waiting()\nprint(place.address, flush=True)\ninput()\n"


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="w") as folder:  # the path of a socket must be short
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def waiting_process() -> tuple[subprocess.Popen[str], Path]:
    """Start a process with a socket; return it with the folder of the socket."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", WAITS], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip()).parent


def end(process: subprocess.Popen[str], number: int) -> None:
    with process:
        process.send_signal(number)


def test_the_next_socket_removes_the_folders_of_killed_processes_only(temporary: Path) -> None:
    killed, left = waiting_process()
    running, used = waiting_process()
    end(killed, signal.SIGKILL)
    assert left.is_dir()
    place = Waiting()
    assert sorted(temporary.iterdir()) == sorted([used, Path(place.address).parent])
    assert Path(place.address).parent.stat().st_mode & 0o077 == 0
    place.close()
    assert list(temporary.iterdir()) == [used]
    end(running, signal.SIGKILL)


def test_an_error_before_the_match_leaves_no_folder(temporary: Path) -> None:
    arena = Path(sys.executable).parent / "arena"
    command = [arena, "play", "saloon", "human", "builtin:nobody", "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "has no bot builtin:nobody" in done.stderr
    assert list(temporary.iterdir()) == []


def test_a_forked_process_leaves_the_folder(temporary: Path) -> None:
    place = Waiting()
    code = "import os, sys; from arena.play.seats.waiting import Waiting; place = Waiting()\n"
    code += "if not os.fork(): sys.exit()\n"
    code += "os.wait(); print(os.path.exists(place.address), os.path.dirname(place.address))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    there, folder = done.stdout.split()
    assert there == "True"
    assert not os.path.exists(folder), "it goes with the process that made it"
    place.close()
