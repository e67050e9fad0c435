"""What a team does beside its uploads: challenge another entrant, and choose the version that plays.

Each function checks that the team may do it now, and writes one entry. Nothing here can be undone: a challenge is
played, and another version can be chosen. What organizers do can be undone; it is in `organizer_acts`.
"""

from __future__ import annotations

from collections.abc import Collection

from arena.contests import entries
from arena.contests.journal.store import now
from arena.contests.ladder.encounters import UNRATED_GAMES, pair
from arena.contests.open_contest import LoadedContest, OpenContest
from arena.contests.people.daily_limits import challenges_since
from arena.contests.values import Version, time_of, utc
from arena.errors import ArenaError
from arena.text.printable import one_line

LONGEST_LICENCE = 60
"""The limit for the characters of a licence: a name and a version, or an identifier of SPDX."""


def challenge(contest: OpenContest, team: str, opponent: str, number: int = 0) -> int:
    """Record a challenge, an unrated encounter with another entrant, and return its number.

    Args:
        number: The version of the team that plays, which need not be active; 0 for the active one.
    """
    with contest.lock:
        state, most = contest.state, contest.config.visible.challenges_per_day
        version = state.version(team, number) if number else state.active(team)
        if version is not None and (not version.passed or state.orders.is_out(version.player)):
            raise ArenaError(f"Version {version.number} of {team} does not play.")
        rival = state.active(opponent) if opponent in state.entrants else None
        if version is None:
            raise ArenaError(f"{team} has no version that plays.")
        if opponent == team:
            raise ArenaError("A team cannot challenge itself.")
        if rival is None:
            raise ArenaError("This opponent has no version that plays.")
        if challenges_since(state, team, utc()) >= most:
            raise ArenaError(f"{team} has used its {most} challenges of 24 hours.")
        encounter = state.next_encounter()
        players = (version.player, *[rival.player] * (contest.config.table - 1))
        contest.write(pair(state, "challenge", players, UNRATED_GAMES, team))
        return encounter


def agree(contest: OpenContest, team: str, parts: Collection[str], licence: str) -> None:
    """Record what a team agrees to: `parts` are some of ``replays``, ``picture`` and ``opponent``."""
    licence = one_line(licence.strip())
    if len(licence) > LONGEST_LICENCE:
        raise ArenaError(
            f"The licence has more than {LONGEST_LICENCE} characters.", hint="Write its name, such as MIT."
        )
    with contest.lock:
        key, agreed = contest.state.id_of(team), [part in parts for part in ("replays", "picture", "opponent")]
        said = contest.state.consent_of(team)
        if said.at and ([said.replays, said.picture, said.opponent], said.licence) == (agreed, licence):
            return
        replays, picture, opponent = agreed
        document = entries.Agreed(replays=replays, picture=picture, opponent=opponent, at=now())
        texts = [entries.text(key, "licence", licence)] if licence else []
        contest.write(*texts, (key, document))


def activate(contest: OpenContest, version: Version) -> None:
    """Let a version that has passed its check play for its team from now on."""
    with contest.lock:
        state = contest.state
        if not version.passed:
            raise ArenaError(f"Version {version.number} has not passed its check.")
        if is_frozen(contest, version):
            raise ArenaError("The versions are frozen.", hint="The deadline is over.")
        if state.orders.is_out(version.player):
            raise ArenaError(f"Version {version.number} is disqualified.")
        active = state.active(version.entrant)
        if active is None or active.number != version.number:
            contest.write((state.key_of(version), entries.Activated(at=now())))


def is_frozen(contest: LoadedContest, version: Version) -> bool:
    """Return whether a version cannot become active any more."""
    return version.late or (contest.is_closed and not has_open_question(contest, version))


def has_open_question(contest: LoadedContest, version: Version) -> bool:
    """Return whether a version was handed in in time, but its check ended when the versions were frozen already.

    Its team could not choose before. So it can once choose this version after the deadline.
    """
    report = version.report
    return (
        report is not None
        and version.passed
        and not version.late
        and contest.is_closed_at(time_of(report.at))
        and not contest.state.was_active(version.player)
    )
