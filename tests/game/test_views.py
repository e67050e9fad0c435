"""What players get by default: everything but secret fields, and no references to what they may not know."""

from __future__ import annotations

from typing import Annotated, Any

from arena.game import Entity, GameSpec, Outcome, State, action, field

FIRST, SECOND = 0, 1


class Chest(Entity):
    """A chest."""

    number: Annotated[int, "a serial number"] = field("Its number.", 7)
    price: int = field("Its price, which is secret.", 3, secret=True)


class Finder(Entity):
    """A player."""

    found: Chest | None = field("The chest that the player found.", None)


class Search(State):
    """A search: one player opens a chest that the other may not know of."""

    classes = (Finder, Chest)
    hidden_information = True

    finder: Finder = field("The player who searches.")
    over: bool = field("Whether the search is over.", False)

    def setup(self) -> None:
        self.finder = self.create(Finder, "f")
        self.finder.found = self.create(Chest, "c")

    def to_move(self) -> tuple[int, ...]:
        return () if self.over else (FIRST,)

    def turn_number(self) -> int:
        return 0

    @action
    def stop(self, reason: str) -> None:
        """Stop.

        Args:
            reason: Why the search ends,
                in one word.
        """
        self.over = bool(reason)

    def outcome(self) -> Outcome | None:
        return Outcome(FIRST, "found") if self.over else None


class Fog(Search):
    """The same search, in which the second player knows of no chest."""

    def sees(self, player: int, entity: Entity) -> bool:
        return player == FIRST or not isinstance(entity, Chest)


def start(state: type[Search]) -> Any:
    return GameSpec(name="search", title="Search", version="1", state=state).start()


def fields(view: list[Any], name: str) -> list[Any]:
    return [view[at + 2] for at in range(0, len(view), 3) if view[at + 1] == name]


def test_by_default_players_know_all_entities_and_nobody_knows_secrets() -> None:
    state = start(Search)
    for player in (FIRST, SECOND):
        view = state.view(player)
        assert fields(view, "found") == ["c"]
        assert fields(view, "price") == [None]
        assert fields(view, "number") == [7]
        assert state.sees(player, state.finder.found)
    assert fields(state.view(), "price") == [3]


def test_a_reference_to_an_entity_that_a_player_may_not_know_is_null() -> None:
    state = start(Fog)
    assert fields(state.view(FIRST), "found") == ["c"]
    assert fields(state.view(SECOND), "found") == [None]
    assert fields(state.view(SECOND), "number") == []


def test_the_explanation_of_a_parameter_may_have_several_lines() -> None:
    schema = GameSpec(name="search", title="Search", version="1", state=Search).schema()
    assert "Why the search ends, in one word." in str(schema)
