"""What a contest's journal says: the only class that folds its entries.

The journal names people and entrants by ids. Here everything has names: an id becomes a name when an entry is read, and
a name an id when one is written (`Contest.id_of`).
"""

from __future__ import annotations

import base64
import copy
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from msgspec import convert

from arena.contests import entries
from arena.contests.append_only import AppendOnly
from arena.contests.config import ContestConfig, StageConfig
from arena.contests.journal.chain import Fold
from arena.contests.journal.files import own_copy, own_replay
from arena.contests.png import rewritten
from arena.contests.stages.encounters import Encounter, PairedRound
from arena.contests.stages.stage import StageRun, Verdicts
from arena.contests.values import (
    ACTS,
    KINDS,
    LADDER,
    Act,
    Entrant,
    Invitation,
    Member,
    Pairing,
    Played,
    Player,
    Version,
    VersionReport,
    time_of,
)
from arena.game import Outcome
from arena.game.outcome import ranked
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, Participant

SCORING = frozenset({"void", "replay", "correct", "disqualify", "stage"})
"""If one of these acts is recorded or undone, ratings and stages are computed again from all results."""
_DAY = timedelta(days=1)
Killed = tuple[str, int, int, str]
"""A bot whose sandbox was killed from outside: stage, round, pairing, name."""


