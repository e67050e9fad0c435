"""Check that `random_action` can return each legal action, and nothing else."""

from __future__ import annotations

from random import Random

from arena.checks.contract.fingerprint import compare, fingerprint
from arena.checks.contract.report import Ledger
from arena.game import State
from arena.game.forms import covers, is_form
from arena.replaying.difference import canonical, show

_MOST_LISTED = 150
"""Up to this many legal actions, each one must be returned. In longer lists, the returned actions must be listed."""
_PATIENCE = 30
"""With equal probabilities, a legal action is missing after `_PATIENCE * n` calls with a probability of exp(-30)."""
_FEW = 20


def check_sampling(state: State, rng: Random, ledger: Ledger) -> None:
    """Call `random_action` many times for each player to move, if the game overrides it."""
    if type(state).random_action is State.random_action:
        return
    before = fingerprint(state)
    for player in state.to_move():
        _check_player(state, player, rng, ledger)
    if difference := compare(before, fingerprint(state)):
        ledger.add("random_action", f"random_action changed the state: {difference}")


def _check_player(state: State, player: int, rng: Random, ledger: Ledger) -> None:
    listed = state.legal_actions(player)
    forms = [one for one in listed if is_form(one)]
    missing = {canonical(one): one for one in listed if not is_form(one)}
    known = set(missing)
    reach_all = 0 < len(missing) <= _MOST_LISTED
    for _ in range(_PATIENCE * len(listed) if reach_all else _FEW):
        action = state.random_action(player, rng)
        key = canonical(action)
        if key not in known and not any(covers(form, action) for form in forms):
            ledger.add("random_action", f"player {player}: random_action returned {show(action)}, which is not listed")
            return
        missing.pop(key, None)
        if reach_all and not missing:
            return
    if reach_all:
        never, calls = show(next(iter(missing.values()))), _PATIENCE * len(listed)
        ledger.add("random_action", f"player {player}: random_action did not return {never} in {calls} calls")
