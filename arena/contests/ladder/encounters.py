"""The encounters of the ladder, of checks and of challenges: their entries, their matches, and who may start them."""

from __future__ import annotations

from collections.abc import Sequence

from arena.contests import entries
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.open_contest import OpenContest
from arena.contests.state import Contest, distinct
from arena.contests.values import Pairing, Player, Version
from arena.match.spec import MatchSpec, seed_for


def specs_of(state: Contest, encounter: Pairing) -> list[MatchSpec]:
    """Return the matches of an encounter. All have the same seed, and the seats rotate from match to match.

    All trials have the same seed and map, which shows versions that play alike (see `suspicions.alike`).
    """
    config, size = state.settings, len(encounter.players)
    players = [state.seat(player) for player in encounter.players]
    place = 0 if encounter.kind == "trial" else encounter.number
    return [
        MatchSpec(
            tournament=state.id, stage=encounter.kind, round=encounter.number, pairing=0, number=number,
            game=config.game, map=config.maps[place % len(config.maps)] if config.maps else "",
            options=config.options, seats=distinct([players[(seat + number) % size] for seat in range(size)]),
            seed=seed_of(state.secret, encounter.kind, encounter.number, number, size),
        )
        for number in range(encounter.games)
    ]  # fmt: skip


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


def comparisons(opened: OpenContest, version: Version) -> list[Written]:
    """Return the entries of the encounters for the report of a version that has passed its check.

    It plays against each anchor, except the weakest, which it has met in its trial, and against the active version of
    its team.
    """
    state, others = opened.state, opened.config.table - 1
    rivals = state.anchor_players()[1:]
    active = state.active(version.entrant)
    if active is not None and active.hash != version.hash:
        rivals.append(active.player)
    return [
        pair(state, "comparison", (version.player, *[rival] * others), 2, version.entrant, after=after)
        for after, rival in enumerate(rivals)
    ]


def trial(opened: OpenContest, version: Version) -> Written:
    """Return the entry of the last part of a version's check: a match against the weakest anchor."""
    rivals = (opened.state.anchor_players() or [version.player])[:1] * (opened.config.table - 1)
    return pair(opened.state, "trial", (version.player, *rivals), 1, version.entrant)


def key_of(state: Contest, version: Version) -> str:
    """Return the key of a version in the journal."""
    return f"{state.id_of(version.entrant)}/{version.number}"
