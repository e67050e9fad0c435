"""Encounters (who meets whom, in how many games) and their results: the currency of formats and standings."""

from collections.abc import Generator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Encounter:
    """Some players meet for a number of games.

    Attributes:
        stage: Name of the stage.
        round: Round within the stage, from 1.
        index: Number within the round, from 0.
        players: Who meets; the first one has the first seat in the first game. A single player has a bye.
        games: Games to be played (in a knockout: at most, and it stops when it is decided).
        knockout: Whether there must be a winner.
        section: Part of the stage: "W" and "L" brackets, "F" grand final, "third", or the name of a group.
        column: Column of the bracket, from 1.
        row: Row within the column, from 0.
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
class EncounterResult:
    """The result of an encounter; tuples are in order of its players.

    Attributes:
        encounter: What was played.
        points: Points from games (a won game 1, a drawn one shared).
        wins: Games won.
        margin: Own game scores minus the best other's, summed up.
        winner: Index of the winner, or None when it is level.
        decided: "games", "margin", "seed", "walkover" or "bye".
        played: Games that were really played.
        draws: Games that were drawn.
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
class RoundResult:
    """The results of all encounters that a format asked for."""

    results: tuple[EncounterResult, ...]
    absent: frozenset[str] = frozenset()
    """Who plays no more (suspended)."""


Pairings = Generator[tuple[Encounter, ...], RoundResult, None]
"""A format: yields the encounters of the next round, is sent their report, ends when the stage is over."""
