"""A fixture for tests of the rules: a game on a small mission with given dice."""

from collections.abc import Callable
from typing import Any

import pytest

from arena.game import IllegalAction
from arena_derelict import GAME, Game
from arena_derelict.traces import DiceScript

Document = dict[str, Any]

HALL = ["#######", "#.....#", "#.....#", "#.....#", "#######"]
CORRIDOR = ["##########", "#........#", "##########"]


def unit(kind: str, x: int, y: int, facing: str, **marks: bool) -> Document:
    return {"type": kind, "x": x, "y": y, "facing": facing, **marks}


class Stage:
    """A game on a mission made for one test. By default there is no turn limit."""

    def __init__(
        self,
        ruleset: str,
        rows: list[str],
        marines: list[Document],
        aliens: list[Document],
        *,
        dice: list[int] | None = None,
        options: Document | None = None,
        **mission: Any,
    ) -> None:
        self.mission = {
            "format": "derelict_mission",
            "version": 1,
            "name": "stage",
            "ruleset": ruleset,
            "rows": rows,
            "marines": marines,
            "aliens": aliens,
            "turn_limit": 0,
            **mission,
        }
        self.options = GAME.resolve_options({"mission": self.mission, **(options or {})})
        self.dice = dice or []
        state = GAME.start(self.options, _Dice(self.dice))
        assert isinstance(state, Game)
        self.game: Game = state
        self.events: list[Document] = []

    def do(self, kind: str, x: int | None = None, y: int | None = None, dice: list[int] | None = None) -> Document:
        """Make a listed choice, use all dice, and return the new state."""
        action: Document = {"type": kind} if x is None else {"type": kind, "x": x, "y": y}
        listed = [
            entry
            for entry in self.game.legal_actions()
            if action.items() <= entry.items() and ("x" in entry) == (x is not None)
        ]
        assert len(listed) == 1, f"{action} is not listed in {self.game.legal_actions()}"
        decision = self.game.decision
        assert decision is not None
        script = _Dice(dice or [])
        mark = self.game.push(decision.player, action, script)
        self.events = self.game.events(mark)
        assert script.left == 0, f"{script.left} dice were not drawn"
        return self.state

    def refusal(self, kind: str, x: int | None = None, y: int | None = None, player: int | None = None) -> str:
        """Submit a choice that must be refused, and return the message."""
        action: Document = {"type": kind} if x is None else {"type": kind, "x": x, "y": y}
        decision = self.game.decision
        to_move = player if player is not None else (0 if decision is None else decision.player)
        before = self.game.to_document()
        with pytest.raises(IllegalAction) as caught:
            self.game.push(to_move, action, DiceScript([]))
        assert self.game.to_document() == before
        assert caught.value.code == caught.value.message.replace(" ", "_")
        return caught.value.message

    @property
    def state(self) -> Document:
        return GAME.trace.document(self.game)

    @property
    def decision(self) -> Document | None:
        decided: Document | None = self.state["decision"]
        return decided

    @property
    def ended(self) -> Document | None:
        outcome = self.game.outcome()
        return None if outcome is None else outcome.to_document()

    def unit(self, identity: str) -> Document:
        return next(one for one in self.state["units"] if one["id"] == identity)

    def has(self, identity: str) -> bool:
        return any(one["id"] == identity for one in self.state["units"])

    def listed(self, kind: str) -> dict[Any, int]:
        """Return the costs of the choices of one type, by cell (None for a choice without a cell)."""
        return {
            (entry["x"], entry["y"]) if "x" in entry else None: entry["cost"]
            for entry in self.game.legal_actions()
            if entry["type"] == kind
        }

    def types(self) -> set[str]:
        return {entry["type"] for entry in self.game.legal_actions()}


class _Dice(DiceScript):
    """Dice that are given by value only."""

    def __init__(self, values: list[int]) -> None:
        super().__init__({"value": value, "sides": 0, "for": ""} for value in values)
        self._expected = []


@pytest.fixture
def stage() -> Callable[..., Stage]:
    return Stage


@pytest.fixture
def hall() -> list[str]:
    return HALL


@pytest.fixture
def corridor() -> list[str]:
    return CORRIDOR


@pytest.fixture
def new_unit() -> Callable[..., Document]:
    return unit
