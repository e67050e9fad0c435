"""The tie-breaks of standings: everything about each one, in one table.

Entrants with equal points are ordered by the tie-breaks of their stage, one after the other (`stages.standings`). A new
tie-break is one entry of `TIEBREAKS`, with what it means, the head of its column and its value, and a place in one of
the two orders at the end, in which the keys `tiebreaks` of `contest.toml` list them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

Number = Fraction | float


@dataclass(slots=True)
class Tally:
    """The sums of one entrant in a stage.

    A share is the entrant's part (0 to 1) of the points of an encounter.

    Attributes:
        byes: Number of encounters that gave points without a game.
        unplayed: The shares in encounters without a game, and 0 for each round of a Swiss before `first`.
        met: Each opponent in each other encounter: name, points against this opponent, share.
        places: How often the entrant had each place at a table.
        payoffs: None in games without payoffs.
        common: The common scores of cooperative games.
        first: The entrant's first round.
    """

    points: Fraction = Fraction()
    games: int = 0
    wins: int = 0
    draws: int = 0
    margin: float = 0.0
    byes: int = 0
    unplayed: list[Fraction] = field(default_factory=list)
    met: list[tuple[str, Fraction, Fraction]] = field(default_factory=list)
    places: Counter[int] = field(default_factory=Counter)
    payoffs: float | None = None
    common: list[float] = field(default_factory=list)
    first: float = inf


class Tallies:
    """The tallies of all entrants of a stage.

    Args:
        names: The entrants in the order of their seeds.

    Attributes:
        lowest_place: The lowest place that somebody had at a table; 0 without tables.
        have_intervals: Whether everybody has played enough cooperative games for an interval of the mean score.
    """

    def __init__(self, names: Sequence[str], by_name: Mapping[str, Tally]) -> None:
        self.by_name = by_name
        self.seeds = {name: seed for seed, name in enumerate(names)}
        self.lowest_place = max((place for tally in by_name.values() for place in tally.places), default=0)
        self.have_intervals = all(len(tally.common) > 1 for tally in by_name.values())
        self._opponents = {name: self._points_of_opponents(tally) for name, tally in by_name.items()}

    def _points_of_opponents(self, tally: Tally) -> list[Fraction]:
        met = [self.by_name[opponent].points for opponent, _, _ in tally.met]
        return sorted(met + [tally.points] * len(tally.unplayed))

    def buchholz(self, name: str, weakest: int = 0, strongest: int = 0) -> Fraction:
        """Return the sum of the points of an entrant's opponents, without so many of the weakest and strongest."""
        points = self._opponents[name]
        return sum(points[weakest : len(points) - strongest], Fraction())

    def sonneborn_berger(self, name: str) -> Fraction:
        tally = self.by_name[name]
        played = sum((share * self.by_name[opponent].points for opponent, _, share in tally.met), Fraction())
        return played + sum((share * tally.points for share in tally.unplayed), Fraction())

    def mean_of_opponents(self, name: str) -> Fraction:
        met = self.by_name[name].met
        return sum((self.by_name[opponent].points for opponent, _, _ in met), Fraction()) / max(1, len(met))

    def head_to_head(self, level: Sequence[str]) -> Mapping[str, Number]:
        """Return each entrant's points from encounters within a level. If a pair has not met, all points are 0."""
        members = set(level)
        points = dict.fromkeys(level, Fraction())
        met: dict[str, set[str]] = {name: set() for name in level}
        for name in level:
            for opponent, gained, _ in self.by_name[name].met:
                if opponent in members:
                    points[name] += gained
                    met[name].add(opponent)
        complete = all(len(opponents) == len(level) - 1 for opponents in met.values())
        return points if complete else dict.fromkeys(level, Fraction())


@dataclass(frozen=True, slots=True)
class Tiebreak:
    """A tie-break.

    Attributes:
        meaning: What it is, for the readers of the tables.
        value: Its value for an entrant; larger is better. None for head to head, which depends on who else is tied.
        head: The head of its column in the standings; empty without a column.
    """

    meaning: str
    value: Callable[[Tallies, str], Number] | None
    head: str = ""


HEAD_TO_HEAD = "head_to_head"
TIEBREAKS: Mapping[str, Tiebreak] = {
    HEAD_TO_HEAD: Tiebreak("points from the encounters among the tied players, if all of them have met", None),
    "buchholz": Tiebreak(
        "sum of the points of all opponents; rounds without a game or before the first one add the own points",
        Tallies.buchholz,
        "Buch",
    ),
    "buchholz_cut1": Tiebreak(
        "Buchholz without the weakest opponent", lambda tallies, name: tallies.buchholz(name, 1), "Cut1"
    ),
    "buchholz_median": Tiebreak(
        "Buchholz without the strongest and the weakest opponent",
        lambda tallies, name: tallies.buchholz(name, 1, 1),
        "Med",
    ),
    "sonneborn_berger": Tiebreak(
        "for each opponent, their points times the share of the points won against them",
        Tallies.sonneborn_berger,
        "SB",
    ),
    "wins": Tiebreak("games won", lambda tallies, name: float(tallies.by_name[name].wins), "Wins"),
    "margin": Tiebreak(
        "sum of the differences of the game's own scores", lambda tallies, name: tallies.by_name[name].margin, "Margin"
    ),
    "seed": Tiebreak("order at the start", lambda tallies, name: -float(tallies.seeds[name]), "Seed"),
    "opponents": Tiebreak(
        "mean of the points of all opponents, each counted once for each meeting", Tallies.mean_of_opponents, "Opp"
    ),
    # The rows have the payoffs of all games with payoffs, so that the tie-break needs no column of its own.
    "payoffs": Tiebreak(
        "sum of the bot's payoffs in the games", lambda tallies, name: tallies.by_name[name].payoffs or 0.0
    ),
}
PLUS_MINUS = "plus_minus"
"""A column of the standings of cooperative games beside those of the tie-breaks."""
MEANINGS = {name: tiebreak.meaning for name, tiebreak in TIEBREAKS.items()} | {
    PLUS_MINUS: "in a cooperative game: the points are the mean of the common scores, give or take this (95 %)",
}
"""The meaning of each tie-break, and of the other column."""
HEADS = {name: tiebreak.head for name, tiebreak in TIEBREAKS.items() if tiebreak.head} | {PLUS_MINUS: "±"}
"""The head of each of their columns."""
FOR_TWO = (HEAD_TO_HEAD, "buchholz", "buchholz_cut1", "buchholz_median", "sonneborn_berger", "wins", "margin", "seed")
"""The default tie-breaks of formats for two players, in the order of their use: first what the tied players did against
each other, then how strong their opponents were. The seed comes last, since it decides always."""
AT_TABLES = ("payoffs", HEAD_TO_HEAD, "opponents", "wins", "margin", "seed")
"""The default tie-breaks of tables with more than two players, in the order of their use."""
