"""One attempt to carry out an action on a scratch state, and its being taken back."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from arena.conform.difference import show
from arena.game import Chance, IllegalAction, Sampled, State
from arena.testing.report import Ledger, describe


class Attempt(NamedTuple):
    """How an attempt ended.

    Attributes:
        accepted: The rules carried it out.
        code: The refusal's code; None if accepted or crashed.
        message: The refusal's message.
    """

    accepted: bool
    code: str | None = None
    message: str | None = None


def attempt(state: State, player: int, document: Any, chance: Chance, ledger: Ledger) -> Attempt:
    """Push an action and note whatever is against the contract in the manner of its acceptance or refusal."""
    ledger.trials += 1
    mark = state.mark
    generator = random.getstate()
    told = f"player {player}: {show(document)}"
    try:
        returned = state.push(player, document, chance)
    except IllegalAction as refusal:
        _check_refusal(refusal, told, ledger)
        if state.mark != mark:
            ledger.add("refusal_leaves_trace", f"{told} was refused, but the journal has grown")
        if chance.draws:
            ledger.add("refusal_draws", f"{told} was refused, but drew {chance.draws[0].label or 'a value'} first")
        return Attempt(False, refusal.code, refusal.message)
    except Exception as error:
        ledger.add("crash", f"{told} raised {describe(error)}")
        return Attempt(False)
    if returned != mark:
        ledger.add("undo", f"{told}: push returned the mark {returned}, not {mark}")
    if random.getstate() != generator:
        ledger.add("chance", f"{told} used Python's global random generator instead of chance.draw")
    return Attempt(True)


def _check_refusal(refusal: IllegalAction, told: str, ledger: Ledger) -> None:
    if type(refusal.code) is not str or not refusal.code.strip():
        ledger.add("refusal", f"{told} was refused with the code {refusal.code!r}")
    elif type(refusal.message) is not str or not refusal.message.strip():
        ledger.add("refusal", f"{told} was refused with the message {refusal.message!r}")


def scratch_chance(rng: random.Random) -> Chance:
    """Return a source of dice for one attempt."""
    return Sampled(random.Random(rng.getrandbits(64)))
