"""Hidden roles with simultaneous votes: the rules open all votes, and play all cards, at the last secret choice."""

from __future__ import annotations

from random import Random
from typing import Any, Literal

from arena.game import Entity, GameSpec, IllegalAction, Integers, Option, Outcome, State, action, field

PAIRS = [(first, second) for first in range(5) for second in range(first)]
MISSIONS, ROUNDS = 3, 8


class Seat(Entity):
    """One of five players."""

    index: int = field("From 0.")
    role: Literal["loyal", "spy"] = field("Two of the players are spies.", "loyal", secret=True)
    vote: bool | None = field("The vote of this round, until all have voted.", None, secret=True)
    card: Literal["help", "sabotage"] | None = field("The card of this mission.", None, secret=True)
    said: bool | None = field("The last vote that was opened.", None)


class Mission(State):
    """The game: vote on a team, and send it. Spies may sabotage its mission."""

    classes = (Seat,)
    hidden_information = True

    seats: tuple[Seat, ...] = field("All players.", ())
    round: int = field("From 0.", 0)
    moves: int = field("Times that all who were asked have answered.", 0)
    is_out: bool = field("Whether the team is on its mission.", False)
    helped: int = field("Missions without sabotage.", 0)
    failed: int = field("Missions with sabotage.", 0)

    def setup(self) -> None:
        self.seats = tuple(self.create(Seat, f"s{index}", index=index) for index in range(5))
        for index in PAIRS[self.chance.draw(Integers(0, len(PAIRS) - 1), "spies")]:
            self.seats[index].role = "spy"

    def team(self) -> tuple[Seat, ...]:
        return tuple(self.seats[(self.round + step) % 5] for step in range(2))

    @action
    def vote(self, yes: bool) -> None:
        """Vote for or against the team.

        Args:
            yes: Whether the team shall go.
        """
        if self.is_out:
            raise IllegalAction("late", "the team has gone")
        self.seats[self.actor].vote = yes
        if all(seat.vote is not None for seat in self.seats):
            self.open_votes()

    def open_votes(self) -> None:
        self.is_out = sum(seat.vote is True for seat in self.seats) > 2
        for seat in self.seats:
            seat.said, seat.vote = seat.vote, None
        self.moves += 1
        self.round += not self.is_out

    @action
    def play(self, card: Literal["help", "sabotage"]) -> None:
        """Play a card for or against the mission.

        Args:
            card: Only spies may sabotage.
        """
        seat = self.seats[self.actor]
        if not self.is_out or (card == "sabotage" and seat.role == "loyal"):
            raise IllegalAction("not_now", "this card cannot be played")
        seat.card = card
        if all(seat.card is not None for seat in self.team()):
            self.end_mission()

    def end_mission(self) -> None:
        sabotaged = sum(seat.card == "sabotage" for seat in self.team())
        self.event("mission", sabotaged=sabotaged)
        for seat in self.team():
            seat.card = None
        self.failed += sabotaged > 0
        self.helped += sabotaged == 0
        self.moves += 1
        self.round += 1
        self.is_out = False

    def to_move(self) -> tuple[int, ...]:
        if self.helped + self.failed >= MISSIONS or self.round >= ROUNDS:
            return ()
        if self.is_out:
            return tuple(sorted(seat.index for seat in self.team() if seat.card is None))
        return tuple(seat.index for seat in self.seats if seat.vote is None)

    def turn_number(self) -> int:
        return self.moves

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        player = may[0] if player is None and may else player
        if player not in may:
            return []
        if not self.is_out:
            return [{"type": "vote", "yes": yes} for yes in (False, True)]
        cards = ("help", "sabotage") if self.seats[player or 0].role == "spy" else ("help",)
        return [{"type": "play", "card": card} for card in cards]

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        best = "spy" if self.failed > self.helped else "loyal"
        losers = sum(seat.role == best for seat in self.seats)
        return Outcome(None, "missions", tuple(1 if seat.role == best else 1 + losers for seat in self.seats))

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Seat) and entity.index != player

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        state = cls.from_view(view, options)
        hidden = [seat for seat in state.seats if seat.index != player]
        spies = rng.sample(hidden, 2 - (state.seats[player].role == "spy"))
        for seat in hidden:
            seat.role = "spy" if seat in spies else "loyal"
        state.commit()
        return state

    def to_document(self) -> dict[str, Any]:
        seats = [[seat.role, seat.vote, seat.card, seat.said] for seat in self.seats]
        names = ("round", "moves", "is_out", "helped", "failed")
        return {"seats": seats} | {name: getattr(self, name) for name in names}

    def load(self, document: dict[str, Any]) -> None:
        for name in ("round", "moves", "is_out", "helped", "failed"):
            setattr(self, name, document[name])
        self.seats = tuple(
            self.create(Seat, f"s{index}", index=index, role=role, vote=vote, card=card, said=said)
            for index, (role, vote, card, said) in enumerate(document["seats"])
        )


class RolesWithVotes(Mission):
    """Tells all roles when the votes are opened."""

    def open_votes(self) -> None:
        super().open_votes()
        self.event("opened", roles=[seat.role for seat in self.seats])


class SpiesWithVotes(Mission):
    """Tells who the spies are when the votes are opened."""

    def open_votes(self) -> None:
        super().open_votes()
        self.event("opened", spies=[seat.index for seat in self.seats if seat.role == "spy"])


class RolesWithMission(Mission):
    """Tells the roles of the team when a mission ends."""

    def end_mission(self) -> None:
        team = self.team()
        super().end_mission()
        self.event("returned", team=[[seat.index, seat.role] for seat in team])


class OpenSeat(Seat):
    """A seat with a field that everybody sees."""

    trust: int = field("How much others should trust the player.", 0)


class TrustAfterMission(Mission):
    """Sets a public field to what the role is, when a mission ends."""

    classes = (OpenSeat,)

    def setup(self) -> None:
        self.seats = tuple(self.create(OpenSeat, f"s{index}", index=index) for index in range(5))
        for index in PAIRS[self.chance.draw(Integers(0, len(PAIRS) - 1), "spies")]:
            self.seats[index].role = "spy"

    def end_mission(self) -> None:
        super().end_mission()
        for seat in self.seats:
            assert isinstance(seat, OpenSeat)
            seat.trust = -1 if seat.role == "spy" else 1

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"trust": [getattr(seat, "trust", 0) for seat in self.seats]}

    def load(self, document: dict[str, Any]) -> None:
        super().load(document)
        self.remove(*self.seats)
        self.seats = tuple(
            self.create(OpenSeat, f"t{index}", index=index, role=role, vote=vote, card=card, said=said, trust=trust)
            for index, ((role, vote, card, said), trust) in enumerate(
                zip(document["seats"], document["trust"], strict=True)
            )
        )


LEAKS: list[tuple[type[State], str]] = [
    (RolesWithVotes, "events[0].roles"),
    (SpiesWithVotes, "events[0]"),
    (RolesWithMission, "events[1].team"),
    (TrustAfterMission, "trust of all objects together"),
]
"""Each leak, and words of the finding."""


def spec(state: type[State] = Mission) -> GameSpec:
    return GameSpec(
        name="mission",
        title="Mission",
        version="1",
        state=state,
        players=5,
        options=(Option("nothing", "bool", False, "Changes nothing."),),
    )
