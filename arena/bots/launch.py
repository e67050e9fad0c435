"""Start a bot on a seat. This is the entry point of the package."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from arena.bots.bot import Bot
from arena.bots.launch_options import LaunchOptions
from arena.bots.plain import start_plain
from arena.bots.probe import examine
from arena.bots.process import BotProcess
from arena.bots.sandbox.visible import visible_python
from arena.bots.sandboxed import start_sandboxed
from arena.errors import ArenaError
from arena.match.isolation import NOT_A_BOT, Isolation, Missing, check_level
from arena.match.limits import Limits

NOT_HERE = Missing(NOT_A_BOT, "the player is not a program on this machine")
SANDBOXES = ("auto", "none")


def launch(
    bot: Bot,
    *,
    seat: int,
    socket: str | os.PathLike[str],
    environment: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    sandbox: str = "auto",
    packages: Iterable[str] = (),
    require: int = 0,
    at_most: int = 3,
    terminal: bool = False,
    hold: bool = False,
) -> BotProcess:
    """Start a bot in the strongest sandbox that works on this machine.

    Call this function from a thread that lives until the match ends. The sandbox ends with the thread that started it.
    The program of an external player gets no sandbox; `sandbox`, `require` and `at_most` do not apply to it.

    Args:
        sandbox: `none` (level 0), or `auto` for the highest level that works.
        packages: Import names of additional packages for a Python bot, such as the game's.
        require: The lowest accepted level of isolation. On a lower level the bot is not started.
        at_most: The highest level of isolation to use. Tests use it to try the lower levels.
        terminal: Whether the bot uses our terminal, for a debugger. The bot then runs without a sandbox.
        hold: Whether a bot in bubblewrap starts only when `release` is called. The bot's time then excludes the set-up.
    """
    if sandbox not in SANDBOXES:
        raise ArenaError(f"There is no sandbox {sandbox!r}.", hint=f"Use one of {', '.join(SANDBOXES)}.")
    options = LaunchOptions(
        number=seat,
        socket=os.path.abspath(os.fspath(socket)),
        environment=environment or {},
        limits=limits or Limits(),
        python=visible_python(tuple(packages)),
        terminal=terminal,
        hold=hold,
    )
    if bot.is_outside:
        return start_plain(bot, options, Isolation(missing=(NOT_HERE,)))
    examined = examine(0 if sandbox == "none" or terminal else int(at_most))
    isolation = examined.isolation
    check_level(isolation, require)
    if isolation.level >= 2:
        return start_sandboxed(bot, options, examined)
    return start_plain(bot, options, isolation)
