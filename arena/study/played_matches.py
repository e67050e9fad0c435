"""The matches that one command has just played, in numbers: the verdicts of both legs, and the sums for each bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from arena.match.result import LegsResult, MatchResult, PlayerResult, decide


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
        """One row for each player's name: the sums over all matches that have a verdict."""
        rows: dict[str, dict[str, Any]] = {}
        for result in self.results:
            if not result.has_verdict:
                continue
            for seat, player in enumerate(result.players):
                numbers = {"played": 0, "won": 0, "drawn": 0, "lost": 0, "finished": 0, "points": 0.0, "failed": 0}
                row = rows.setdefault(player.name, {"bot": player.name, **numbers})
                row["played"] += 1
                row["points"] += result.points(seat)
                row[result.outcome.verdict(seat)] += 1
                row["failed"] += player.failed
        return list(rows.values())

    @property
    def failures(self) -> list[PlayerResult]:
        """The last failure of each bot."""
        return list({player.bot: player for player in self._players() if player.failed}.values())

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
