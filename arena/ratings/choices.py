"""Results of games as a sequence of choices: the first place is chosen among all players, the second among the rest."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.game import Outcome
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

Side = tuple[str, ...]
"""A player, or the members of a team."""


@dataclass(slots=True)
class Unit:
    """The results of games with the same seed. These results are not independent of each other.

    Attributes:
        wins: How often each player was chosen. The members of a team share each choice of the team.
        choices: For each set of sides, the number of choices that were made among them. A side is a player or a team.
    """

    wins: Counter[str] = field(default_factory=Counter)
    choices: Counter[frozenset[Side]] = field(default_factory=Counter)

    def add(self, names: Sequence[str], outcome: Outcome) -> None:
        """Add a game.

        If players share a place, all cyclic rotations of these players count with equal weight.
        """
        if len(names) == 2 and not outcome.teams:  # fast path: most games have two players
            self.choices[frozenset((name,) for name in names)] += 1
            for seat, name in enumerate(names):
                self.wins[name] += outcome.points(seat)  # type: ignore[assignment]
            return
        ranks = outcome.ranks or tuple(1 if outcome.winner in (None, seat) else 2 for seat in range(len(names)))
        teams = outcome.teams or tuple((seat,) for seat in range(len(names)))
        sides = sorted((ranks[team[0]], tuple(sorted(names[seat] for seat in team))) for team in teams)
        self.wins.update(dict.fromkeys(names, 0))
        for rank in sorted({rank for rank, _ in sides}):
            tied = [side for one, side in sides if one == rank]
            behind = {side for one, side in sides if one > rank}
            for first in range(len(tied)):
                circle = tied[first:] + tied[:first]
                for place, side in enumerate(circle):
                    self._choose(side, behind.union(circle[place:]), 1.0 / len(tied))

    def _choose(self, side: Side, among: set[Side], weight: float) -> None:
        if len(among) > 1:
            self.choices[frozenset(among)] += weight  # type: ignore[assignment]
            for name in side:
                self.wins[name] += weight / len(side)  # type: ignore[assignment]


def units(matches: Iterable[tuple[MatchSpec, MatchResult]]) -> list[Unit]:
    """Group results into units, in order of each unit's first game. Leave out void and cooperative matches."""
    found: dict[tuple[object, ...], Unit] = {}
    for spec, result in matches:
        place = (spec.stage, spec.round, spec.pairing, spec.number // len(spec.seats), frozenset(spec.names))
        unit = found.setdefault(place, Unit())
        if result.has_verdict and result.outcome.common is None:  # who plays together is not compared
            unit.add(spec.names, result.outcome)
    return [unit for unit in found.values() if unit.choices]
