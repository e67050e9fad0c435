"""Check push and pop: nested, with refused actions in between, and for several actions at once."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.checks.contract.fingerprint import Fingerprint, compare, fingerprint
from arena.checks.contract.inventor import Inventor
from arena.checks.contract.report import Ledger
from arena.checks.contract.trial import attempt, play_on, random_move, scratch_chance
from arena.game import State
from arena.replaying.difference import show

DEPTH = 6
"""The limit for the number of actions that are pushed before any of them is popped."""


def check_nested(state: State, rng: Random, ledger: Ledger) -> None:
    """Push several actions and try others between them. Pop them one by one. Then push some and pop all at once."""
    bottom = state.mark
    marks: list[tuple[int, Fingerprint, Any]] = []
    for _ in range(DEPTH):
        move = random_move(state, rng)
        if move is None:
            break
        before = fingerprint(state)
        mark = state.mark
        for garbage in Inventor(state, [move[1]], rng).some(2):
            attempt(state, move[0], garbage, scratch_chance(rng), ledger)
            state.pop(mark)
        if not attempt(state, *move, scratch_chance(rng), ledger).accepted:
            break
        marks.append((mark, before, move[1]))
    again = state.clone()
    for mark, before, action in reversed(marks):
        state.pop(mark)
        ledger.compare("undo", f"after pushing {show(action)} and popping it:", compare(before, fingerprint(state)))
    if marks:
        _check_all_at_once(again, state, marks[0][1], rng, ledger)
    if state.mark != bottom:
        ledger.add("undo", f"the journal has {state.mark} entries after everything was popped, not {bottom}")


def _check_all_at_once(ahead: State, state: State, before: Fingerprint, rng: Random, ledger: Ledger) -> None:
    bottom = state.mark
    play_on(state, rng, ledger)
    state.pop(bottom)
    ledger.compare("undo", "after pushing three actions and popping them at once:", compare(before, fingerprint(state)))
    later = fingerprint(ahead)
    ahead.pop(0)
    ledger.compare("undo", "after popping a fresh clone back to its first mark:", compare(later, fingerprint(ahead)))
