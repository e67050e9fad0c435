"""Reading the values of command-line options: game options, maps, clocks, settings of bots."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import Clock, GameSpec, OptionError
from arena.lookup import resolve_options


def game_options(game: GameSpec, pairs: tuple[str, ...], map_reference: str | None) -> dict[str, Any]:
    """Turn ``NAME=VALUE`` texts and a map into the options given.

    Raises:
        ArenaError: An unknown name, an impossible value, or a map that cannot be read.
    """
    known = {option.name: option for option in game.options}
    given: dict[str, Any] = {}
    for name, text in map(_pair, pairs):
        try:
            given[name] = known[name].parse(text) if name in known else text
        except OptionError as error:
            raise _bad(game, error) from None
    if map_reference is not None:
        if not game.map_option or game.load_map is None:
            raise ArenaError(f"{game.name} has no maps", exit_code=ExitCode.BAD_OPTION)
        try:
            given[game.map_option] = game.load_map(map_reference)
        except OptionError as error:
            raise ArenaError(
                str(error), hint=f"Its own maps: {', '.join(game.maps)}.", exit_code=ExitCode.BAD_OPTION
            ) from None
    resolve_options(game, given)
    return given


def _bad(game: GameSpec, error: OptionError) -> ArenaError:
    return ArenaError(str(error), hint=f"`arena games {game.name}` shows the options.", exit_code=ExitCode.BAD_OPTION)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ArenaError(f"{text!r} is not of the form NAME=VALUE", exit_code=ExitCode.BAD_OPTION)
    return name.strip(), value.strip()


def clock_settings(clock: Clock, text: str | None) -> Clock:
    """Change a clock as ``bank=60,turn=none`` says.

    Raises:
        ArenaError: An unknown name or an impossible value.
    """
    if text is None:
        return clock
    known = [field.name for field in fields(Clock)]
    changes: dict[str, float | None] = {}
    for name, value in map(_pair, text.split(",")):
        if name not in known:
            raise ArenaError(f"the clock has no {name}; it has {', '.join(known)}", exit_code=ExitCode.BAD_OPTION)
        try:
            changes[name] = None if value.lower() == "none" and name in ("bank", "turn") else float(value)
        except ValueError:
            changes[name] = -1.0
        if (changes[name] or 0.0) < 0 or changes[name] in (float("inf"),):
            raise ArenaError(f"the clock's {name} cannot be {value!r}: it is seconds", exit_code=ExitCode.BAD_OPTION)
    return replace(clock, **changes)  # type: ignore[arg-type]


def bot_settings(pairs: tuple[str, ...], players: int) -> list[dict[str, str]]:
    """Turn ``NAME=VALUE`` (for all bots) and ``0:NAME=VALUE`` (for the first) into settings for each seat.

    Raises:
        ArenaError: Not of that form, or no such seat.
    """
    settings: list[dict[str, str]] = [{} for _ in range(players)]
    for text in pairs:
        head, colon, rest = text.partition(":")
        if colon and head.isdigit():
            if int(head) >= players:
                raise ArenaError(f"{text!r}: the seats are 0 to {players - 1}", exit_code=ExitCode.BAD_OPTION)
            name, value = _pair(rest)
            settings[int(head)][name] = value
        else:
            name, value = _pair(text)
            for one in settings:
                one[name] = value
    return settings
