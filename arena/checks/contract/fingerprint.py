"""The observable parts of a state, for comparing two states."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.checks.contract.fold import Objects, fold
from arena.game import Entity, State
from arena.game.tables import pairs
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
    private: dict[str, Any]


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
    return Fingerprint(
        state.to_document(), objects, status, legal, state.digest(), list(objects), private_values(state)
    )


def private_values(state: State) -> dict[str, Any]:
    """Return the private fields and tables of all entities, in a comparable form."""
    found: dict[str, Any] = {}
    plans = state.plan().classes
    for entity in state.entities():
        plan = plans.get(type(entity))
        for name in plan.private if plan else ():
            found[f"{entity.id}.{name}"] = _shown(getattr(entity, name))
        for name in plan.tables if plan else ():
            rows = {str(_shown(key)): _shown(value) for key, value in pairs(getattr(entity, name))}
            found[f"{entity.id}.{name}"] = dict(sorted(rows.items()))
    return found


def _shown(value: Any) -> Any:
    if isinstance(value, Entity):
        return value.id
    if isinstance(value, frozenset):
        return sorted(map(_shown, value))
    return [_shown(one) for one in value] if isinstance(value, tuple) else value


ALL = ("document", "view", "status", "legal actions", "digest", "order", "private fields")
BEHAVIOUR = ("document", "status", "legal actions", "digest")


def compare(expected: Fingerprint, found: Fingerprint, parts: tuple[str, ...] = ALL) -> str | None:
    """Return the first part in which two states differ, and where; None if they are equal."""
    for name, one, other in zip(ALL, expected, found, strict=True):
        if name in parts:
            difference = first_difference(one, other)
            if difference is not None:
                return f"{name}: {difference}"
    return None
