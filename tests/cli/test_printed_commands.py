"""The commands that Arena prints for the user: a shell reads them as they are meant, whatever the paths are."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.process

Arena = Callable[..., Any]
ODD = "it's my $HOME"


def printed(ran: Any, start: str) -> list[str]:
    """Return the words of the only printed command with this start, as a shell reads them."""
    found = re.findall(rf"(?:^  |`|: )({re.escape(start)} [^`\n]*)", ran.stdout + ran.stderr, re.MULTILINE)
    assert len(found) == 1, (start, ran)
    return shlex.split(found[0])


def test_printed_commands_quote_their_paths(arena: Arena) -> None:
    folder = Path(ODD)
    ran = arena("new-game", "hop", folder / "hop")
    assert printed(ran, "pip install") == ["pip", "install", "-e", f"{ODD}/hop"]
    ran = arena("new", "saloon", folder / "bot")
    assert printed(ran, "arena play") == ["arena", "play", "saloon", f"{ODD}/bot", "builtin:rowdy"]
    ran = arena("new", "saloon", folder / "bot.ts", "--language", "typescript")
    assert printed(ran, "arena new")[3:] == [f"{ODD}/bot.ts", "--language", "javascript"]
    for language in ("python", "cpp"):
        words = ("sdk", "saloon", "--language", language, "--out", folder)
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


def test_printed_commands_of_tournaments_and_seasons_quote_their_paths(arena: Arena) -> None:
    folder = Path(ODD)
    folder.mkdir()
    ran = arena("tournament", "init", "saloon", "builtin:rowdy", "builtin:pianist", "--file", folder / "league.toml")
    command = printed(ran, "arena tournament check")
    assert command == ["arena", "tournament", "check", f"{ODD}/league.toml"]
    assert printed(arena(*command[1:]), "arena tournament run")[3:] == [f"{ODD}/league.toml"]
    ran = arena("season", "init", "saloon", "--file", folder / "season.toml")
    assert printed(ran, "arena season serve")[3:] == [f"{ODD}/season.toml"]
    arena("season", "invite", "owls", folder)
    assert arena("season", "backup", folder / "backup.tar", folder).code == 0
    ran = arena("season", "restore", folder / "backup.tar", folder / "restored")
    assert printed(ran, "arena season serve")[3:] == [f"{ODD}/restored/season.toml"]
    ran = arena("tournament", "cluster-keys", folder / "keys")
    tls = shlex.split(ran.stdout.splitlines()[1])
    assert tls[:2] == ["arena", "scheduler"]
    assert Path(tls[-1]).exists()
