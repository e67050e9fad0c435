"""Check that turns, lists of actions, scores and outcome agree with one another."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from random import Random

from arena.game import Document, GameSpec, Outcome, Sampled, State
from arena.game.action import LEAVE
from arena.game.forms import choices_of, covers, filled, is_form
from arena.game.outcome import ranked
from arena.game.state import outcome_of, teams_of
from arena.study.checks.contract.observers import Observers
from arena.study.checks.contract.report import Ledger
from arena.study.checks.contract.trial import attempt, compare, fingerprint, scratch_chance
from arena.study.replaying.difference import canonical, first_difference, show
from arena.study.replaying.recorded import describe


def check_roster(game: GameSpec, state: State, ledger: Ledger) -> None:
    """Check to_move, legal_actions, outcome, scores, evaluate and turn_number against one another."""
    players = state.to_move()
    if not isinstance(players, tuple) or len(set(players)) != len(players):
        ledger.add("players", f"to_move returned {players!r}, not a tuple of different players")
    count = game.players_in(state.options)
    strange = [player for player in players if type(player) is not int or not 0 <= player < count]
    if strange:
        ledger.add("players", f"to_move names {strange[0]!r}, which is not one of {count} players")
    movers_out = set(state.out()) & set(players)
    if movers_out or not set(state.out()) <= set(range(count)):
        what = f"player {min(movers_out)} is to move" if movers_out else f"there are {count} players"
        ledger.add("players", f"out returned {state.out()!r}, but {what}")
    if type(state.turn_number()) is not int:
        ledger.add("players", f"turn_number returned {state.turn_number()!r}, not a whole number")
    _check_outcome(state, count, ledger)
    _check_scores(state, count, ledger)
    _check_estimate(state, count, ledger)
    for player in range(count):
        _check_list(state, player, ledger)
    if players and list(map(canonical, state.legal_actions())) != list(map(canonical, state.legal_actions(players[0]))):
        ledger.add("players", "legal_actions() is not the list of the first player to move")


def _check_outcome(state: State, count: int, ledger: Ledger) -> None:
    outcome = state.outcome()
    if (outcome is None) is not bool(state.to_move()):
        actual = "no outcome" if outcome is None else f"the outcome {show(outcome.to_document())}"
        ledger.add("players", f"there is {actual}, but to_move is {state.to_move()}")
    if outcome is not None:
        check_outcome(state, outcome, count, ledger)


def _check_scores(state: State, count: int, ledger: Ledger) -> None:
    scores = state.scores()
    if scores and (len(scores) != count or not all(math.isfinite(score) for score in scores)):
        ledger.add("players", f"scores returned {scores!r} for {count} players")


def _check_estimate(state: State, count: int, ledger: Ledger) -> None:
    shares = state.evaluate() if state.to_move() else None
    if shares is None:
        return
    in_range = len(shares) == count and all(math.isfinite(share) and 0 <= share <= 1 for share in shares)
    if not in_range or abs(sum(shares) - 1) > 1e-6:
        ledger.add("players", f"evaluate returned {shares!r}, which are not {count} shares of a win that add up to 1")


def _check_list(state: State, player: int, ledger: Ledger) -> None:
    listed = state.legal_actions(player)
    is_to_move = player in state.to_move()
    if bool(listed) is not is_to_move:
        mistake = "is to move, but has no legal action" if is_to_move else f"is not to move, but may {show(listed[0])}"
        ledger.add("players", f"player {player} {mistake}")
    if is_to_move and listed and not _is_listed(state.fallback_action(player), listed):
        ledger.add(
            "players", f"fallback_action({player}) is {show(state.fallback_action(player))}, which is not listed"
        )
    for document in listed:
        if type(document) is not dict or type(document.get("type")) is not str:
            ledger.add("players", f"legal_actions lists {document!r}, which is not an action document")
            return
        if json.loads(json.dumps(document)) != document:
            ledger.add("players", f"legal_actions lists {document!r}, which changes when it is sent as JSON")
            return
    _check_forms(state, listed, ledger)
    repeated = [text for text, count in Counter(map(canonical, listed)).items() if count > 1]
    if repeated:
        ledger.add("players", f"legal_actions lists {repeated[0]} twice")


def _is_listed(document: Document, listed: list[Document]) -> bool:
    return canonical(document) in set(map(canonical, listed)) or any(
        is_form(action) and covers(action, document) for action in listed
    )


def _check_forms(state: State, listed: list[Document], ledger: Ledger) -> None:
    """Check that each form is for a list, and that its selections are no longer than the list can be."""
    most = {
        (action.type, parameter.name): parameter.kind.most or 0
        for action in state.plan().actions
        for parameter in action.parameters
        if parameter.kind.many
    }
    for form in filter(is_form, listed):
        for key, value in form.items():
            groups = choices_of(value)
            where = f"legal_actions lists the form {show(form)}, but"
            if groups is None:
                continue
            if (form["type"], key) not in most:
                ledger.add("players", f"{where} {key} is not a list")
            elif not all(type(group) is list and group for group in groups):
                ledger.add("players", f"{where} a group of {key} has no items")
            elif len(groups) > most[form["type"], key]:
                limit = most[form["type"], key]
                ledger.add("players", f"{where} a selection of {key} can have {len(groups)} items; AtMost is {limit}")


def check_queries(game: GameSpec, state: State, ledger: Ledger) -> None:
    """Check that the methods that only return data do not change a state."""
    mark = state.mark
    generator = random.getstate()
    before = fingerprint(state)
    for player in (None, *range(game.players_in(state.options))):
        state.view(player)
        state.delta(0, player)
        state.events(0, player)
        state.legal_actions(player if player is not None else 0)
    repr(state)
    difference = compare(before, fingerprint(state))
    ledger.compare("query", "the same queries give two different answers:", difference)
    if state.mark != mark:
        ledger.add("query", f"the queries of the state wrote {state.mark - mark} entries into the journal")
    if random.getstate() != generator:
        ledger.add("chance", "the queries of the state used Python's global random generator")


# Check that winner, ranks, teams and payoffs of an outcome agree with one another.


def check_outcome(state: State, outcome: Outcome, count: int, ledger: Ledger) -> None:
    for defect in _defects(outcome, teams_of(state, count), count):
        ledger.add("outcome", defect)
    if state.cooperative is not (outcome.common is not None):
        actual = "no common score" if state.cooperative else f"the common score {outcome.common!r}"
        ledger.add("outcome", f"it has {actual}, but the class of the state says cooperative = {state.cooperative}")
    elif not state.cooperative and count > 1 and len(teams_of(state, count)) == 1:
        ledger.add("outcome", "all players are in one team: set cooperative = True, and return Outcome.together(...)")


def _defects(outcome: Outcome, teams: list[tuple[int, ...]], count: int) -> Iterator[str]:
    winner, ranks, payoffs = outcome.winner, outcome.ranks, outcome.payoffs
    if winner is not None and winner not in range(count):
        yield f"the winner is {winner!r}, which is not a player"
        return
    if type(outcome.reason) is not str or not outcome.reason:
        yield f"the reason is {outcome.reason!r}"
    if outcome.common is not None:
        if not math.isfinite(outcome.common) or ranks or payoffs or outcome.teams or winner is not None:
            yield f"the common score is {outcome.common!r}; it must be finite, and stand alone: {outcome}"
    elif payoffs and (len(payoffs) != count or not all(map(math.isfinite, payoffs))):
        yield f"the payoffs are {list(payoffs)} for {count} players"
    elif ranks and len(ranks) != count:
        yield f"it ranks {len(ranks)} players of {count}"
    elif ranks:
        yield from _defects_of_ranks(outcome, teams)
    elif count > 2:
        yield f"it has no ranks, and there are {count} players"


def _defects_of_ranks(outcome: Outcome, teams: list[tuple[int, ...]]) -> Iterator[str]:
    winner, ranks = outcome.winner, outcome.ranks
    named = outcome.teams or tuple((player,) for player in range(len(ranks)))
    if sorted(map(sorted, named)) != sorted(map(sorted, teams)):
        yield f"its teams are {list(named)}, but team_of gives {teams}"
        return
    for team in teams:
        if len({ranks[player] for player in team}) > 1:
            yield f"the players {list(team)} are one team, but their ranks are {[ranks[player] for player in team]}"
            return
    ranks_of_teams = tuple(ranks[team[0]] for team in teams)
    if ranks_of_teams != ranked(ranks_of_teams):
        expected = list(ranked(ranks_of_teams))
        yield f"the ranks are {list(ranks_of_teams)}, but must be {expected}: 1 + the number of better players"
    elif winner is not None and (ranks[winner] != 1 or ranks.count(1) > 1):
        yield f"the winner is player {winner}, but the ranks are {list(ranks)}"


# Check simultaneous moves, and players who leave a game for more than two players.

_CHOICES = 6
"""How many of a player's actions are compared. Chosen, not measured: most pairs show a choice that others notice."""
_LONGEST = 300
"""How many actions are played after a player has left. Chosen, not measured: more than a round of any of our games, and
little enough to be played in each position that is looked at."""


