"""Encounters and their results. An encounter is a number of games between the same players."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from fractions import Fraction

from arena.game import Outcome
from arena.match.spec import Participant

_MOST_OPPONENTS = 1000
"""More than at any table: a share of opponents, with ties as halves, has at most twice their number below its line."""
_ROUNDING = Fraction(1, 10**12)
"""More than the rounding error of a sum of such shares, and less than the distance of two of them."""


def exact(points: Fraction | float) -> Fraction:
    """Return points as an exact number, so that equal sums are equal. Shares of opponents, as 1/3, are no exact floats.

    A common score of a cooperative game can be any number.
    """
    share = Fraction(points).limit_denominator(_MOST_OPPONENTS)
    return share if abs(share - Fraction(points)) < _ROUNDING else Fraction(points)


@dataclass(frozen=True, slots=True)
class Encounter:
    """A number of games between the same players.

    Attributes:
        players: The players. The first player has the first seat in the first game. A single player has a bye.
        games: Number of games. A knockout ends earlier when it is decided, and has more games when it is tied.
        section: Part of the stage: "W" for the winners' bracket or the only bracket, "L" for the losers' bracket, "F"
            for the grand final or the final table, "third" for the match for third place, or the name of a group.
            Empty if the stage has no parts.
        column: Column of the bracket, from 1; 0 outside of brackets and elimination tables.
        advance: Number of players who advance, in a knockout of more than two players.
    """

    stage: str
    round: int
    index: int
    players: tuple[str, ...]
    games: int
    knockout: bool = False
    section: str = ""
    column: int = 0
    row: int = 0
    advance: int = 1

    @property
    def is_bye(self) -> bool:
        return len(self.players) == 1


@dataclass(frozen=True, slots=True)
class EncounterResult:
    """The result of an encounter. Tuples are in the order of the encounter's players.

    Attributes:
        points: Points from games: 1 for a win, 1/2 for a draw; at a table, see `Outcome.points`. In a
            walkover, the players who are present share one point for each planned game.
        margin: For each player, the sum of the margins in all games. The margin is the player's score in the game minus
            the best score of the others.
        played: Number of games that count. Void games, and games decided without playing, do not count.
        order: In a knockout of more than two players: the indexes of the players, best first; else empty.
    """

    encounter: Encounter
    points: tuple[Fraction, ...]
    wins: tuple[int, ...]
    margin: tuple[float, ...]
    winner: int | None
    decided: str
    played: int
    draws: int = 0
    outcomes: tuple[Outcome, ...] = ()
    order: tuple[int, ...] = ()

    def counted(self, points: str) -> tuple[Fraction, ...]:
        """Return the points that count in a stage with this setting: those of the games, or one for the encounter."""
        if points == "game":
            return tuple(map(exact, self.points))
        if self.winner is None:
            share = Fraction(any(self.points), len(self.points))
            return (share,) * len(self.points)
        return tuple(Fraction(index == self.winner) for index in range(len(self.points)))

    def against(self, player: int, opponent: int) -> float:
        """Return a player's points against one opponent at a table: 1 for each better rank, 0.5 for each equal rank.

        Members of one team get no points against each other.
        """
        met = [game.ranks for game in self.outcomes if opponent in game.opponents(player)]
        better = sum(ranks[player] < ranks[opponent] for ranks in met)
        return better + 0.5 * sum(ranks[player] == ranks[opponent] for ranks in met)

    @property
    def winner_name(self) -> str | None:
        return None if self.winner is None else self.encounter.players[self.winner]

    @property
    def loser_name(self) -> str | None:
        """Name of the loser of an encounter of two players; None for a tie, a bye or a larger table."""
        if self.winner is None or len(self.encounter.players) != 2:
            return None
        return self.encounter.players[1 - self.winner]


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round that was paired.

    Attributes:
        results: The results of its encounters. Formats in which all encounters are known from the start do not need
            them: their rounds can be paired before earlier ones have ended, and then this is empty.
        absent: The players who do not play now: they have withdrawn, or are suspended.
    """

    encounters: tuple[Encounter, ...]
    results: tuple[EncounterResult, ...]
    absent: frozenset[str] = frozenset()


Pairings = Generator[Iterable[Encounter], RoundResult, None]
"""The generator of a format. It yields the encounters of the next round, and receives the round as it was paired.

The encounters of earlier rounds are those that were recorded. They can differ from what the generator yielded, since
players can enter and withdraw. So nothing is computed before the caller looks at the encounters.
"""


@dataclass(frozen=True, slots=True)
class PairedRound:
    """The encounters of one round. Nothing changes them any more.

    Attributes:
        seats: For each encounter, the players with their versions, in the order of `Encounter.players`.
        absent: For each encounter, the players who do not play it.
    """

    encounters: tuple[Encounter, ...]
    seats: tuple[tuple[Participant, ...], ...]
    absent: tuple[tuple[str, ...], ...]
