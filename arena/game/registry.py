"""Find installed games through the entry point group ``arena.games``, which Arena's own games also use."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import Any

from arena.game.errors import GameError
from arena.game.spec import GameSpec
from arena.game.validation import nearest

GROUP = "arena.games"


class UnknownGame(LookupError):  # noqa: N818 - clear without the suffix
    """No installed game has this name. The message names a similar game, or lists all installed games."""


def names() -> list[str]:
    """List the names of all installed games, sorted."""
    from importlib.metadata import entry_points

    return sorted({point.name for point in entry_points(group=GROUP)})


def load(name: str) -> GameSpec:
    """Return an installed game.

    Raises:
        UnknownGame: No game has this name.
        GameError: The entry point does not lead to a `GameSpec`, or the import of its module fails.
    """
    reference = _entry_point(name, tuple(sys.path))
    if reference is None:
        installed = names()
        near = nearest(name, installed)
        advice = f"Did you mean {near}?" if near else f"Installed games: {', '.join(installed) or 'none'}."
        raise UnknownGame(f"There is no game {name}. {advice}")
    try:
        game = _attribute(reference)
        if isinstance(game, GameSpec):
            game.state.plan()  # refuse here what cannot work
    except GameError as error:
        raise GameError(f"The game {name} cannot be loaded. {error}") from error
    except Exception as error:  # the import of another author's module may raise anything
        raise GameError(f"The game {name} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(game, GameSpec):
        raise GameError(f"The entry point {GROUP}:{name} leads to {game!r}, which is not a GameSpec.")
    return game


@cache
def _entry_point(name: str, path: tuple[str, ...]) -> str | None:
    """Return ``module:attribute`` of an installed game from the entry point files on the path, or None.

    The import of `importlib.metadata` is slow. So `importlib.metadata` is used only for a game that these files do not
    name, such as a game in a zip archive.
    """
    for folder in path:
        try:
            entries = os.listdir(folder or ".")
        except OSError:
            continue
        for entry in entries:
            if entry.endswith((".dist-info", ".egg-info")):
                reference = _registered(f"{folder}/{entry}", name)
                if reference:
                    return reference
    from importlib.metadata import entry_points

    return next((point.value for point in entry_points(group=GROUP, name=name)), None)


def _registered(distribution: str, name: str) -> str | None:
    """Return the entry point of a game in a distribution, or None."""
    try:
        with open(f"{distribution}/entry_points.txt", encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    group = ""
    for line in lines:
        if line.startswith("["):
            group = line.strip("[] ")
        elif group == GROUP and line.partition("=")[0].strip() == name:
            return line.partition("=")[2]
    return None


def _attribute(reference: str) -> Any:
    module, _, path = reference.partition("[")[0].partition(":")
    value: Any = import_module(module.strip())
    for attribute in path.strip().split("."):
        value = getattr(value, attribute)
    return value
