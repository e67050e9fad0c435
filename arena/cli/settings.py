"""What the texts of options mean: options of a game, maps, clocks, positions, engines, and files of settings.

`options` declares the options. Here their texts become values, which are checked before anything starts. A mistake is
an `ArenaError` with the exit code 4, or wrong usage if options do not fit together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from arena.errors import ArenaError, ExitCode
from arena.game import Clock, GameSpec, OptionError
from arena.game.validation import did_you_mean
from arena.match.isolation import KEYS
from arena.match.lookup import resolve_options
from arena.match.settings import MATCH_TABLES, MatchSettings, Scalar, clock_pairs, table_of
from arena.match.settings import match_settings as settings_in
from arena.play.seats.ticket import REMOTE_FIELDS, RemoteSettings
from arena.text.reading import whole_number
from arena.text.toml_files import config_text, parsed

if TYPE_CHECKING:
    from arena.contests.engines import Engine, Workload
    from arena.match.position import Position

_PLAY = table_of(
    {
        **MATCH_TABLES,
        "remote": table_of({key: value for key, value in REMOTE_FIELDS.items() if key != "wait"}),
        "human_clock": MATCH_TABLES["clock"],
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings(MatchSettings):
    """The settings of a match that `arena play --settings` reads.

    Attributes:
        human_clock: The settings of the clock for people. Missing ones are those of the bots, without a limit of time.
    """

    remote: RemoteSettings = field(default_factory=RemoteSettings)
    human_clock: tuple[tuple[str, float | None], ...] = ()


def read_settings(game: GameSpec, path: Path | None) -> PlaySettings:
    """Read the tables of `contest.toml` that concern a match, and `[human_clock]`."""
    if path is None:
        return PlaySettings(game=game.name)
    document = parsed(config_text(path, ""), path.name, _PLAY.defects, "Nothing was started.")
    values: dict[str, Any] = {**settings_in(document), "human_clock": clock_pairs(document.get("human_clock", {}))}
    settings = PlaySettings(game=game.name, remote=RemoteSettings(**document.get("remote", {})), **values)
    settings.check(game)
    return settings


def game_options(
    game: GameSpec,
    pairs: tuple[str, ...],
    map_reference: str | None,
    defaults: Mapping[str, Scalar] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the options of a game that a user has set: `defaults`, and those of the command line, which win.

    Args:
        game: The game.
        pairs: The values of ``--option``, each of the form ``NAME=VALUE``.
        map_reference: The name or the file of a map; None for the game's own choice.
        defaults: Options that the user has set elsewhere.

    Raises:
        ArenaError: There is no such option or map, or a value is not allowed.
    """
    declared = {option.name: option for option in game.options}
    chosen: dict[str, Any] = dict(defaults)
    for name, text in map(_pair, pairs):
        if name == game.map_option and text[:1] not in ("{", '"'):  # a map's name or a file, as for --map
            map_reference = text
            continue
        try:
            chosen[name] = declared[name].parse(text) if name in declared else text
        except OptionError as error:
            raise _bad(game, error) from None
    if map_reference is not None:
        if not game.map_option or game.load_map is None:
            raise ArenaError(f"The game {game.name} has no maps.", exit_code=ExitCode.BAD_OPTION)
        try:
            chosen[game.map_option] = game.load_map(map_reference)
        except OptionError as error:
            raise ArenaError(
                str(error), hint=f"Maps of the game: {', '.join(game.maps)}.", exit_code=ExitCode.BAD_OPTION
            ) from None
    resolve_options(game, chosen)
    return chosen


def start_from(
    game: GameSpec, reference: str | None, chosen: Mapping[str, Any], *, same_dice: bool, moves: bool
) -> Position | None:
    """Return the position that ``--from`` names, or None if the option is not given; see `read_position`."""
    if reference is None:
        if same_dice:
            raise click.UsageError("--seed replay needs --from REPLAY@TURN.")
        return None
    from arena.study.replaying.positions import read_position

    position = read_position(reference, game, chosen, same_dice=same_dice, moves=moves)
    if position.parent is not None and chosen:
        raise click.UsageError(
            "--from a replay takes the options of that match. Leave out options of the game and --map."
        )
    return position


def _bad(game: GameSpec, error: OptionError) -> ArenaError:
    return ArenaError(str(error), hint=f"`arena games {game.name}` shows the options.", exit_code=ExitCode.BAD_OPTION)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ArenaError(f"{text!r} is not of the form NAME=VALUE.", exit_code=ExitCode.BAD_OPTION)
    return name.strip(), value.strip()


def chosen_engine(name: str, pairs: tuple[str, ...]) -> Callable[[Workload], Engine] | None:
    """Return what makes an engine of another distribution; None for matches on this machine."""
    from arena.contests.engines import LOCAL, find_engine

    options = dict(map(_pair, pairs))
    if name != LOCAL:
        factory = find_engine(name)
        return lambda workload: factory(workload, options)
    if options:
        raise click.UsageError("The engine local has no options. --engine NAME chooses another one.")
    return None


def clock_settings(clock: Clock, text: str | None) -> Clock:
    """Return a clock with changes such as ``bank=60,turn=none``. ``none`` removes all limits except for the start."""
    if text is None:
        return clock
    if text == "none":
        return untimed(clock)
    names = [field.name for field in fields(Clock)]
    changes: dict[str, float | None] = {}
    for name, value in map(_pair, text.split(",")):
        if name not in names:
            raise ArenaError(f"The clock has no {name}{did_you_mean(name, names)}.", exit_code=ExitCode.BAD_OPTION)
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


def untimed(clock: Clock) -> Clock:
    return replace(clock, bank=None, turn=None, turn_wall=None)


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


def ladder_settings(
    game: GameSpec, pairs: tuple[str, ...], maps: tuple[str, ...], isolation: int = 0
) -> tuple[MatchSettings, int]:
    """Return the settings of matches against built-in bots, and the number of their players."""
    options = game_options(game, pairs, None)
    players = game.players_in(resolve_options(game, options))
    return match_settings(game, options, game.clock, isolation, maps), players


def check_seed(seed: int | str | None) -> None:
    if isinstance(seed, int) and not -(2**63) <= seed < 2**63:
        raise ArenaError(f"The seed cannot be {seed}: it must fit into 64 bits.", exit_code=ExitCode.BAD_OPTION)


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
            for own in settings:
                own[name] = value
    return settings
