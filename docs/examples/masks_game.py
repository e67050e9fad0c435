"""A bluffing game for three to five: claim to hold a mask, or doubt what others claim. Who is caught loses a mask."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

from arena.game import Entity, GameSpec, IllegalAction, Integers, Option, Outcome, State, action, field

Mask = Literal["fox", "owl", "bear"]
MASKS: tuple[Mask, ...] = ("fox", "owl", "bear")
DECK = tuple(mask for mask in MASKS for _ in range(5))
STRIKE, MOVES = 4, 300


class Seat(Entity):
    """One of the players."""

    index: int = field("From 0.")
    masks: tuple[str, ...] = field("The masks, which only their owner sees.", (), secret=True)
    count: int = field("How many masks are left. Without any, the player is out.", 2)
    coins: int = field("Coins.", 1)
    shown: tuple[str, ...] = field("Lost masks, which everybody sees.", ())
    out_since: int | None = field("The move after which the player was out.", None)


class Masks(State):
    """The game. A claim stands until all others have passed, or somebody doubts it."""

    classes = (Seat,)
    hidden_information = True

    moves: int = field("Moves made.", 0)
    mover: int = field("Whose turn it is.", 0)
    claim: Mask | None = field("What the player whose turn it is claims to hold; null between claims.", None)
    target: int | None = field("The player from whom a fox takes a coin.", None)
    asked: int | None = field("The player who may doubt the claim now.", None)
    seats: tuple[Seat, ...] = field("All players.", ())

    def setup(self) -> None:
        self.seats = tuple(self.create(Seat, f"s{index}", index=index) for index in range(self.options.players))
        for seat in self.seats:
            for _ in range(2):
                seat.masks = (*seat.masks, self.draw())

    # -- masks

    def draw(self) -> str:
        left = self.unseen(self.seats)
        return left[self.chance.draw(Integers(0, len(left) - 1), "mask")]

    def unseen(self, seats: tuple[Seat, ...]) -> list[str]:
        """List the masks that are neither lost nor held by these players."""
        left = list(DECK)
        for seat in self.seats:
            for mask in (*seat.shown, *(seat.masks if seat in seats else ())):
                left.remove(mask)
        return left

    def lose(self, seat: Seat) -> None:
        """Turn the left mask of a player up."""
        self.event("lost", player=seat.index, mask=seat.masks[0])
        seat.shown, seat.masks, seat.count = (*seat.shown, seat.masks[0]), seat.masks[1:], seat.count - 1
        if not seat.count:
            seat.out_since = self.moves

    # -- actions

    @action
    def claim_owl(self) -> None:
        """Claim an owl: take two coins."""
        self.begin("owl", None)

    @action
    def claim_fox(self, player: int) -> None:
        """Claim a fox: take a coin from another player.

        Args:
            player: The other player, who has a coin.
        """
        self.check_target(player)
        if not self.seats[player].coins:
            raise IllegalAction("poor", "this player has no coins")
        self.begin("fox", player)

    @action
    def strike(self, player: int) -> None:
        """Pay four coins: another player loses a mask. Nobody can doubt that.

        Args:
            player: The other player.
        """
        self.check_target(player)
        if self.claim is not None or self.seats[self.mover].coins < STRIKE:
            raise IllegalAction("too_poor", "a strike costs four coins, and is no answer to a claim")
        self.seats[self.mover].coins -= STRIKE
        self.lose(self.seats[player])
        self.finish()

    @action
    def pass_(self) -> None:
        """Believe a claim; or let your turn pass."""
        self.moves += 1
        if self.claim is None:
            self.finish()
        else:
            self.ask_next()

    @action
    def doubt(self) -> None:
        """Doubt a claim. Who was wrong loses a mask. A mask that was shown is replaced."""
        if self.claim is None or self.asked is None:
            raise IllegalAction("no_claim", "nobody claims anything")
        claimant, doubter = self.seats[self.mover], self.seats[self.asked]
        holds = self.claim in claimant.masks
        self.event("doubted", player=doubter.index, claim=self.claim, holds=holds)
        if holds:
            self.lose(doubter)
            masks = list(claimant.masks)
            masks.remove(self.claim)
            claimant.masks = tuple(masks)
            claimant.masks = (*claimant.masks, self.draw())
            self.carry_out()
        else:
            self.lose(claimant)
        self.finish()

    # -- the course of a turn

    def check_target(self, player: int) -> None:
        if player == self.actor or player not in range(len(self.seats)) or not self.seats[player].count:
            raise IllegalAction("no_target", "name another player who still has masks")

    def begin(self, mask: Mask, target: int | None) -> None:
        if self.claim is not None:
            raise IllegalAction("claimed", "there is a claim already")
        self.claim, self.target, self.asked = mask, target, self.mover
        self.moves += 1
        self.event("claimed", player=self.mover, mask=mask, target=target)
        self.ask_next()

    def ask_next(self) -> None:
        """Ask the next player about the claim. After the last one, the claim is believed."""
        assert self.asked is not None
        self.asked = self.behind(self.asked)
        if self.asked == self.mover:
            self.carry_out()
            self.finish()

    def carry_out(self) -> None:
        seat = self.seats[self.mover]
        if self.claim == "owl":
            seat.coins += 2
        elif self.target is not None and self.seats[self.target].coins:
            self.seats[self.target].coins -= 1
            seat.coins += 1

    def finish(self) -> None:
        self.claim = self.target = self.asked = None
        self.moves += 1
        self.mover = self.behind(self.mover)

    def behind(self, player: int) -> int:
        """Return the next player who is not out; the player, if there is no other."""
        size = len(self.seats)
        following = [(player + step) % size for step in range(1, size)]
        return next((index for index in following if self.seats[index].count), player)

    # -- the contract

    def out(self) -> tuple[int, ...]:
        return tuple(seat.index for seat in self.seats if not seat.count)

    def leave(self, player: int) -> None:
        """Turn up all masks of a player. A claim of theirs is void, and a claim that they were asked about goes on."""
        while self.seats[player].count:
            self.lose(self.seats[player])
        if player == self.mover:
            self.finish()
        elif player == self.asked:
            self.ask_next()

    def to_move(self) -> tuple[int, ...]:
        if len(self.out()) >= len(self.seats) - 1 or self.moves >= MOVES:
            return ()
        return (self.mover if self.asked is None else self.asked,)

    def turn_number(self) -> int:
        return self.moves

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or player not in (None, *may):
            return []
        if self.claim is not None:
            return [{"type": "pass"}, {"type": "doubt"}]
        others = [seat for seat in self.seats if seat.count and seat.index != may[0]]
        found: list[dict[str, Any]] = [{"type": "pass"}, {"type": "claim_owl"}]
        found += [{"type": "claim_fox", "player": seat.index} for seat in others if seat.coins]
        if self.seats[may[0]].coins >= STRIKE:
            found += [{"type": "strike", "player": seat.index} for seat in others]
        return found

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        keys = [
            (-(MOVES + 1 if seat.out_since is None else seat.out_since), -seat.count, -seat.coins)
            for seat in self.seats
        ]
        ranks = tuple(1 + sum(other < key for other in keys) for key in keys)
        return Outcome(None, "last_mask" if self.moves < MOVES else "too_long", ranks)

    def scores(self) -> tuple[float, ...]:
        return tuple(float(seat.count) for seat in self.seats)

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Seat) and entity.index != player

    def to_document(self) -> dict[str, Any]:
        names = ("moves", "mover", "claim", "target", "asked")
        seats = [[list(seat.masks), seat.coins, list(seat.shown), seat.out_since] for seat in self.seats]
        return {"seats": seats} | {name: getattr(self, name) for name in names}

    def load(self, document: dict[str, Any]) -> None:
        for name in ("moves", "mover", "claim", "target", "asked"):
            setattr(self, name, document[name])
        self.seats = tuple(
            self.create(
                Seat,
                f"s{index}",
                index=index,
                masks=tuple(masks),
                count=len(masks),
                coins=coins,
                shown=tuple(shown),
                out_since=out_since,
            )
            for index, (masks, coins, shown, out_since) in enumerate(document["seats"])
        )

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        state = cls.from_view(view, options)
        left = state.unseen((state.seats[player],))
        rng.shuffle(left)
        for seat in state.seats:
            if seat.index != player:
                seat.masks = tuple(left.pop() for _ in range(seat.count))
        state.commit()
        return state


def spec(state: Any = Masks) -> GameSpec:
    players = Option("players", "int", 4, "How many play.", 3, 5)
    return GameSpec(name="masks", title="Masks", version="1.0", state=state, options=(players,))
