"""Outcomes of games for more than two players in which some players left before the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

from arena.game.outcome import Outcome, ranked
from arena.game.state import State

FORFEIT = "forfeit"
"""The reason of an outcome that was decided by failures of programs, not by the rules."""


def outcome_of(state: State, left: Mapping[int, int], players: int) -> Outcome | None:
    """Return the outcome, or None while the game goes on.

    Players who left rank last, unless the rules override `leave` or the outcome has teams.

    Args:
        state: The state.
        left: The turn in which each player left.
        players: The number of players.
    """
    outcome = state.outcome()
    if outcome is None or not left or type(state).leave is not State.leave:
        return outcome
    return outcome.behind(left, players)


def teams_of(state: State, players: int) -> list[tuple[int, ...]]:
    """Return the players of each team, ordered by the teams' numbers."""
    teams: dict[int, list[int]] = {}
    for player in range(players):
        teams.setdefault(state.team_of(player), []).append(player)
    return [tuple(teams[number]) for number in sorted(teams)]


def forfeit(left: Mapping[int, int], teams: Sequence[Sequence[int]]) -> Outcome:
    """Return the outcome of a match that was decided by failures of programs, not by the rules.

    A team that remains has rank 1. The teams that left rank below. Of these, a team that left later ranks better. If no
    team remains, the last team that left has rank 1.

    Args:
        left: The turn in which each player left. A team has left when its last player has left.
        teams: The players of each team. If all teams have one player, the outcome has no teams.
    """
    outcome = Outcome.of_teams(
        FORFEIT, teams, ranked([-max(left.get(player, inf) for player in team) for team in teams])
    )
    return outcome if any(len(team) > 1 for team in teams) else replace(outcome, teams=())
