"""One stage of a contest, computed from its rounds and the results of their matches.

Results can come in any order. They are *settled*, that is, added to encounters and tables, only in the order in which
the matches were scheduled. So pairings and tables do not depend on the number of matches at once or on restarts. What
has been paired does not change: players who enter or withdraw, and new versions, count from the next round on.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count

from arena.contests.config import ContestConfig, PairingRules, StageConfig
from arena.contests.stages import formats
from arena.contests.stages.encounters import Encounter, EncounterResult, PairedRound, RoundResult
from arena.contests.stages.series import Series, SeriesGame
from arena.contests.stages.standings import Row
from arena.match.ending import CRASHES
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, Participant, seed_for

Place = tuple[int, int, int]
"""The place of a match in its stage: round, encounter, number."""


def place_of(spec: MatchSpec) -> Place:
    return spec.round, spec.pairing, spec.number


class Verdicts:
    """What organizers decided about matches. Without acts, each result counts as it was played."""

    def is_repeated(self, match_id: str) -> bool:
        """Return whether a match is played again, so that another one takes its place."""
        del match_id
        return False

    def counted(self, match_id: str, result: MatchResult) -> MatchResult:
        """Return the result that counts for a match."""
        del match_id
        return result


class StageRun:
    """The progress of one stage.

    Args:
        names: The entrants in the order of their seeds.
        contest: The id of the contest, which is in the ids of matches.
        secret: The secret from which seeds are computed.

    Attributes:
        rounds: The rounds that were paired.
        series: The games of each encounter in all rounds, in schedule order.
        suspended: The players who crashed too often, and why.
    """

    def __init__(
        self,
        config: StageConfig,
        names: Sequence[str],
        rules: PairingRules,
        contest: str,
        secret: str,
        verdicts: Verdicts | None = None,
    ) -> None:
        self.config = config
        self.rules = rules
        self.names = tuple(names)
        self.rounds: list[PairedRound] = []
        self.series: list[Series] = []
        self.games: list[tuple[Series, SeriesGame]] = []
        self.results: dict[str, MatchResult] = {}
        self.suspended: dict[str, str] = {}
        self._contest = contest
        self._secret = secret
        self._verdicts = verdicts or Verdicts()
        self._by_place: dict[tuple[int, int], Series] = {}
        self._config_of: dict[int, ContestConfig] = {}
        self._seats_of: dict[tuple[int, int], tuple[Participant, ...]] = {}
        self._suspended_versions: dict[str, str] = {}
        self._crashes: defaultdict[Participant, int] = defaultdict(int)
        self._settled = 0
        self._played_at: dict[Place, MatchSpec] = {}
        self._games_at: dict[Place, SeriesGame] = {}
        self._ranked: tuple[int, tuple[Row, ...]] | None = None
        self._next: tuple[tuple[object, ...], tuple[Encounter, ...]] | None = None

    # -- what happened ---------------------------------------------------------------------------------

    def enter(self, name: str) -> None:
        """Add an entrant if the stage accepts any. They play from the next round on."""
        if name not in self.names and not self.config.advance and formats.can_be_entered(self.config, len(self.names)):
            self.names = (*self.names, name)
            self._ranked = None

    def add(self, paired: PairedRound, config: ContestConfig) -> None:
        """Add the next round. `config` is the configuration with which its matches are played."""
        self.rounds.append(paired)
        stage = self.config
        extra = stage.extra_games if stage.table else stage.extra_pairs
        for encounter, seats, absent in zip(paired.encounters, paired.seats, paired.absent, strict=True):
            series = Series(encounter, self.names, frozenset(absent), extra, stage.sudden_death, self.rules)
            place = encounter.round, encounter.index
            self._by_place[place], self._seats_of[place] = series, seats
            self._config_of[encounter.round] = config
            self.series.append(series)
            for seat in seats:
                if seat.name in self.suspended and self._suspended_versions[seat.name] != seat.hash:
                    del self.suspended[seat.name]  # a new version returns
            self._schedule(series)
        self._settle()

    def record(self, spec: MatchSpec, result: MatchResult) -> None:
        """Add the result of a match. Only the first one counts.

        A result belongs to a place in the schedule: it counts also if the match was played with another seed. Its
        journal was lost with the secret of the seeds, and made again from replays.
        """
        self.results.setdefault(spec.match_id, result)
        if not self._verdicts.is_repeated(spec.match_id):
            place = place_of(spec)
            spec = self._played_at.setdefault(place, spec)
            game = self._games_at.get(place)
            if game is not None and game.spec.seats == spec.seats:
                game.spec = spec
        self._settle()

    def until_now(self) -> StageRun:
        """Return a copy that later rounds and results do not change. It only says what the stage means."""
        copied = copy.copy(self)
        copied.rounds, copied.games, copied.results = [*self.rounds], [*self.games], {**self.results}
        copied.series = [series if series.is_decided else series.until_now() for series in self.series]
        copied._by_place = {(series.encounter.round, series.encounter.index): series for series in copied.series}
        copied.suspended, copied._suspended_versions = {**self.suspended}, {**self._suspended_versions}
        return copied

    # -- what comes ------------------------------------------------------------------------------------

    def waiting(self) -> Iterable[MatchSpec]:
        """Yield the matches that have no result yet and are to be played, in schedule order."""
        return (game.spec for _, game in self.games[self._settled :] if self.needs(game.spec))

    def needs(self, spec: MatchSpec) -> bool:
        """Return whether a match must be played: it has no result yet, and is not decided by a suspension."""
        return spec.match_id not in self.results and not self._is_dropped(spec)

    def is_suspended(self, player: tuple[str, str]) -> bool:
        """Return whether an entrant is suspended with this version. Another version returns."""
        return player[0] in self.suspended and self._suspended_versions[player[0]] == player[1]

    def next_round(self, absent: frozenset[str] = frozenset()) -> tuple[Encounter, ...]:
        """Return the encounters of the next round; none if the stage is over, or waits for results.

        Args:
            absent: The entrants who do not play: they have withdrawn, or are disqualified or suspended.
        """
        if not self._can_pair:
            return ()
        # Nothing else changes what a format proposes. A matching of many players is slow, and this is asked often.
        inputs = self.names, len(self.rounds), self._settled, absent
        if self._next is None or self._next[0] != inputs:
            self._next = inputs, self._propose(absent)
        return self._next[1]

    def _propose(self, absent: frozenset[str]) -> tuple[Encounter, ...]:
        results = [series.result() for series in self.series] if self._all_settled else []
        past, start = [], 0
        for paired in self.rounds:
            end = start + len(paired.encounters)
            past.append(RoundResult(paired.encounters, tuple(results[start:end]), absent))
            start = end
        return formats.next_round(self.config, self.names, self.rules, past, absent)

    @property
    def _all_settled(self) -> bool:
        return self._settled == len(self.games)

    @property
    def _can_pair(self) -> bool:
        return self._all_settled or self.config.format in formats.KNOWN_FROM_THE_START

    def is_over(self, absent: frozenset[str] = frozenset()) -> bool:
        """Return whether all matches were played, and no further round will be paired."""
        return self._all_settled and not self.next_round(absent)

    # -- what it means ---------------------------------------------------------------------------------

    def decided(self) -> list[EncounterResult]:
        """Return the results of the encounters that are decided, in schedule order."""
        return [series.result() for series in self.series if series.is_decided]

    def rank(self) -> tuple[Row, ...]:
        """Return the current order of the stage."""
        decided = self.decided()
        if self._ranked is None or self._ranked[0] != len(decided):  # if this number is unchanged, so is the order
            self._ranked = len(decided), formats.rank(self.config, self.names, decided)
        return self._ranked[1]

    def matches(self) -> list[tuple[MatchSpec, MatchResult]]:
        """Return the settled matches that were played, with their results, in schedule order."""
        return [(game.spec, game.result) for _, game in self.games[: self._settled] if game.result is not None]

    def early(self) -> list[tuple[MatchSpec, MatchResult]]:
        """Return the matches that were played, but count only when all earlier ones of the schedule have a result."""
        waiting = (game.spec for _, game in self.games[self._settled :] if game.spec.match_id in self.results)
        return [
            (spec, self._verdicts.counted(spec.match_id, self.results[spec.match_id]))
            for spec in waiting
            if not self._is_dropped(spec)
        ]

    @property
    def awaited(self) -> MatchSpec | None:
        """The first match of the schedule without a result; None if all that were scheduled have one."""
        return None if self._all_settled else self.games[self._settled][1].spec

    def uncounted(self) -> list[MatchSpec]:
        """Return the matches that were played, and are decided by a suspension instead, in schedule order.

        The crashes that suspended the bot come earlier in the schedule, and ended while the match was being played.
        """
        settled = (game for _, game in self.games[: self._settled])
        return [game.spec for game in settled if game.result is None and game.spec.match_id in self.results]

    def seed_is_spent(self, spec: MatchSpec) -> bool:
        """Return whether no further match with the seed of this match will be played.

        Until then, the seed is a secret: it gives the dice of the other matches as well.
        """
        series, size = self._by_place.get((spec.round, spec.pairing)), len(spec.seats)
        if series is None:
            return True
        same = [game.spec for game in series.games if game.spec.number // size == spec.number // size]
        return not any(map(self.needs, same)) and (len(same) == size or series.is_decided)

    # -- settling --------------------------------------------------------------------------------------

    def settle_seen(self) -> None:
        """Settle also games that come after others without a result, for a reader who does not see all results.

        This only says what the stage means to this reader. What is paired must not depend on the order of results.
        """
        while ready := [at for at in range(self._settled, len(self.games)) if self._can_settle(*self.games[at])]:
            self.games.insert(self._settled, self.games.pop(ready[0]))
            self._settle()

    def _can_settle(self, series: Series, game: SeriesGame) -> bool:
        is_next = series.games[series.settled] is game
        return is_next and (game.spec.match_id in self.results or self._is_dropped(game.spec))

    def _is_dropped(self, spec: MatchSpec) -> bool:
        """Return whether a match of two bots is decided without a game, because one of them is suspended.

        A match of more than two bots is always played, also with a suspended bot.
        """
        return len(spec.names) == 2 and any(name in self.suspended for name in spec.names)

    def _schedule(self, series: Series) -> None:
        for number in series.next_games():
            game = SeriesGame(self._spec(series.encounter, number))
            self._games_at[place_of(game.spec)] = game
            series.games.append(game)
            self.games.append((series, game))

    def _spec(self, encounter: Encounter, number: int) -> MatchSpec:
        """Return a match of an encounter. If organizers let it be played again, its next attempt has another seed."""
        config = self._config_of[encounter.round]
        seats = self._seats_of[encounter.round, encounter.index]
        pair, turn = divmod(number, len(seats))  # the matches of one rotation share their seed
        maps = self.config.maps or config.maps
        seats = seats[turn:] + seats[:turn]
        played = self._played_at.get((encounter.round, encounter.index, number))
        if played is not None and played.seats == seats:
            return played
        seed_path: list[object] = [self.config.name, encounter.round, encounter.index, pair]
        for attempt in count():
            spec = MatchSpec(
                tournament=self._contest,
                stage=self.config.name,
                round=encounter.round,
                pairing=encounter.index,
                number=number,
                game=config.game,
                map=maps[(encounter.round - 1 + pair) % len(maps)] if maps else "",
                options=config.options,
                seats=seats,
                seed=seed_for(self._secret, *seed_path, *([attempt] if attempt else [])),
            )
            if not self._verdicts.is_repeated(spec.match_id):
                return spec
        raise AssertionError("an organizer has repeated a match without end")

    def _settle(self) -> None:
        """Settle the games whose results are there, up to the first that has none."""
        while self._settled < len(self.games):
            series, game = self.games[self._settled]
            if not self._is_dropped(game.spec):
                played = self.results.get(game.spec.match_id)
                if played is None:
                    return
                game.result = self._verdicts.counted(game.spec.match_id, played)
                self._count_crashes(game.spec, played)
            game.settle(frozenset(self.suspended))
            series.add(game)
            self._settled += 1
            if series.games[-1] is game:
                self._schedule(series)

    def _count_crashes(self, spec: MatchSpec, result: MatchResult) -> None:
        limit = self._config_of[spec.round].suspend_after
        for seat, player in zip(spec.seats, result.players, strict=True):
            self._crashes[seat] = self._crashes[seat] + 1 if player.ending in CRASHES else 0
            if limit and self._crashes[seat] >= limit and seat.name not in self.suspended:
                self.suspended[seat.name] = f"{limit} crashes in a row, the last in {spec.match_id}"
                self._suspended_versions[seat.name] = seat.hash
