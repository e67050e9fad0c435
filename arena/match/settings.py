"""The settings that all matches of a contest, a comparison or a grading share, and the tables of files that set them.

The fields are sorted pairs and not tables, so that settings are values: hashable, comparable, and the same in a journal
whatever the order in the file was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, get_args

from arena.errors import ArenaError, ExitCode
from arena.game import Clock, GameSpec, OptionError
from arena.game.validation import NON_EMPTY, ListOf, Number, OrElse, TableOf, Text, Validator, Whole, Word
from arena.match.isolation import KEYS, Level
from arena.match.limits import LEAST, MEBIBYTE, SIZE, FailurePenalty, Limits, Penalty, Policy, changed_limits, number_of
from arena.match.lookup import resolve_options

__all__ = ["MatchSettings"]
Scalar = str | int | float | bool | None
ISOLATION = Level.BWRAP.key
"""The lowest accepted level of isolation, if nobody names one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSettings:
    """The settings of matches. A seed, players and a place in a schedule make a match of them (see `MatchSpec`).

    Attributes:
        maps: Maps to play in turn (empty: the game's default).
        clock: The time settings (see `Clock`), in seconds; None for no limit. Missing settings have the game's default.
    """

    game: str
    maps: tuple[str, ...] = ()
    options: tuple[tuple[str, Scalar], ...] = ()
    clock: tuple[tuple[str, float | None], ...] = ()
    policy: tuple[tuple[str, Scalar], ...] = ()
    limits: tuple[tuple[str, Scalar], ...] = ()
    isolation: str = ISOLATION

    @property
    def settings(self) -> MatchSettings:
        """These settings alone, without what a configuration adds."""
        return MatchSettings(**{field.name: getattr(self, field.name) for field in fields(MatchSettings)})

    @property
    def match_clock(self) -> Clock | None:
        """The clock; None for that of the game."""
        return Clock(**dict(self.clock)) if self.clock else None  # type: ignore[arg-type]

    @property
    def match_policy(self) -> Policy:
        """What happens to players who fail."""
        return Policy(**dict(self.policy))  # type: ignore[arg-type]

    @property
    def match_limits(self) -> Limits:
        """The limits of each program."""
        return changed_limits(dict(self.limits))  # type: ignore[arg-type]

    @property
    def least_isolation(self) -> int:
        """The number of the lowest accepted level of isolation (see `Level`)."""
        return KEYS.index(self.isolation)

    def timed_for(self, game: GameSpec) -> MatchSettings:
        """Return the settings alone, with the times of the game's clock for those that are missing."""
        clock = asdict(game.clock) | dict(self.clock)
        return replace(self.settings, clock=tuple(sorted(clock.items())))

    def check(self, game: GameSpec, more_maps: Collection[str] = ()) -> None:
        """Check the options and maps.

        Raises:
            ArenaError: The game has no such option or map.
        """
        defects = [*self._wrong_options(game), *_wrong_maps(game, dict.fromkeys((*self.maps, *more_maps)))]
        if defects:
            hint = f"`arena games {game.name}` shows options and maps."
            raise ArenaError("\n".join(defects), hint=hint, exit_code=ExitCode.BAD_OPTION)
        resolve_options(game, dict(self.options))  # check combinations of options

    def _wrong_options(self, game: GameSpec) -> list[str]:
        messages = []
        for name, value in self.options:  # one by one, so that each gets its own message
            try:
                game.resolve_options({name: value})
            except OptionError as error:
                messages.append(str(error))
        return messages


def _wrong_maps(game: GameSpec, names: Collection[str]) -> list[str]:
    messages = []
    for name in names:
        if game.load_map is None:
            messages.append(f"{game.name} has no maps, and the configuration names {name}.")
            continue
        try:
            game.load_map(name)
        except OptionError as error:
            messages.append(f"The map {name}: {error}")
    return messages


# The tables of `contest.toml` and `arena play --settings` with the settings of all matches.


class _Scalar(Validator):
    def accepts(self, value: object) -> bool:
        return isinstance(value, str | int | float | bool)


class _Limit(Text):
    """A resource limit: a number, or a size such as "512 MiB"."""

    def __init__(self, least: int) -> None:
        least_in_words = f"{least // MEBIBYTE} MiB" if least >= MEBIBYTE else least
        super().__init__(SIZE, f'a number, or a size such as "512 MiB", of at least {least_in_words}')
        self._least = least

    def accepts(self, value: object) -> bool:
        return type(value) is not bool and super().accepts(str(value)) and number_of(str(value)) >= self._least


class _Seed(Validator):
    def accepts(self, value: object) -> bool:
        return isinstance(value, str) or type(value) is int


def table_of(fields: Mapping[str, Validator], *required: str) -> TableOf:
    return TableOf(fields, required, "a table")


NAME = Text(
    r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}", "a name of 1 to 40 letters, digits, spaces, dots, dashes or underscores"
)
SEED = _Seed("a text or a whole number")
"""Seeds of contests and rubrics are texts, and people write 7 as often as "7"."""
TEXTS = ListOf(NON_EMPTY, "a list of texts")
SECONDS = Number(0, 86_400, "seconds")
_CLOCK: Mapping[str, Validator] = dict.fromkeys(("startup", "increment", "grace"), SECONDS) | dict.fromkeys(
    ("bank", "turn", "turn_wall"), OrElse("none", SECONDS)
)
_COUNTS = ("refusals_per_turn", "notes_per_turn", "notes_per_request")
_POLICY: Mapping[str, Validator] = dict.fromkeys(_COUNTS, Whole(0, 1_000_000)) | {
    "timeout": Word(get_args(Penalty)),
    "crash": Word(get_args(FailurePenalty)),
    "no_start": Word(get_args(FailurePenalty)),
    "strikes": Whole(1, 1000),
    "pause_idle": Word(("", "freeze")),
    "note_bytes_per_turn": Whole(0, 16_777_216),
}
MATCH_TABLES: Mapping[str, Validator] = {
    "options": TableOf({}, (), "a table", _Scalar("a text, a number, true or false")),
    "clock": table_of(_CLOCK),
    "policy": table_of(_POLICY),
    "limits": table_of({name: _Limit(least) for name, least in LEAST.items()}),
}
"""The tables with the settings of all matches. All files have the same tables."""


def match_settings(document: Mapping[str, Any]) -> dict[str, tuple[tuple[str, Any], ...]]:
    """Return the fields of `MatchSettings` that a checked document sets."""
    settings = {key: pairs(document.get(key, {})) for key in MATCH_TABLES}
    return settings | {"clock": clock_pairs(document.get("clock", {}))}


def clock_pairs(table: Mapping[str, Any]) -> tuple[tuple[str, float | None], ...]:
    return tuple((key, None if value == "none" else value) for key, value in pairs(table))


def pairs(table: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return a table as sorted pairs, so that it is a value."""
    return tuple(sorted(table.items()))
