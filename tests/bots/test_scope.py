"""How an ordinary user's command gets a delegated control group."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import grimp
import pytest

import arena.__main__ as entry
from arena.bots.sandbox import group_parents
from arena.bots.sandbox.group_parents import _home_or_scope, _own_folder, scope_command
from arena.cli import COMMANDS

COMMAND = ["arena", "contest", "run", "--all", "x y"]


@pytest.fixture
def systemd(tmp_path: Path) -> dict[str, str]:
    """An environment in which a systemd of the user seems to be there."""
    (tmp_path / "run" / "systemd").mkdir(parents=True)
    (tmp_path / "run" / "systemd" / "private").touch()
    program = tmp_path / "systemd-run"
    # Does what systemd-run does as far as it concerns us: sets the environment and runs the rest.
    program.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != -- ]; do\n'
        '  case "$1" in --setenv=*) export "${1#--setenv=}";; esac\n'
        "  shift\n"
        'done\nshift\nexec "$@"\n'
    )
    program.chmod(0o755)
    return {"XDG_RUNTIME_DIR": str(tmp_path / "run"), "PATH": f"{tmp_path}:/usr/bin:/bin"}


def test_the_scope_is_ours_and_delegated(systemd: dict[str, str]) -> None:
    whole = scope_command(COMMAND, systemd, unified=True, process=42)
    assert whole is not None
    assert {"--user", "--scope", "--property=Delegate=yes", "--unit=arena-42"} <= set(whole)
    assert whole[whole.index("--") + 1 :] == COMMAND
    folder = Path("/sys/fs/cgroup/user.slice/app.slice/arena-42.scope")
    assert _home_or_scope(folder) == _home_or_scope(folder / "home") == folder


@pytest.mark.process
def test_it_is_done_once(systemd: dict[str, str]) -> None:
    whole = scope_command(
        [sys.executable, "-c", "import os; print(os.environ['ARENA_SCOPE'])"], systemd, unified=True, process=1
    )
    assert whole is not None
    done = subprocess.run(whole, env=systemd, capture_output=True, text=True, check=True)
    assert scope_command(COMMAND, {**systemd, "ARENA_SCOPE": done.stdout.strip()}, unified=True, process=2) is None


def test_where_there_is_no_way(systemd: dict[str, str], tmp_path: Path) -> None:
    assert scope_command(COMMAND, systemd, unified=False, process=1) is None
    assert scope_command(COMMAND, {"PATH": systemd["PATH"]}, unified=True, process=1) is None
    assert scope_command(COMMAND, {**systemd, "XDG_RUNTIME_DIR": "/nonexistent"}, unified=True, process=1) is None
    assert scope_command(COMMAND, {**systemd, "PATH": str(tmp_path / "run")}, unified=True, process=1) is None


@pytest.mark.parametrize(
    ("root", "path", "folder"),
    [
        ("/", "/user/job", "user/job"),
        ("/docker/abc", "/docker/abc/job", "job"),
        ("/", "/host/path/that/is/not/mounted", ""),
        ("/", "/", ""),
    ],
)
def test_our_own_group_is_found_in_containers_too(tmp_path: Path, root: str, path: str, folder: str) -> None:
    (tmp_path / "user" / "job").mkdir(parents=True)
    (tmp_path / "job").mkdir()
    assert _own_folder(str(tmp_path), root, path) == tmp_path / folder


def test_every_command_that_can_start_bots_enters_the_scope() -> None:
    graph = grimp.build_graph("arena", exclude_type_checking_imports=True, cache_dir=None)

    def starts_bots(module: str) -> bool:
        modules = {module, *graph.find_descendants(module)}
        return any(graph.chain_exists(importer=one, imported="arena.bots.launch") for one in modules)

    can = {name for name, (module, _) in COMMANDS.items() if starts_bots(module)}
    # `arena game check` imports `arena.testing`, which can play matches, but plays without bots. `arena cluster` is a
    # command of arena-cluster. `arena doctor` starts no bot, but reports what those that do would find.
    assert set(entry.RUNS_MATCHES) == can - {"game"} | {"cluster", "doctor"}


@pytest.mark.parametrize(
    ("arguments", "enters"), [(["view"], True), (["doctor", "--json"], True), (["games"], False), ([], False)]
)
def test_an_ordinary_users_command_restarts_in_a_scope(
    arguments: list[str], enters: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[list[str]] = []
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr(group_parents, "enter_scope", entered.append)
    assert entry._prepare(arguments) is None
    assert entered == ([[sys.executable, "-P", "-m", "arena", *arguments]] if enters else [])
