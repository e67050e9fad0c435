"""Try actions on a scratch state: a copy of a state that the attempts can change."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from arena.checks.contract.report import Ledger
from arena.game import Chance, IllegalAction, Sampled, State
from arena.replaying.difference import show
from arena.replaying.recorded import describe


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
    ledger.trials += 1
    mark = state.mark
    try:
        returned = state.push(player, document, chance)
    except IllegalAction as refusal:
        shown = f"player {player}: {show(document)}" if _is_odd(refusal) or state.mark != mark or chance.draws else ""
        if _is_odd(refusal):
            ledger.add("refusal", f"{shown} was refused with the code {refusal.code!r}, message {refusal.message!r}")
        if state.mark != mark:
            ledger.add("refusal_leaves_trace", f"{shown} was refused, but the journal has grown")
        if chance.draws:
            ledger.add("refusal_draws", f"{shown} was refused, but drew {chance.draws[0].label or 'a value'} first")
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
    return (player, state.random_action(player, rng)) if state.legal_actions(player) else None


def play_on(state: State, rng: random.Random, ledger: Ledger) -> None:
    """Play up to three random moves. Stop if a move is not accepted."""
    for _ in range(3):
        move = random_move(state, rng)
        if move is None or not attempt(state, *move, scratch_chance(rng), ledger).accepted:
            return
