"""The built-in bots that play on in an explanation: which there are, and whether one is quick enough."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from math import inf
from random import Random

from arena.bots.builtin import bots_for_all_games
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, State
from arena.game.chance import Sampled
from arena.play import memory
from arena.study.coach.playouts import PlayoutPolicy
from arena_player.ai import AI

SEARCH = "builtin:search?playouts=4"
"""Who plays on in a game without own bots. More thinking would leave time for few playouts."""
LOADING_SECONDS = 1.0
"""The additional seconds of the turn before the `TRIES`, in which a bot loads modules and fills caches."""
TRIES = 3
"""A bot is quick enough if one of this many tries meets the limit. The time of a try sometimes includes garbage
collection or another thread."""


def playing_bots(game: GameSpec) -> list[str]:
    """Return the names of the built-in bots in Python, the weakest first. Only these can play in an analysis."""
    return [bot.name for bot in game.bots if bot.path.suffix == ".py" or (bot.path / "main.py").is_file()]


def required_bots(game: GameSpec) -> list[str]:
    """Return the bots that play on, the weakest first. A game without own ones has the bot that plays any game.

    Raises:
        ArenaError: There is none.
    """
    if names := playing_bots(game):
        return [f"builtin:{name}" for name in names]
    if bots_for_all_games("search"):
        return [SEARCH]
    raise ArenaError(
        f"{game.name} has no built-in bot in Python that could play on.",
        hint="builtin:search plays on in any game. Install it: pip install arena-learn",
        exit_code=ExitCode.BAD_BOT,
    )


def is_quick(policy: PlayoutPolicy, start: State, seconds: float) -> bool:
    """Return whether a bot plays the first turn within a limit of processor time. Loading the bot does not count."""

    def is_done_in(limit: float) -> bool:
        begun = time.process_time()
        try:
            with limited(limit):
                policy.turn(start.clone(), start.to_move()[0], Sampled(Random(0)))
        except LimitExceeded:
            return False
        return time.process_time() - begun <= limit  # on a busy machine, the timer can be late

    return is_done_in(seconds + LOADING_SECONDS) and any(is_done_in(seconds) for _ in range(TRIES))


@cache
def bot_class(game: GameSpec, reference: str) -> type[AI]:
    """Return the class of a trusted bot. Its module is imported into this process, once."""
    return memory.bot_class(game, reference)


class LimitExceeded(BaseException):
    """A time limit is over. No bot catches this with `except Exception`."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `LimitExceeded` after some seconds of processor time.

    There is no limit outside of the main thread, or if the operating system has no such timer.
    """

    def stop(*_: object) -> None:
        raise LimitExceeded

    def raise_again(lost: sys.UnraisableHookArgs) -> None:
        """Python discards what is raised during a finalizer or a callback of the garbage collection."""
        if lost.exc_type is LimitExceeded:
            signal.setitimer(signal.ITIMER_PROF, 1e-3)
        else:
            report_lost(lost)

    main = threading.current_thread() is threading.main_thread()
    if seconds == inf or not main or not hasattr(signal, "setitimer"):
        yield
        return
    before, report_lost = signal.signal(signal.SIGPROF, stop), sys.unraisablehook
    sys.unraisablehook = raise_again
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.unraisablehook = report_lost
        signal.signal(signal.SIGPROF, before)
