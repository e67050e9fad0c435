"""Reading the lines of a trace, and refusing what is none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from arena.conform.report import UnusableTrace
from arena.game import GameSpec

VERSION = 1
Line = dict[str, Any]


def parse(lines: Iterable[str | bytes]) -> Iterator[tuple[int, Line]]:
    """Parse lines of JSON one by one, each with its number; blank lines are left out.

    Raises:
        UnusableTrace: A line is no JSON object; there is none at all.
    """
    number = 0
    empty = True
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError):
            cut = text[-1:] not in ("\n", b"\n")
            told = "the line is cut off" if cut else "the line is no JSON"
            raise UnusableTrace(told, number) from None
        if type(line) is not dict:
            raise UnusableTrace("the line is no JSON object", number)
        empty = False
        yield number, line
    if empty:
        raise UnusableTrace("the trace is empty")


def _refuse(word: str) -> Any:
    raise ValueError(word)


def check_first(line: Line, game: GameSpec) -> None:
    """Make sure that the first line is one of a trace of this game.

    Raises:
        UnusableTrace: It is not.
    """
    if line.get("kind") != "trace":
        raise UnusableTrace("the first line is not that of a trace", 1)
    if line.get("game") != game.name:
        raise UnusableTrace(f"the trace is one of the game {line.get('game')}, not of {game.name}", 1)
    if line.get("version") != VERSION or type(line.get("version")) is not int:
        raise UnusableTrace(f"the trace has the version {line.get('version')}; version {VERSION} can be read", 1)
    if type(line.get("options", {})) is not dict:
        raise UnusableTrace("the options are no JSON object", 1)


def check_action(line: Line, number: int, game: GameSpec) -> None:
    """Make sure that a further line is one of a trace.

    Raises:
        UnusableTrace: It is not.
    """
    if type(line.get("ok")) is not bool or "action" not in line:
        raise UnusableTrace("the line has no action with a verdict", number)
    player = line.get("player")
    if type(player) is not int or not 0 <= player < game.players:
        raise UnusableTrace(f"the player is {player!r}, but the game has the players 0 to {game.players - 1}", number)
    if line["ok"] and type(line.get("draws", [])) is not list:
        raise UnusableTrace("the draws are no list", number)