def check_simultaneous(state: State, rng: Random, ledger: Ledger) -> None:
    """Check that a player's choice changes nothing for players who have not moved yet."""
    together = state.to_move()
    if len(together) < 2:
        return
    actor, seed, mark = rng.choice(together), rng.getrandbits(64), state.mark
    listed = [filled(action, rng) for action in state.legal_actions(actor) for _ in range(3 if is_form(action) else 1)]
    first: dict[int, tuple[object, object]] = {}
    for action in rng.sample(listed, min(len(listed), _CHOICES)):
        turn = state.turn_number()
        accepted = attempt(state, actor, action, Sampled(Random(seed)), ledger).accepted
        for player in set(together) & set(state.to_move()) - {actor}:
            if accepted and state.turn_number() == turn:
                view = [state.view(player), state.events(mark, player), state.legal_actions(player)]
                first_action, first_view = first.setdefault(player, (action, view))
                difference = first_difference(first_view, view)
                if difference is not None:
                    ledger.add(
                        "simultaneous",
                        f"player {player} has not moved yet, but sees whether player {actor} has done "
                        f"{show(first_action)} or {show(action)} "
                        f"(views, events and legal actions differ at {difference})",
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
        movers = state.to_move()
        if not movers or count - len(left) < 2:
            break
        if movers[0] not in left and count - len(left) > 2 and rng.random() < 0.05:
            _leave(game, state, left, rng, ledger)
            continue
        fallback = movers[0] in left
        action = state.fallback_action(movers[0]) if fallback else state.random_action(movers[0], rng)
        if not attempt(state, movers[0], action, scratch_chance(rng), ledger).accepted:
            action_in_words = f"{'their fallback action' if fallback else 'a listed action'} {show(action)}"
            ledger.add("leave", f"after player {_names(left)} left, {action_in_words} of player {movers[0]} is refused")
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
