"""Check that all randomness comes from `Chance`, so that the same draws give the same game."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from arena.checks.contract.fingerprint import compare, fingerprint
from arena.checks.contract.report import Ledger
from arena.checks.contract.trial import attempt, random_move, scratch_chance
from arena.game import Chance, Document, Scripted, State
from arena.game.data import Number
from arena.replaying.difference import show
from arena.replaying.recorded import Disagreement, accept


class Step(NamedTuple):
    player: int
    action: Document
    draws: list[Number]
    digest: str


def check_dice(state: State, rng: Random, ledger: Ledger) -> None:
    """Check that an action gives the same result on two clones with the same draws."""
    move = random_move(state, rng)
    if move is None:
        return
    first, second = state.clone(), state.clone()
    chance = scratch_chance(rng)
    if not attempt(first, *move, chance, ledger).accepted:
        return
    for draw in chance.draws:
        if not draw.distribution.holds(draw.value):
            ledger.add("chance", f"the draw {draw.label} holds {draw.value!r}, which cannot come from its distribution")
    draws = [draw.value for draw in chance.draws]
    action = f"player {move[0]}: {show(move[1])}"
    try:
        accept(second, *move, draws, Scripted(draws))
    except Disagreement as error:
        ledger.add("chance", f"{action} makes other draws the second time: {error}")
        return
    difference = compare(fingerprint(first), fingerprint(second))
    ledger.compare("chance", f"{action} gives two results with the same state and draws:", difference)


def check_repeat(state: State, steps: Sequence[Step], chance: Chance | None, ledger: Ledger) -> None:
    """Play a recorded game again and compare the digests.

    Args:
        chance: A source of draws with the same seed; None to use the recorded draws.
    """
    dice = "the recorded draws" if chance is None else "the same seed"
    for number, step in enumerate(steps, 1):
        try:
            accept(state, step.player, step.action, step.draws, chance or Scripted(step.draws))
        except Disagreement as error:
            ledger.add("repeatable", f"with {dice}, action {number} differs: {error}")
            return
        if state.digest() != step.digest:
            ledger.add("repeatable", f"with {dice}, the digest differs after action {number}, {show(step.action)}")
            return
