"""The encounters of the ladder, and those of checks and challenges: their entries and their matches.

An encounter is one entry: its kind, its players and its number. Everything else follows from it and from the secret of
the contest, so its matches need no entries of their own before they have results.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.contests import entries
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.open_contest import OpenContest
from arena.contests.state import Contest, distinct
from arena.contests.values import LadderEncounter, Player, Version
from arena.match.spec import MatchSpec, seed_for

UNRATED_GAMES = 2
"""The matches of a challenge and of a comparison. The seats rotate, so nobody only has the better one. For the same
reason, an encounter of the ladder has as many matches as players. A trial and a repeated match are one match."""


def specs_of(state: Contest, encounter: LadderEncounter) -> list[MatchSpec]:
    """Return the matches of an encounter. All have the same seed, and the seats rotate from match to match.

    All trials have the same seed and map, which shows versions that play alike (see `suspicions.alike`).
    """
    config, size = state.settings, len(encounter.players)
    players = [state.seat(player) for player in encounter.players]
    turn = 0 if encounter.kind == "trial" else encounter.number
    return [
        MatchSpec(
            tournament=state.id,
            stage=encounter.kind,
            round=encounter.number,
            pairing=0,
            number=number,
            game=config.game,
            map=config.maps[turn % len(config.maps)] if config.maps else "",
            options=config.options,
            seats=distinct([players[(seat + number) % size] for seat in range(size)]),
            seed=seed_of(state.secret, encounter.kind, encounter.number, number, size),
        )
        for number in range(encounter.games)
    ]


def seed_of(secret: str, kind: str, encounter: int, number: int, size: int) -> int:
    """Return the seed of one match of an encounter. All trials have the same seed."""
    return seed_for(secret, kind, 0 if kind == "trial" else encounter, number // size)


def pair(
    state: Contest, kind: str, players: Sequence[Player], games: int, team: str = "", act: str = "", after: int = 0
) -> Written:
    """Return the entry of a new encounter.

    Args:
        after: The number of encounters before it in the same transaction.
    """
    number = state.next_encounter() + after
    seats = [(state.id_of(player[0]), state.by_player[player].number) for player in players]
    encounters = [(number, 0, seats, games, False, "", 0, 0, 1)]
    return kind, entries.Paired(
        number=number, encounters=encounters, at=now(), team=state.id_of(team) if team else "", act=act
    )


def trial(contest: OpenContest, version: Version) -> Written:
    """Return the entry of the last part of a version's check: a match against the weakest anchor."""
    rivals = (contest.state.anchor_players() or [version.player])[:1] * (contest.config.table - 1)
    return pair(contest.state, "trial", (version.player, *rivals), 1, version.entrant)


def comparisons(contest: OpenContest, version: Version) -> list[Written]:
    """Return the entries of the encounters for the report of a version that has passed its check.

    It plays against each anchor, except the weakest, which it has met in its trial, and against the active version of
    its team.
    """
    state, others = contest.state, contest.config.table - 1
    rivals = state.anchor_players()[1:]
    active = state.active(version.entrant)
    if active is not None and active.hash != version.hash:
        rivals.append(active.player)
    return [
        pair(state, "comparison", (version.player, *[rival] * others), UNRATED_GAMES, version.entrant, after=after)
        for after, rival in enumerate(rivals)
    ]
