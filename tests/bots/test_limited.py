"""The command of a bot at level 1: code of Arena begins in the process that drops its rights, all else is executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import Bot
from arena.bots.command import START, START_BRIDGE, LaunchOptions, bot_command
from arena.bots.sandbox.limited import CONFINE, limited_command
from arena.bots.sandbox.visible import visible_python
from arena.match.limits import Limits

PYTHON = visible_python()


def planned(bot: Bot) -> tuple[str, list[str]]:
    """Return the code that runs in the process that drops the rights, and the command after it."""
    options = LaunchOptions(0, "/seat", {}, Limits(), PYTHON)
    command = limited_command(bot_command(bot, options, "/bot"), PYTHON, Limits(), (), None, ())
    place = command.index(CONFINE)
    plan: dict[str, Any] = json.loads(command[place + 1])
    return plan.get("code", ""), command[place + 2 :]


def bot(**about: Any) -> Bot:
    values: dict[str, Any] = {"entry": "", "command": (), "language": "", "content_hash": ""} | about
    return Bot(name="b", folder=Path("/bot"), files=(), **values)


def test_a_bot_in_python_and_a_bridge_start_no_second_python() -> None:
    assert planned(bot(entry="main.py")) == (START, ["/bot/main.py"])
    assert planned(bot(command=("./run", "x"), bridge=True)) == (START_BRIDGE, ["--", "/bot/run", "x"])


@pytest.mark.parametrize("flags", [("-X", "dev"), ("-X", "utf8", "-P"), ("-P", "-S"), ()])
def test_the_own_flags_of_a_bot_are_kept(flags: tuple[str, ...]) -> None:
    assert planned(bot(command=("python3", *flags, "-c", "print(1)"), language="python3")) == (
        "",
        [PYTHON.python, "-B", "-s", *flags, "-c", "print(1)"],
    )
