"""The content of the journal: the configurations of a tournament, its paired rounds and its results."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.journal.chain import LOST, Entry, OtherJournalError
from arena.journal.files import own_copy, own_replay
from arena.match.entrant import Entrant
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.matches.results import MatchFold, read_result
from arena.tournament.plan.config import BotEntry, StageConfig, Tournament, TournamentConfig
from arena.tournament.plan.encounters import PairedRound
from arena.tournament.plan.schedule import Past, Slot, slot_of

Killed = tuple[str, int, int, str]
"""A bot whose sandbox was killed from outside: stage, round, pairing, name."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A match that was played twice with different outcomes.

    This happens if a bot or the game is not deterministic, or if a machine is defective.
    """

    match_id: str
    result: MatchResult


@dataclass(slots=True)
class History(MatchFold):
    """The content of a tournament's journal up to an entry.

    Attributes:
        facts: Id, secret, game, and version of the pairing rules.
        discarded: The ids of the matches whose results do not count any more.
        discards: How often the results of a stage were discarded, by the name of the stage.
        voids: How often each match was void and played again, by match id.
        times: When each result was recorded, by match id.
        killed: Stage, round, pairing and bot for each match that was played again because a bot's sandbox was killed.
    """

    facts: dict[str, Any] = field(default_factory=dict)
    configs: list[Tournament] = field(default_factory=list)
    excluded: dict[str, str] = field(default_factory=dict)
    rounds: dict[tuple[str, int], PairedRound] = field(default_factory=dict)
    results: dict[Slot, MatchResult] = field(default_factory=dict)
    specs: dict[Slot, MatchSpec] = field(default_factory=dict)
    discarded: set[str] = field(default_factory=set)
    discards: Counter[str] = field(default_factory=Counter)
    voids: Counter[str] = field(default_factory=Counter)
    killed: set[Killed] = field(default_factory=set)
    conflicts: list[Conflict] = field(default_factory=list)
    times: dict[str, str] = field(default_factory=dict)

    @property
    def tournament(self) -> Tournament:
        return self.configs[-1]

    @property
    def past(self) -> Past:
        """The configurations, paired rounds and played matches, which the schedule must not change."""
        return Past(tuple(self.configs), tuple(self.rounds.values()), self.specs, self.discards)

    def copies(self) -> Iterator[tuple[str, str]]:
        versions = {one.hash: one.name for config in self.configs for one in config.entrants if one.path}
        yield from versions.items()

    def read(self, entry: Entry) -> None:
        _READERS[entry.kind](self, entry)

    def _start(self, entry: Entry) -> None:
        if "season" in entry.document:
            raise OtherJournalError(self.where, "season")
        self.facts = entry.document

    def _config(self, entry: Entry) -> None:
        document, facts = entry.document, self.facts
        entrants = tuple(Entrant(**one) for one in document["entrants"])
        for one in entrants:
            own_copy(one.path, one.hash)
        config = config_from(document["config"])
        self.configs.append(Tournament(config, entrants, facts["id"], facts["secret"]))
        self.excluded = document.get("excluded", {})

    def _round(self, entry: Entry) -> None:
        paired = PairedRound.from_document(entry.document)
        self.rounds[paired.stage, paired.number] = paired

    def _result(self, entry: Entry) -> None:
        recorded = read_result(entry)
        spec, result = recorded.spec, recorded.outcome
        own_replay(result.replay, entry.key)
        slot = slot_of(spec)
        if slot not in self.results:
            self.results[slot], self.specs[slot] = result, spec
            self.times[entry.key] = recorded.at

    def _void(self, entry: Entry) -> None:
        self.voids[entry.key] += 1
        if pairing := entry.document.get("killed"):
            stage, number, place, bot = pairing
            self.killed.add((stage, number, place, bot))

    def _conflict(self, entry: Entry) -> None:
        self.conflicts.append(Conflict(entry.key, MatchResult.from_document(entry.document["outcome"])))

    def _discard(self, entry: Entry) -> None:
        stages = set(entry.document["stages"])
        self.rounds = {place: paired for place, paired in self.rounds.items() if place[0] not in stages}
        self.discards.update({slot[0] for slot in self.specs if slot[0] in stages})
        self.discarded |= {spec.match_id for slot, spec in self.specs.items() if slot[0] in stages}
        self.specs = {slot: spec for slot, spec in self.specs.items() if slot[0] not in stages}
        self.results = {slot: result for slot, result in self.results.items() if slot[0] not in stages}
        self.killed = {place for place in self.killed if place[0] not in stages}

    def _ignore(self, entry: Entry) -> None:
        """Ignore the entry: it has no effect on the tournament."""


_READERS: Mapping[str, Callable[[History, Entry], None]] = {
    "start": History._start,
    "config": History._config,
    "round": History._round,
    "result": History._result,
    "void": History._void,
    "conflict": History._conflict,
    "discard": History._discard,
    "rebuild": History._ignore,
    LOST: History._ignore,
}


def config_from(document: Mapping[str, Any]) -> TournamentConfig:
    fields = dict(document)
    fields["bots"] = tuple(BotEntry(**entry) for entry in document["bots"])
    fields["stages"] = tuple(StageConfig(**_tuples(stage)) for stage in document["stages"])
    return TournamentConfig(**_tuples(fields))


def _tuples(document: Mapping[str, Any]) -> dict[str, Any]:
    """Convert lists, and the lists in them, to tuples, because JSON has no tuples."""
    result: dict[str, Any] = {}
    for key, value in document.items():
        if isinstance(value, list):
            value = tuple(tuple(item) if isinstance(item, list) else item for item in value)
        result[key] = value
    return result
