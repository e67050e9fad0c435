"""The command and the environment of a bot, with and without a sandbox."""

from __future__ import annotations

import os
from collections.abc import Mapping

from arena.bots.bot import BOT_FOLDER, Bot
from arena.bots.sandbox.bwrap import SEAT_SOCKET
from arena.bots.sandbox.visible import Visible

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin"


def bot_command(bot: Bot, python: Visible, folder: str) -> list[str]:
    """Return the command that runs the bot, whose files are in `folder`."""
    if bot.entry:
        # -P: do not search the working folder or other folders that a bot can write to for our modules.
        # -S: skip `site` and .pth files, which take 20 ms or more. Their folders are in PYTHONPATH.
        return [python.python, "-B", "-P", "-s", "-S", "-m", "arena_player", f"{folder}/{bot.entry}"]
    program, *rest = bot.command
    if bot.needs_python:
        return [python.python, "-B", "-s", *rest]
    if "/" in program:
        program = os.path.normpath(f"{folder}/{program}")
    return [program, *rest]


def bot_environment(
    bot: Bot, *, folder: str, endpoint: str, python_path: tuple[str, ...], added: Mapping[str, str]
) -> dict[str, str]:
    """Return the bot's whole environment, without any variable of the referee's own."""
    environment = {
        "PATH": PROGRAM_PATH,
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        **dict.fromkeys(THREAD_VARIABLES, "1"),
        "ARENA_ENDPOINT": endpoint,
        "ARENA_BOT": f"{folder}/{bot.entry}" if bot.entry else folder,
    }
    if bot.needs_python:
        environment |= {
            "PYTHONPATH": os.pathsep.join(python_path),
            "PYTHONUNBUFFERED": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONFAULTHANDLER": "1",
        }
    return {**environment, **added}


def terminal_variables() -> dict[str, str]:
    """Return the variables that describe our terminal, with our home for a debugger's settings."""
    return {name: os.environ[name] for name in ("TERM", "COLORTERM", "HOME") if name in os.environ}


def inside_environment(bot: Bot, python: Visible, added: Mapping[str, str]) -> dict[str, str]:
    """Return the environment inside the sandbox."""
    endpoint = f"ipc://{SEAT_SOCKET}"
    return bot_environment(bot, folder=BOT_FOLDER, endpoint=endpoint, python_path=python.inside, added=added)
