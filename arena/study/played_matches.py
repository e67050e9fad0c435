"""The matches that one command has just played, in numbers: the verdicts of both legs, and the sums for each bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from arena.match.ending import column_of
from arena.match.result import LegsResult, MatchResult, PlayerResult, decide
from arena.match.void import VOID

COLUMNS = ("played", "won", "drawn", "lost_by_play", "lost_by_form", "void", "finished")


class PlayedMatches:
    """Several matches of the same players.

    Attributes:
        legs: The result of each two legs; empty if the matches are no legs. A first leg without its second has none.
    """

    def __init__(self, results: Sequence[MatchResult], *, two_legs: bool = False) -> None:
        self.results = results
        self.two_legs = two_legs
        self.legs: list[LegsResult] = []
        if two_legs:
            self.legs = [decide(first, second) for first, second in zip(results[::2], results[1::2], strict=False)]

    @property
    def summary(self) -> list[dict[str, Any]]:
        """One row for each player's name: the sums over all matches. A match counts in one column besides `played`."""
        rows: dict[str, dict[str, Any]] = {}
        for result in self.results:
            for seat, player in enumerate(result.players):
                row = rows.setdefault(player.name, {"bot": player.name, **dict.fromkeys(COLUMNS, 0), "points": 0.0})
                row["played"] += 1
                row["points"] += result.points(seat)
                row[column_of(player.ending if result.has_verdict else VOID, result.outcome.verdict(seat))] += 1
        return list(rows.values())

    @property
    def failures(self) -> list[PlayerResult]:
        """The last failure of each bot, or what has made a match void at it."""
        failed = [player for player in self._players() if player.failed or (player.ending == VOID and player.detail)]
        return list({player.bot: player for player in failed}.values())

    @property
    def counts(self) -> dict[str, Counter[str]]:
        """The sums of what the programs of players of other distributions have counted, by the player's name."""
        sums: dict[str, Counter[str]] = {}
        for player in self._players():
            if player.counts:
                sums.setdefault(player.name, Counter()).update(player.counts)
        return sums

    @property
    def late_failures(self) -> list[PlayerResult]:
        """The last failure of each bot after a match."""
        return list({player.bot: player for player in self._players() if player.failed_after_the_match}.values())

    @property
    def equal_games(self) -> int:
        """How many matches are the same game: bots without random numbers repeat it from the same position."""
        games = Counter(result.course for result in self.results if result.course)
        return max(games.values(), default=0)

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "matches": [result.to_document() for result in self.results],
            "summary": self.summary,
        }
        if self.two_legs:
            document["verdicts"] = [legs.to_document() for legs in self.legs]
        return document

    def _players(self) -> Iterator[PlayerResult]:
        for result in self.results:
            yield from result.players
