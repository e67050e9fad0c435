"""What a game brings for bots: its built-in bots, and the typed module that bots import.

This module imports nothing of processes and parsers, so that matches in memory find their bots also in a browser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from arena.bots.references import split_reference
from arena.errors import ArenaError, ExitCode
from arena.game import BuiltinBot, GameSpec
from arena.game.validation import nearest

__all__ = ["GROUP", "bots_for_all_games", "module_source"]
BUILTIN = "builtin:"
GROUP = "arena.bots"
"""The entry points of bots that play any game. Each names a `BuiltinBot`, and games have no bot of its name."""


def builtin_bot_of(game: GameSpec, name: str) -> BuiltinBot | None:
    """Return a built-in bot that can play a game, by its name with or without prefix and settings; None if unknown."""
    name = split_reference(name)[0].removeprefix(BUILTIN)
    own = [bot for bot in game.bots if bot.name == name]
    return next(iter(own or bots_for_all_games(name)), None)


def builtin_path(game: GameSpec, name: str) -> Path:
    """Return the file or folder of a built-in bot, as it came with the game."""
    if (bot := builtin_bot_of(game, name)) is not None:
        return bot.path
    names = builtin_names(game)
    near = nearest(name, names)
    listed = ", ".join(BUILTIN + bot for bot in names) or "none"
    advice = f"Did you mean {BUILTIN}{near}?" if near else f"It has {listed}."
    raise ArenaError(
        f"The game {game.name} has no bot {BUILTIN}{name}. {advice}",
        hint="builtin:search plays every game. Install it: pip install arena-learn" if name == "search" else "",
        exit_code=ExitCode.BAD_BOT,
    )


def builtin_names(game: GameSpec) -> list[str]:
    """Return the names of all bots that can play a game, without the prefix ``builtin:``."""
    return [bot.name for bot in (*game.bots, *bots_for_all_games())]


def no_bot(path: Path, game: GameSpec | None, hint: str) -> ArenaError:
    """Return the error of a bot that does not exist. If a built-in bot has a similar name, the hint names this bot."""
    near = nearest(path.name, builtin_names(game)) if game is not None else ""
    hint = f"Did you mean {BUILTIN}{near}?" if near else hint
    if path.name.startswith("llm:"):
        hint = "llm:NAME is a language model. Install it: pip install arena-agents"
    return ArenaError(f"There is no bot at {path}.", hint=hint, exit_code=ExitCode.BAD_BOT)


def bots_for_all_games(name: str | None = None) -> list[BuiltinBot]:
    """Return the bots that play any game. They come with other distributions.

    Args:
        name: Only the bots of this name.
    """
    from importlib.metadata import entry_points  # the import is slow, and most bots come with their game

    points = entry_points(group=GROUP) if name is None else entry_points(group=GROUP, name=name)
    return [point.load() for point in sorted(points)]


def is_typed_module(path: str | Path) -> bool:
    """Return whether a file is the typed module of a game, which lies beside the bots that import it."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return f"Written by `arena sdk {Path(path).stem}`" in file.read(1000)
    except (OSError, ValueError):  # for example a built-in module of Python, which has no file
        return False


def without_modules(references: Sequence[str], report: Callable[[str], None], base: Path = Path()) -> tuple[str, ...]:
    """Return references of bots without the typed module, which `bots/*` of a shell names too. Report what is left out.

    A single reference is not left out: it is refused where it is read.
    """
    if len(references) < 2:
        return tuple(references)
    files = [reference for reference in references if reference.endswith(".py")]
    modules = [file for file in files if is_typed_module(base / file)]
    for module in modules:
        report(f"{module} is left out: it is the typed module that the bots beside it import.")
    return tuple(reference for reference in references if reference not in modules)


def module_source(game: GameSpec) -> str:
    """Return the source of a game's typed module, which bots import (``from saloon import AI``)."""
    from arena_player import sdk  # the import is slow, and most commands write no module

    return sdk.generate(game.schema(), sdk.read_extras(game.kit))
