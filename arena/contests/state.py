"""What a contest's journal says: `Contest`, the only class that reads entries.

The journal is the only record of a contest, and this is the only meaning of it: tables, pages, the loop and a rebuild
all read a `Contest`. It has three parts, in this order:

* **Questions** that every reader asks: who plays with which version, which result counts, which stage comes next.
* **Copies**: pages read a copy that later entries do not change, so that no reader waits for the disk.
* **The fold**: one method for each kind of entry, `_KIND(key, document)`, by subject: people and entrants, versions,
  stages, matches, acts. Nothing else changes a contest. A new kind of entry needs a class in `entries` and a method
  here. The fold reads no clock and no file, so that the same entries always give the same contest.

Entries name people and entrants by ids, since names can be erased from a journal. Here everything has names: an id
becomes a name when an entry is read, and a name an id when one is written (`Contest.id_of`). A later entry can change a
name: then the contest is outdated (`is_outdated`), and the journal is read `again`, with what is known at its end.

What acts of organizers do is in `orders`. What a team has used of its daily limits is in `people.daily_limits`.
"""

from __future__ import annotations

import base64
import copy
import hmac
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from msgspec import convert

from arena.contests import entries
from arena.contests.append_only import AppendOnly
from arena.contests.config import ContestConfig, StageConfig
from arena.contests.journal.chain import ERASE, TEXT, Fold
from arena.contests.journal.files import checked_copy_path, checked_replay_path
from arena.contests.orders import SCORING, Orders
from arena.contests.png import rewritten
from arena.contests.stages.encounters import Encounter, PairedRound
from arena.contests.stages.stage import StageRun
from arena.contests.values import (
    ACTS,
    KINDS,
    LADDER,
    Act,
    Consent,
    Entrant,
    Invitation,
    LadderEncounter,
    Member,
    Played,
    Player,
    ShowEntry,
    Version,
    VersionReport,
)
from arena.match.spec import MatchSpec, Participant

_OF_MATCHES = ("result", "void", "round", "drop", "conflict", "rebuild", "lost", "show")
"""The kinds of entries that a running contest writes all the time. All others are rare, and change the revision."""
_EACH_TIME: Final = {"copied": "each time"}
_WHEN_REVISED: Final = {"copied": "when revised"}
"""How `Contest.until_now` copies a field: always, since each result can change it, or only after a rare entry."""
ANIMALS = (
    *("Badger", "Bear", "Beaver", "Bison", "Crane", "Deer", "Dolphin", "Eagle", "Falcon", "Fox", "Gecko", "Hare"),
    *("Heron", "Ibex", "Jay", "Kiwi", "Lark", "Lynx", "Marten", "Newt", "Otter", "Owl", "Panda", "Puffin", "Quail"),
    *("Raven", "Seal", "Stork", "Swan", "Tapir", "Toad", "Vole", "Whale", "Wolf", "Wren", "Yak", "Zebra"),
)
"""The first words of the display names of teams that have chosen none."""
Killed = tuple[str, int, int, str]
"""A bot whose sandbox was killed from outside: stage, round, pairing, name."""


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


