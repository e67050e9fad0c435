"""The outcome of a game: who won, in which order, and what that is worth in points and in words.

Three forms are enough for all games: a winner or none; ranks, also of teams or made from payoffs; one common score.
What the framework needs of them (points, verdicts, places, headlines) is computed here and nowhere else.

A match can also be decided by failures of programs: `forfeit` is such an outcome, and `Outcome.behind` moves players
who left behind the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal

from arena.game.kinds import OutcomeDocument


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game. Points, verdicts and texts are computed from the ranks, if there are any.

    Attributes:
        winner: The only player who won; None if several players share rank 1, or for a draw. If None is given, the only
            player with rank 1 becomes the winner.
        reason: The specification's words for the reason.
        ranks: Each player's rank; 1 is best, equal ranks are ties. Empty if `winner` is enough.
        teams: The players of each team; empty without teams. See `of_teams`.
        payoffs: The amount that each player won (or lost, if negative), for example in poker. If no ranks are given,
            the ranks are computed from the payoffs: the highest payoff has rank 1.
        common: The score that all players reached together, in a cooperative game; otherwise None. See `together`.
    """

    winner: int | None
    reason: str
    ranks: tuple[int, ...] = ()
    teams: tuple[tuple[int, ...], ...] = ()
    payoffs: tuple[float, ...] = ()
    common: float | None = None

    def __post_init__(self) -> None:
        if self.payoffs and not self.ranks:
            object.__setattr__(self, "ranks", ranked([-payoff for payoff in self.payoffs]))
        if self.winner is None and self.ranks.count(1) == 1:
            object.__setattr__(self, "winner", self.ranks.index(1))

    @classmethod
    def of_teams(cls, reason: str, teams: Sequence[Sequence[int]], ranks: Sequence[int]) -> Outcome:
        """Return the outcome of a game of teams.

        Args:
            reason: The specification's words for the reason.
            teams: The players of each team. Each player is in exactly one team.
            ranks: The rank of each team.
        """
        rank_of = {player: rank for team, rank in zip(teams, ranks, strict=True) for player in team}
        by_player = tuple(rank_of[player] for player in range(len(rank_of)))
        return cls(None, reason, by_player, tuple(tuple(team) for team in teams))

    @classmethod
    def together(cls, reason: str, score: float) -> Outcome:
        """Return the outcome of a cooperative game: the score that all players reached together, higher is better."""
        return cls(None, reason, common=float(score))

    def to_document(self) -> OutcomeDocument:
        """Return the outcome as a JSON document, in the form that the specifications of all games use."""
        document: OutcomeDocument = {"winner": self.winner, "reason": self.reason}
        if self.ranks:
            document["ranks"] = list(self.ranks)
        if self.teams:
            document["teams"] = [list(team) for team in self.teams]
        if self.payoffs:
            document["payoffs"] = list(self.payoffs)
        if self.common is not None:
            document["common"] = self.common
        return document

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Outcome:
        """Make the outcome from a document of `to_document`."""
        ranks, payoffs = (tuple(document.get(name, ())) for name in ("ranks", "payoffs"))
        teams = tuple(tuple(team) for team in document.get("teams", ()))
        return cls(document["winner"], document["reason"], ranks, teams, payoffs, document.get("common"))

    @property
    def winners(self) -> tuple[int, ...]:
        """The players with rank 1. For a game without ranks: the winner, or nobody."""
        if not self.ranks:
            return () if self.winner is None else (self.winner,)
        return tuple(player for player, rank in enumerate(self.ranks) if rank == 1)

    def opponents(self, player: int) -> list[int]:
        """Return all players who are not in a player's team. Only for a game with ranks."""
        team = next((team for team in self.teams if player in team), (player,))
        return [other for other in range(len(self.ranks)) if other not in team]

    def points(self, player: int) -> float:
        """Return the share of opponents that a player has beaten. A tie counts half. With two players: 1, 0.5 or 0.

        In a cooperative game, each player has the common score.
        """
        if self.common is not None:
            return self.common
        if not self.ranks:
            return 0.5 if self.winner is None else float(self.winner == player)
        own = self.ranks[player]
        others = [self.ranks[other] for other in self.opponents(player)]
        if not others:  # all players are in one team
            return 0.5
        beaten = sum(own < rank for rank in others)
        tied = sum(own == rank for rank in others)
        return (beaten + tied / 2) / len(others)

    def verdict(self, player: int) -> Literal["won", "drawn", "lost", "finished"]:
        """Return whether a player won, shared the best rank with an opponent, or lost; "finished" if cooperative."""
        if self.common is not None:
            return "finished"
        if not self.ranks:
            if self.winner is None:
                return "drawn"
            return "won" if self.winner == player else "lost"
        if self.ranks[player] != 1:
            return "lost"
        return "drawn" if self._is_tied(player) else "won"

    def place(self, player: int) -> str:
        """Return a player's place in words, such as ``1st of 4`` or ``2nd (tied)``.

        Return an empty text for two players, and for an outcome without ranks. With teams, the place is among teams.
        """
        rivals = len(self.teams) or len(self.ranks)
        if len(self.ranks) < 3:
            return ""
        rank = self.ranks[player]
        return f"{ordinal(rank)} " + ("(tied)" if self._is_tied(player) else f"of {rivals}")

    def headline(self, names: Sequence[str]) -> str:
        """Return who won, in words, for example ``Ann wins`` or ``Ann and Bob share the first place``."""
        if self.common is not None:
            return f"Together {self.common:g}"
        best = [names[player] for player in self.winners]
        if not best or len(best) == len(names):
            return "A draw"
        if len(best) == 1:
            return f"{best[0]} wins"
        listed = f"{', '.join(best[:-1])} and {best[-1]}"
        return f"{listed} share the first place" if self._is_tied(self.winners[0]) else f"{listed} win"

    def behind(self, left: Mapping[int, int], players: int) -> Outcome:
        """Return an outcome in which players who left rank below all others. Teams and common scores stay.

        Args:
            left: For each player who left, the number of the turn. A player who left later ranks better. Players who
                left in the same turn have the same rank.
            players: The number of players.
        """
        if self.teams or self.common is not None:
            return self
        ranks = self.ranks or [1 if self.winner in (None, player) else 2 for player in range(players)]
        keys = [(1, -left[player]) if player in left else (0, ranks[player]) for player in range(players)]
        return replace(self, winner=None, ranks=ranked(keys))

    def _is_tied(self, player: int) -> bool:
        return any(self.ranks[other] == self.ranks[player] for other in self.opponents(player))


FORFEIT = "forfeit"
"""The reason of an outcome that was decided by failures of programs, not by the rules."""


def forfeit(left: Mapping[int, int], teams: Sequence[Sequence[int]]) -> Outcome:
    """Return the outcome of a match that was decided by failures of programs, not by the rules.

    A team that remains has rank 1. The teams that left rank below. Of these, a team that left later ranks better. If no
    team remains, the last team that left has rank 1.

    Args:
        left: The turn in which each player left. A team has left when its last player has left.
        teams: The players of each team. If all teams have one player, the outcome has no teams.
    """
    last_turns = [max(left.get(player, inf) for player in team) for team in teams]
    outcome = Outcome.of_teams(FORFEIT, teams, ranked([-turn for turn in last_turns]))
    return outcome if any(len(team) > 1 for team in teams) else replace(outcome, teams=())


def ordinal(rank: int) -> str:
    """Return an ordinal number, such as ``1st``."""
    if rank % 100 in (11, 12, 13):
        return f"{rank}th"
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{suffix}"


def ranked(keys: Sequence[Any]) -> tuple[int, ...]:
    """Return the rank of each key among all; the smallest key has rank 1, equal keys tie."""
    return tuple(1 + sum(other < key for other in keys) for key in keys)
