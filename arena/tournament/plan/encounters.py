"""Encounters (who meets whom, in how many games) and their verdicts: the currency of formats and standings."""

from collections.abc import Generator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Encounter:
    """Some players meet for a number of games.

    Attributes:
        stage: name of the stage.
        round: round within the stage, from 1.
        index: number within the round, from 0.
        players: who meets; the first one has the first seat in the first game. A single player has a bye.
        games: games to be played (in a knockout: at most, and it stops when it is decided).
        knockout: whether there must be a winner.
        section: part of the stage: "W" and "L" brackets, "F" grand final, "third", or the name of a group.
        column: column of the bracket, from 1.
        row: row within the column, from 0.
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

    @property
    def is_bye(self) -> bool:
        """Whether there is nobody to play against."""
        return len(self.players) == 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of an encounter; tuples are in order of its players.

    Attributes:
        encounter: what was played.
        points: points from games (a won game 1, a drawn one shared).
        wins: games won.
        margin: own game scores minus the best other's, summed up.
        winner: index of the winner, or None when it is level.
        decided: "games", "margin", "seed", "walkover" or "bye".
        played: games that were really played.
        draws: games that were drawn.
    """

    encounter: Encounter
    points: tuple[float, ...]
    wins: tuple[int, ...]
    margin: tuple[float, ...]
    winner: int | None
    decided: str
    played: int
    draws: int = 0

    @property
    def winner_name(self) -> str | None:
        """Name of the winner, or None when it is level."""
        return None if self.winner is None else self.encounter.players[self.winner]

    @property
    def loser_name(self) -> str | None:
        """Name of the loser of an encounter of two, or None when it is level or a bye."""
        if self.winner is None or len(self.encounter.players) != 2:
            return None
        return self.encounter.players[1 - self.winner]


@dataclass(frozen=True, slots=True)
class Report:
    """What a format is told when all encounters that it asked for are decided."""

    verdicts: tuple[Verdict, ...]
    absent: frozenset[str] = frozenset()
    """Who plays no more (suspended)."""


Pairings = Generator[tuple[Encounter, ...], Report, None]
"""A format: yields the encounters of the next round, is sent their report, ends when the stage is over."""
