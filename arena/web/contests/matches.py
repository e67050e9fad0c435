"""Matches for readers: which of them a reader can see and watch, and what a list or a page says about one.

Every page makes one `Views` for its reader, and asks it for everything: so no page forgets what is held back, and all
values of an answer belong to one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

from arena.contests.journal.files import temporary_replay_path
from arena.contests.ladder.board import LadderRow
from arena.contests.open_contest import LoadedContest
from arena.contests.people.accounts import SignedIn
from arena.contests.ratings.form import result_letter
from arena.contests.report.columns import number
from arena.contests.report.views import Side, failure, score_or_place
from arena.contests.stages.series import legs_of
from arena.contests.values import KINDS, RATED, Played, Player
from arena.contests.visibility import Visibility, held_encounters, visibility_of
from arena.match.ending import REGULAR, ending_and_place, ending_phrase, reason_in_words
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.study.coach.causes import causes_of
from arena.study.coach.page import explained
from arena.study.coach.report import conclusion
from arena.web.contests.requests import takes_bots
from arena.web.contests.results import Publisher, Results
from arena.web.public_replays import is_withheld, public_bytes
from arena_replays import Reader, ReplayError

_NEAR: Final = 50
"""The number of results around a match among which the one before and the one after it are searched. Nearly all can be
seen; only hidden comparisons in a row are more."""
UNCOUNTED: Final = "does not count"
Running = Mapping[str, tuple[MatchSpec, float]]
"""The matches that are being played, by match id, and when each has begun."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match in a list, as the macro ``match_list`` of ``parts/components.html`` shows it.

    Attributes:
        place: Where the match belongs, in words, such as its round.
        lost: Whether the reader's team has lost it.
        decided: What decided between equal scores, in words; empty otherwise.
        note: Why the result is not as it was played; empty otherwise.
        watch: Whether the reader can watch it now.
    """

    id: str
    kind: str
    place: str
    title: str
    sides: list[Side]
    running: bool
    lost: bool
    at: str
    decided: str
    counts: bool
    note: str
    watch: bool


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player on the page of a match. Texts are empty, and the version is 0, where there is nothing to show.

    Attributes:
        own: Whether the reader may read the logs.
    """

    name: str
    own: bool
    won: bool
    points: str
    ending: str
    score: str
    version: int


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

    def real_name(self, name: str) -> str:
        """Return the name behind the display name of a team; empty if there is none, or the reader may not see it."""
        real_name = self.state.entrants[name].real_name
        return real_name if self.is_own(name) and real_name != name else ""

    def is_member(self, name: str) -> bool:
        """Return whether the reader hands in the bots of an entrant, and starts its challenges."""
        return (
            self.session is not None
            and (self.session.member.entrant, self.session.member.role) == (name, "member")
            and self.state.entrants[name].is_team
            and takes_bots(self.contest)
        )

    def takes_part(self, played: Played) -> bool:
        """Return whether the reader's team plays in a match, or the reader is an organizer."""
        return any(self.is_own(name) for name in played.names)

    def may_see(self, played: Played) -> bool:
        return self.visibility.shows(played) and (played.is_public or self.takes_part(played))

    def may_watch(self, played: Played) -> bool:
        """Return whether the reader is allowed to watch a replay whose result the reader can see."""
        is_public = self.contest.config.visible.public_replays and self.state.has_public_replay(played.spec)
        return is_public or self.takes_part(played)

    # -- lists ---------------------------------------------------------------------------------------

    def find(self, match_id: str) -> Played | None:
        """Return a match that was played or is being played."""
        played = self.state.played.get(match_id)
        if played is not None or match_id not in self.running_matches:
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

    def running(self) -> list[MatchRow]:
        """Return the running matches that the reader can see."""
        matches = [self.find(match_id) for match_id in self.running_matches]
        return [self.row(match) for match in matches if match and match.result is None and self.may_see(match)]

    def listed(self, name: str = "") -> Iterator[MatchRow]:
        """Yield the matches of an entrant, or all, that the reader can see, the newest first."""
        for played in self.state.newest(name):
            if played.kind != "comparison" and self.may_see(played):  # they are on the page of the version
                yield self.row(played)

    def row(self, played: Played) -> MatchRow:
        """Return a match for a list."""
        points = self._points(played)
        counts = self.counts(played)
        is_corrected = played.is_public and played.id in self.state.orders.corrected
        note = ""
        if played.result is not None:
            note = ("corrected" if is_corrected else "") if counts else UNCOUNTED
        place = self.results.titles.place(played.spec)
        return MatchRow(
            id=played.id,
            kind=played.kind,
            place=place,
            title=f"{place}: {' – '.join(played.names)}",
            sides=[_side(played, seat, points, is_corrected) for seat in range(len(played.names))],
            running=not points,
            lost=self._is_lost(played, points),
            at=played.at,
            decided=reason_in_words(played.decided_by),
            counts=counts,
            note=note,
            watch=self.may_watch(played) and self._has_board(played),
        )

    def headline(self, played: Played) -> str:
        """Return the names of a match, and in brackets who won, as far as the reader sees it."""
        names, points = " – ".join(played.names), self._points(played)
        if not points or not self.counts(played):
            return names
        best = [name for seat, name in enumerate(played.names) if _has_won(points, seat)]
        return f"{names} ({', '.join(best)} {'wins' if len(best) == 1 else 'win'})" if best else f"{names} (a draw)"

    def _is_lost(self, played: Played, points: Sequence[float]) -> bool:
        """Return whether the reader's team has fewer points than the best player of a match."""
        if self.session is None or not points:
            return False
        team = self.session.member.entrant
        return any(name == team and point < max(points) for name, point in zip(played.names, points, strict=False))

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

    def players(self, played: Played) -> list[PlayerRow]:
        """Return the players of a match for its page, in the order of their seats."""
        points = self._points(played)
        rows = []
        for seat, player in enumerate(played.players):
            version = self.state.by_player.get(player)
            row = PlayerRow(
                name=played.names[seat],
                own=self.is_own(played.names[seat]),
                won=_has_won(points, seat),
                points=number(points[seat]) if points else "",
                ending=_ending(played.result, seat) if played.result else "",
                score=f"{played.scores[seat]:zg}" if played.scores else "",
                version=version.number if version else 0,
            )
            rows.append(row)
        return rows

    def beside(self, played: Played) -> tuple[MatchRow | None, MatchRow | None]:
        """Return the results before and after a match that the reader can see, among the nearest ones."""
        near = [match for match in self.state.played.around(played.index, _NEAR) if self.may_see(match)]
        before = max((match for match in near if match.index < played.index), key=_index, default=None)
        after = min((match for match in near if match.index > played.index), key=_index, default=None)
        return self.row(before) if before else None, self.row(after) if after else None

    def legs(self, played: Played) -> list[Played]:
        """Return the finished matches that count as one game with a match of a stage, or only this match."""
        size = self.state.settings.rules.legs
        if size == 1 or played.result is None or played.kind in KINDS:
            return [played]
        pairing = played.spec.round, played.spec.pairing
        same_pairing = [
            (match.spec, match.result)
            for match in self.state.newest(played.names[0])
            if match.kind == played.kind
            and match.result
            and (match.spec.round, match.spec.pairing) == pairing
            and self.may_see(match)
        ]
        legs = legs_of(played.id, same_pairing, size)
        return [self.state.played[spec.match_id] for spec, _ in legs] or [played]

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
        document = explained(path, path.name)
        if document:
            public = causes_of(Reader(public_bytes(path, over=self.is_over(played))))
            for seat, name in enumerate(played.names):
                if not self.is_own(name):
                    document["cause"][seat] = public[seat].to_document()
                    if "summary" in document:
                        document["summary"][seat] = conclusion(document, seat)
        return document


def _ending(result: MatchResult, seat: int) -> str:
    """Return how a match ended for a player: at tables the place, since the second of four has not lost."""
    ending, place = result.players[seat].ending, result.place(seat)
    return place if place and ending in REGULAR else ending_and_place(ending_phrase(ending), place)


def _index(played: Played) -> int:
    return played.index


def _has_won(points: Sequence[float], seat: int) -> bool:
    return bool(points) and points[seat] == max(points) > min(points)


def _side(played: Played, seat: int, points: Sequence[float], is_corrected: bool) -> Side:
    """Return a player of a match in a list: with points on the ladder, the score in a stage, the place at tables."""
    name, won = played.names[seat], _has_won(points, seat)
    if played.result is None or is_corrected:
        return Side(name, f"{points[seat]:g}" if points else "", won, "")
    score = points[seat] if played.kind in KINDS else played.scores[seat]
    return Side(name, score_or_place(played.result.outcome, seat, score), won, failure(played.endings[seat]))
