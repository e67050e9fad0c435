"""The content of the pages of a season: what each reader is allowed to see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from arena.analysis.cached import explanation_of
from arena.analysis.causes import causes_of
from arena.journal.files import temporary_replay_path
from arena.match.ending import said
from arena.match.wording import reason_in_words
from arena.matches.copies import place_of_copy
from arena.pages.pictures import sign
from arena.season.acts import public_log
from arena.season.differences import first_turn_apart
from arena.season.matches import Matches, is_frozen
from arena.season.people import SignedIn
from arena.season.released import Released, released
from arena.season.sources import is_template
from arena.season.store import Season, utc
from arena.season.suspicions import alike, improbable_pairs, twins
from arena.season.values import RATED, REPORTED, Pairing, Played, Player, Version, time_of
from arena.contests.report.drawings import history_of
from arena.contests.report.views import Side
from arena.web.public_replays import public_bytes
from arena.web.contests.ladder import ladder_document, ladder_view
from arena_replays import Reader, ReplayError

_RECENT = 12
_NEAR = 50
_MOST = 200
_SCREEN = 8
_UNCOUNTED = "does not count"
Reported = tuple[Player, list[Played]]
"""An opponent in a version's report, with their matches."""


class Views:
    """Builds the content of one answer, from one snapshot of the season, so that all its values belong together."""

    def __init__(self, season: Season, matches: Matches) -> None:
        self._season = season
        self._matches = matches
        # In this order: a match that ends meanwhile is in one of them.
        self._running = matches.running
        self.snapshot = season.snapshot
        self.state = self.snapshot.state

    # -- rights --------------------------------------------------------------------------------------

    @staticmethod
    def is_organizer(session: SignedIn | None) -> bool:
        return session is not None and session.member.is_organizer

    @staticmethod
    def is_own(session: SignedIn | None, team: str) -> bool:
        """Return whether a reader is allowed to see the logs and versions of a team."""
        return session is not None and (session.member.is_organizer or (team != "" and session.member.team == team))

    def takes_part(self, session: SignedIn | None, played: Played) -> bool:
        """Return whether a reader's team plays in a match, or the reader is an organizer."""
        return any(self.is_own(session, name) for name in played.names)

    def released(self, session: SignedIn | None) -> Released:
        """Return which results are released to a reader."""
        return released(self.state, everything=self.is_organizer(session))

    def may_see(self, session: SignedIn | None, played: Played) -> bool:
        return self.released(session).shows(played) and (played.is_rated or self.takes_part(session, played))

    def may_watch(self, session: SignedIn | None, played: Played) -> bool:
        """Return whether a reader is allowed to watch a replay whose result the reader can see."""
        return self._season.config.public_replays or self.takes_part(session, played)

    # -- pages ---------------------------------------------------------------------------------------

    def find(self, match_id: str) -> Played | None:
        """Return a match that was played or is being played.

        A running match has no points. It has no replay before its first turn, or if another machine plays it.
        """
        state = self.state
        if (played := state.played.get(match_id)) or not (running := self._running.get(match_id)):
            return played
        spec, at = running
        path = temporary_replay_path(self._season.folder, match_id)
        replay = str(path.relative_to(self._season.folder)) if path.is_file() else ""
        return Played(match_id, spec.round, spec.stage, state.players_of(spec), (), (), (), (), replay,
                      datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds"), len(state.played))  # fmt: skip

    def front(self, session: SignedIn | None) -> dict[str, Any]:
        rows = self.snapshot.table(everything=self.is_organizer(session))
        return {
            "game": self._season.game.title,
            "ladder": ladder_view(rows),
            "recent": [_line(row) for row in islice(self._listed(session, ""), _RECENT)],
            "running": self.running(session),
            "announcements": self.state.orders.announcements,
            "finals": [(one, self.released(session).shows_finals(one.at)) for one in self.state.orders.finals],
            "late": self._season.config.is_late(utc()),
        }

    def standings(self, session: SignedIn | None) -> dict[str, Any]:
        """Return the name of the season and the rows of the table, as values for JSON."""
        rows = self.snapshot.table(everything=self.is_organizer(session))
        return {"season": self._season.config.name, "rows": ladder_document(rows)}

    def running(self, session: SignedIn | None) -> list[dict[str, Any]]:
        """Return the running matches whose results a reader can see."""
        found = [played for key in self._running if (played := self.find(key))]
        return [self._row(session, played) for played in found if self.may_see(session, played)]

    def matches(self, session: SignedIn | None, team: str) -> list[dict[str, Any]]:
        """Return the newest matches whose results a reader can see; of `team` only, if it is not empty."""
        return [_line(row) for row in islice(self._listed(session, team), _MOST)]

    def _listed(self, session: SignedIn | None, team: str) -> Iterator[dict[str, Any]]:
        for played in self.state.newest(team):
            if played.kind != "comparison" and self.may_see(session, played):  # they are on the page of the version
                yield self._row(session, played)

    def _row(self, session: SignedIn | None, played: Played) -> dict[str, Any]:
        state = self.state
        points = state.orders.corrected.get(played.id, played.points)
        note = "corrected" if played.is_rated and played.id in state.orders.corrected else ""
        best = max(points, default=0.0)
        place = f"{played.kind[:1].upper()}{played.kind[1:]} match {played.encounter}"
        return {
            "id": played.id,
            "kind": played.kind,
            "place": place,
            "title": f"{place}: {' – '.join(played.names)}",
            "players": [
                {
                    "name": name,
                    "points": f"{points[seat]:g}" if points else "",
                    "won": bool(points) and points[seat] == best > min(points),
                    "own": name in state.teams and self.is_own(session, name),
                }
                for seat, name in enumerate(played.names)
            ],
            "running": not points,
            "lost": any(
                point < max(points) and session is not None and name == session.member.team
                for name, point in zip(played.names, points, strict=False)
            ),
            "at": played.at,
            "decided": reason_in_words(played.decided_by),
            "note": _UNCOUNTED if (played.is_rated or played.is_void) and not state.counts(played) else note,
            "watch": bool(played.replay) and self.may_watch(session, played),
        }

    def match(self, session: SignedIn | None, played: Played) -> dict[str, Any]:
        row = self._row(session, played)
        for seat, player in enumerate(row["players"]):
            version = self.state.by_player.get(played.players[seat])
            player |= {
                "ending": said(played.endings[seat]) if played.endings else "",
                "score": f"{played.scores[seat]:zg}" if played.scores else "",
                "version": version.number if version else 0,
            }
        before, after = self._beside(session, played)
        return {
            "names": played.names,
            "match": row,
            "organizer": self.is_organizer(session),
            "previous": before and self._row(session, before),
            "next": after and self._row(session, after),
        }

    def _beside(self, session: SignedIn | None, played: Played) -> tuple[Played | None, Played | None]:
        """Return the results before and after a match that the reader can see, among the nearest ones."""
        found = self.state.played.around(played.index, _NEAR)
        seen = [one for one in found if one.index != played.index and self.may_see(session, one)]
        before = max((one for one in seen if one.index < played.index), key=lambda one: one.index, default=None)
        after = min((one for one in seen if one.index > played.index), key=lambda one: one.index, default=None)
        return before, after

    def is_over(self, played: Played) -> bool:
        return bool(played.points) and played.encounter not in self.state.open

    def programs(self, played: Played) -> tuple[str, ...]:
        """Return the public names of the players' programs: team and number of the version."""
        found = [self.state.by_player.get(player) for player in played.players]
        return tuple(version.key if version else name for version, name in zip(found, played.names, strict=True))

    def explained(self, session: SignedIn | None, played: Played) -> dict[str, Any]:
        """Return the stored explanation of a replay without private parts of other teams (see `arena explain`)."""
        path = self._season.folder / played.replay
        document = explanation_of(path, path.name)
        if document:
            public = causes_of(Reader(public_bytes(path, over=self.is_over(played))))
            for seat, name in enumerate(played.names):
                if not self.is_own(session, name):
                    document["cause"][seat] = public[seat].to_document()
        return document

    def causes(self, session: SignedIn | None, played: Played) -> dict[str, str]:
        """Return why each team won, lost or failed, for the teams whose logs the reader can see.

        The result is empty while the match is being played, and if the replay cannot be read.
        """
        own = [seat for seat, name in enumerate(played.names) if self.is_own(session, name)]
        with suppress(OSError, ReplayError, KeyError, ValueError, TypeError):
            found = causes_of(Reader(self._season.folder / played.replay)) if own and played.points else []
            return {played.names[one.player]: one.message for one in found if one.player in own}
        return {}

    def team(self, session: SignedIn | None, team: str) -> dict[str, Any] | None:
        """Return the content of the page of a team; None if there is no such team."""
        state, config = self.state, self._season.config
        anchors = [name for name, _ in state.anchors]
        if team not in state.teams and team not in anchors:
            return None
        everything = self.is_organizer(session)
        own = self.is_own(session, team) and team in state.teams
        row = next((one for one in self.snapshot.table(everything=everything) if one.team == team), None)
        active = state.active(team)
        return {
            "name": team,
            "row": row,
            "own": own,
            "is_team": team in state.teams,
            "out": team in state.orders.teams,
            "pictured": team in state.shown_pictures(),
            "unpictured": team in state.orders.unpictured,
            "member": session is not None and session.member.team == team and session.member.role == "member",
            "active": active.number if active and own else row.version if row else 0,
            "versions": [self.version(one) for one in reversed(state.versions.get(team, []))] if own else [],
            "opponents": self._opponents(team) if own else [],
            "challenges": self.challenges(team) if own else 0,
            "uploads": max(0, config.per_day - state.uploads_since(team, utc())) if own else 0,
            "open": [
                {"number": number, "opponent": ", ".join({name for name, _ in state.encounters[number].players[1:]})}
                for number in state.open
                if own and state.encounters[number].kind == "challenge" and state.encounters[number].team == team
            ],
            "matches": [_line(row) for row in islice(self._listed(session, team), 50)],
            "history": history_of(row.form.history) if row else None,
        }

    def _opponents(self, team: str) -> list[str]:
        teams = [name for name in self.state.teams if name != team and self.state.active(name)]
        return teams + [name for name, _ in self.state.anchors]

    def challenges(self, team: str) -> int:
        """Return how many challenges a team can still start."""
        return max(0, self._season.config.challenges_per_day - self.state.challenges_since(team, utc()))

    def trying(self, session: SignedIn, team: str) -> dict[str, Any]:
        """Return the content of the forms on the page of a version."""
        member = session.member.team == team and session.member.role == "member"
        return {"member": member, "opponents": self._opponents(team), "challenges": self.challenges(team)}

    def version(self, version: Version) -> dict[str, Any]:
        """Return all data about a version. Only its team and the organizers are allowed to see them."""
        report, active = version.report, self.state.active(version.team)
        is_active = active is not None and active.number == version.number
        lines = report["lines"] if report else self._matches.checks.lines(version)
        usable = version.passed and not is_frozen(self._season, version)
        is_newer = active is None or version.number > active.number
        out = self.state.orders.is_out(version.player)
        state = "waiting" if report is None else "passed" if report["passed"] else "failed"
        return {
            "version": version,
            "team": version.team,
            "state": "checking" if state == "waiting" and lines else state,
            "problem": report["problem"] if report else "",
            "waits": self._matches.checks.why_waiting(version),
            "match": report["match"] if report else "",
            "lines": lines,
            "active": is_active,
            "usable": usable and not out and not is_active,
            "asks": usable and not out and is_newer and not self.state.was_active(version.player),
            "out": out,
            "playing": active.number if active else 0,
        }

    def report(self, version: Version) -> dict[str, Any]:
        """Return the results of the matches that belong to the report of a version."""
        found = list(self._reported(version))
        return {
            "scores": self._scores(version, found),
            "comparison": self._comparison(version, found),
            "open": any(self._compares(version, self.state.encounters[number]) for number in self.state.open),
        }

    def _compares(self, version: Version, encounter: Pairing) -> bool:
        return encounter.kind in REPORTED and encounter.players[0] == version.player

    def _reported(self, version: Version) -> Iterator[Reported]:
        """Yield the opponents in a version's report, with their matches, in the order of the encounters."""
        found: dict[int, list[Played]] = {}
        for played in self.state.newest(version.team):
            if self._compares(version, self.state.encounters[played.encounter]) and not played.is_void:
                found.setdefault(played.encounter, []).append(played)
        for number in sorted(found):
            yield self.state.encounters[number].players[-1], found[number][::-1]

    def _scores(self, version: Version, reported: Sequence[Reported]) -> list[dict[str, Any]]:
        """Return the results of a version against built-in bots, in the matches of its report, weakest first."""
        found = [(rival, played) for rival, played in reported if rival in self.state.anchors]
        order = [*self.state.anchors]
        return [_score(version, rival, played) for rival, played in sorted(found, key=lambda one: order.index(one[0]))]

    def _comparison(self, version: Version, reported: Sequence[Reported]) -> dict[str, Any] | None:
        """Return how a version does against the version that was active, and where their first matches differ."""
        state = self.state
        for rival, played in reported:
            known = state.by_player.get(rival)
            if known is None:
                continue
            trials = [state.played.get(str(one.report["match"])) if one.report else None for one in (version, known)]
            places = [self._season.folder / one.replay for one in trials if one is not None and one.replay]
            differs = first_turn_apart(*places) if len(places) == len(trials) else None
            return _score(version, rival, played) | {"version": known.number, "differs": differs}
        return None

    def screen(self) -> dict[str, Any]:
        """Return the content of the big screen: only what everybody can see, even if an organizer opens it."""
        shown: list[dict[str, Any]] = []
        config = self._season.config
        for row in islice(self._listed(None, ""), _MOST):
            if row["watch"] or len(shown) < 1:
                shown.append(row)
            if len(shown) == _SCREEN:
                break
        # While results are held back, the next encounters would show which matches are over.
        waiting = self._next() if self.released(None).everything else ()
        return {
            "rows": [row | {"sign": asdict(sign(row["team"]))} for row in ladder_document(self.snapshot.table())],
            "board": next((row for row in shown if row["watch"]), None),
            "recent": shown,
            "running": self.running(None),
            "next": [list(dict.fromkeys(names)) for names in waiting][:_SCREEN],
            "deadline": config.shown_time(config.deadline) if config.deadline else "",
            "announcements": [one.reason for one in self.state.orders.announcements[:3]],
            "finals": next(
                (
                    one.more["place"]
                    for one in reversed(self.state.orders.finals)
                    if self.released(None).shows_finals(one.at)
                ),
                "",
            ),
        }

    def _next(self) -> Iterator[list[str]]:
        state, running = self.state, {spec.round for spec, _ in self._running.values()}
        for number in state.open:
            if state.encounters[number].kind in RATED and number not in running:
                yield [name for name, _ in state.encounters[number].players]

    def queue(self) -> dict[str, Any]:
        state, matches, now = self.state, self._matches, utc().timestamp()
        return {
            "running": [
                {"id": key, "kind": spec.stage, "names": list(spec.names), "seconds": now - at}
                for key, (spec, at) in self._running.items()
            ],
            "slots": matches.slots,
            "waiting": [
                {"number": number, "kind": one.kind, "names": [name for name, _ in one.players],
                 "left": state.open[number], "seconds": now - time_of(one.at).timestamp()}
                for number, one in ((number, state.encounters[number]) for number in state.open)
            ],
            "checks": [
                (one.key, line.get("running") or line.get("name", "waits"))
                for one in state.waiting()
                for line in (matches.checks.lines(one) or [{}])[-1:]
            ],
            "shares": sorted(matches.shares.usual.items()),
            "over": matches.shares.over(state.teams, []),
            "problem": matches.problem or matches.checks.problem,
            "results": len(state.played),
        }  # fmt: skip

    def desk(self, base: Mapping[str, str]) -> dict[str, Any]:
        """Return the content of the organizer's desk.

        Args:
            base: The files of the templates of bots.
        """
        state = self.state

        def is_unchanged(version: Version) -> bool:
            return is_template((self._season.folder / place_of_copy(version.hash)).resolve(), base)

        valid, public = set(state.tokens.values()), released(state)
        return {
            "teams": list(state.teams),
            "pictured": list(state.shown_pictures()),
            "versions": [one for team in state.versions.values() for one in reversed(team)][:_MOST],
            "twins": twins(state, is_unchanged),
            "alike": alike(state, is_unchanged),
            "pairs": improbable_pairs(self.snapshot),
            "voids": [(team, count, state.void_causes[team]) for team, count in state.voids.most_common()],
            "members": [(one, one.id in valid) for one in state.members.values()],
            "invitations": [one for one in state.invitations.values() if time_of(one.expires) > utc()],
            "entries": public_log(state, everything=True),
            "held": 0 if public.everything else sum(not public.shows(one) for one in state.played.values()),
            "problem": self._matches.problem or self._matches.checks.problem,
        }


def _line(row: dict[str, Any]) -> dict[str, Any]:
    """Return a match for the macro ``match_list`` of ``parts/components.html``."""
    sides = [Side(player["name"], player["points"], player["won"], "") for player in row["players"]]
    return row | {"sides": sides, "counts": row["note"] != _UNCOUNTED}


def _score(version: Version, rival: Player, matches: list[Played]) -> dict[str, Any]:
    """Return the points of a version in matches with one opponent: those of its first seat in each match."""
    seats = [played.players.index(version.player) for played in matches]
    return {
        "opponent": rival[0],
        "points": sum(played.points[seat] for played, seat in zip(matches, seats, strict=True)),
        "matches": [
            {"id": played.id, "score": f"{played.scores[seat]:zg}", "points": f"{played.points[seat]:g}"}
            for played, seat in zip(matches, seats, strict=True)
        ],
    }
