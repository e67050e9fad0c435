"""The schedule of a tournament. It is computed from the results of the matches.

Results can come in any order. They are *settled*, that is, added to pairings and tables, only in the order in which the
matches were scheduled. So pairings and tables do not depend on the number of workers or on restarts. A changed
configuration applies only to rounds that are not paired yet.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from arena.match.ending import CRASHES
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, Participant, seed_for
from arena.tournament.plan import formats
from arena.tournament.plan.config import PairingRules, StageConfig, Tournament
from arena.tournament.plan.encounters import Encounter, EncounterResult, PairedRound, Pairings, RoundResult
from arena.tournament.plan.series import Series, SeriesGame
from arena.tournament.plan.standings import Row

Slot = tuple[str, int, int, int, tuple[str, ...]]
"""The place of a match in the schedule: stage, round, pairing, match number, names. It is the key for results."""


def slot_of(spec: MatchSpec) -> Slot:
    """Return the place of a match in the schedule. A new version of a bot does not change the place."""
    return spec.stage, spec.round, spec.pairing, spec.number, spec.names


@dataclass(frozen=True, slots=True)
class Past:
    """The parts of a tournament that can no longer change.

    Attributes:
        discards: How often the results of a stage were discarded, by the name of the stage.
    """

    configs: tuple[Tournament, ...] = ()
    rounds: tuple[PairedRound, ...] = ()
    specs: Mapping[Slot, MatchSpec] = field(default_factory=dict)
    discards: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class StageRun:
    """The current progress of one stage.

    Attributes:
        results: Decided encounters of finished rounds, in schedule order.
        series: The games of each encounter in all rounds paired so far, in schedule order.
    """

    config: StageConfig
    names: tuple[str, ...]
    rules: PairingRules
    pairings: Pairings
    past: deque[PairedRound]
    playing: Tournament
    stage: StageConfig
    results: list[EncounterResult] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    finished: bool = False
    paired: int = 0
    """The number of paired rounds."""
    open_from: int = 0
    """Index in `series` of the first encounter of the current round."""
    _ranked: tuple[int, tuple[Row, ...]] | None = None

    def rank(self) -> tuple[Row, ...]:
        """Return the current order of the stage, including the decided encounters of the current round."""
        decided = [series.result() for series in self.series[self.open_from :] if series.is_decided]
        count = len(self.results) + len(decided)  # if this number is unchanged, so is the order
        if self._ranked is None or self._ranked[0] != count:
            self._ranked = count, formats.rank(self.config, self.names, [*self.results, *decided])
        return self._ranked[1]


class Schedule:
    """Computes from the results which matches to play.

    Args:
        past: The parts of the tournament that can no longer change; None for a new tournament.
    """

    def __init__(self, tournament: Tournament, past: Past | None = None) -> None:
        self.tournament = tournament
        self.rounds: list[PairedRound] = []
        self.past = past or Past()
        self._configs = self.past.configs or (tournament,)
        self.stages: list[StageRun] = []
        self.suspended: dict[str, str] = {}
        self.results: dict[Slot, MatchResult] = {}
        self.games: list[tuple[Series, SeriesGame]] = []
        self._series: dict[tuple[str, int, int], Series] = {}
        self.finished = False
        self._rules = PairingRules(tournament.config.legs, tournament.config.players)
        self._settled = 0
        self._taken = 0
        self._crashes: defaultdict[Participant, int] = defaultdict(int)
        self._suspended: dict[str, str] = {}
        self._open_stage()
        self._settle()

    def take(self) -> list[MatchSpec]:
        """Return the matches that were scheduled since the last call, in schedule order."""
        fresh = [game.spec for _, game in self.games[self._taken :]]
        self._taken = len(self.games)
        return fresh

    def record(self, spec: MatchSpec, result: MatchResult) -> None:
        self.results.setdefault(slot_of(spec), result)
        self._settle()

    def wanted(self, spec: MatchSpec) -> bool:
        """Return whether a match must be played: it has no result yet, and is not decided by a suspension."""
        return slot_of(spec) not in self.results and not self._dropped(spec)

    def seed_is_spent(self, spec: MatchSpec) -> bool:
        """Return whether no further match with the seed of this match will be played.

        Until then, the seed is a secret: it gives the dice of the other matches as well.
        """
        series, size = self._series.get((spec.stage, spec.round, spec.pairing)), len(spec.seats)
        if series is None:
            return True  # a changed configuration has removed the round
        same = [game.spec for game in series.games if game.spec.number // size == spec.number // size]
        return not any(map(self.wanted, same)) and (len(same) == size or series.is_decided)

    def _dropped(self, spec: MatchSpec) -> bool:
        """Return whether a match of two bots is decided without a game, because one of them is suspended.

        A match of more than two bots is always played, also with a suspended bot.
        """
        return len(spec.names) == 2 and any(name in self.suspended for name in spec.names)

    def matches(self) -> list[tuple[MatchSpec, MatchResult]]:
        """Return the settled matches that were played, with their results, in schedule order."""
        return [(game.spec, game.result) for _, game in self.games[: self._settled] if game.result is not None]

    def uncounted(self) -> list[MatchSpec]:
        """Return the matches that were played, and are decided by a suspension instead, in schedule order.

        The crashes that suspended the bot come earlier in the schedule, and ended while the match was being played.
        """
        settled = (game for _, game in self.games[: self._settled])
        return [game.spec for game in settled if game.result is None and slot_of(game.spec) in self.results]

    def _open_stage(self) -> None:
        config = self.tournament.config.stages[len(self.stages)]
        config = replace(config, withdrawn=(*((name, 1) for name in self.tournament.gone), *config.withdrawn))
        past = deque(paired for paired in self.past.rounds if paired.stage == config.name)
        self._readmit(past)
        names = self._names_of_old(config, past) if past else self._names_of_new(config)
        rules = self._rules
        run = StageRun(config, names, rules, formats.pairings(config, names, rules), past, self.tournament, config)
        self.stages.append(run)
        self._advance(run, None)

    def _names_of_new(self, config: StageConfig) -> tuple[str, ...]:
        if not self.stages:
            return tuple(name for name in self.tournament.names if name not in self.tournament.gone)
        gone = {*self.suspended, *dict(self.stages[-1].config.withdrawn)}
        before = self.stages[-1]
        order = [row.name for row in before.rank() if row.name not in gone]
        order = order[: config.advance] if config.advance else order
        return tuple(formats.seeded(config, order, before.config, before.names))

    def _names_of_old(self, config: StageConfig, past: Sequence[PairedRound]) -> tuple[str, ...]:
        """Return the earlier entrants of a stage that has begun, then new bots if the stage accepts more entrants."""
        before = self._configs[past[0].config - 1].names
        opened = not config.advance and formats.can_be_entered(config, len(past[0].names))
        new = self.tournament.names if opened else ()
        return (*past[0].names, *(name for name in new if name not in before))

    def _readmit(self, past: Sequence[PairedRound]) -> None:
        tournament = self._configs[past[0].config - 1] if past else self.tournament
        for name in list(self.suspended):
            if tournament.seats[name].hash != self._suspended[name]:
                del self.suspended[name]

    def _advance(self, run: StageRun, results: tuple[EncounterResult, ...] | None) -> None:
        """Continue with the next round: a round that was paired earlier, or a new round of the format."""
        self._readmit(run.past)
        proposed: Iterable[Encounter] = ()
        with suppress(StopIteration):
            report = None if results is None else RoundResult(results, frozenset(self.suspended))
            proposed = next(run.pairings) if report is None else run.pairings.send(report)
        run.open_from = len(run.series)
        paired = run.past.popleft() if run.past else self._pair(run, proposed)
        if paired is None:
            run.finished = True
            return
        self.rounds.append(paired)
        run.paired += 1
        run.playing = self._configs[paired.config - 1]
        run.stage = next(stage for stage in run.playing.config.stages if stage.name == run.config.name)
        for encounter, absent in zip(paired.encounters, paired.absent, strict=True):
            extra = run.stage.extra_games if run.stage.table else run.stage.extra_pairs
            series = Series(encounter, run.names, frozenset(absent), extra, run.stage.sudden_death, run.rules)
            run.series.append(series)
            self._series[run.config.name, encounter.round, encounter.index] = series
            self._ask(run, series)

    def _pair(self, run: StageRun, proposed: Iterable[Encounter]) -> PairedRound | None:
        """Return a new round, or None if the format has ended or the next stage has begun."""
        stages = [stage.name for stage in self.tournament.config.stages[: len(self.stages)]]
        if any(paired.stage not in stages for paired in self.past.rounds):
            return None
        encounters = tuple(proposed)
        if not encounters:
            return None
        absent = tuple(tuple(sorted(self._absent(run.config, encounter))) for encounter in encounters)
        names = () if run.paired else run.names
        return PairedRound(run.config.name, run.paired + 1, len(self._configs), encounters, absent, names)

    def _absent(self, stage: StageConfig, encounter: Encounter) -> frozenset[str]:
        withdrawn = dict(stage.withdrawn)
        gone = {name for name in encounter.players if withdrawn.get(name, encounter.round + 1) <= encounter.round}
        return frozenset(gone | {name for name in encounter.players if name in self.suspended})

    def _ask(self, run: StageRun, series: Series) -> None:
        for number in series.next_games():
            game = SeriesGame(self._spec(run, series.encounter, number))
            series.games.append(game)
            self.games.append((series, game))

    def _spec(self, run: StageRun, encounter: Encounter, number: int) -> MatchSpec:
        tournament, stage = run.playing, run.stage
        pair, turn = divmod(number, len(encounter.players))  # the matches of one rotation share their seed
        players = encounter.players[turn:] + encounter.players[:turn]
        slot = (stage.name, encounter.round, encounter.index, number, players)
        if (played := self.past.specs.get(slot)) is not None:
            return played
        config = tournament.config
        maps = stage.maps or config.maps
        place: tuple[object, ...] = (*slot[:3], pair)
        if discards := self.past.discards.get(stage.name):
            place += (discards,)  # for a new match id: the journal has a discarded result for the old id
        return MatchSpec(
            tournament=tournament.id,
            stage=stage.name,
            round=encounter.round,
            pairing=encounter.index,
            number=number,
            game=config.game,
            map=maps[(encounter.round - 1 + pair) % len(maps)] if maps else "",
            options=config.options,
            seats=tuple(map(tournament.seats.__getitem__, players)),
            seed=seed_for(tournament.secret, *place),
        )

    def _settle(self) -> None:
        while not self.finished:
            if not self._settle_games():
                return
            run = self.stages[-1]
            if not run.finished:
                results = tuple(series.result() for series in run.series[run.open_from :])
                run.results += results
                self._advance(run, results)
            elif len(self.stages) < len(self.tournament.config.stages):
                self._open_stage()
            else:
                self.finished = True

    def _settle_games(self) -> bool:
        while self._settled < len(self.games):
            series, game = self.games[self._settled]
            if not self._dropped(game.spec):
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
        limit = self.stages[-1].playing.config.suspend_after
        for seat, player in zip(spec.seats, result.players, strict=True):
            self._crashes[seat] = self._crashes[seat] + 1 if player.ending in CRASHES else 0
            if limit and self._crashes[seat] >= limit and seat.name not in self.suspended:
                self.suspended[seat.name] = f"{limit} crashes in a row, the last in {spec.match_id}"
                self._suspended[seat.name] = seat.hash


def next_matches(
    tournament: Tournament, results: Mapping[Slot, MatchResult], past: Past | None = None
) -> tuple[list[MatchSpec], Schedule]:
    """Return all matches that can be played now, in schedule order, and the schedule with all known results."""
    schedule = Schedule(tournament, past)
    waiting: list[MatchSpec] = []
    while fresh := schedule.take():
        for spec in fresh:
            result = results.get(slot_of(spec))
            if result is None:
                waiting.append(spec)
            else:
                schedule.record(spec, result)
    return [spec for spec in waiting if schedule.wanted(spec)], schedule