@dataclass(slots=True)
class Orders(Verdicts):
    """The effect of all acts that have not been undone.

    Attributes:
        frozen: Whether the contest is frozen. Then new versions are late, and the ladder starts no new encounter.
        voided: The ids of matches whose results do not count.
        repeated: Those of them that are played again.
        corrected: The points that organizers gave in a match, by its id.
        versions: The versions that are disqualified.
        out: The entrants who are disqualified: their matches do not count on the ladder, and they do not play.
        withdrawn: The entrants who have withdrawn: they do not play any more.
        stages: The stages that do not count.
        limit: The number of results after which results are held back; None for no limit. Pages ask
            `arena.contests.visibility`.
        unpictured: The teams whose picture an organizer has removed.
    """

    paused: bool = False
    frozen: bool = False
    voided: set[str] = field(default_factory=set)
    repeated: set[str] = field(default_factory=set)
    corrected: dict[str, tuple[float, ...]] = field(default_factory=dict)
    versions: set[Player] = field(default_factory=set)
    out: set[str] = field(default_factory=set)
    withdrawn: set[str] = field(default_factory=set)
    stages: set[str] = field(default_factory=set)
    limit: int | None = None
    unpictured: set[str] = field(default_factory=set)
    announcements: list[Act] = field(default_factory=list)

    def is_out(self, player: Player) -> bool:
        return player[0] in self.out or player in self.versions

    @property
    def gone(self) -> frozenset[str]:
        return frozenset(self.out | self.withdrawn)

    def is_repeated(self, match_id: str) -> bool:
        return match_id in self.repeated

    def of(self, match_id: str, result: MatchResult) -> MatchResult:
        """Return the result that counts: a void one if an organizer has voided it, or one with corrected points."""
        if match_id in self.voided:
            return result.as_void()
        if (points := self.corrected.get(match_id)) is None:
            return result
        outcome = Outcome(None, "corrected", ranked([-one for one in points]), result.outcome.teams)
        players = tuple([replace(player, ending=outcome.verdict(seat)) for seat, player in enumerate(result.players)])
        return replace(result, outcome=outcome, players=players)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A stage as it began, with the number of results before it."""

    config: StageConfig
    names: tuple[str, ...]
    index: int


@dataclass(frozen=True, slots=True)
class _Step:
    """What happened in a stage after so many results: a round was paired, or else somebody entered.

    Attributes:
        config: The configuration with which the matches of the round are played.
    """

    index: int
    config: ContestConfig
    round: PairedRound | None = None
    entrant: str = ""

    def repeat(self, run: StageRun) -> None:
        if self.round is None:
            run.enter(self.entrant)
        else:
            run.add(self.round, self.config)


@dataclass(slots=True)
class Contest(Fold):
    """The content of a journal up to an entry.

    Attributes:
        ids: The names of people and entrants by their ids.
        anchors: The fixed skills of entrants that play only on the ladder and in checks.
        entrants: The entrants by name, in the order in which they entered.
        excluded: Why bots of `contest.toml` do not take part.
        refused: The content hashes of those of them that could be read.
        stages: The stages that have begun and count, without the ladder.
        encounters: The encounters of the ladder, by number.
        open: The number of matches left to play in each unfinished encounter, by number of the encounter.
        played: All results by match id, in the order of the journal.
        timeline: The results of the ladder, and the versions that became active, in the order of the journal.
        pictures: The pictures of teams as PNG files, also those that an organizer has removed.
        voids: How often each match was void and played again, by match id.
        void_counts: How often a match of each entrant was void.
        void_causes: How often it was because the entrant's program failed or its time ran out.
        conflicts: The ids of matches that were played twice with different outcomes.
        generation: Changes when earlier results count in another way than before.
        order: The number of the last entry that changes more than encounters and results, such as an act.
    """

    start: entries.Start | None = None
    config: ContestConfig | None = None
    ids: dict[str, str] = field(default_factory=dict)
    anchors: dict[str, float] = field(default_factory=dict)
    entrants: dict[str, Entrant] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()
    refused: frozenset[str] = frozenset()
    pictures: dict[str, bytes] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    invitations: dict[str, Invitation] = field(default_factory=dict)
    signed_out: set[str] = field(default_factory=set)
    versions: dict[str, tuple[Version, ...]] = field(default_factory=dict)
    by_player: dict[Player, Version] = field(default_factory=dict)
    by_hash: dict[str, tuple[Player, ...]] = field(default_factory=dict)
    stages: dict[str, StageRun] = field(default_factory=dict)
    encounters: AppendOnly[int, Pairing] = field(default_factory=AppendOnly)
    open: dict[int, int] = field(default_factory=dict)
    played: AppendOnly[str, Played] = field(default_factory=AppendOnly)
    timeline: list[Played | Version] = field(default_factory=list)
    voids: Counter[str] = field(default_factory=Counter)
    void_counts: Counter[str] = field(default_factory=Counter)
    void_causes: Counter[str] = field(default_factory=Counter)
    killed: set[Killed] = field(default_factory=set)
    conflicts: list[str] = field(default_factory=list)
    acts: dict[str, Act] = field(default_factory=dict)
    undone: dict[str, Act] = field(default_factory=dict)
    orders: Orders = field(default_factory=Orders)
    generation: int = 0
    order: int = 0
    _texts: dict[str, Any] = field(default_factory=dict)
    _begun: dict[str, _Begun] = field(default_factory=dict)
    _steps: dict[str, tuple[_Step, ...]] = field(default_factory=dict)
    _of_entrant: dict[str, list[Played]] = field(default_factory=lambda: defaultdict(list))
    _activations: dict[str, tuple[Player, ...]] = field(default_factory=dict)
    _last_encounter: int = 0
    _seats: dict[Player, Participant] = field(default_factory=dict)

    def read(self, entry: Any) -> None:
        document = entry.value if entry.value is not None else entries.read(entry.kind, entry.text or "")
        getattr(self, f"_{entry.kind}")(entry.key, document, entry.number)
        if entry.kind not in ("result", "void", "round", "drop", "conflict", "rebuild", "lost"):
            self.order = entry.number

    # -- queries -------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.start.id if self.start else ""

    @property
    def secret(self) -> str:
        """The secret from which seeds and sessions are computed."""
        return self.start.secret if self.start else ""

    @property
    def settings(self) -> ContestConfig:
        assert self.config is not None, "the contest has begun"
        return self.config

    def id_of(self, name: str) -> str:
        """Return the id of an entrant."""
        return self.entrants[name].id

    def new_id(self, kind: str, after: int = 0) -> str:
        """Return the id of a new entrant ("e"), person ("p") or act ("a"), or the one after so many others."""
        if kind == "a":
            known = [*self.acts, *(one.id for one in self.undone.values())]
        else:
            known = [one for one in self.ids if one.startswith(kind)]
        return f"{kind}{1 + after + max((int(one[1:]) for one in known), default=0)}"

    @property
    def teams(self) -> dict[str, str]:
        """The time at which each team entered, by name."""
        return {one.name: one.at for one in self.entrants.values() if one.is_team}

    def newest(self, entrant: str = "") -> Iterator[Played]:
        """Yield the results of an entrant, or all results, the newest first."""
        if not entrant:
            return self.played.newest()
        known = len(self.played)  # a copy of the state shares the lists
        return (one for one in reversed(self._of_entrant.get(entrant, [])) if one.index < known)

    def shown_pictures(self) -> dict[str, bytes]:
        """Return the picture of each team that has one, as a PNG file."""
        return {team: png for team, png in self.pictures.items() if team not in self.orders.unpictured}

    def twins(self, version: Version) -> list[Version]:
        """Return the other versions with the same files."""
        players = self.by_hash.get(version.hash, ())
        return [self.by_player[one] for one in players if one != version.player]

    def next_version(self, entrant: str) -> int:
        """Return the number of an entrant's next version: one more than the largest, since some can be lost."""
        return max((one.number for one in self.versions.get(entrant, ())), default=0) + 1

    def version(self, entrant: str, number: int) -> Version | None:
        return next((one for one in self.versions.get(entrant, ()) if one.number == number), None)

    def active(self, entrant: str) -> Version | None:
        """Return the version that plays: the last activated one that is not disqualified."""
        for step in reversed(self._activations.get(entrant, ())):
            if not self.orders.is_out(step):
                return self.by_player[step]
        return None

    def last_activated(self, entrant: str) -> Version | None:
        """Return the version that was activated last, even if it is disqualified."""
        activated = self._activations.get(entrant)
        return self.by_player[activated[-1]] if activated else None

    def was_active(self, player: Player) -> bool:
        return player in self._activations.get(player[0], ())

    def playing(self) -> list[str]:
        """Return the entrants with an active version who have not withdrawn, without anchors."""
        gone = self.orders.gone
        return [name for name in self.contenders() if name not in gone and self.active(name)]

    def contenders(self) -> list[str]:
        """Return all entrants but the anchors."""
        return [name for name in self.entrants if name not in self.anchors]

    def anchor_players(self) -> list[Player]:
        """Return the versions of the anchors that play, the weakest first."""
        order = sorted(self.anchors, key=lambda name: self.anchors[name])
        return [version.player for name in order if (version := self.active(name))]

    def next_encounter(self) -> int:
        """Return the number of the next encounter of the ladder. Numbers that were lost are not used again."""
        return self._last_encounter + 1

    def copies(self) -> Iterator[tuple[str, str]]:
        """Yield content hash and name of each version that is stored in the folder."""
        return ((one.hash, one.key) for one in self.by_player.values() if one.path)

    def waiting(self) -> Iterator[Version]:
        """Yield the versions of teams that wait for their check."""
        for name, versions in self.versions.items():
            if self.entrants[name].is_team:
                yield from (one for one in versions if one.report is None)

    def uploads_since(self, team: str, now: datetime) -> int:
        """Return the number of versions that a team handed in during the last 24 hours."""
        return sum(time_of(one.at) > now - _DAY for one in self.versions.get(team, ()))

    def check_seconds(self, team: str, now: datetime) -> float:
        """Return the time that the checks of a team took during the last 24 hours."""
        return sum(seconds for _, seconds in self._recent_checks(team, now))

    def check_free_at(self, team: str, budget: float, now: datetime) -> datetime | None:
        """Return when a team will have used less than `budget` seconds in 24 hours; None if that is so now."""
        used, free = self.check_seconds(team, now), None
        for at, seconds in self._recent_checks(team, now):
            if used < budget:
                break
            used, free = used - seconds, at + _DAY
        return free

    def _recent_checks(self, team: str, now: datetime) -> list[tuple[datetime, float]]:
        """Return the ends and durations of the checks of the last 24 hours, the oldest first."""
        reports = [one.report for one in self.versions.get(team, ()) if one.report is not None]
        checks = sorted((time_of(one.at), one.seconds) for one in reports)
        return [(at, seconds) for at, seconds in checks if at > now - _DAY]

    def challenges_since(self, team: str, now: datetime) -> int:
        """Return the number of challenges that a team started in the last 24 hours."""
        own = (one for one in self.encounters.values() if one.kind == "challenge" and one.team == team)
        return sum(time_of(one.at) > now - _DAY for one in own)

    def begun_as(self, stage: str) -> StageConfig | None:
        """Return the settings with which a stage has begun, also one that does not count any more; None before that."""
        return self._begun[stage].config if stage in self._begun else None

    def has_effect(self, document: entries.Acted) -> bool:
        """Return whether an act would change anything now."""
        orders = copy.deepcopy(self.orders)
        _apply(self, orders, self._act_of("", document, 0))
        return orders != self.orders

    def in_force(self) -> list[Act]:
        """Return the acts that were not undone, in their order."""
        return [act for act in self.acts.values() if act.id not in self.undone]

    def counts(self, played: Played) -> bool:
        """Return whether a result counts for the ladder. A void match counts only with a correction."""
        return (
            played.is_rated
            and (not played.is_void or played.id in self.orders.corrected)
            and played.id not in self.orders.voided
            and self.encounters[played.encounter].act not in self.undone
            and not any(self.orders.is_out(player) for player in played.players)
        )

    def next_stage(self) -> StageConfig | None:
        """Return the stage of `contest.toml` that is to begin next, if the one before is over."""
        before: StageRun | None = None
        for config in self.settings.stages:
            if config.format == LADDER or config.name in self.orders.stages:
                continue
            run = self.stages.get(config.name)
            if run is None:
                return config if before is None or self.is_over(before) else None
            before = run
        return None

    def absent(self, run: StageRun) -> frozenset[str]:
        """Return the entrants who do not play a stage now. A suspended one returns with a new version."""
        suspended = {name for name in run.suspended if run.is_suspended(self.latest(name).player)}
        return self.orders.gone | suspended

    def is_over(self, run: StageRun) -> bool:
        return run.is_over(self.absent(run))

    def latest(self, name: str) -> Version:
        """Return the version with which an entrant is paired: the active one, or the last one that was."""
        found = self.active(name)
        return found or self.by_player[self._activations[name][-1]]

    def seat(self, player: Player) -> Participant:
        """Return an entrant and a version as they sit in a match."""
        found = self._seats.get(player)
        if found is None:
            found = self._seats[player] = Participant(*player, self.id_of(player[0]))
        return found

    # -- copies --------------------------------------------------------------------------------------

    def until_now(self, known: Contest | None = None) -> Contest:
        """Return a copy that later entries do not change. Do not add entries to the copy.

        Its `stages` do change: `stages_until` with the number of results computes them as they were.

        Args:
            known: An earlier copy. What has not changed since then is taken from it.
        """
        copied = copy.copy(self)  # `_of_entrant` and `timeline` are shared
        for name in _OFTEN:
            setattr(copied, name, copy.copy(getattr(self, name)))
        for name in _SELDOM:
            same = known is not None and known.order == self.order
            setattr(copied, name, getattr(known, name) if same else copy.copy(getattr(self, name)))
        return copied

    # -- entries -------------------------------------------------------------------------------------

    def _start(self, _key: str, document: entries.Start, _number: int) -> None:
        self.start = document

    def _config(self, _key: str, document: entries.Config, _number: int) -> None:
        config = convert(document.settings, ContestConfig)
        self.config = replace(config, stages=tuple([one.renamed(self.ids) for one in config.stages]))
        self.anchors = {self.ids[one]: skill for one, skill in document.anchors.items()}
        excluded, refused = self._said("config", "excluded", ((), ()))
        self.excluded, self.refused = tuple(excluded), frozenset(refused)
        self.generation += 1

    def _text(self, key: str, document: entries.TextEntry, _number: int) -> None:
        subject, _, what = key.rpartition(".")
        if what == "picture":
            team = self.ids[subject]
            self.pictures.pop(team, None)
            if document.value:
                self.pictures[team] = rewritten(base64.b64decode(document.value))  # a stranger's journal
        else:
            self._texts[key] = document.value

    def _said(self, subject: str, what: str, default: Any = "") -> Any:
        """Take the text that was written before the entry of its subject."""
        return self._texts.pop(f"{subject}.{what}", default)

    def _entrant(self, key: str, document: entries.Entered, _number: int) -> None:
        name = self.ids.get(key) or str(self._said(key, "name") or f"Entrant {key[1:]}")
        known, groups = self.entrants.get(name), tuple(document.groups)
        if known is not None and known.id == key:
            self.entrants[name] = replace(known, groups=groups)
            return
        if known is not None or key in self.ids:
            raise ValueError(f"{name} has entered before")
        self.ids[key] = name
        self.entrants[name] = Entrant(key, name, document.team, groups, document.at)

    def _version(self, key: str, document: entries.Handed, _number: int) -> None:
        entrant, _, number = key.rpartition("/")
        own_copy(document.path, document.hash)
        file, left_out = self._said(key, "file", ("", ""))
        version = Version(
            self.ids[entrant], int(number), document.hash, document.path, document.at, document.by, document.size,
            str(file), document.late, document.at_once, str(left_out),
        )  # fmt: skip
        self.by_hash[version.hash] = (*self.by_hash.get(version.hash, ()), version.player)
        self.versions[version.entrant] = (*self.versions.get(version.entrant, ()), version)
        self.by_player[version.player] = version

    def _report(self, key: str, document: entries.Checked, _number: int) -> None:
        before = self._named(key)
        problem, lines = self._said(key, "report", ("", ()))
        report = VersionReport(
            document.passed, document.match, document.at, document.seconds, str(problem), tuple(lines)
        )
        version, versions = replace(before, report=report), self.versions[before.entrant]
        self.versions[before.entrant] = tuple([version if one is before else one for one in versions])
        self.by_player[version.player] = version

    def _activate(self, key: str, _document: entries.Activated, _number: int) -> None:
        version = self._named(key)
        name = version.entrant
        self._activations[name] = (*self._activations.get(name, ()), version.player)
        self.timeline.append(version)
        for run in self.stages.values():
            if name not in self.anchors and run.config.only in ("", *self.entrants[name].groups):
                self._take(run.config.name, _Step(len(self.played), self.settings, entrant=name))

    def _take(self, stage: str, step: _Step) -> None:
        """Add a step to a stage. A stage that does not count only remembers it."""
        self._steps[stage] = (*self._steps.get(stage, ()), step)
        if stage in self.stages:
            step.repeat(self.stages[stage])

    def _named(self, key: str) -> Version:
        """Return a version by its key in the journal, such as `e3/1`."""
        entrant, _, number = key.rpartition("/")
        found = self.version(self.ids[entrant], int(number))
        if found is None:
            raise ValueError(f"there is no version {key}")
        return found

    def _invite(self, key: str, document: entries.Invited, _number: int) -> None:
        entrant = self.ids[document.entrant] if document.entrant else ""
        name = str(self._said(key[:16], "name"))
        self.invitations[key] = Invitation(key, entrant, name, document.role, document.expires)

    def _member(self, key: str, document: entries.Joined, _number: int) -> None:
        name = str(self._said(key, "name") or f"Person {key[1:]}")
        self.ids[key] = name
        self.members[key] = Member(key, name, self.ids[document.entrant] if document.entrant else "", document.role)
        self.invitations.pop(document.invitation, None)

    def _token(self, key: str, document: entries.Token, _number: int) -> None:
        self.tokens[key] = document.member

    def _revoke(self, key: str, _document: entries.Revoked, _number: int) -> None:
        self.tokens = {one: member for one, member in self.tokens.items() if member != key}
        self.invitations.pop(key, None)

    def _sign_out(self, key: str, _document: entries.SignedOut, _number: int) -> None:
        self.signed_out.add(key)

    def _stage(self, key: str, document: entries.Begun, _number: int) -> None:
        config = convert(document.config, StageConfig).renamed(self.ids)
        names = tuple(self.ids[one] for one in document.entrants)
        self._begun[key] = _Begun(config, names, len(self.played))
        self.stages[key] = self._run(key)

    def _run(self, name: str, limit: int | None = None) -> StageRun:
        """Compute a stage from its rounds and results: from the first results of the contest, so many, if given."""
        begun = self._begun[name]
        run = StageRun(begun.config, begun.names, self.settings.rules, self.id, self.secret, self.orders)
        steps = deque(one for one in self._steps.get(name, ()) if limit is None or one.index <= limit)
        for index, played in enumerate((*self.played.values()[:limit], None)):
            # As it happened: a round that is added earlier would come before games of the rounds before it.
            while steps and steps[0].index <= index:
                steps.popleft().repeat(run)
            if played is not None and played.kind == name and played.result:
                run.record(played.spec, played.result)
        return run

    def stages_until(self, limit: int | None) -> dict[str, StageRun]:
        """Return the stages after the first results of the contest, so many; None for all results."""
        if limit is None:
            return self.stages
        return {name: self._run(name, limit) for name in self.stages if self._begun[name].index <= limit}

    def _round(self, key: str, document: entries.Paired, _number: int) -> None:
        if key in KINDS:
            self._pair(key, document)
            return
        seats = [tuple([self.seat(player) for player in self._players(one[2])]) for one in document.encounters]
        encounters = [
            Encounter(key, one[0], one[1], tuple([seat.name for seat in own]), *one[3:])
            for one, own in zip(document.encounters, seats, strict=True)
        ]
        absent = document.absent or [[] for _ in encounters]
        names = tuple(tuple(self.ids[one] for one in own) for own in absent)
        paired = PairedRound(tuple(encounters), tuple(seats), names)
        self._take(key, _Step(len(self.played), self.settings, paired))

    def _players(self, seats: Iterable[tuple[str, int]]) -> tuple[Player, ...]:
        return tuple([self._named(f"{one}/{number}").player for one, number in seats])

    def _pair(self, kind: str, document: entries.Paired) -> None:
        """Add an encounter of the ladder."""
        [(_, _, seats, games, *_)] = document.encounters
        team = self.ids[document.team] if document.team else ""
        encounter = Pairing(document.number, kind, self._players(seats), games, document.at, team, document.act)
        self.encounters.add(encounter.number, encounter)
        self._last_encounter = max(self._last_encounter, encounter.number)
        self.open[encounter.number] = encounter.games

    def _drop(self, key: str, _document: entries.Dropped, _number: int) -> None:
        self.open.pop(int(key), None)

    def _result(self, key: str, document: entries.Result, _number: int) -> None:
        spec = self.spec_of(document.spec)
        if spec.match_id != key:
            raise ValueError(f"the match is {spec.match_id}")
        own_replay(document.outcome.replay, key)
        players = tuple([(self.ids[one], content) for one, content in document.spec.seats])
        result = document.outcome
        played = Played(spec, players, result, document.at, len(self.played))
        self.played.add(played.id, played)
        for name in {name for name, _ in players}:
            self._of_entrant[name].append(played)
        if played.kind not in KINDS:
            if played.kind in self.stages:
                self.stages[played.kind].record(played.spec, result)
            return
        self.timeline.append(played)
        if played.is_void:
            self.void_counts.update({*played.names})
        left = self.open.get(played.encounter, 0) - 1
        if left > 0:
            self.open[played.encounter] = left
        else:
            self.open.pop(played.encounter, None)

    def players_of(self, spec: MatchSpec) -> tuple[Player, ...]:
        """Return the entrant and the version on each seat of a match."""
        return tuple([(self.ids[seat.id], seat.hash) for seat in spec.seats])

    def spec_of(self, spec: entries.Spec) -> MatchSpec:
        """Return a match of the journal."""
        seats = distinct([self.seat((self.ids[one], content)) for one, content in spec.seats])
        return MatchSpec(
            tournament=self.id, stage=spec.stage, round=spec.round, pairing=spec.pairing, number=spec.number,
            game=self.start.game if self.start else "", map=spec.map,
            options=tuple([(name, value) for name, value in spec.options]), seats=seats, seed=spec.seed,
        )  # fmt: skip

    def _void(self, key: str, document: entries.Void, _number: int) -> None:
        self.voids[key] += 1
        self.void_counts.update({self.ids[one] for one in document.entrants})
        self.void_causes.update({self.ids[one] for one in document.causes})
        if document.killed:
            self.killed.add((document.stage, document.round, document.pairing, self.ids[document.killed]))

    def _conflict(self, key: str, _document: entries.Conflict, _number: int) -> None:
        self.conflicts.append(key)

    def _act_of(self, key: str, document: entries.Acted, number: int) -> Act:
        more = dict(document.more)
        if document.act == "release" and more["limit"] is not None and self.orders.limit is not None:
            # Store the number of released results. The limit changes if an earlier release is undone.
            more["released"] = more["limit"] - self.orders.limit
        subject = document.subject
        if ACTS[document.act].subject == "NAME":
            head, slash, tail = subject.partition("/")
            subject = self.ids[head] + slash + tail
        author = self.ids.get(document.author, document.author)
        reason = str(self._said(key, "reason"))
        return Act(key, number, document.act, subject, author, reason, document.at, more)

    def _act(self, key: str, document: entries.Acted, number: int) -> None:
        act = self._act_of(key, document, number)
        if act.kind == "undo":
            self.undone[act.subject] = act
            self._order(self.acts[act.subject])
            return
        self.acts[key] = act
        self._order(act)

    def _order(self, changed: Act) -> None:
        """Compute the effect of all acts again, after the act `changed` was added or undone."""
        orders = Orders()
        for act in self.in_force():
            _apply(self, orders, act)
        undone = [self.acts[one.subject] for one in self.undone.values()]
        orders.stages |= {one.subject for one in undone if one.kind == "stage"}
        self.orders = orders
        if changed.kind in SCORING:
            self.generation += 1
            self.stages = {name: self._run(name) for name in self._begun if name not in orders.stages}

    def _rebuild(self, _key: str, _document: entries.Rebuilt, _number: int) -> None:
        """Ignore the entry: it only tells what was lost."""

    def _lost(self, _key: str, _document: entries.Lost, _number: int) -> None:
        """Ignore the entry: it only has the place of a lost one."""


