"""Check that winner, ranks, teams and payoffs of an outcome agree with one another."""

from __future__ import annotations

import math
from collections.abc import Iterator

from arena.checks.contract.report import Ledger
from arena.game import Outcome, State
from arena.game.leaving import teams_of
from arena.game.outcome import ranked


def check_outcome(state: State, outcome: Outcome, count: int, ledger: Ledger) -> None:
    for defect in _defects(outcome, teams_of(state, count), count):
        ledger.add("outcome", defect)
    if state.cooperative is not (outcome.common is not None):
        given = "no common score" if state.cooperative else f"the common score {outcome.common!r}"
        ledger.add("outcome", f"it has {given}, but the class of the state says cooperative = {state.cooperative}")
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
    if split := next((team for team in teams if len({ranks[player] for player in team}) > 1), None):
        yield f"the players {list(split)} are one team, but their ranks are {[ranks[player] for player in split]}"
        return
    given = tuple(ranks[team[0]] for team in teams)
    if given != ranked(given):
        yield f"the ranks are {list(given)}, but must be {list(ranked(given))}: 1 + the number of better players"
    elif winner is not None and (ranks[winner] != 1 or ranks.count(1) > 1):
        yield f"the winner is player {winner}, but the ranks are {list(ranks)}"
