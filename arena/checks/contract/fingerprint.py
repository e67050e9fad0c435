"""The observable parts of a state, for comparing two states."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.checks.contract.fold import Objects, fold
from arena.game import State
from arena.replaying.difference import canonical, first_difference


class Fingerprint(NamedTuple):
    """The observable parts of a state. They are equal for equal states.

    Attributes:
        legal: The legal actions of every player to move, sorted.
    """

    document: dict[str, Any]
    objects: Objects
    status: dict[str, Any]
    legal: dict[str, list[str]]
    digest: str
    order: list[str]


def fingerprint(state: State) -> Fingerprint:
    outcome = state.outcome()
    status = {
        "to_move": list(state.to_move()),
        "turn_number": state.turn_number(),
        "outcome": outcome and outcome.to_document(),
        "scores": list(state.scores()),
    }
    legal = {f"player {player}": sorted(map(canonical, state.legal_actions(player))) for player in state.to_move()}
    objects = fold({}, state.view())
    return Fingerprint(state.to_document(), objects, status, legal, state.digest(), list(objects))


ALL = ("document", "view", "status", "legal actions", "digest", "order")
BEHAVIOUR = ("document", "status", "legal actions", "digest")


def compare(expected: Fingerprint, found: Fingerprint, parts: tuple[str, ...] = ALL) -> str | None:
    """Return the first part in which two states differ, and where; None if they are equal."""
    for name, one, other in zip(ALL, expected, found, strict=True):
        if name in parts:
            difference = first_difference(one, other)
            if difference is not None:
                return f"{name}: {difference}"
    return None
