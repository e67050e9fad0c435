"""The schedule: a fold over results, in the order in which the matches are scheduled.

Outcomes may come in any order; they are *settled* in schedule order only. So the order of completion, the number of
workers and restarts cannot change who meets whom, nor a digit of any table.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.match.ending import CRASHES
from arena.match.result import MatchResult
from arena.tournament.plan import formats
from arena.tournament.plan.config import StageConfig, Tournament
from arena.tournament.plan.encounters import Encounter, EncounterResult, Pairings, RoundResult
from arena.tournament.plan.series import Series, SeriesGame
from arena.tournament.plan.standings import Row
from arena.tournament.plan.values import MatchSpec, seed_for

Slot = tuple[str, int, int, int, tuple[str, ...]]
"""Where in the schedule a match stands: stage, round, pairing, game number, names. Results are found by it."""


def slot_of(spec: MatchSpec) -> Slot:
    """Return the place of a match in the schedule, whatever the content of the bots."""
    return spec.stage, spec.round, spec.pairing, spec.number, spec.names


@dataclass(slots=True)
class StageRun:
    """One stage as far as it went.

    Attributes:
        config: The stage.
        names: Who takes part, in order of the seeds.
        results: Decided encounters, in schedule order.
        series: All encounters that have been asked for, in schedule order.
        finished: Whether the format has nothing more to ask for.
    """

    config: StageConfig
    names: tuple[str, ...]
    pairings: Pairings
    results: list[EncounterResult] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    finished: bool = False
    open_from: int = 0
    """Index in `series` of the first encounter of the round that is being played."""

    def rank(self) -> tuple[Row, ...]:
        """Return the order of the stage so far, with the encounters of the open round that are decided already."""
        decided = [series.result() for series in self.series[self.open_from :] if series.is_decided]
        return formats.rank(self.config, self.names, [*self.results, *decided])


class Schedule:
    """What is to be played, given what has been played.

    Args:
        tournament: The configuration brought to life.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.stages: list[StageRun] = []
        self.suspended: dict[str, str] = {}
        self.results: dict[Slot, MatchResult] = {}
        self.games: list[tuple[Series, SeriesGame]] = []
        self.finished = False
        self._settled = 0
        self._taken = 0
        self._crashes: defaultdict[str, int] = defaultdict(int)
        self._open_stage()
        self._settle()

    def take(self) -> list[MatchSpec]:
        """Return the matches that have become known since the last call, in schedule order."""
        fresh = [game.spec for _, game in self.games[self._taken :]]
        self._taken = len(self.games)
        return fresh

    def record(self, spec: MatchSpec, result: MatchResult) -> None:
        """Take in the result of one match; the first one stands."""
        self.results.setdefault(slot_of(spec), result)
        self._settle()

    def wanted(self, spec: MatchSpec) -> bool:
        """Return whether a match is still to be played: not when a suspended bot has a seat."""
        return slot_of(spec) not in self.results and not any(name in self.suspended for name in spec.names)

    def matches(self) -> list[tuple[MatchSpec, MatchResult]]:
        """Return the matches that count, in schedule order."""
        return [(game.spec, game.result) for _, game in self.games[: self._settled] if game.result is not None]

    @property
    def settled(self) -> int:
        """How many matches are settled, those decided without a game included."""
        return self._settled

    def _open_stage(self) -> None:
        config = self.tournament.config.stages[len(self.stages)]
        if self.stages:
            gone = {*self.suspended, *dict(self.stages[-1].config.withdrawn)}
            order = [row.name for row in self.stages[-1].rank() if row.name not in gone]
            names = tuple(order[: config.advance] if config.advance else order)
        else:
            names = self.tournament.names
        run = StageRun(config, names, formats.pairings(config, names))
        self.stages.append(run)
        self._advance(run, None)

    def _advance(self, run: StageRun, report: RoundResult | None) -> None:
        """Ask the format for its next round."""
        try:
            encounters = next(run.pairings) if report is None else run.pairings.send(report)
        except StopIteration:
            run.finished = True
            run.open_from = len(run.series)
            return
        run.open_from = len(run.series)
        for encounter in encounters:
            series = Series(
                encounter,
                run.names,
                self._absent(run.config, encounter),
                run.config.extra_pairs,
                legs=self.tournament.config.legs,
            )
            run.series.append(series)
            self._ask(run, series)

    def _absent(self, stage: StageConfig, encounter: Encounter) -> frozenset[str]:
        withdrawn = dict(stage.withdrawn)
        gone = {name for name in encounter.players if withdrawn.get(name, encounter.round + 1) <= encounter.round}
        return frozenset(gone | {name for name in encounter.players if name in self.suspended})

    def _ask(self, run: StageRun, series: Series) -> None:
        """Schedule the games that the series surely needs."""
        for number in series.next_games():
            game = SeriesGame(self._spec(run.config, series.encounter, number))
            series.games.append(game)
            self.games.append((series, game))

    def _spec(self, stage: StageConfig, encounter: Encounter, number: int) -> MatchSpec:
        config = self.tournament.config
        pair = number // 2
        place = (stage.name, encounter.round, encounter.index, pair)
        maps = stage.maps or config.maps
        turn = number % len(encounter.players)
        players = encounter.players[turn:] + encounter.players[:turn]
        return MatchSpec(
            tournament=self.tournament.id,
            stage=stage.name,
            round=encounter.round,
            pairing=encounter.index,
            number=number,
            game=config.game,
            map=maps[(encounter.round - 1 + pair) % len(maps)] if maps else "",
            options=config.options,
            seats=tuple(map(self.tournament.seats.__getitem__, players)),
            seed=seed_for(self.tournament.secret, *place),
        )

    def _settle(self) -> None:
        """Go on as far as the results reach without a gap."""
        while not self.finished:
            if not self._settle_games():
                return
            run = self.stages[-1]
            if not run.finished:
                results = tuple(series.result() for series in run.series[run.open_from :])
                run.results += results
                self._advance(run, RoundResult(results, frozenset(self.suspended)))
            elif len(self.stages) < len(self.tournament.config.stages):
                self._open_stage()
            else:
                self.finished = True

    def _settle_games(self) -> bool:
        """Return whether all scheduled games are settled; settles those that can be."""
        while self._settled < len(self.games):
            series, game = self.games[self._settled]
            if not any(name in self.suspended for name in game.spec.names):
                game.result = self.results.get(slot_of(game.spec))
                if game.result is None:
                    return False
                self._count_crashes(game.spec, game.result)
            game.settle(frozenset(self.suspended))
            series.add(game)
            self._settled += 1
            if series.games[-1] is game:
                self._ask(self.stages[-1], series)
        return True

    def _count_crashes(self, spec: MatchSpec, result: MatchResult) -> None:
        limit = self.tournament.config.suspend_after
        for seat, player in zip(spec.seats, result.players, strict=True):
            self._crashes[seat.name] = self._crashes[seat.name] + 1 if player.ending in CRASHES else 0
            if limit and self._crashes[seat.name] >= limit:
                self.suspended.setdefault(seat.name, f"{limit} crashes in a row, the last in {spec.match_id}")


def next_matches(tournament: Tournament, results: Mapping[Slot, MatchResult]) -> tuple[list[MatchSpec], Schedule]:
    """Return all matches that can be played now, in schedule order, given the results so far."""
    schedule = Schedule(tournament)
    waiting: list[MatchSpec] = []
    while fresh := schedule.take():
        for spec in fresh:
            result = results.get(slot_of(spec))
            if result is None:
                waiting.append(spec)
            else:
                schedule.record(spec, result)
    return [spec for spec in waiting if schedule.wanted(spec)], schedule
