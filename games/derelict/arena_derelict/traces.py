"""The trace format of Derelict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.game import Chance, Draw, Integers, Scripted, ScriptError, State, TraceFormat
from arena.game.chance import Distribution
from arena_derelict.documents import state_document


class DiceScript(Scripted):
    """The dice of a recorded game. The rules must draw them with the same sides and labels.

    Args:
        draws: Objects with the keys ``sides``, ``value`` and ``for``.

    Raises:
        ScriptError: The rules draw another die than the next one of the script.
    """

    def __init__(self, draws: Iterable[dict[str, Any]]) -> None:
        listed = list(draws)
        super().__init__(draw["value"] for draw in listed)
        self._expected = [(Integers(1, draw["sides"]), draw["for"]) for draw in listed]

    def _answer(self, distribution: Distribution, label: str) -> Any:
        at = self._next
        if at < len(self._expected) and self._expected[at] != (distribution, label):
            raise ScriptError(f"The rules drew {distribution} ({label}), but the script has {self._expected[at]}.")
        return super()._answer(distribution, label)


class DerelictTrace(TraceFormat):
    """The trace format of Derelict. The first line has the mission and the draws before the first choice."""

    def options(self, first: dict[str, Any]) -> dict[str, Any]:
        """Return the options in the first line of a trace, including the mission."""
        return {**first["options"], "mission": first["mission"]}

    def setup_chance(self, first: dict[str, Any]) -> Chance:
        """Return a script of the draws before the first choice."""
        return DiceScript(first["draws"])

    def chance(self, draws: list[Any]) -> Scripted:
        """Return a script of the draws of one choice."""
        return DiceScript(draws)

    def draws(self, made: list[Any]) -> list[Any]:
        """Return the draws in the form of a trace."""
        return [draw_document(draw) for draw in made]

    def document(self, state: State) -> dict[str, Any]:
        """Return the state in the form of a trace."""
        return state_document(state)  # type: ignore[arg-type]


def draw_document(draw: Draw) -> dict[str, Any]:
    """Return the document of a draw in a trace: the sides of the die, the value, and what the draw is for."""
    assert isinstance(draw.distribution, Integers)
    return {"sides": draw.distribution.high, "value": draw.value, "for": draw.label}
