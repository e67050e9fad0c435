"""The encounters of the ladder, of checks and of challenges: their entries, their matches, and who may start them."""

from __future__ import annotations

from collections.abc import Sequence

from arena.contests import entries
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.opening import KnownContest, OpenContest, utc
from arena.contests.state import Contest, distinct
from arena.contests.values import Pairing, Player, Version, time_of
from arena.errors import ArenaError
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


def challenge(opened: OpenContest, team: str, opponent: str, number: int = 0) -> int:
    """Record a challenge, an unrated encounter with another entrant, and return its number.

    Args:
        number: The version of the team that plays, which need not be active; 0 for the active one.
    """
    with opened.lock:
        state, most = opened.state, opened.config.visible.challenges_per_day
        own = state.version(team, number) if number else state.active(team)
        if own is not None and (not own.passed or state.orders.is_out(own.player)):
            raise ArenaError(f"Version {own.number} of {team} does not play.")
        rival = state.active(opponent) if opponent in state.entrants else None
        if own is None:
            raise ArenaError(f"{team} has no version that plays.")
        if opponent == team:
            raise ArenaError("A team cannot challenge itself.")
        if rival is None:
            raise ArenaError("This opponent has no version that plays.")
        if state.challenges_since(team, utc()) >= most:
            raise ArenaError(f"{team} has used its {most} challenges of 24 hours.")
        encounter = state.next_encounter()
        players = (own.player, *[rival.player] * (opened.config.table - 1))
        opened.write(pair(state, "challenge", players, 2, team))
        return encounter


def activate(opened: OpenContest, version: Version) -> None:
    with opened.lock:
        state = opened.state
        if not version.passed:
            raise ArenaError(f"Version {version.number} has not passed its check.")
        if is_frozen(opened, version):
            raise ArenaError("The versions are frozen.", hint="The deadline is over.")
        if state.orders.is_out(version.player):
            raise ArenaError(f"Version {version.number} is disqualified.")
        active = state.active(version.entrant)
        if active is None or active.number != version.number:
            opened.write((key_of(state, version), entries.Activated(at=now())))


def key_of(state: Contest, version: Version) -> str:
    """Return the key of a version in the journal."""
    return f"{state.id_of(version.entrant)}/{version.number}"


def is_frozen(opened: KnownContest, version: Version) -> bool:
    """Return whether a version cannot become active any more."""
    return version.late or (opened.is_closed and not has_open_question(opened, version))


def has_open_question(opened: KnownContest, version: Version) -> bool:
    """Return whether a version was handed in in time, but its check ended when the versions were frozen already.

    Its team could not choose before. So it can once choose this version after the deadline.
    """
    report = version.report
    return (
        report is not None
        and version.passed
        and not version.late
        and opened.is_closed_at(time_of(report.at))
        and not opened.state.was_active(version.player)
    )
