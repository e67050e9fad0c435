"""Try actions on a scratch state: a copy of a state that the attempts can change."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from arena.game import Chance, Entity, IllegalAction, Sampled, State, sample
from arena.game.tables import pairs
from arena.study.checks.contract.fold import Objects, fold
from arena.study.checks.contract.report import Ledger
from arena.study.replaying.difference import canonical, first_difference, show
from arena.study.replaying.recorded import describe


class Attempt(NamedTuple):
    """The result of an attempt.

    Attributes:
        code: The refusal's code; None if the action was accepted or the rules raised another error.
    """

    accepted: bool
    code: str | None = None
    message: str | None = None


def attempt(state: State, player: int, document: Any, chance: Chance, ledger: Ledger) -> Attempt:
    """Push an action. Record each violation of the contract, for example a refusal that changes the state."""
    ledger.budget.tick()
    ledger.trials += 1
    mark = state.mark
    try:
        returned = state.push(player, document, chance)
    except IllegalAction as refusal:
        action = f"player {player}: {show(document)}" if _is_odd(refusal) or state.mark != mark or chance.draws else ""
        if _is_odd(refusal):
            ledger.add("refusal", f"{action} was refused with the code {refusal.code!r}, message {refusal.message!r}")
        if state.mark != mark:
            ledger.add("refusal_leaves_trace", f"{action} was refused, but the journal has grown")
        if chance.draws:
            ledger.add("refusal_draws", f"{action} was refused, but drew {chance.draws[0].label or 'a value'} first")
        return Attempt(False, refusal.code, refusal.message)
    except Exception as error:
        ledger.add("crash", f"player {player}: {show(document)} raised {describe(error)}")
        return Attempt(False)
    if returned != mark:
        ledger.add("undo", f"player {player}: {show(document)}: push returned the mark {returned}, not {mark}")
    return Attempt(True)


def _is_odd(refusal: IllegalAction) -> bool:
    return not all(type(text) is str and text.strip() for text in (refusal.code, refusal.message))


def scratch_chance(rng: random.Random) -> Chance:
    return Sampled(random.Random(rng.getrandbits(64)))


def random_move(state: State, rng: random.Random) -> tuple[int, Any] | None:
    """Choose a player to move and one of their actions; return None if no action is listed."""
    players = state.to_move()
    if not players:
        return None
    player = rng.choice(players)
    listed = state.legal_actions(player)
    if not listed:
        return None
    is_own = type(state).random_action is not State.random_action
    return player, state.random_action(player, rng) if is_own else sample(listed, rng)


def play_on(state: State, rng: random.Random, ledger: Ledger) -> None:
    """Play up to three random moves. Stop if a move is not accepted."""
    for _ in range(3):
        move = random_move(state, rng)
        if move is None or not attempt(state, *move, scratch_chance(rng), ledger).accepted:
            return


# The observable parts of a state, for comparing two states.


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
    values: dict[str, Any] = {}
    plans = state.plan().classes
    for entity in state.entities():
        plan = plans.get(type(entity))
        for name in plan.private if plan else ():
            values[f"{entity.id}.{name}"] = _shown(getattr(entity, name))
        for name in plan.tables if plan else ():
            rows = {str(_shown(key)): _shown(value) for key, value in pairs(getattr(entity, name))}
            values[f"{entity.id}.{name}"] = dict(sorted(rows.items()))
    return values


def _shown(value: Any) -> Any:
    if isinstance(value, Entity):
        return value.id
    if isinstance(value, frozenset):
        return sorted(map(_shown, value))
    return [_shown(item) for item in value] if isinstance(value, tuple) else value


ALL = ("document", "view", "status", "legal actions", "digest", "order", "private fields")
BEHAVIOUR = ("document", "status", "legal actions", "digest")


def compare(expected: Fingerprint, found: Fingerprint, parts: tuple[str, ...] = ALL) -> str | None:
    """Return the first part in which two states differ, and where; None if they are equal."""
    for name, expected_part, found_part in zip(ALL, expected, found, strict=True):
        if name in parts:
            difference = first_difference(expected_part, found_part)
            if difference is not None:
                return f"{name}: {difference}"
    return None
