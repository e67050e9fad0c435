"""Matches for readers: which of them a reader can see and watch, and what a list or a page says about one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from arena.contests.journal.files import temporary_replay_path
from arena.contests.ladder.board import LadderRow
from arena.contests.open_contest import LoadedContest
from arena.contests.people.accounts import SignedIn
from arena.contests.ratings.form import result_letter
from arena.contests.report.columns import number
from arena.contests.report.views import Side, failure
from arena.contests.stages.series import legs_of
from arena.contests.values import KINDS, RATED, Played, Player
from arena.contests.visibility import Visibility, held_encounters, visibility_of
from arena.match.ending import ending_phrase, reason_in_words
from arena.match.spec import MatchSpec
from arena.study.analysis.causes import causes_of
from arena.study.analysis.explaining import explanation_of
from arena.web.contests.results import Publisher, Results
from arena.web.public_replays import is_withheld, public_bytes
from arena_replays import Reader, ReplayError

_NEAR = 50
UNCOUNTED = "does not count"
Running = Mapping[str, tuple[MatchSpec, float]]
"""The matches that are being played, by match id, and when each has begun."""


class Views:
    """What one reader gets in one answer, from one snapshot of the contest, so that all its values belong together.

    Args:
        session: Who reads; None for everybody who is not signed in.
    """

    def __init__(
        self, contest: LoadedContest, running: Running, publisher: Publisher, session: SignedIn | None
    ) -> None:
        self.contest = contest
        self.session = session
        # In this order: a match that ends meanwhile is in one of them.
        self.running_matches = running
        self.snapshot = contest.snapshot
        self.state = self.snapshot.state
        self._publisher = publisher

    # -- rights --------------------------------------------------------------------------------------

    @property
    def is_organizer(self) -> bool:
        return self.session is not None and self.session.member.is_organizer

    @cached_property
    def visibility(self) -> Visibility:
        """The results that the reader can see."""
        return visibility_of(self.state, everything=self.is_organizer)

    @cached_property
    def results(self) -> Results:
        """The stages as the reader sees them."""
        return self._publisher.results(everything=self.is_organizer)

    @cached_property
    def ladder(self) -> list[LadderRow]:
        """The table of the ladder as the reader sees it; empty without one."""
        return self.snapshot.table(everything=self.is_organizer) if self.contest.config.ladder else []

    def is_own(self, name: str) -> bool:
        """Return whether the reader is allowed to see the logs and versions of a team or bot."""
        return self.session is not None and (self.is_organizer or (name != "" and self.session.member.entrant == name))

    def takes_part(self, played: Played) -> bool:
        """Return whether the reader's team plays in a match, or the reader is an organizer."""
        return any(self.is_own(name) for name in played.names)

    def may_see(self, played: Played) -> bool:
        return self.visibility.shows(played) and (played.is_public or self.takes_part(played))

    def may_watch(self, played: Played) -> bool:
        """Return whether the reader is allowed to watch a replay whose result the reader can see."""
        return self.contest.config.visible.public_replays or self.takes_part(played)

    # -- lists ---------------------------------------------------------------------------------------

    def find(self, match_id: str) -> Played | None:
        """Return a match that was played or is being played."""
        if (played := self.state.played.get(match_id)) or match_id not in self.running_matches:
            return played
        spec, begun = self.running_matches[match_id]
        at = datetime.fromtimestamp(begun, UTC).isoformat(timespec="seconds")
        return Played(spec, self.state.players_of(spec), None, at, len(self.state.played))

    def replay(self, played: Played) -> str:
        """Return the path of a replay in the folder of the contest.

        It is empty for a running match before its first turn, or if another machine plays it.
        """
        if played.result is not None:
            return played.replay
        own = temporary_replay_path(self.contest.folder, played.id)
        paths = own.parent.glob(f"{own.stem}.*")  # its name ends with the number of the process that plays
        return next((str(path.relative_to(self.contest.folder)) for path in paths), "")

    def running(self) -> list[dict[str, Any]]:
        """Return the running matches that the reader can see."""
        found = [played for key in self.running_matches if (played := self.find(key)) and played.result is None]
        return [self.row(played) for played in found if self.may_see(played)]

    def listed(self, name: str = "") -> Iterator[dict[str, Any]]:
        """Yield the matches of an entrant, or all, that the reader can see, the newest first."""
        for played in self.state.newest(name):
            if played.kind != "comparison" and self.may_see(played):  # they are on the page of the version
                yield self.row(played)

    def row(self, played: Played) -> dict[str, Any]:
        """Return a match for a list: also for the macro ``match_list`` of ``parts/components.html``."""
        points = self._points(played)
        best, counts = max(points, default=0.0), self.counts(played)
        corrected = played.is_public and played.id in self.state.orders.corrected
        place = self.results.titles.place(played.spec)
        player = self.session.member.entrant if self.session else ""
        return {
            "id": played.id,
            "kind": played.kind,
            "place": place,
            "title": f"{place}: {' – '.join(played.names)}",
            "sides": [_side(played, seat, points, corrected) for seat in range(len(played.names))],
            "running": not points,
            "lost": any(
                point < best and player == name for name, point in zip(played.names, points, strict=False)
            ),
            "at": played.at,
            "decided": reason_in_words(played.decided_by),
            "counts": counts,
            "note": "" if played.result is None else UNCOUNTED if not counts else "corrected" if corrected else "",
            "watch": self.may_watch(played) and self._has_board(played),
        }  # fmt: skip

    def _has_board(self, played: Played) -> bool:
        """Return whether there is something to watch. A running match with secrets is not shown before its end."""
        replay = self.replay(played)
        if not replay or played.result is not None:
            return bool(replay)
        with suppress(OSError, ReplayError):
            return not is_withheld(self.contest.folder / replay)
        return False

    def result(self, played: Played, seat: int) -> str:
        """Return W, D or L for a seat of a match with a result."""
        points = self._points(played)
        return result_letter(points[seat], points)

    def _points(self, played: Played) -> tuple[float, ...]:
        return self.state.orders.corrected.get(played.id, played.points)

    def counts(self, played: Played) -> bool:
        """Return whether the result of a match counts. While the match is being played, it does."""
        state = self.state
        if played.result is None or (played.kind in KINDS and not played.is_rated):
            return not played.is_void
        if played.kind in RATED:
            return state.counts(played)
        is_void = state.orders.is_void(played)
        return played.kind in state.stages and not is_void and played.id not in self.results.uncounted

    # -- one match -----------------------------------------------------------------------------------

    def match(self, played: Played) -> dict[str, Any]:
        points, row = self._points(played), self.row(played)
        versions = [self.state.by_player.get(player) for player in played.players]
        players = [
            {
                "name": name, "own": self.is_own(name), "won": row["sides"][seat].won,
                "points": f"{points[seat]:g}" if points else "",
                "ending": ending_phrase(played.endings[seat]) if played.endings else "",
                "score": f"{played.scores[seat]:zg}" if played.scores else "",
                "version": version.number if version else 0,
            }
            for seat, (name, version) in enumerate(zip(played.names, versions, strict=True))
        ]  # fmt: skip
        before, after = self._beside(played)
        return {
            "names": played.names,
            "match": row,
            "players": players,
            "previous": before and self.row(before),
            "next": after and self.row(after),
        }

    def _beside(self, played: Played) -> tuple[Played | None, Played | None]:
        """Return the results before and after a match that the reader can see, among the nearest ones."""
        found = self.state.played.around(played.index, _NEAR)
        seen = [one for one in found if one.index != played.index and self.may_see(one)]
        before = max((one for one in seen if one.index < played.index), key=lambda one: one.index, default=None)
        after = min((one for one in seen if one.index > played.index), key=lambda one: one.index, default=None)
        return before, after

    def legs(self, played: Played) -> list[Played]:
        """Return the finished matches that count as one game with a match of a stage, or only this match."""
        size = self.state.settings.rules.legs
        if size == 1 or played.result is None or played.kind in KINDS:
            return [played]
        spec = played.spec
        near = [one for one in self.state.newest(played.names[0]) if one.kind == played.kind and self.may_see(one)]
        same = [(one.spec, one.result) for one in near
                if one.result and (one.spec.round, one.spec.pairing) == (spec.round, spec.pairing)]  # fmt: skip
        return [self.state.played[one.match_id] for one, _ in legs_of(played.id, same, size)] or [played]

    def is_over(self, played: Played) -> bool:
        """Return whether all matches with the same seed are over, and the reader sees their results."""
        if played.result is None:
            return False
        if played.kind in KINDS:
            held = held_encounters(self.state, self.visibility)
            return played.encounter not in self.state.matches_left and (played.kind, played.encounter) not in held
        run = self.results.stages.get(played.kind)
        return run is not None and played.id in run.results and run.seed_is_spent(played.spec)

    def programs(self, played: Played) -> tuple[str, ...]:
        """Return the public names of the players' programs: team and number of the version, or the hash of a bot."""
        return tuple(self._program(player) for player in played.players)

    def _program(self, player: Player) -> str:
        version = self.state.by_player.get(player)
        if version is None:
            return player[0]
        return version.key if self.state.entrants[player[0]].is_team else version.hash

    def explained(self, played: Played) -> dict[str, Any]:
        """Return the stored explanation of a replay without private parts of other teams (see `arena explain`)."""
        path = self.contest.folder / played.replay
        document = explanation_of(path, path.name)
        if document:
            public = causes_of(Reader(public_bytes(path, over=self.is_over(played))))
            for seat, name in enumerate(played.names):
                if not self.is_own(name):
                    document["cause"][seat] = public[seat].to_document()
        return document

    def causes(self, played: Played) -> dict[str, str]:
        """Return why each team won, lost or failed, for the teams whose logs the reader can see.

        The result is empty while the match is being played, and if the replay cannot be read.
        """
        own = [seat for seat, name in enumerate(played.names) if self.is_own(name)]
        with suppress(OSError, ReplayError, KeyError, ValueError, TypeError):
            found = causes_of(Reader(self.contest.folder / played.replay)) if own and played.result else []
            return {played.names[one.player]: one.message for one in found if one.player in own}
        return {}


def _side(played: Played, seat: int, points: Sequence[float], corrected: bool) -> Side:
    """Return a player of a match in a list: with the score in a stage, and with the points on the ladder."""
    name, won = played.names[seat], bool(points) and points[seat] == max(points) > min(points)
    if played.result is None or played.kind in KINDS or corrected:
        return Side(name, f"{points[seat]:g}" if points else "", won, "")
    return Side(name, number(played.scores[seat]), won, failure(played.endings[seat]))
