"""Check clones and round trips.

A copy must equal the original, and the same actions must have the same results on both. A change of a clone must not
change its original.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from arena.game import Chance, Document, GameSpec, OptionError, Scripted, State
from arena.game.kinds import Number
from arena.study.checks.contract.fields import check_foresight, check_values
from arena.study.checks.contract.report import Ledger
from arena.study.checks.contract.trial import (
    BEHAVIOUR,
    attempt,
    compare,
    fingerprint,
    play_on,
    private_values,
    random_move,
    scratch_chance,
)
from arena.study.replaying.difference import first_difference, show
from arena.study.replaying.recorded import Disagreement, accept, describe


def check_clone(state: State, rng: Random, ledger: Ledger) -> None:
    """Check that clones and copies equal their original, and that playing on a clone does not change the original."""
    before = fingerprint(state)
    clone = state.clone()
    ledger.compare("clone", "a fresh clone differs:", compare(before, fingerprint(clone)))
    check_values(clone, ledger)
    check_foresight(clone, ledger)
    shared = [entity.id for entity in clone.entities() if entity is state.entity(entity.id)]
    if shared:
        ledger.add("clone", f"original and clone share the object {shared[0]}")
    play_on(clone, rng, ledger)
    ledger.compare("clone", "playing on a clone changed the original:", compare(before, fingerprint(state)))
    try:
        copy = pickle.loads(pickle.dumps(state))
    except Exception as error:
        ledger.add("clone", f"the state cannot be copied by pickle: {describe(error)}")
    else:
        ledger.compare("clone", "a copy by pickle differs:", compare(before, fingerprint(copy)))
    clone = state.clone()
    mark = state.mark
    play_on(state, rng, ledger)
    ledger.compare("clone", "playing on the original changed its clone:", compare(before, fingerprint(clone)))
    state.pop(mark)


def check_document(state: State, rng: Random, ledger: Ledger) -> None:
    """Check that a state read back from its JSON document equals the original, now and after the same actions."""
    document = state.to_document()
    try:
        text = json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        ledger.add("document_round_trip", f"to_document returned no JSON: {error}")
        return
    difference = first_difference(document, json.loads(text))
    if not ledger.compare("document_round_trip", "the document changes when it is sent as JSON, at", difference):
        return
    try:
        copy = type(state).from_document(json.loads(text), state.options)
    except Exception as error:
        ledger.add("document_round_trip", f"from_document raised {describe(error)}")
        return
    check_values(copy, ledger)
    _check_private("from_document(to_document)", state, copy, ledger)
    _play_side_by_side("document_round_trip", "from_document(to_document)", state, copy, rng, ledger)


def _sent(value: Any) -> Any:
    return [_sent(item) for item in value] if isinstance(value, list | tuple) else value


def check_view(state: State, rng: Random, ledger: Ledger) -> None:
    """Check that a state rebuilt from the full view equals the original, now and after the same actions."""
    view = _sent(state.view())
    try:
        copy = type(state).from_view(view, state.options)
    except Exception as error:
        ledger.add("view_round_trip", f"from_view raised {describe(error)}")
        return
    check_values(copy, ledger)
    _check_private("from_view(view)", state, copy, ledger)
    difference = first_difference(view, _sent(copy.view()))
    ledger.compare("view_round_trip", "the view of the rebuilt state differs at", difference)
    _play_side_by_side("view_round_trip", "from_view(view)", state, copy, rng, ledger)


def _check_private(origin: str, state: State, copy: State, ledger: Ledger) -> None:
    """Check that `derive` computes the private fields as the rules keep them."""
    difference = first_difference(private_values(state), private_values(copy))
    ledger.compare("private", f"after {origin}, derive() does not give what the rules have kept, at", difference)


def check_options(game: GameSpec, state: State, ledger: Ledger) -> None:
    """Check that options stay the same when they are sent as JSON and resolved again."""
    document = json.loads(json.dumps(state.options.to_document()))
    try:
        again = game.resolve_options(document)
    except OptionError as error:
        ledger.add("definition", f"the game refuses its own resolved options: {error}")
        return
    difference = first_difference(document, json.loads(json.dumps(again.to_document())))
    ledger.compare("definition", "the resolved options change when they are resolved again at", difference)


def _play_side_by_side(rule: str, origin: str, state: State, copy: State, rng: Random, ledger: Ledger) -> None:
    bottom = state.mark
    for step in range(4):
        when = f"{origin} differs" if step == 0 else f"the state from {origin} plays on differently, action {step}"
        parts = BEHAVIOUR if state.to_move() else ("document",)  # at the end, a rebuilt state need not know the outcome
        if not ledger.compare(rule, f"{when}:", compare(fingerprint(state), fingerprint(copy), parts)):
            break
        move = random_move(state, rng)
        chance = scratch_chance(rng)
        if move is None or not attempt(state, *move, chance, ledger).accepted:
            break
        script = Scripted([draw.value for draw in chance.draws])
        if not attempt(copy, *move, script, ledger).accepted:
            ledger.add(rule, f"the state from {origin} refuses {show(move[1])}, which the original accepts")
            break
    state.pop(bottom)


# Check that all randomness comes from `Chance`, so that the same draws give the same game.


class DrawnStep(NamedTuple):
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


def check_repeat(state: State, steps: Sequence[DrawnStep], chance: Chance | None, ledger: Ledger) -> None:
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