@dataclass(frozen=True, slots=True)
class _Begun:
    """A stage as it began, with the number of results before it, and what happened in it since."""

    config: StageConfig
    names: tuple[str, ...]
    index: int
    steps: tuple[_Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Foresight:
    """What later entries say about earlier ones.

    Attributes:
        names: The names of the entrants by their ids.
        rewritten: The replays that were written again, by match id.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    rewritten: Mapping[str, entries.Rewritten] = field(default_factory=dict)


@dataclass(slots=True)
class Contest(Fold):
    """The content of a journal up to an entry.

    Attributes:
        foresight: What a reading before this one has found out about later entries.
        emptied: The numbers of the entries whose texts are gone.
        erased: The numbers of the entries whose texts acts have erased, with the acts.
        rewritten_replays: The replays that were written again, by match id.
        ids: The names of people and entrants by their ids.
        anchors: The fixed skills of entrants that play only on the ladder and in checks.
        entrants: The entrants by name, in the order in which they entered.
        excluded: Why bots of `contest.toml` do not take part.
        refused: The content hashes of those of them that could be read.
        stages: The stages that have begun and count, without the ladder.
        encounters: The encounters of the ladder, by number.
        matches_left: The number of matches left to play in each unfinished encounter, by number of the encounter.
        played: All results by match id, in the order of the journal.
        timeline: The results of the ladder, and the versions that became active, in the order of the journal.
        pictures: The pictures of teams as PNG files, also those that an organizer has removed.
        voids: How often each match was void and played again, by match id.
        void_counts: How often a match of each entrant was void.
        void_causes: How often it was because the entrant's program failed or its time ran out.
        conflicts: The ids of matches that were played twice with different outcomes.
        shows: The steps of shows, by the numbers of their entries.
        released: The ids of the matches whose results a show has released.
        generation: Changes when earlier results count in another way than before.
        revision: The number of the last entry that changes more than encounters and results, such as an act.
    """

    foresight: Foresight = field(default_factory=Foresight)
    emptied: set[int] = field(default_factory=set)
    erased: dict[int, str] = field(default_factory=dict)
    start: entries.Start | None = None
    config: ContestConfig | None = None
    ids: dict[str, str] = field(default_factory=dict, metadata=_WHEN_REVISED)
    _by_real_name: dict[str, Entrant] = field(default_factory=dict, metadata=_WHEN_REVISED)
    anchors: dict[str, float] = field(default_factory=dict, metadata=_WHEN_REVISED)
    entrants: dict[str, Entrant] = field(default_factory=dict, metadata=_WHEN_REVISED)
    excluded: tuple[str, ...] = ()
    refused: frozenset[str] = frozenset()
    pictures: dict[str, bytes] = field(default_factory=dict, metadata=_WHEN_REVISED)
    consents: dict[str, Consent] = field(default_factory=dict, metadata=_WHEN_REVISED)
    members: dict[str, Member] = field(default_factory=dict, metadata=_WHEN_REVISED)
    tokens: dict[str, str] = field(default_factory=dict, metadata=_WHEN_REVISED)
    invitations: dict[str, Invitation] = field(default_factory=dict, metadata=_WHEN_REVISED)
    signed_out: set[str] = field(default_factory=set, metadata=_WHEN_REVISED)
    versions: dict[str, tuple[Version, ...]] = field(default_factory=dict, metadata=_WHEN_REVISED)
    by_player: dict[Player, Version] = field(default_factory=dict, metadata=_WHEN_REVISED)
    by_hash: dict[str, tuple[Player, ...]] = field(default_factory=dict, metadata=_WHEN_REVISED)
    stages: dict[str, StageRun] = field(default_factory=dict, metadata=_EACH_TIME)
    encounters: AppendOnly[int, LadderEncounter] = field(default_factory=AppendOnly, metadata=_EACH_TIME)
    matches_left: dict[int, int] = field(default_factory=dict, metadata=_EACH_TIME)
    played: AppendOnly[str, Played] = field(default_factory=AppendOnly, metadata=_EACH_TIME)
    timeline: list[Played | Version] = field(default_factory=list)
    voids: Counter[str] = field(default_factory=Counter, metadata=_EACH_TIME)
    void_counts: Counter[str] = field(default_factory=Counter, metadata=_EACH_TIME)
    void_causes: Counter[str] = field(default_factory=Counter, metadata=_EACH_TIME)
    killed: set[Killed] = field(default_factory=set)
    conflicts: list[str] = field(default_factory=list, metadata=_EACH_TIME)
    shows: AppendOnly[int, ShowEntry] = field(default_factory=AppendOnly, metadata=_EACH_TIME)
    released: frozenset[str] = frozenset()
    acts: dict[str, Act] = field(default_factory=dict, metadata=_WHEN_REVISED)
    undone: dict[str, Act] = field(default_factory=dict, metadata=_WHEN_REVISED)
    orders: Orders = field(default_factory=Orders)
    generation: int = 0
    revision: int = 0
    _texts: dict[str, Any] = field(default_factory=dict)
    _displayed: dict[str, str] = field(default_factory=dict)
    rewritten_replays: dict[str, entries.Rewritten] = field(default_factory=dict)
    _begun: dict[str, _Begun] = field(default_factory=dict, metadata=_EACH_TIME)
    _of_entrant: dict[str, list[Played]] = field(default_factory=lambda: defaultdict(list))
    _activations: dict[str, tuple[Player, ...]] = field(default_factory=dict, metadata=_WHEN_REVISED)
    _last_encounter: int = 0
    _seats: dict[Player, Participant] = field(default_factory=dict)

    # -- questions: the contest ------------------------------------------------------------------------

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

    def key_of(self, version: Version) -> str:
        """Return the key of a version in the journal, such as `e3/1`."""
        return f"{self.id_of(version.entrant)}/{version.number}"

    def entrant_named(self, name: str) -> Entrant | None:
        """Return the entrant with a name, or with a real name that not everybody sees."""
        return self.entrants.get(name) or self._by_real_name.get(name)

    def new_id(self, kind: str, after: int = 0) -> str:
        """Return the id of a new entrant ("e"), person ("p") or act ("a"), or the one after so many others."""
        ids = [*self.acts, *(act.id for act in self.undone.values())] if kind == "a" else self.ids
        numbers = (int(key[1:]) for key in ids if key.startswith(kind))
        return f"{kind}{1 + after + max(numbers, default=0)}"

    def in_force(self) -> list[Act]:
        """Return the acts that were not undone, in their order."""
        return [act for act in self.acts.values() if act.id not in self.undone]

    def has_effect(self, document: entries.Acted) -> bool:
        """Return whether an act would change anything now."""
        orders = copy.deepcopy(self.orders)
        self._apply(orders, self._act_of("", document))
        return orders != self.orders

    @property
    def is_outdated(self) -> bool:
        """Whether entries have changed the names or texts of earlier ones, so that the journal must be read again."""
        return (
            self.rewritten_replays != self.foresight.rewritten
            or not self.erased.keys() <= self.emptied
            or any(name != self.ids[key] for key, name in self._names().items())
        )

    def again(self) -> Contest:
        """Return an empty contest that reads the same journal with what is known at its end."""
        foresight = Foresight(self._names(), self.rewritten_replays)
        return Contest(self.where, foresight=foresight, generation=self.generation + 1)

    def _names(self) -> dict[str, str]:
        """Return the names of the entrants that everybody sees, by their ids."""
        return {entrant.id: self._shown(entrant) for entrant in self.entrants.values()}

    def _shown(self, entrant: Entrant) -> str:
        """Return the name of an entrant that everybody sees now.

        A display name is what a team has chosen, or a text from which nobody can compute the team.
        """
        if entrant.id in self.orders.erased:
            return f"Entrant {entrant.id[1:]}"
        key, is_anonymous = entrant.id, self.config is not None and self.config.visible.anonymous
        if not is_anonymous or not entrant.is_team or key in self.orders.revealed:
            return entrant.real_name
        if key not in self._displayed:
            number = int.from_bytes(hmac.digest(self.secret.encode(), f"display {key}".encode(), "sha256")[:6])
            self._displayed[key] = f"{ANIMALS[number % len(ANIMALS)]} {number // len(ANIMALS) % 10**7:07}"
        return self._displayed[key]

    # -- questions: entrants and versions --------------------------------------------------------------

    @property
    def teams(self) -> dict[str, str]:
        """The time at which each team entered, by name."""
        return {entrant.name: entrant.at for entrant in self.entrants.values() if entrant.is_team}

    def contenders(self) -> list[str]:
        """Return all entrants but the anchors."""
        return [name for name in self.entrants if name not in self.anchors]

    def groups_of(self, name: str) -> tuple[str, ...]:
        return self.orders.groups.get(name, self.entrants[name].groups)

    def wins_prizes(self, name: str) -> bool:
        """Return whether an entrant belongs to no group that plays without prizes."""
        return not {*self.groups_of(name)} & {*self.settings.without_prizes}

    def playing(self) -> list[str]:
        """Return the entrants with an active version who have not withdrawn, without anchors."""
        gone = self.orders.gone
        return [name for name in self.contenders() if name not in gone and self.active(name)]

    def anchor_players(self) -> list[Player]:
        """Return the versions of the anchors that play, the weakest first."""
        order = sorted(self.anchors, key=lambda name: self.anchors[name])
        return [version.player for name in order if (version := self.active(name))]

    def public_pictures(self) -> dict[str, bytes]:
        """Return the picture of each team that has one and lets it be shown, as a PNG file."""
        removed = self.orders.removed_pictures
        return {
            team: png for team, png in self.pictures.items() if team not in removed and self.consent_of(team).picture
        }

    def consent_of(self, name: str) -> Consent:
        """Return what a team agrees to."""
        return self.consents.get(name, Consent())

    def has_public_replay(self, spec: MatchSpec) -> bool:
        """Return whether all who play in a match let everybody watch it."""
        return all(self.consent_of(self.ids[seat.id]).replays for seat in spec.seats)

    def version(self, entrant: str, number: int) -> Version | None:
        return next((version for version in self.versions.get(entrant, ()) if version.number == number), None)

    def next_version(self, entrant: str) -> int:
        """Return the number of an entrant's next version: one more than the largest, since some can be lost."""
        return max((version.number for version in self.versions.get(entrant, ())), default=0) + 1

    def active(self, entrant: str) -> Version | None:
        """Return the version that plays: the last activated one that is not disqualified, if its files are there."""
        for player in reversed(self._activations.get(entrant, ())):
            if not self.orders.is_out(player):
                return None if player[1] in self.orders.removed else self.by_player[player]
        return None

    def last_activated(self, entrant: str) -> Version | None:
        """Return the version that was activated last, even if it is disqualified."""
        activated = self._activations.get(entrant)
        return self.by_player[activated[-1]] if activated else None

    def was_active(self, player: Player) -> bool:
        return player in self._activations.get(player[0], ())

    def latest(self, name: str) -> Version:
        """Return the version with which an entrant is paired: the active one, or the last one that was."""
        return self.active(name) or self.by_player[self._activations[name][-1]]

    def copies(self) -> Iterator[tuple[str, str]]:
        """Yield content hash and name of each version that is stored in the folder."""
        removed = self.orders.removed
        versions = self.by_player.values()
        return ((version.hash, version.key) for version in versions if version.path and version.hash not in removed)

    def waiting(self) -> Iterator[Version]:
        """Yield the versions of teams that wait for their check."""
        for name, versions in self.versions.items():
            if self.entrants[name].is_team:
                yield from (version for version in versions if version.report is None)

    # -- questions: stages -----------------------------------------------------------------------------

    def begun_as(self, stage: str) -> StageConfig | None:
        """Return the settings with which a stage has begun, also one that does not count any more; None before that."""
        return self._begun[stage].config if stage in self._begun else None

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

    def last_stage(self) -> StageRun | None:
        """Return the newest stage, from which the next one takes its entrants."""
        return next((run for run in reversed(self.stages.values()) if not run.config.exhibition), None)

    def absent(self, run: StageRun) -> frozenset[str]:
        """Return the entrants who do not play a stage now. A suspended one returns with a new version."""
        suspended = {name for name in run.suspended if run.is_suspended(self.latest(name).player)}
        return self.orders.gone | suspended

    def is_over(self, run: StageRun) -> bool:
        return run.is_over(self.absent(run))

    def stages_with(self, shows: Callable[[Played], bool] = lambda _: True) -> dict[str, StageRun]:
        """Return the stages as they are for who sees some results: new ones, which later entries do not change.

        A stage has begun, and a round was paired, for who sees all results from which this follows.

        Args:
            shows: Returns whether a result is seen.
        """
        hidden = (played.index for played in self.played.values() if played.is_public and not shows(played))
        first = next(hidden, len(self.played))
        return {name: self._run(name, shows) for name in self.stages if self._begun[name].index <= first}

    def before(self, stage: str) -> list[Played]:
        """Return the results from which the beginning of a stage follows, and perhaps others before it."""
        return [played for played in self.played.values()[: self._begun[stage].index] if played.is_public]

    # -- questions: matches ----------------------------------------------------------------------------

    def counts(self, played: Played) -> bool:
        """Return whether a result counts for the ladder. A void match counts only with a correction."""
        return (
            played.is_rated
            and not self.orders.is_void(played)
            and self.encounters[played.encounter].act not in self.undone
            and not any(self.orders.is_out(player) for player in played.players)
        )

    def newest(self, entrant: str = "") -> Iterator[Played]:
        """Yield the results of an entrant, or all results, the newest first."""
        if not entrant:
            return self.played.newest()
        count = len(self.played)  # a copy of the state shares the lists
        return (played for played in reversed(self._of_entrant.get(entrant, [])) if played.index < count)

    def next_encounter(self) -> int:
        """Return the number of the next encounter of the ladder. Numbers that were lost are not used again."""
        return self._last_encounter + 1

    def players_of(self, spec: MatchSpec) -> tuple[Player, ...]:
        """Return the entrant and the version on each seat of a match."""
        return tuple([(self.ids[seat.id], seat.hash) for seat in spec.seats])

    def seat(self, player: Player) -> Participant:
        """Return an entrant and a version as they sit in a match. All matches share the object, to save memory."""
        seat = self._seats.get(player)
        if seat is None:
            seat = self._seats[player] = Participant(*player, self.id_of(player[0]))
        return seat

    def spec_of(self, spec: entries.Spec) -> MatchSpec:
        """Return a match of the journal."""
        return MatchSpec(
            tournament=self.id,
            stage=spec.stage,
            round=spec.round,
            pairing=spec.pairing,
            number=spec.number,
            game=self.start.game if self.start else "",
            map=spec.map,
            options=tuple([(name, value) for name, value in spec.options]),
            seats=distinct([self.seat((self.ids[key], content)) for key, content in spec.seats]),
            seed=spec.seed,
        )

    def renamed(self, spec: MatchSpec) -> MatchSpec:
        """Return a match with the present names of its players."""
        return replace(spec, seats=distinct([self.seat((self.ids[seat.id], seat.hash)) for seat in spec.seats]))

    # -- copies ----------------------------------------------------------------------------------------

    def until_now(self, before: Contest | None = None) -> Contest:
        """Return a copy that later entries do not change. Do not add entries to the copy.

        Its `stages` do change: `stages_with` computes them as they were. The lists of
        results are shared: who reads them asks for the number of results of the copy.

        Args:
            before: An earlier copy. What has not changed since then is taken from it: a copy of all people and
                versions after each result would cost more than the result.
        """
        copied = copy.copy(self)
        unchanged = before is not None and before.revision == self.revision
        for name, when in _COPIED:
            source = before if unchanged and when == _WHEN_REVISED["copied"] else None
            setattr(copied, name, getattr(source, name) if source else copy.copy(getattr(self, name)))
        return copied

    # -- the fold --------------------------------------------------------------------------------------

    def read(self, entry: Any) -> None:
        if entry.kind == TEXT and entry.text is None:
            self.emptied.add(entry.number)
            return
        document = entry.value if entry.value is not None else entries.read(entry.kind, entry.text or "")
        getattr(self, f"_{entry.kind}")(entry.key, document)
        if entry.kind not in _OF_MATCHES:
            self.revision = entry.number

    def _start(self, _key: str, document: entries.Start) -> None:
        self.start = document

    def _config(self, _key: str, document: entries.Config) -> None:
        config = convert(document.settings, ContestConfig)
        self.config = replace(config, stages=tuple([stage.renamed(self.ids) for stage in config.stages]))
        self.anchors = {self.ids[key]: skill for key, skill in document.anchors.items()}
        excluded, refused = self._take_text("config", "excluded", ((), ()))
        self.excluded, self.refused = tuple(excluded), frozenset(refused)
        self.generation += 1

    def _text(self, key: str, document: entries.TextEntry) -> None:
        """Keep a text for the entry of its subject, which follows. A picture and a display name need no other entry."""
        subject, _, what = key.rpartition(".")
        if what == "display":
            self._displayed[subject] = str(document.value)
            return
        if what != "picture":
            self._texts[key] = document.value
            return
        team = self.ids[subject]
        self.pictures.pop(team, None)
        if document.value:
            self.pictures[team] = rewritten(base64.b64decode(document.value))  # a stranger's journal

    def _take_text(self, subject: str, what: str, default: Any = "") -> Any:
        """Take the text that was written before the entry of its subject. It can be lost or removed."""
        return self._texts.pop(f"{subject}.{what}", default)

    def _rewritten(self, key: str, document: entries.Rewritten) -> None:
        self.rewritten_replays[key] = document

    def _rebuild(self, _key: str, _document: entries.Rebuilt) -> None:
        """Ignore the entry: it only tells what was lost."""

    def _lost(self, _key: str, _document: entries.Lost) -> None:
        """Ignore the entry: it only has the number of a lost one."""

    # -- the fold: people and entrants -----------------------------------------------------------------

    def _entrant(self, key: str, document: entries.Entered) -> None:
        groups = tuple(document.groups)
        if key in self.ids:
            name = self.ids[key]
            entrant = replace(self.entrants[name], groups=groups)
            self.entrants[name] = self._by_real_name[entrant.real_name] = entrant
            return
        real_name = str(self._take_text(key, "name") or f"Entrant {key[1:]}")
        entrant = Entrant(key, real_name, document.team, groups, document.at, real_name)
        name = self.foresight.names.get(key) or self._shown(entrant)
        if name in self.entrants or real_name in self._by_real_name:
            raise ValueError(f"{name} has entered before")
        entrant = replace(entrant, name=name)
        self.ids[key] = name
        self.entrants[name] = self._by_real_name[real_name] = entrant

    def _consent(self, key: str, document: entries.Agreed) -> None:
        licence = str(self._take_text(key, "licence"))
        agreed = Consent(document.replays, document.picture, document.opponent, licence, document.at)
        self.consents[self.ids[key]] = agreed

    def _invite(self, key: str, document: entries.Invited) -> None:
        entrant = self.ids[document.entrant] if document.entrant else ""
        name = str(self._take_text(key[:16], "name"))
        self.invitations[key] = Invitation(key, entrant, name, document.role, document.expires)

    def _member(self, key: str, document: entries.Joined) -> None:
        name = str(self._take_text(key, "name") or f"Person {key[1:]}")
        self.ids[key] = name
        self.members[key] = Member(key, name, self.ids[document.entrant] if document.entrant else "", document.role)
        self.invitations.pop(document.invitation, None)

    def _token(self, key: str, document: entries.Token) -> None:
        self.tokens[key] = document.member

    def _revoke(self, key: str, _document: entries.Revoked) -> None:
        self.tokens = {token: member for token, member in self.tokens.items() if member != key}
        self.invitations.pop(key, None)

    def _sign_out(self, key: str, _document: entries.SignedOut) -> None:
        self.signed_out.add(key)

    # -- the fold: versions ----------------------------------------------------------------------------

    def _version(self, key: str, document: entries.Handed) -> None:
        entrant, _, number = key.rpartition("/")
        program = str(self._take_text(key, "program"))
        path = checked_copy_path("/".join(filter(None, (document.path, program))), document.hash)
        file, left_out = self._take_text(key, "file", ("", ""))
        version = Version(
            entrant=self.ids[entrant],
            number=int(number),
            hash=document.hash,
            path=path,
            at=document.at,
            by=document.by,
            size=document.size,
            file=str(file),
            late=document.late,
            at_once=document.at_once,
            left_out=str(left_out),
        )
        self.by_hash[version.hash] = (*self.by_hash.get(version.hash, ()), version.player)
        self.versions[version.entrant] = (*self.versions.get(version.entrant, ()), version)
        self.by_player[version.player] = version

    def _report(self, key: str, document: entries.Checked) -> None:
        unchecked = self._version_at(key)
        problem, lines = self._take_text(key, "report", ("", ()))
        report = VersionReport(
            document.passed, document.match, document.at, document.seconds, str(problem), tuple(lines)
        )
        checked, versions = replace(unchecked, report=report), self.versions[unchecked.entrant]
        self.versions[checked.entrant] = tuple([checked if version is unchecked else version for version in versions])
        self.by_player[checked.player] = checked

    def _activate(self, key: str, _document: entries.Activated) -> None:
        version = self._version_at(key)
        name = version.entrant
        self._activations[name] = (*self._activations.get(name, ()), version.player)
        self.timeline.append(version)
        if name in self.anchors:
            return
        for run in self.stages.values():
            if run.config.only in ("", *self.groups_of(name)):
                self._add_step(run.config.name, _Step(len(self.played), self.settings, entrant=name))

    def _version_at(self, key: str) -> Version:
        """Return a version by its key in the journal, such as `e3/1`."""
        entrant, _, number = key.rpartition("/")
        version = self.version(self.ids[entrant], int(number))
        if version is None:
            raise ValueError(f"there is no version {key}")
        return version

    # -- the fold: stages ------------------------------------------------------------------------------

    def _stage(self, key: str, document: entries.Begun) -> None:
        config = convert(document.config, StageConfig).renamed(self.ids)
        names = tuple(self.ids[entrant] for entrant in document.entrants)
        self._begun[key] = _Begun(config, names, len(self.played))
        self.stages[key] = self._run(key)

    def _round(self, key: str, document: entries.Paired) -> None:
        """Add a round of a stage, or an encounter of the ladder."""
        if key in KINDS:
            self._add_encounter(key, document)
            return
        encounters: list[Encounter] = []
        seats: list[tuple[Participant, ...]] = []
        for row in document.encounters:
            own_seats = tuple([self.seat(player) for player in self._players_at(row[2])])
            seats.append(own_seats)
            encounters.append(Encounter(key, row[0], row[1], tuple([seat.name for seat in own_seats]), *row[3:]))
        absent_ids = document.absent or [[] for _ in encounters]
        absent = tuple(tuple(self.ids[entrant] for entrant in absentees) for absentees in absent_ids)
        paired = PairedRound(tuple(encounters), tuple(seats), absent)
        self._add_step(key, _Step(len(self.played), self.settings, paired))

    def _add_step(self, stage: str, step: _Step) -> None:
        """Add a step to a stage. A stage that does not count only remembers it."""
        begun = self._begun[stage]
        self._begun[stage] = replace(begun, steps=(*begun.steps, step))
        if stage in self.stages:
            step.repeat(self.stages[stage])

    def _run(self, name: str, shows: Callable[[Played], bool] = lambda _: True) -> StageRun:
        """Compute a stage from its rounds and from those of its results that are seen."""
        begun = self._begun[name]
        run = StageRun(begun.config, begun.names, self.settings.rules, self.id, self.secret, self.orders)
        steps, hides = deque(begun.steps), False
        for index, played in enumerate((*self.played.values(), None)):
            # As it happened: a round that is added earlier would come before games of the rounds before it.
            while steps and steps[0].index <= index:
                steps.popleft().repeat(run)
            if played is None or played.kind != name or not played.result:
                continue
            if shows(played):
                run.record(played.spec, played.result)
            else:
                steps.clear()  # they follow from a result that is not seen
                hides = True
        if hides:
            run.settle_seen()
        return run

    def _players_at(self, seats: Iterable[tuple[str, int]]) -> tuple[Player, ...]:
        """Return the players on seats of the journal, each with the id of an entrant and the number of a version."""
        return tuple([self._version_at(f"{entrant}/{number}").player for entrant, number in seats])

    # -- the fold: matches -----------------------------------------------------------------------------

    def _add_encounter(self, kind: str, document: entries.Paired) -> None:
        [(_, _, seats, games, *_)] = document.encounters
        team = self.ids[document.team] if document.team else ""
        players = self._players_at(seats)
        encounter = LadderEncounter(document.number, kind, players, games, document.at, team, document.act)
        self.encounters.add(encounter.number, encounter)
        self._last_encounter = max(self._last_encounter, encounter.number)
        self.matches_left[encounter.number] = encounter.games

    def _drop(self, key: str, _document: entries.Dropped) -> None:
        self.matches_left.pop(int(key), None)

    def _result(self, key: str, document: entries.Result) -> None:
        spec, result = self.spec_of(document.spec), document.outcome
        if spec.match_id != key:
            raise ValueError(f"the match is {spec.match_id}")
        checked_replay_path(result.replay, key)
        players = tuple([(self.ids[entrant], content) for entrant, content in document.spec.seats])
        if said := self._take_text(key, "said"):
            wrote = zip(result.players, said, strict=True)
            result = replace(
                result, players=tuple([replace(one, detail=str(a), stderr=str(b)) for one, (a, b) in wrote])
            )
        if rewritten := self.foresight.rewritten.get(key):
            result = replace(result, replay_hash=rewritten.hash, chain=rewritten.chain)
        played = Played(spec, players, result, document.at, len(self.played))
        self.played.add(played.id, played)
        for name in {*played.names}:
            self._of_entrant[name].append(played)
        if played.kind in KINDS:
            self._add_to_ladder(played)
        elif played.kind in self.stages:
            self.stages[played.kind].record(spec, result)

    def _add_to_ladder(self, played: Played) -> None:
        self.timeline.append(played)
        if played.is_void:
            self.void_counts.update({*played.names})
        left = self.matches_left.get(played.encounter, 0) - 1
        if left > 0:
            self.matches_left[played.encounter] = left
        else:
            self.matches_left.pop(played.encounter, None)

    def _void(self, key: str, document: entries.Void) -> None:
        self.voids[key] += 1
        self.void_counts.update({self.ids[entrant] for entrant in document.entrants})
        self.void_causes.update({self.ids[entrant] for entrant in document.causes})
        if document.killed:
            self.killed.add((document.stage, document.round, document.pairing, self.ids[document.killed]))

    def _conflict(self, key: str, _document: entries.Conflict) -> None:
        self.conflicts.append(key)

    def _show(self, key: str, document: entries.Shown) -> None:
        number = self.number + 1
        text = str(self._take_text(key, "show"))
        self.shows.add(number, ShowEntry(number, key, document.at, document.released, document.document, text))
        if document.released:
            self.released |= {*document.released}
            self.revision = number

    # -- the fold: acts --------------------------------------------------------------------------------

    def _act(self, key: str, document: entries.Acted) -> None:
        act = self._act_of(key, document)
        if act.kind == "undo":
            self.undone[act.subject] = act
            self._give_orders(self.acts[act.subject])
        else:
            self.acts[key] = act
            self._give_orders(act)
        if act.kind == ERASE:
            self.erased |= dict.fromkeys(act.more["entries"], key)

    def _act_of(self, key: str, document: entries.Acted) -> Act:
        more = dict(document.more)
        if document.act == "release" and more["limit"] is not None and self.orders.limit is not None:
            # Store the number of released results. The limit changes if an earlier release is undone.
            more["released"] = more["limit"] - self.orders.limit
        subject = document.subject
        if ACTS[document.act].subject == "NAME":
            entrant, slash, number = subject.partition("/")
            subject = self.ids[entrant] + slash + number
        if document.act == "reveal":
            more["id"] = document.subject
        if document.act == ERASE:
            subject = self.ids.get(subject, "")
        author = self.ids.get(document.author, document.author)
        reason = str(self._take_text(key, "reason"))
        return Act(key, self.number + 1, document.act, subject, author, reason, document.at, more)

    def _give_orders(self, changed: Act) -> None:
        """Compute the effect of all acts again, after the act `changed` was added or undone."""
        orders = Orders()
        for act in self.in_force():
            self._apply(orders, act)
        undone = [self.acts[undo.subject] for undo in self.undone.values()]
        orders.stages |= {act.subject for act in undone if act.kind == "stage"}
        self.orders = orders
        if changed.kind in SCORING:
            self.generation += 1
            self.stages = {name: self._run(name) for name in self._begun if name not in orders.stages}

    def _apply(self, orders: Orders, act: Act) -> None:
        name, slash, number = act.subject.rpartition("/")
        version = None
        if act.kind == "disqualify" and slash:
            version = self.version(name, int(number))
            if version is None:
                raise ValueError(f"there is no version {act.subject}")
        orders.apply(act, self.ids, is_match=act.subject in self.played, version=version.player if version else None)


_COPIED = [(field_.name, field_.metadata["copied"]) for field_ in fields(Contest) if field_.metadata]
"""The fields that a copy does not share, and when they are copied."""


def distinct(seats: Sequence[Participant]) -> tuple[Participant, ...]:
    """Return seats with distinct names: a repeated name gets a number, such as "name (2)"."""
    if len({seat.name for seat in seats}) == len(seats):
        return tuple(seats)
    counts: Counter[str] = Counter()
    numbered = []
    for seat in seats:
        counts[seat.name] += 1
        count = counts[seat.name]
        numbered.append(replace(seat, name=f"{seat.name} ({count})") if count > 1 else seat)
    return tuple(numbered)
