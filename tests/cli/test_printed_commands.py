"""The commands that Arena prints for the user: a shell reads them as they are meant, whatever the paths are."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena.cli.extras import install_command

pytestmark = pytest.mark.process

Arena = Callable[..., Any]
ODD = "it's my $HOME"
OFFLINE = {True: ("--no-index",), False: ("--offline",)}
"""What keeps pip (true) and uv (false) from asking a registry."""
EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def printed(ran: Any, start: str) -> list[str]:
    """Return the words of the only printed command with this start, as a shell reads them."""
    found = re.findall(rf"(?:^  |`|: )({re.escape(start)} [^`\n]*)", ran.stdout + ran.stderr, re.MULTILINE)
    assert len(found) == 1, (start, ran)
    return shlex.split(found[0])


def commands(ran: Any) -> list[list[str]]:
    """Return the words of all commands that are printed on lines of their own."""
    return [shlex.split(line) for line in re.findall(r"^  (\S.*)$", ran.stdout, re.MULTILINE)]


def install(folder: Path, name: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a game on the path of this process and its children, as an installer would."""
    info = folder / f"{name}-1.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[arena.games]\n{name} = {place}:GAME\n")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(folder)


def test_the_printed_installer_is_one_of_this_environment() -> None:
    words = shlex.split(install_command("arena-player"))
    done = subprocess.run([*words, "--dry-run", *OFFLINE[words[1] == "-m"]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def quick(command: list[str]) -> list[str]:
    """Return a command whose search is short, and without the sandbox, where only an installer puts the game."""
    if "builtin:search" not in command:
        return command
    return [*(word.replace("builtin:search", "builtin:search?playouts=8") for word in command), "--sandbox", "none"]


@pytest.mark.kill  # `test_commands_in_texts.py` runs most of them
def test_every_command_that_new_game_prints_works(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installer, *others = commands(arena("new-game", "hop"))
    assert installer[-2:] == ["-e", "hop"]
    install(tmp_path / "hop", "hop", "arena_hop", monkeypatch)
    for command in others:
        assert arena(*quick(command)[1:]).code == 0, command
    assert [command[1] for command in others] == ["game", "play", "play"]
    readme = re.findall(r"^    (arena (?:game|play|sdk) .*?)(?:  |$)", Path("hop/README.md").read_text(), re.MULTILINE)
    assert len(readme) == 4
    monkeypatch.chdir("hop")
    for line in readme:
        assert arena(*quick(shlex.split(line))[1:]).code == 0, line


@pytest.mark.parametrize("players", shortened([((3, 5),), ((2, 4),), ((4, 4),)]))
def test_the_commands_for_a_new_bot_name_as_many_bots_as_play(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, players: tuple[int, int]
) -> None:
    least, most = players
    place = f"tabled_for_{least}_to_{most}"
    shutil.copy(EXAMPLES / "lowest_bid_game.py", tmp_path)
    option = f'Option("players", "int", {least}, "Players.", {least}, {most})'
    (tmp_path / f"{place}.py").write_text(
        "from dataclasses import replace\nfrom arena.game import Option\nfrom lowest_bid_game import spec\n"
        f'made = spec()\nGAME = replace(made, name="tabled", options=(made.options[0], {option}))\n'
    )
    install(tmp_path, "tabled", place, monkeypatch)
    (command,) = (one for one in commands(arena("new", "tabled", "bot")) if one[1] == "play")
    assert command[3:] == ["bot"] * least
    assert arena(*command[1:]).code == 0
    readme = (tmp_path / "bot" / "README.md").read_text()
    monkeypatch.chdir(tmp_path / "bot")
    for line in re.findall(r"^    (arena play .*?)  ", readme, re.MULTILINE):
        assert arena(*shlex.split(line.replace("--debug", ""))[1:], "--replay", "none").code == 0, line
    tested = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], capture_output=True)
    assert tested.returncode == 0, tested.stdout.decode()


def test_printed_commands_quote_their_paths(arena: Arena) -> None:
    folder = Path(ODD)
    ran = arena("new-game", "hop", folder / "hop")
    assert commands(ran)[0][-2:] == ["-e", f"{ODD}/hop"]
    ran = arena("new", "saloon", folder / "bot")
    assert printed(ran, "arena play") == ["arena", "play", "saloon", f"{ODD}/bot", "builtin:rowdy"]
    ran = arena("new", "saloon", folder / "bot.ts", "--language", "typescript")
    assert printed(ran, "arena new")[3:] == [f"{ODD}/bot.ts", "--language", "javascript"]
    for language in ("python", "cpp", "java"):
        words = ("sdk", "saloon", "--language", language, "--out", folder / language)
        command = printed(arena(*words, "--check"), "arena sdk")
        assert arena(*command[1:]).code == 0
        assert arena(*words, "--check").code == 0
    (folder / "empty.json").write_text("{}")
    command = printed(arena("map", "show", "laser_flag", folder / "empty.json"), "arena map check")
    assert arena(*command[1:]).code == 1
    (folder / "bot" / "run").write_text("#!/bin/sh\n")
    (folder / "bot" / "bot.toml").write_text('command = ["./run"]\n')
    ran = arena("bot", "check", folder / "bot", "--game", "saloon")
    assert printed(ran, "chmod +x")[2:] == [str(Path(f"{ODD}/bot/run").resolve())]


def test_printed_commands_of_contests_quote_their_paths(arena: Arena) -> None:
    folder = Path(ODD)
    folder.mkdir()
    ran = arena("contest", "init", "saloon", "builtin:rowdy", "builtin:pianist", "--file", folder / "contest.toml")
    command = printed(ran, "arena contest check")
    assert command == ["arena", "contest", "check", f"{ODD}/contest.toml"]
    assert printed(arena(*command[1:]), "arena contest run")[3:] == [f"{ODD}/contest.toml"]
    ran = arena("contest", "init", "saloon", "--people", "--file", folder / "term.toml")
    assert printed(ran, "arena contest serve")[3:] == [f"{ODD}/term.toml"]
    arena("contest", "invite", "owls", folder / "term.toml")
    assert arena("contest", "backup", folder / "backup.tar", folder / "term.toml").code == 0
    ran = arena("contest", "restore", folder / "backup.tar", folder / "restored")
    assert printed(ran, "arena contest serve")[3:] == [f"{ODD}/restored/contest.toml"]
    ran = arena("cluster", "keys", folder / "keys")
    tls = shlex.split(ran.stdout.splitlines()[1])
    assert tls[:3] == ["arena", "cluster", "scheduler"]
    assert Path(tls[-1]).exists()
