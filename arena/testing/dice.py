"""Randomness: it comes from chance alone, and a state does not know what will come."""

from __future__ import annotations

from random import Random

from arena.conform.difference import show
from arena.game import Scripted, ScriptError, State
from arena.testing.fingerprint import compare, fingerprint
from arena.testing.report import Ledger
from arena.testing.trial import attempt, scratch_chance
from arena.testing.undo import random_move


def check_dice(state: State, rng: Random, ledger: Ledger) -> None:
    """Carry an action out on two clones: with dice, and with a script of the same dice."""
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
    script = Scripted([draw.value for draw in chance.draws])
    told = f"player {move[0]}: {show(move[1])}"
    try:
        second.push(*move, script)
    except ScriptError as error:
        ledger.add("chance", f"{told} asks for other draws the second time: {error}")
        return
    if script.left:
        ledger.add("chance", f"{told} drew {len(chance.draws)} times at first, then {script.left} times less")
    difference = compare(fingerprint(first), fingerprint(second))
    if difference is not None:
        ledger.add("chance", f"{told} gives two results with the same state and draws: {difference}")
