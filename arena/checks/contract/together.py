"""Check simultaneous moves, and players who leave a game for more than two players."""

from __future__ import annotations

from random import Random

from arena.checks.contract.fingerprint import compare, fingerprint
from arena.checks.contract.observers import Observers
from arena.checks.contract.outcomes import check_outcome
from arena.checks.contract.report import Ledger
from arena.checks.contract.trial import attempt, scratch_chance
from arena.game import GameSpec, Sampled, State
from arena.game.action import LEAVE
from arena.game.forms import filled, is_form
from arena.game.leaving import outcome_of
from arena.replaying.difference import first_difference, show
from arena.replaying.recorded import describe

_CHOICES = 6
_LONGEST = 300


def check_simultaneous(state: State, rng: Random, ledger: Ledger) -> None:
    """Check that a player's choice changes nothing for players who have not moved yet."""
    together = state.to_move()
    if len(together) < 2:
        return
    actor, seed, mark = rng.choice(together), rng.getrandbits(64), state.mark
    listed = [filled(one, rng) for one in state.legal_actions(actor) for _ in range(3 if is_form(one) else 1)]
    first: dict[int, tuple[object, object]] = {}
    for action in rng.sample(listed, min(len(listed), _CHOICES)):
        turn = state.turn_number()
        accepted = attempt(state, actor, action, Sampled(Random(seed)), ledger).accepted
        for player in set(together) & set(state.to_move()) - {actor}:
            if accepted and state.turn_number() == turn:
                seen = [state.view(player), state.events(mark, player), state.legal_actions(player)]
                other, before = first.setdefault(player, (action, seen))
                if (difference := first_difference(before, seen)) is not None:
                    ledger.add(
                        "simultaneous",
                        f"player {player} has not moved yet, but sees whether player {actor} has done {show(other)} or "
                        f"{show(action)} (views, events and legal actions differ at {difference})",
                    )
                    return
        state.pop(mark)


def check_leaving(game: GameSpec, state: State, rng: Random, ledger: Ledger) -> None:
    """Check that players can leave a game for more than two players, and that the others play on."""
    count = game.players_in(state.options)
    if count < 3 or not state.to_move():
        return
    before, mark = fingerprint(state), state.mark
    left: dict[int, int] = {}
    if not _leave(game, state, left, rng, ledger):
        return
    state.pop(mark)
    difference = compare(before, fingerprint(state))
    if difference is not None:
        ledger.add("undo", f"after player {next(iter(left))} left and this was undone: {difference}")
        return
    left.clear()
    _leave(game, state, left, rng, ledger)
    for _ in range(_LONGEST):
        may = state.to_move()
        if not may or count - len(left) < 2:
            break
        if may[0] not in left and count - len(left) > 2 and rng.random() < 0.05:
            _leave(game, state, left, rng, ledger)
            continue
        fallback = may[0] in left
        action = state.fallback_action(may[0]) if fallback else state.random_action(may[0], rng)
        if not attempt(state, may[0], action, scratch_chance(rng), ledger).accepted:
            what = f"{'their fallback action' if fallback else 'a listed action'} {show(action)}"
            ledger.add("leave", f"after player {_names(left)} left, {what} of player {may[0]} is refused")
            return
    outcome = outcome_of(state, left, count)
    if (outcome is None) is not bool(state.to_move()):
        ledger.add("leave", f"after player {_names(left)} left, to_move is {state.to_move()} with {outcome}")
    elif outcome is not None:
        check_outcome(state, outcome, count, ledger)
        if outcome.winner in left:
            ledger.add("leave", f"player {outcome.winner} left, but is the winner")


def _leave(game: GameSpec, state: State, left: dict[int, int], rng: Random, ledger: Ledger) -> bool:
    player = state.to_move()[0]
    observers = Observers(game, state, ledger)
    left[player] = state.turn_number()
    try:
        state.push(player, LEAVE, scratch_chance(rng))
    except Exception as error:
        ledger.add("leave", f"when player {player} left, the rules raised {describe(error)}")
        return False
    observers.follow(state)
    if player in state.out() and player in state.to_move():
        ledger.add("leave", f"player {player} left and is out, but is to move")
    return True


def _names(players: dict[int, int]) -> str:
    return ", ".join(map(str, players))
