"""What a team has used of its daily limits: uploads, seconds of checks, and challenges of the last 24 hours.

The limits are keys of the table [people] of `contest.toml`. Any 24 hours count, not a day of the calendar: at midnight,
all teams would use two days at once. Refused uploads are counted apart, by `uploads`, since no entry records them.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from arena.contests.state import Contest
from arena.contests.values import time_of

_DAY = timedelta(days=1)


def uploads_since(state: Contest, team: str, now: datetime) -> int:
    """Return the number of versions that a team handed in during the last 24 hours."""
    return sum(time_of(version.at) > now - _DAY for version in state.versions.get(team, ()))


def challenges_since(state: Contest, team: str, now: datetime) -> int:
    """Return the number of challenges that a team started in the last 24 hours."""
    challenges = [encounter for encounter in state.encounters.values() if encounter.kind == "challenge"]
    return sum(challenge.team == team and time_of(challenge.at) > now - _DAY for challenge in challenges)


def check_seconds(state: Contest, team: str, now: datetime) -> float:
    """Return the time that the checks of a team took during the last 24 hours."""
    return sum(seconds for _, seconds in _recent_checks(state, team, now))


def check_free_at(state: Contest, team: str, budget: float, now: datetime) -> datetime | None:
    """Return when a team will have used less than `budget` seconds in 24 hours; None if that is so now."""
    used, free_at = check_seconds(state, team, now), None
    for end, seconds in _recent_checks(state, team, now):
        if used < budget:
            break
        used, free_at = used - seconds, end + _DAY
    return free_at


def _recent_checks(state: Contest, team: str, now: datetime) -> list[tuple[datetime, float]]:
    """Return the ends and durations of the checks of the last 24 hours, the oldest first."""
    reports = [version.report for version in state.versions.get(team, ()) if version.report is not None]
    checks = sorted((time_of(report.at), report.seconds) for report in reports)
    return [(end, seconds) for end, seconds in checks if end > now - _DAY]
