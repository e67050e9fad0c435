"""Twenty mistakes of authors, four of them leaks where a turn resolves: each is found, and named by its cause."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import kuhn_poker_game
import liars_dice_game
import lowest_bid_game
import masks_game
import mission_game
import pytest
from kuhn_poker_game import Kuhn
from liars_dice_game import Liars
from lowest_bid_game import LowestBid
from lowest_bid_leaks import ShowsLast
from masks_game import STRIKE, Masks
from mission_game import Mission

from arena.game import GameSpec, IllegalAction, Integers, action, field, shared
from arena.testing import inspect_game

pytestmark = [pytest.mark.kill, pytest.mark.slow]  # whole checks of twenty games


class ForgetsScore(LowestBid):
    """Leaves the score out of the document."""

    def to_document(self) -> dict[str, Any]:
        return {"round": self.round, "bidders": [[one.sealed, 0] for one in self.bidders]}


COUNT = 0


class Counts(LowestBid):
    """Breaks every third tie in another way, by a counter of the module."""

    def choose(self, bidder: Any, number: int) -> None:
        global COUNT
        COUNT += 1
        super().choose(bidder, 1 if COUNT % 3 == 0 else number)


class FewestWin(LowestBid):
    """Lets those with the fewest points win."""

    def outcome(self) -> Any:
        outcome = super().outcome()
        return outcome and type(outcome)(None, "rounds_played", payoffs=tuple(-score for score in self.scores()))


class AnyRoles(Mission):
    """Guesses each role alone."""

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: random.Random, options: Any) -> Any:
        state = super().determinize(view, player, rng, options)
        for seat in state.seats:
            if seat.index != player:
                seat.role = rng.choice(("loyal", "spy"))
        state.commit()
        return state


class SameCard(Kuhn):
    """Guesses any card for the other player, the own one too."""

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: random.Random, options: Any) -> Any:
        state = super().determinize(view, player, rng, options)
        state.seats[1 - player].card = rng.randint(1, 3)
        state.commit()
        return state


class LateStrike(Masks):
    """Lists a strike for five coins, and accepts it for four."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        listed = super().legal_actions(player)
        is_exact = bool(listed) and self.claim is None and self.seats[self.to_move()[0]].coins == STRIKE
        return [each for each in listed if each["type"] != "strike"] if is_exact else listed


class PoorFox(Masks):
    """Lists a fox against players without coins."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        listed = super().legal_actions(player)
        if not listed or self.claim is not None:
            return listed
        poor = [seat for seat in self.seats if seat.count and not seat.coins and seat.index != self.to_move()[0]]
        return listed + [{"type": "claim_fox", "player": seat.index} for seat in poor]


class KeepsList(Liars):
    """Keeps the last bid in a list."""

    standing: Any = field("The last bid.", None)

    @action
    def bid(self, count: int, face: int) -> None:
        """Bid.

        Args:
            count: How many.
            face: 1 to 6.
        """
        Liars.bid(self, count, face)
        self.standing = [count, face]

    def bids(self) -> list[tuple[int, int]]:
        most = sum(cup.count for cup in self.cups)
        last = tuple(self.standing or (0, 6))
        return [(count, face) for count in range(1, most + 1) for face in range(1, 7) if (count, face) > last]


class DrawsFirst(Liars):
    """Rolls before it refuses."""

    @action
    def bid(self, count: int, face: int) -> None:
        """Bid.

        Args:
            count: How many.
            face: 1 to 6.
        """
        self.chance.draw(Integers(1, 6), "whim")
        Liars.bid(self, count, face)


class OwnDice(Liars):
    """Rolls with the module random."""

    def roll(self) -> None:
        for cup in self.cups:
            cup.dice = tuple(random.randint(1, 6) for _ in range(cup.count))


class TurnsBack(Liars):
    """Counts turns from 0 again after each doubt."""

    @action
    def doubt(self) -> None:
        """Doubt."""
        Liars.doubt(self)
        self.moves = 0


class Avoids(LowestBid):
    """Lists no number that somebody has sealed."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        taken = {one.sealed for one in self.bidders}
        listed = super().legal_actions(player)
        return [each for each in listed if each["number"] not in taken] or listed


class Stays(Masks):
    """Leaves a player who left to move."""

    def leave(self, player: int) -> None:
        while self.seats[player].count:
            self.lose(self.seats[player])

    def to_move(self) -> tuple[int, ...]:
        if sum(seat.count > 0 for seat in self.seats) <= 1 or self.moves >= masks_game.MOVES:
            return ()
        return (self.mover if self.asked is None else self.asked,)


class SharedMemory(Liars):
    """Counts bids in a shared dictionary, which `pop` does not restore, and bids at most twenty times."""

    counts: dict[str, int] = shared("Bids so far.")

    def prepare(self) -> None:
        self.share(counts={"bids": 0})

    @action
    def bid(self, count: int, face: int) -> None:
        """Bid.

        Args:
            count: How many.
            face: 1 to 6.
        """
        Liars.bid(self, count, face)
        self.counts["bids"] += 1

    def scores(self) -> tuple[float, ...]:
        return tuple(float(cup.count + self.counts["bids"] / 1000) for cup in self.cups)


class Crashes(Masks):
    """Fails on a player who does not exist."""

    def check_target(self, player: int) -> None:
        if player == self.actor or not self.seats[player].count:
            raise IllegalAction("no_target", "name another player who still has masks")


Spec = Callable[[Any], GameSpec]
MISTAKES: list[tuple[Spec, Any, str, str]] = [
    *((mission_game.spec, state, "secret", words) for state, words in mission_game.LEAKS),
    (lowest_bid_game.spec, ShowsLast, "secret", "game.last"),
    (lowest_bid_game.spec, ForgetsScore, "document_round_trip", "scores"),
    (lowest_bid_game.spec, Counts, "globals", "COUNT"),
    (lowest_bid_game.spec, FewestWin, "outcome", "players with fewer points"),
    (mission_game.spec, AnyRoles, "determinize", "Seat.role of all objects"),
    (kuhn_poker_game.spec, SameCard, "determinize", "no two objects ever have the same Seat.card"),
    (masks_game.spec, LateStrike, "unlisted_accepted", "strike"),
    (masks_game.spec, PoorFox, "listed_refused", "claim_fox"),
    (liars_dice_game.spec, KeepsList, "mutable_field", "standing holds the list"),
    (liars_dice_game.spec, DrawsFirst, "refusal_draws", "drew whim first"),
    (liars_dice_game.spec, OwnDice, "chance", "global random generator"),
    (liars_dice_game.spec, TurnsBack, "players", "turn_number went back"),
    (lowest_bid_game.spec, Avoids, "simultaneous", "has not moved yet, but sees"),
    (masks_game.spec, Stays, "leave", "left"),
    (liars_dice_game.spec, SharedMemory, "undo", "status"),
    (masks_game.spec, Crashes, "crash", "IndexError"),
]
"""The game, the mistake, the rule that names it, and words of the message."""
MISSED = frozenset[str]()
"""The mistakes that the check does not find."""


@pytest.mark.parametrize(
    ("spec", "state", "rule", "words"), MISTAKES, ids=[mistake[1].__name__ for mistake in MISTAKES]
)
def test_a_planted_mistake_is_named(spec: Spec, state: Any, rule: str, words: str) -> None:
    report = inspect_game(spec(state))
    named = [found for found in report.findings if found.rule == rule and words in found.message]
    assert bool(named) is (state.__name__ not in MISSED), str(report)


def test_there_are_twenty() -> None:
    assert len(MISTAKES) == 20
    assert len(MISSED) <= 2
