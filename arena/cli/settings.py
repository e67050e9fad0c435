"""Read the values of command-line options: game options, maps, clocks, settings of bots."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

import click

from arena.errors import ArenaError, ExitCode
from arena.game import Clock, GameSpec, OptionError
from arena.game.validation import did_you_mean
from arena.match.isolation import KEYS
from arena.match.limits import NAMES, SIZE, Limits, changed_limits
from arena.match.lookup import resolve_options
from arena.match.settings import MatchSettings
from arena.referee.affinity import can_pin, usable_processors
from arena.text.numbers import whole_number

if TYPE_CHECKING:
    from arena.match.position import Position

POSITIONS = "REPLAY@TURN, REPLAY@TURN.ACTION, or a JSON file with a state"


def game_options(game: GameSpec, pairs: tuple[str, ...], map_reference: str | None) -> dict[str, Any]:
    known = {option.name: option for option in game.options}
    given: dict[str, Any] = {}
    for name, text in map(_pair, pairs):
        if name == game.map_option and text[:1] not in ("{", '"'):  # a map's name or a file, as for --map
            map_reference = text
            continue
        try:
            given[name] = known[name].parse(text) if name in known else text
        except OptionError as error:
            raise _bad(game, error) from None
    if map_reference is not None:
        if not game.map_option or game.load_map is None:
            raise ArenaError(f"The game {game.name} has no maps.", exit_code=ExitCode.BAD_OPTION)
        try:
            given[game.map_option] = game.load_map(map_reference)
        except OptionError as error:
            raise ArenaError(
                str(error), hint=f"Maps of the game: {', '.join(game.maps)}.", exit_code=ExitCode.BAD_OPTION
            ) from None
    resolve_options(game, given)
    return given


def start_from(
    game: GameSpec,
    reference: str | None,
    options: tuple[str, ...],
    map_reference: str | None,
    *,
    same_dice: bool,
    moves: bool,
) -> Position | None:
    """Return the position that ``--from`` names, or None if the option is not given; see `read_position`."""
    if reference is None:
        if same_dice:
            raise click.UsageError("--same-dice needs --from REPLAY@TURN.")
        return None
    from arena.replaying.positions import read_position

    given = game_options(game, options, map_reference)
    position = read_position(reference, game, given, same_dice=same_dice, moves=moves)
    if position.parent is not None and (options or map_reference):
        raise click.UsageError("--from a replay takes the options of that match. Leave out --option and --map.")
    return position


def _bad(game: GameSpec, error: OptionError) -> ArenaError:
    return ArenaError(str(error), hint=f"`arena games {game.name}` shows the options.", exit_code=ExitCode.BAD_OPTION)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ArenaError(f"{text!r} is not of the form NAME=VALUE.", exit_code=ExitCode.BAD_OPTION)
    return name.strip(), value.strip()


def clock_settings(clock: Clock, text: str | None) -> Clock:
    """Return a clock with changes such as ``bank=60,turn=none``."""
    if text is None:
        return clock
    known = [field.name for field in fields(Clock)]
    changes: dict[str, float | None] = {}
    for name, value in map(_pair, text.split(",")):
        if name not in known:
            raise ArenaError(f"The clock has no {name}{did_you_mean(name, known)}.", exit_code=ExitCode.BAD_OPTION)
        try:
            changes[name] = None if value.lower() == "none" and name in ("bank", "turn", "turn_wall") else float(value)
        except ValueError:
            changes[name] = -1.0
        seconds = changes[name]
        if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
            raise ArenaError(
                f"The clock's {name} cannot be {value!r}: write a number of seconds.", exit_code=ExitCode.BAD_OPTION
            )
    return replace(clock, **changes)  # type: ignore[arg-type]


def match_settings(
    game: GameSpec, options: Mapping[str, Any], clock: Clock, isolation: int, maps: tuple[str, ...] = ()
) -> MatchSettings:
    settings = MatchSettings(
        game=game.name,
        maps=maps,
        options=tuple(sorted(options.items())),
        clock=tuple(sorted(asdict(clock).items())),
        isolation=KEYS[isolation],
    )
    settings.check(game)
    return settings


def bot_limits(pairs: tuple[str, ...]) -> Limits:
    """Convert ``NAME=NUMBER`` or ``NAME=SIZE`` texts to limits of bots."""
    values = dict(map(_pair, pairs))
    for name, value in values.items():
        if name not in NAMES:
            raise ArenaError(f"There is no limit {name}{did_you_mean(name, NAMES)}.", exit_code=ExitCode.BAD_OPTION)
        if not re.fullmatch(SIZE, value):
            raise ArenaError(
                f"The limit {name} cannot be {value!r}: write a number, or a size such as 512MiB or 2GiB.",
                exit_code=ExitCode.BAD_OPTION,
            )
    return changed_limits(values)


def check_seed(seed: int | None) -> None:
    if seed is not None and not -(2**63) <= seed < 2**63:
        raise ArenaError(f"The seed cannot be {seed}: it must fit into 64 bits.", exit_code=ExitCode.BAD_OPTION)


def check_cpu(cpu: int | None) -> None:
    """Check that this process is allowed to run on a processor. None passes the check."""
    if cpu is None:
        return
    allowed = usable_processors() if can_pin() else []
    if cpu not in allowed:
        known = ", ".join(map(str, allowed)) or "none, since processes cannot be pinned here"
        raise ArenaError(f"--cpu cannot be {cpu}. Available: {known}.", exit_code=ExitCode.BAD_OPTION)


def bot_settings(pairs: tuple[str, ...], players: int) -> list[dict[str, str]]:
    """Convert ``NAME=VALUE`` (for all bots) and ``0:NAME=VALUE`` (for the bot on seat 0) to settings for each seat."""
    settings: list[dict[str, str]] = [{} for _ in range(players)]
    for text in pairs:
        head, colon, rest = text.partition(":")
        if colon and "=" not in head:
            seat = whole_number(head)
            if seat is None or seat >= players:
                raise ArenaError(
                    f"{text!r} does not name a seat. The seats are 0 to {players - 1}.", exit_code=ExitCode.BAD_OPTION
                )
            name, value = _pair(rest)
            settings[seat][name] = value
        else:
            name, value = _pair(text)
            for one in settings:
                one[name] = value
    return settings
