"""Games for four with one defect each, all made from Lowest bid: simultaneous moves, players who leave, outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lowest_bid_game import Bidder, LowestBid, spec

from arena.game import IllegalAction, Integers, Option, Outcome, field


class OpenNumbers(LowestBid):
    """Announces each number as soon as it is chosen."""

    def choose(self, bidder: Bidder, number: int) -> None:
        self.check(bidder, number)
        self.event("chosen", number=number)
        super().choose(bidder, number)


class OpenDraws(LowestBid):
    """Draws when a player chooses a low number, and shows the result before the others have chosen."""

    luck: int = field("The last draw.", 0)

    def choose(self, bidder: Bidder, number: int) -> None:
        self.check(bidder, number)
        if number < 3:
            self.luck = self.chance.draw(Integers(1, 1000), "luck")
        super().choose(bidder, number)

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"luck": self.luck}

    def load(self, document: dict[str, Any]) -> None:
        super().load(document)
        self.luck = document["luck"]


class CannotLeave(LowestBid):
    """Refuses to let a player go."""

    def leave(self, player: int) -> None:
        raise IllegalAction("stay", f"player {player} must stay")


class FailsOnLeaving(LowestBid):
    """Has a mistake in what happens when a player leaves."""

    def leave(self, player: int) -> None:
        self.bidders[player + 4].score = 0


class ForgetsToUndoLeaving(LowestBid):
    """Notes who left outside the journal."""

    def leave(self, player: int) -> None:
        object.__setattr__(self.bidders[player], "score", -1)


class LeavesNoMove(LowestBid):
    """Has no move for a player who left, but waits for it."""

    def fallback_action(self, player: int) -> dict[str, Any]:
        if self.bidders[player].score < 0:
            return {"type": "choose", "bidder": f"b{player}", "number": 9}
        return super().fallback_action(player)

    def leave(self, player: int) -> None:
        self.bidders[player].score = -1


class LeaverWins(LowestBid):
    """Counts the rounds that a player won who left, like those of anybody else."""

    def leave(self, player: int) -> None:
        self.bidders[player].score += 1


class NoRanks(LowestBid):
    """Names a winner among four, and nothing else."""

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(1, "rounds_played")


class GapInRanks(LowestBid):
    """Gives the rank after a tie wrongly."""

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "rounds_played", (1, 1, 2, 3))


class WrongWinner(LowestBid):
    """Names another winner than the ranks."""

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(1, "rounds_played", (1, 2, 3, 4))


class FewPayoffs(LowestBid):
    """Pays three of four."""

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "rounds_played", payoffs=(1.0, 0.0, -1.0))


class EndlessPayoffs(LowestBid):
    """Pays more than there is."""

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "rounds_played", payoffs=(float("inf"), 0.0, 0.0, 0.0))


class SecretTeams(LowestBid):
    """Makes teams at the end that were not known before."""

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome.of_teams("rounds_played", [(0, 2), (1, 3)], [1, 2])


class SplitTeams(LowestBid):
    """Has teams, and ranks players one by one."""

    def team_of(self, player: int) -> int:
        return player % 2

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "rounds_played", (1, 2, 3, 4), ((0, 2), (1, 3)))


class SoundTeams(SplitTeams):
    """Has teams, and no defect."""

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome.of_teams("rounds_played", [(1, 3), (0, 2)], [1, 2])


class OnlyThree(LowestBid):
    """Forgets that there may be a fourth player."""

    def scores(self) -> tuple[float, ...]:
        return super().scores()[:3]


ONLY_THREE = replace(spec(OnlyThree), options=(*spec().options[:1], Option("players", "int", 3, "Players.", 3, 4)))

BROKEN: list[tuple[Any, str, str]] = [
    (OpenNumbers, "simultaneous", "has not moved yet, but sees whether player"),
    (OpenDraws, "simultaneous", "has not moved yet, but sees whether player"),
    (CannotLeave, "leave", "IllegalAction"),
    (FailsOnLeaving, "leave", "IndexError"),
    (ForgetsToUndoLeaving, "undo", "left and this was undone"),
    (LeavesNoMove, "leave", "their fallback action"),
    (LeaverWins, "leave", "is the winner"),
    (NoRanks, "outcome", "it has no ranks, and there are 4 players"),
    (GapInRanks, "outcome", "the ranks are [1, 1, 2, 3], but must be [1, 1, 3, 4]"),
    (WrongWinner, "outcome", "the winner is player 1, but the ranks are [1, 2, 3, 4]"),
    (FewPayoffs, "outcome", "the payoffs are [1.0, 0.0, -1.0] for 4 players"),
    (EndlessPayoffs, "outcome", "the payoffs are [inf"),
    (SecretTeams, "outcome", "its teams are [(0, 2), (1, 3)], but team_of gives [(0,), (1,), (2,), (3,)]"),
    (SplitTeams, "outcome", "the players [0, 2] are one team, but their ranks are [1, 3]"),
]
"""Each game, the rule that it breaks, and words of the finding."""
