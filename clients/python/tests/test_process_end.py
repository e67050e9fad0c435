"""The end of a bot's process: without teardown where nothing can be lost, and else with it."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import msgpack
import pytest

pytestmark = pytest.mark.process

WITNESS = """
class Witness:
    def __del__(self, write=sys.stdout.write):
        write("teardown")
witness = Witness()
"""
SOURCE = """
import sys
from arena_player.leaving import leave
own = tuple(sys.modules)
{}
sys.exit(leave(3, own))
"""


def end(body: str, folder: Path, witness: str = "") -> str:
    """Run code that ends as a bot does, and return its output."""
    command = [sys.executable, "-S", "-c", SOURCE.format(f"{witness}{body}")]
    kit = os.pathsep.join((str(Path(__file__).parents[1]), str(Path(msgpack.__file__).parents[1])))
    environment = {"PYTHONPATH": kit, "PATH": "/usr/bin:/bin"}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 3, ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    "body",
    [
        "",
        "import json, collections, random, math, dataclasses, heapq",
        "open('notes', 'w').close()",
        "import io; text = io.StringIO('text'); data = io.BytesIO(b'data')",
        "open(sys.executable, 'rb'); book = open('/dev/null', 'rb')",
    ],
)
def test_the_process_ends_without_teardown(body: str, tmp_path: Path) -> None:
    assert end(body, tmp_path, WITNESS) == ""


@pytest.mark.parametrize(
    "body",
    [
        "import threading",
        "import atexit",
        "import ctypes",
        "file = open('notes', 'a')",
        "sys.modules['fast'] = type(sys)('fast'); sys.modules['fast'].__file__ = '/opt/site-packages/fast.so'",
    ],
)
def test_what_can_lose_something_gets_the_teardown(body: str, tmp_path: Path) -> None:
    assert end(body, tmp_path, WITNESS) == "teardown"


def test_functions_to_call_at_the_end_are_called(tmp_path: Path) -> None:
    assert "bye" in end("import atexit; atexit.register(print, 'bye')", tmp_path)


@pytest.mark.parametrize(
    "body",
    [
        "file = open('notes', 'w'); file.write('what I learned')",
        "import os; file = os.fdopen(os.open('notes', os.O_CREAT | os.O_WRONLY), 'w'); file.write('what I learned')",
        "import gc; file = open('notes', 'w'); file.write('what I learned'); gc.freeze()",
        "keep = {'in': [open('notes', 'wb')]}; keep['in'][0].write(b'what I learned')",
        "def f():\n    file = open('notes', 'w')\n    file.write('what I learned')\n    yield\nf = f(); next(f)",
    ],
)
def test_an_open_file_is_written_to_its_end(body: str, tmp_path: Path) -> None:
    end(body, tmp_path)
    assert (tmp_path / "notes").read_text() == "what I learned"


def test_an_open_archive_gets_its_footer(tmp_path: Path) -> None:
    end("import gzip; file = gzip.open('notes.gz', 'wt'); file.write('what I learned')", tmp_path)
    assert gzip.decompress((tmp_path / "notes.gz").read_bytes()) == b"what I learned"


@pytest.mark.parametrize(
    "body",
    [
        "print('the last words', end='')",
        "sys.stdout = open(1, 'w', closefd=False); print('the last words', end='')",
        "import io; sys.stdout = io.TextIOWrapper(sys.stdout.detach()); sys.stdout.write('the last words')",
    ],
)
def test_output_is_written_to_its_end(body: str, tmp_path: Path) -> None:
    assert end(body, tmp_path) == "the last words"
