"""The settings that all matches of a contest, a comparison or a grading share."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields, replace

from arena.errors import ArenaError, ExitCode
from arena.game import Clock, GameSpec, OptionError
from arena.match.isolation import KEYS, Level
from arena.match.limits import Limits, changed_limits
from arena.match.lookup import resolve_options
from arena.match.policy import Policy

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
        return MatchSettings(**{one.name: getattr(self, one.name) for one in fields(MatchSettings)})

    @property
    def match_clock(self) -> Clock | None:
        return Clock(**dict(self.clock)) if self.clock else None  # type: ignore[arg-type]

    @property
    def match_policy(self) -> Policy:
        return Policy(**dict(self.policy))  # type: ignore[arg-type]

    @property
    def match_limits(self) -> Limits:
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
        defects = [*self._wrong_options(game), *_wrong_maps(game, dict.fromkeys((*self.maps, *more_maps)))]
        if defects:
            hint = f"`arena games {game.name}` shows options and maps."
            raise ArenaError("\n".join(defects), hint=hint, exit_code=ExitCode.BAD_OPTION)
        resolve_options(game, dict(self.options))  # check combinations of options

    def _wrong_options(self, game: GameSpec) -> list[str]:
        found = []
        for name, value in self.options:  # one by one, so that each gets its own message
            try:
                game.resolve_options({name: value})
            except OptionError as error:
                found.append(str(error))
        return found


def _wrong_maps(game: GameSpec, names: Collection[str]) -> list[str]:
    found = []
    for name in names:
        if game.load_map is None:
            found.append(f"{game.name} has no maps, and the configuration names {name}.")
            continue
        try:
            game.load_map(name)
        except OptionError as error:
            found.append(f"The map {name}: {error}")
    return found
