"""What a contest knows of a person and their team, as one zip: for its members, who may ask for it at any time."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.contests.people.organizer_acts import public_log
from arena.contests.queue.copies import copy_path
from arena.contests.report.writers import csv_of
from arena.contests.values import Member, Played, Version
from arena.web.contests.matches import Views
from arena.web.match_pages import own_notes
from arena_replays import ReplayError


def archive_of_member(views: Views, member: Member) -> Path:
    """Write the zip, and return the path of a temporary file, which the caller removes.

    It has `profile.csv`, `acts.csv`, `versions.csv` and `matches.csv`, the files of the team's versions in
    `versions/NUMBER/`, and what its bots logged and printed in `logs/MATCH.txt`. Results that are held back from the
    person are left out.
    """
    with tempfile.NamedTemporaryFile(prefix="my-data-", suffix=".zip", delete=False) as file:
        path = Path(file.name)
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
            _fill(archive, views, member)
    except BaseException:
        path.unlink()
        raise
    return path


def _fill(archive: zipfile.ZipFile, views: Views, member: Member) -> None:
    state, team = views.state, member.entrant
    archive.writestr("profile.csv", _table(_profile(views, member)))
    acts = [act for act in public_log(state) if act["author"] == member.name or (team and _is_about(act, team))]
    shown = ("at", "author", "text", "reason", "undone")
    archive.writestr("acts.csv", _table([{key: act[key] for key in shown} for act in acts]))
    versions = state.versions.get(team, ()) if team else ()
    archive.writestr("versions.csv", _table([_version(views, version) for version in versions]))
    for version in versions:
        folder = views.contest.folder / copy_path(version.hash)
        for file in sorted(folder.rglob("*")) if version.path else ():
            if file.is_file():
                archive.write(file, f"versions/{version.number}/{file.relative_to(folder)}")
    matches = [played for played in state.newest(team) if views.may_see(played)] if team else []
    archive.writestr("matches.csv", _table([_match(views, played, team) for played in matches]))
    for played in matches:
        if log := "\n".join(_log(views, played, team)):
            archive.writestr(f"logs/{played.id}.txt", log)


def _is_about(act: dict[str, Any], team: str) -> bool:
    return team in act["text"]


def _profile(views: Views, member: Member) -> list[dict[str, Any]]:
    state, team = views.state, member.entrant
    profile: dict[str, Any] = {"id": member.id, "name": member.name, "role": member.role, "team": team}
    if team:
        entrant, consent = state.entrants[team], state.consent_of(team)
        profile |= {"team_id": entrant.id, "real_name": entrant.real_name, "team_entered": entrant.at}
        agreed = {"replays": consent.replays, "picture": consent.picture, "opponent": consent.opponent}
        profile |= {**agreed, "licence": consent.licence, "agreed_at": consent.at}
    return [profile]


def _version(views: Views, version: Version) -> dict[str, Any]:
    report = version.report
    return {
        "number": version.number,
        "at": version.at,
        "by": views.state.ids.get(version.by, ""),
        "file": version.file,
        "bytes": version.size,
        "hash": version.hash,
        "late": version.late,
        "passed": version.passed,
        "problem": report.problem if report else "",
    }


def _match(views: Views, played: Played, team: str) -> dict[str, Any]:
    seat = played.names.index(team)
    row, player = views.players(played)[seat], played.result.players[seat] if played.result else None
    return {
        "match_id": played.id,
        "kind": played.kind,
        "at": played.at,
        "players": " – ".join(played.names),
        "version": row.version,
        "points": row.points,
        "score": row.score,
        "ending": row.ending,
        "turn_seconds": player.clock.wall if player else None,
        "said": player.explained if player else "",
    }


def _log(views: Views, played: Played, team: str) -> Iterator[str]:
    with suppress(OSError, ReplayError):
        if played.replay:
            yield from own_notes(views.contest.folder / played.replay, played.names.index(team))


def _table(rows: Iterable[dict[str, Any]]) -> str:
    listed = [*rows]
    heads = list(listed[0]) if listed else []
    return csv_of(heads, [[row[head] for head in heads] for row in listed])
