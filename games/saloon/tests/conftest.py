"""Fixtures for the tests of Saloon: positions made by hand, and random games."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from arena.game import Chance, IllegalAction, Scripted, Seeded
from arena_saloon import GAME, Game

Document = dict[str, Any]


class Stage:
    """A game in a position made by hand, by default on a map of 12 x 8."""

    def __init__(
        self,
        cowboys: list[Document],
        furnishings: list[Document] | None = None,
        bottles: list[Document] | None = None,
        *,
        hazards: list[list[int]] | None = None,
        players: tuple[Document, Document] = ({}, {}),
        guns: tuple[Document, Document] = ({}, {}),
        turn: int = 0,
        player: int = 0,
        options: Document | None = None,
    ) -> None:
        given = {"width": 12, "height": 8, **(options or {})}
        self.options = GAME.resolve_options(given)
        if furnishings is None:
            furnishings = [piano(10, 1)]
        width, height = given["width"], given["height"]
        corners = ((0, 0, 1, 1), (width - 1, height - 1, width - 2, height - 2))
        document = {
            "game": "saloon",
            "current_turn": turn,
            "current_player": player,
            "next_id": {"cowboy": 50, "furnishing": 50, "bottle": 50},
            "width": width,
            "height": height,
            "hazards": hazards or [],
            "players": [
                {
                    "index": index,
                    "score": 0,
                    "kills": 0,
                    "rowdiness": 0,
                    "siesta": 0,
                    "young_gun": {
                        "id": f"g{index}",
                        "x": x,
                        "y": y,
                        "can_call_in": True,
                        "call_in": [inner_x, inner_y],
                        **guns[index],
                    },
                    **players[index],
                }
                for index, (x, y, inner_x, inner_y) in enumerate(corners)
            ],
            "cowboys": self._number("c", cowboys),
            "arrivals": [],
            "furnishings": self._number("f", furnishings),
            "bottles": self._number("b", bottles or []),
        }
        self.state: Game = GAME.load(document, self.options)  # type: ignore[assignment]

    @staticmethod
    def _number(letter: str, things: list[Document]) -> list[Document]:
        return [{"id": f"{letter}{number}", **thing} for number, thing in enumerate(things, 1)]

    def do(self, type_: str, draws: list[int] | None = None, **arguments: Any) -> list[Document]:
        """Carry out an action of the current player, which must use all draws. Return the events."""
        chance = Scripted(draws or [])
        mark = self.state.push(self.state.current_player, {"type": type_, **arguments}, chance)
        assert chance.left == 0
        return self.state.events(mark)

    def end(self, times: int = 1) -> list[Document]:
        """End one or several turns. Return the events of the last turn."""
        events: list[Document] = []
        for _ in range(times):
            events = self.do("end_turn")
        return events

    def refusal(self, type_: str, player: int | None = None, **arguments: Any) -> str:
        """Return the code of a refusal, which must change nothing."""
        return self.refusal_and_message(type_, player, **arguments)[0]

    def refusal_and_message(self, type_: str, player: int | None = None, **arguments: Any) -> tuple[str, str]:
        """Return code and message of a refusal, which must change nothing."""
        before = self.state.to_document()
        who = self.state.current_player if player is None else player
        with pytest.raises(IllegalAction) as refusal:
            self.state.push(who, {"type": type_, **arguments})
        assert self.state.to_document() == before
        return refusal.value.code, refusal.value.message

    def __getitem__(self, id_: str) -> Any:
        """Return an object by id, None if it is not in the game."""
        return self.state.entity(id_)

    def place(self, id_: str) -> tuple[int, int]:
        """Return where an object is."""
        return self[id_].x, self[id_].y


def cowboy(owner: int, job: str, x: int, y: int, **fields: Any) -> Document:
    """Describe a cowboy. The default values are those of a newcomer."""
    usual: Document = {"health": 10, "is_dead": False, "can_move": True, "is_drunk": False, "drunk_direction": ""}
    return {"owner": owner, "job": job, "x": x, "y": y, **usual, "turns_busy": 0, "focus": 0, **fields}


def drunk(owner: int, job: str, x: int, y: int, direction: str, busy: int = 5, **fields: Any) -> Document:
    """Describe a drunk cowboy, or a napping one if the direction is empty."""
    state: Document = {"is_drunk": True, "can_move": False, "drunk_direction": direction, "turns_busy": busy}
    return cowboy(owner, job, x, y, **state, **fields)


def furnishing(x: int, y: int, health: int = 16, **fields: Any) -> Document:
    """Describe a furnishing that is not a piano."""
    return {"x": x, "y": y, "health": health, "is_piano": False, "is_playing": False, "is_destroyed": False, **fields}


def piano(x: int, y: int, health: int = 48, **fields: Any) -> Document:
    """Describe a piano."""
    return furnishing(x, y, health, is_piano=True, **fields)


def bottle(x: int, y: int, direction: str, drunk_direction: str = "North", **fields: Any) -> Document:
    """Describe a bottle in flight."""
    return {"x": x, "y": y, "direction": direction, "drunk_direction": drunk_direction, **fields}


def play_randomly(
    seed: int, options: Document | None = None, turns: int | None = None, look: Callable[[Game], None] | None = None
) -> Game:
    """Play legal actions at random.

    Args:
        seed: The seed of all random choices.
        options: The options of the game.
        turns: Number of turns to play; None to play to the end.
        look: Called with the state after every action.
    """
    rng = Random(seed)
    chance: Chance = Seeded(seed)
    state: Any = GAME.start(options or {}, chance)
    while state.to_move() and (turns is None or state.current_turn < turns):
        listed = state.legal_actions()
        # Choose the end of the turn less often, so that turns have several actions.
        action = listed[0] if rng.random() < 0.15 else rng.choice(listed)
        state.push(state.current_player, action, chance)
        if look is not None:
            look(state)
    game: Game = state
    return game


class Kit:
    """The helpers of this file as one fixture, since tests cannot import each other."""

    Stage = Stage
    cowboy = staticmethod(cowboy)
    drunk = staticmethod(drunk)
    furnishing = staticmethod(furnishing)
    piano = staticmethod(piano)
    bottle = staticmethod(bottle)
    play_randomly = staticmethod(play_randomly)


@pytest.fixture(scope="session")
def kit() -> type[Kit]:
    """Return the helpers of this file."""
    return Kit
