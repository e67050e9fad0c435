"""How recorded games of Derelict are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.game import Chance, Draw, Integers, Scripted, ScriptError, State, TraceFormat
from arena.game.chance import Distribution
from arena_derelict.documents import state_document


class DiceScript(Scripted):
    """Dice of a recorded game, which must be asked for with the same sides and label.

    Args:
        draws: Objects with sides, value and for.

    Raises:
        ScriptError: On another die than the next one of the script.
    """

    def __init__(self, draws: Iterable[dict[str, Any]]) -> None:
        listed = list(draws)
        super().__init__(draw["value"] for draw in listed)
        self._expected = [(Integers(1, draw["sides"]), draw["for"]) for draw in listed]

    def _answer(self, distribution: Distribution, label: str) -> Any:
        at = self._next
        if at < len(self._expected) and self._expected[at] != (distribution, label):
            raise ScriptError(f"the rules asked for {distribution} ({label}), the script has {self._expected[at]}")
        return super()._answer(distribution, label)


class DerelictTrace(TraceFormat):
    """A trace has the mission in its first line, and there the draws made before the first choice."""

    def options(self, first: dict[str, Any]) -> dict[str, Any]:
        """Return the options given, the mission among them."""
        return {**first["options"], "mission": first["mission"]}

    def setup_chance(self, first: dict[str, Any]) -> Chance:
        """Return a script of the draws before the first choice."""
        return DiceScript(first["draws"])

    def chance(self, draws: list[Any]) -> Scripted:
        """Return a script of the draws of one choice."""
        return DiceScript(draws)

    def draws(self, made: list[Any]) -> list[Any]:
        """Return draws that were made as a trace lists them."""
        return [draw_document(draw) for draw in made]

    def document(self, state: State) -> dict[str, Any]:
        """Return the state as a trace holds it."""
        return state_document(state)  # type: ignore[arg-type]


def draw_document(draw: Draw) -> dict[str, Any]:
    """Return a draw as the rules write it."""
    assert isinstance(draw.distribution, Integers)
    return {"sides": draw.distribution.high, "value": draw.value, "for": draw.label}
