"""Check that turns, lists of actions, scores and outcome agree with one another."""

from __future__ import annotations

import json
import math
import random
from collections import Counter

from arena.checks.contract.fingerprint import compare, fingerprint
from arena.checks.contract.outcomes import check_outcome
from arena.checks.contract.report import Ledger
from arena.game import Document, GameSpec, State
from arena.game.forms import choices_of, covers, is_form
from arena.replaying.difference import canonical, show


def check_roster(game: GameSpec, state: State, ledger: Ledger) -> None:
    """Check to_move, legal_actions, outcome, scores, evaluate and turn_number against one another."""
    players = state.to_move()
    if not isinstance(players, tuple) or len(set(players)) != len(players):
        ledger.add("players", f"to_move returned {players!r}, not a tuple of different players")
    count = game.players_in(state.options)
    strange = [player for player in players if type(player) is not int or not 0 <= player < count]
    if strange:
        ledger.add("players", f"to_move names {strange[0]!r}, which is not one of {count} players")
    both = set(state.out()) & set(players)
    if both or not set(state.out()) <= set(range(count)):
        what = f"player {min(both)} is to move" if both else f"there are {count} players"
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
        found = "no outcome" if outcome is None else f"the outcome {show(outcome.to_document())}"
        ledger.add("players", f"there is {found}, but to_move is {state.to_move()}")
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
    may = player in state.to_move()
    if bool(listed) is not may:
        found = "is to move, but has no legal action" if may else f"is not to move, but may {show(listed[0])}"
        ledger.add("players", f"player {player} {found}")
    if may and listed and not _is_listed(state.fallback_action(player), listed):
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
    twice = [text for text, count in Counter(map(canonical, listed)).items() if count > 1]
    if twice:
        ledger.add("players", f"legal_actions lists {twice[0]} twice")


def _is_listed(document: Document, listed: list[Document]) -> bool:
    return canonical(document) in set(map(canonical, listed)) or any(
        is_form(one) and covers(one, document) for one in listed
    )


def _check_forms(state: State, listed: list[Document], ledger: Ledger) -> None:
    """Check that each form is for a list, and that its selections are no longer than the list can be."""
    most = {
        (action.type, one.name): one.kind.most or 0
        for action in state.plan().actions
        for one in action.parameters
        if one.kind.many
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
