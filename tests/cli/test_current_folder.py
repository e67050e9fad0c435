"""The current folder may be untrusted: nothing in it is imported outside of the sandbox."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from shortened import shortened

pytestmark = pytest.mark.process

ARENA = str(Path(sys.executable).with_name("arena"))
PACKAGES = (
    "arena",
    "arena_player",
    "arena_replays",
    "arena_saloon",
    "click",
    "msgpack",
    "zmq",
    "networkx",
)
IMPORT = re.compile(r"^[ \t>.]*(?:from[ \t]+(\w+)|import[ \t]+([\w., \t]+))", re.MULTILINE)
PLANTED = "open({marker!r}, 'a').write({name!r} + '\\n')\n"
LEAGUE = """
[contest]
name = "Planted"
game = "saloon"
isolation = "none"
[options]
max_turns = 4
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "builtin:pianist"
[[stages]]
name = "all"
format = "round_robin"
games = 1
"""


def sources() -> Iterator[Path]:
    """Yield the files of the standard library's top level and of the packages that we use."""
    yield from Path(sysconfig.get_path("stdlib")).glob("*.py")
    for name in PACKAGES:
        for place in __import__(name).__path__:
            yield from Path(place).rglob("*.py")


def imported_names() -> set[str]:
    """Return the first part of every name that any of these files imports, whether it exists or not, and some more.

    Words after "from" in a docstring do no harm, and parsing all these files would take seconds.
    """
    names = set(sys.stdlib_module_names)
    for path in sources():
        for package, listed in IMPORT.findall(path.read_text("utf-8", "replace")):
            names |= {package, *(re.split(r"\W", name.strip(), maxsplit=1)[0] for name in listed.split(","))}
    return names - {""}


@pytest.fixture(scope="module")
def names() -> set[str]:
    found = imported_names()
    assert {"org", "msgpack", "zmq", "arena", "json", "click"} <= found
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contest.toml").write_text(LEAGUE)
    return tmp_path


def plant(folder: Path, names: set[str]) -> Path:
    """Put a module of each name there, each of which leaves a mark when it is imported."""
    marker = folder / "imported.txt"
    for name in names:
        (folder / f"{name}.py").write_text(PLANTED.format(marker=str(marker), name=name))
    # A distribution that claims to have a better Saloon.
    info = folder / "evil-9.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 9.0\n")
    (info / "entry_points.txt").write_text("[arena.games]\nsaloon = org:GAME\n")
    return marker


def run(command: Sequence[str], code: int = 0) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == code, done.stdout + done.stderr


COMMANDS = {
    "play": ["play", "saloon", "builtin:rowdy", "builtin:rowdy", "-o", "max_turns=4", "--replay", "m.arena"],
    "contest": ["contest", "run", "contest.toml"],
    "doctor": ["doctor"],
    "compare": ["compare", "saloon", "builtin:rowdy", "builtin:pianist", "--games", "2", "-o", "max_turns=4"],
}


@pytest.mark.parametrize("command", shortened(COMMANDS, 2))
@pytest.mark.promise("current-folder")
def test_a_command_imports_nothing_from_the_current_folder(folder: Path, names: set[str], command: str) -> None:
    marker = plant(folder, names)
    run([ARENA, *COMMANDS[command]])
    assert not marker.exists(), marker.read_text()


def test_python_m_arena_imports_only_what_python_itself_needs_to_find_it(folder: Path, names: set[str]) -> None:
    """Python imports some modules before ours gets to say anything; those cannot be helped."""
    code = "import runpy, sys; runpy.run_module('antigravity_', alter_sys=True)"
    listed = subprocess.run(
        [sys.executable, "-c", f"import sys, atexit; atexit.register(lambda: print(*sys.modules)); {code}"],
        capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert "runpy" in listed
    marker = plant(folder, names - {name.partition(".")[0] for name in listed} - {"arena"})
    run([sys.executable, "-m", "arena", *COMMANDS["play"]])
    assert not marker.exists(), marker.read_text()


def test_view_imports_nothing_from_the_current_folder(folder: Path, names: set[str]) -> None:
    run([ARENA, *COMMANDS["play"]])
    marker = plant(folder, names)
    with subprocess.Popen([ARENA, "view", "m.arena", "--no-browser"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "http" in process.stdout.readline()
        process.terminate()
    assert not marker.exists(), marker.read_text()


def test_programs_that_are_started_from_a_command_shut_the_folder_out_as_well(folder: Path) -> None:
    """Libraries start programs by ways of their own; the environment tells those."""
    code = "import os; from arena.__main__ import main\ntry: main()\nfinally: print(os.environ['PYTHONSAFEPATH'])"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"}
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, env=environment)
    assert done.stdout.split()[-1] == "1"