_OFTEN = ("encounters", "played", "open", "stages", "voids", "void_counts", "void_causes", "_steps")
"""What entries of matches change, such as results."""
_SELDOM = (
    "ids", "anchors", "entrants", "pictures", "members", "tokens", "invitations", "signed_out", "versions", "by_player",
    "by_hash", "acts", "undone", "_begun", "_activations",
)  # fmt: skip
"""What only other entries change (see `Contest.order`)."""


def _apply(state: Contest, orders: Orders, act: Act) -> None:  # one branch for each kind
    match act.kind:
        case "pause" | "resume":
            orders.paused = act.kind == "pause"
        case "freeze":
            orders.frozen = True
        case "void" if act.subject in state.played:
            orders.voided.add(act.subject)
        case "void":
            orders.stages.add(act.subject)
        case "replay":
            orders.voided.add(act.subject)
            orders.repeated.add(act.subject)
        case "correct":
            orders.corrected[act.subject] = tuple(act.more["points"])
        case "disqualify" if "/" in act.subject:
            name, _, number = act.subject.rpartition("/")
            found = state.version(name, int(number))
            if found is None:
                raise ValueError(f"there is no version {act.subject}")
            orders.versions.add(found.player)
        case "disqualify":
            orders.out.add(act.subject)
        case "withdraw":
            orders.withdrawn.add(act.subject)
        case "remove_picture":
            orders.unpictured.add(act.subject)
        case "hold" if orders.limit is None:  # otherwise an earlier hold still applies
            orders.limit = act.more["limit"]
        case "release" if orders.limit is not None:  # otherwise its hold was undone
            orders.limit = None if act.more["limit"] is None else orders.limit + act.more["released"]
        case "announce":
            orders.announcements.insert(0, act)


def distinct(seats: Sequence[Participant]) -> tuple[Participant, ...]:
    """Return seats with distinct names: a repeated name gets a number, such as "name (2)"."""
    if len({seat.name for seat in seats}) == len(seats):
        return tuple(seats)
    counts: Counter[str] = Counter()
    found = []
    for seat in seats:
        counts[seat.name] += 1
        count = counts[seat.name]
        found.append(replace(seat, name=f"{seat.name} ({count})") if count > 1 else seat)
    return tuple(found)
