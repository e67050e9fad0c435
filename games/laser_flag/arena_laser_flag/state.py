"""The state of a game of Laser Flag: what the framework calls."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any, Self

from arena.game import Entity, IllegalAction, Outcome, Tile
from arena.game.action import Action, Call
from arena_laser_flag import documents, estimate, hidden, legal_actions, moving, shooting, turns, visibility
from arena_laser_flag.board import BaseMark, board_of
from arena_laser_flag.effective_rules import Rules
from arena_laser_flag.entities import Position, Unit

_SHAPES: dict[str, dict[str, type]] = {
    "move": {"type": str, "unit": str, "x": int, "y": int},
    "fire": {"type": str, "unit": str, "target": str},
    "fire_at_base": {"type": str, "unit": str, "x": int, "y": int},
    "end_turn": {"type": str},
}


class Game(Position):
    """Laser Flag: two teams of laser-tag players among walls. A hit switches a laser off, and a base switches it on."""

    action_functions = (turns.end_turn, moving.move, shooting.fire, shooting.fire_at_base)
    hidden_information = True
    ignore_case = False
    allow_extra_keys = False

    # -- making a state ------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Set the shared attributes: the effective rules and the board of the map."""
        map_file = self.options.map
        bases = tuple(BaseMark(base["x"], base["y"], base.get("owner")) for base in map_file.get("bases", []))
        self.share(rules=Rules.from_document(self.options.rules), board=board_of(tuple(map_file["tiles"]), bases))

    def setup(self) -> None:
        """Make the starting position of the map."""
        documents.set_up(self)

    def load(self, document: dict[str, Any]) -> None:
        """Load the position of a JSON document."""
        documents.load(self, document)

    def to_document(self) -> dict[str, Any]:
        """Return the position as JSON, in the form of the specification. It contains neither winner nor reason."""
        return documents.to_document(self)

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Self:
        """Sample a state that agrees with a player's view: hidden enemies stand on tiles the player does not see."""
        state = cls.from_view(view, options)
        if state.rules.fog_of_war:
            hidden.guess_hidden_units(state, player, rng)
            state.commit()
        return state

    # -- the contract --------------------------------------------------------------------------------

    def to_move(self) -> tuple[int, ...]:
        """Return the active player; an empty tuple if the game is over."""
        return () if self.reason is not None else (self.active_player,)

    def turn_number(self) -> int:
        """Return the turn number, from 1. When the last turn has ended, it is `last_turn` + 1."""
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return all actions that are legal as far as the player knows; empty if the player is not to move."""
        if self.reason is not None or player not in (None, self.active_player):
            return []
        return legal_actions.legal_actions(self)

    def random_action(self, player: int, rng: Random) -> dict[str, Any]:  # noqa: ARG002 - one player is to move
        """Return a random legal action. All have the same probability."""
        return legal_actions.random_action(self, rng)

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        return None if self.reason is None else Outcome(self.winner, self.reason)

    def scores(self) -> tuple[float, ...]:
        """Return both scores."""
        return tuple(float(player.score) for player in self.players)

    def evaluate(self) -> tuple[float, ...] | None:
        """Estimate the probabilities that the players win; None if the mode is assault."""
        return estimate.shares(self)

    def sees(self, player: int, entity: Entity) -> bool:
        """Return whether a player sees an entity. With fog, enemies out of sight are hidden."""
        return not isinstance(entity, Unit) or visibility.sees(self, player, entity)

    def options_for(self, player: int) -> dict[str, Any]:
        """Return the options as a player is allowed to know them. With fog, the map lists only the player's units."""
        document = super().options_for(player)
        if not self.rules.fog_of_war:
            return document
        own = [unit for unit in document["map"]["units"] if unit["player"] == player]
        return {**document, "map": {**document["map"], "units": own}}

    def hides_information(self) -> bool:
        """Return whether anything is hidden, which is the case with fog of war only."""
        return bool(self.rules.fog_of_war)

    # -- actions -------------------------------------------------------------------------------------

    def admit(self, player: int, action: Any) -> Call:
        """Run the checks that come before an action's own rules.

        Raises:
            IllegalAction: ``game_over``, ``not_your_turn``, ``unknown_action``, ``bad_arguments``,
                ``base_shooting_off`` and ``no_such_unit``, in this order.
        """
        if self.reason is not None:
            raise IllegalAction("game_over", "the game is over")
        if player != self.active_player:
            raise IllegalAction("not_your_turn", "it is not your turn")
        name = _name_of(action)
        _check_shape(action, _SHAPES[name])
        declared = _declared(type(self))[name]
        if name == "end_turn":
            return Call(declared, self, [])
        if name == "fire_at_base" and not self.rules.base_shooting:
            raise IllegalAction("base_shooting_off", "the rules of this game have no shooting at bases")
        unit = self.known_unit(player, action["unit"])
        if unit is None:
            raise IllegalAction("no_such_unit", "you see no such unit on the board")
        if name == "fire":
            return Call(declared, unit, [self.known_unit(player, action["target"])])
        return Call(declared, unit, [Tile(action["x"], action["y"])])

    def known_unit(self, player: int, id_: str) -> Unit | None:
        """Return the unit with an id if it is on the board and the player sees it, else None."""
        entity = self._entities.get(id_)
        return entity if isinstance(entity, Unit) and visibility.sees(self, player, entity) else None


def _name_of(action: Any) -> str:
    name = action.get("type") if type(action) is dict else None
    if type(name) is not str or name not in _SHAPES:
        raise IllegalAction("unknown_action", f"there is no such action; there are {', '.join(_SHAPES)}")
    return name


@cache
def _declared(cls: type[Game]) -> dict[str, Action]:
    return {action.type: action for action in cls.plan().actions}


def _check_shape(document: dict[str, Any], shape: dict[str, type]) -> None:
    if document.keys() != shape.keys():
        wrong = sorted({str(key) for key in document.keys() ^ shape.keys()})
        raise IllegalAction("bad_arguments", f"missing or not expected: {', '.join(wrong)}")
    for key, kind in shape.items():
        if type(document[key]) is not kind:
            raise IllegalAction("bad_arguments", f"{key} must be {'text' if kind is str else 'a whole number'}")
