"""Compute the state of a season from nothing but the entries of its journal."""

import base64
import copy
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any, ClassVar

from arena.journal.chain import LOST, RESULT, Entry, OtherJournalError
from arena.journal.files import own_copy, own_replay
from arena.match.spec import MatchSpec
from arena.matches.results import MatchFold, read_result
from arena.season.append_only import AppendOnly
from arena.season.png import rewritten
from arena.season.shares import slot_time
from arena.season.values import Act, Activation, Invitation, Member, Pairing, Played, Player, Version, time_of

SCORING = frozenset({"void", "replay", "correct", "disqualify_version", "disqualify_team"})
"""If one of these acts is recorded or undone, the ratings are computed again from all results."""

_DAY = timedelta(days=1)


@dataclass(slots=True)
class Orders:
    """The effect of all acts that have not been undone.

    Attributes:
        frozen: Whether the season is frozen. Then new versions are late, and the ladder starts no new encounter.
        limit: The number of results of the season after which results are held back; None for no limit. Pages ask
            `arena.season.released`.
        held_at: The time of the act that holds results back; empty if none are held back.
        unpictured: The teams whose picture an organizer has removed.
    """

    paused: bool = False
    frozen: bool = False
    voided: set[str] = field(default_factory=set)
    corrected: dict[str, tuple[float, ...]] = field(default_factory=dict)
    versions: set[Player] = field(default_factory=set)
    teams: set[str] = field(default_factory=set)
    limit: int | None = None
    held_at: str = ""
    unpictured: set[str] = field(default_factory=set)
    announcements: list[Act] = field(default_factory=list)
    finals: list[Act] = field(default_factory=list)

    def is_out(self, player: Player) -> bool:
        return player[0] in self.teams or player in self.versions


@dataclass(slots=True)
class SeasonState(MatchFold):
    """The content of a season's journal up to an entry.

    Attributes:
        open: The number of matches left to play in each unfinished encounter, by number of the encounter.
        played: The results by match id, in the order of the journal.
        timeline: The results, and the activations of versions, in the order of the journal.
        pictures: The pictures of teams as PNG files, also those that an organizer has removed.
        voids: How often a match of each team was void.
        void_causes: How often it was because the team's program failed or its time ran out.
        order: The number of the last entry of another kind than encounters, results and voids, such as an act.
    """

    program: ClassVar[str] = "season"
    facts: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    anchors: dict[Player, float] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    teams: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, bytes] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    invitations: dict[str, Invitation] = field(default_factory=dict)
    signed_out: set[str] = field(default_factory=set)
    versions: dict[str, list[Version]] = field(default_factory=lambda: defaultdict(list))
    by_player: dict[Player, Version] = field(default_factory=dict)
    by_hash: dict[str, list[Player]] = field(default_factory=lambda: defaultdict(list))
    encounters: AppendOnly[int, Pairing] = field(default_factory=AppendOnly)
    open: dict[int, int] = field(default_factory=dict)
    played: AppendOnly[str, Played] = field(default_factory=AppendOnly)
    timeline: list[Played | Activation] = field(default_factory=list)
    voids: Counter[str] = field(default_factory=Counter)
    void_causes: Counter[str] = field(default_factory=Counter)
    acts: dict[int, Act] = field(default_factory=dict)
    undone: dict[int, Act] = field(default_factory=dict)
    orders: Orders = field(default_factory=Orders)
    generation: int = 0
    order: int = 0

    def expect(self, number: int, encounters: list[Pairing], played: list[Played]) -> None:
        """Use these encounters and results for all entries up to `number`, instead of parsing the entries."""
        self._known = number
        self._known_encounters = {one.number: one for one in encounters}
        self._known_played = {one.id: one for one in played}

    def read(self, entry: Entry) -> None:
        if entry.kind == RESULT:
            self._played(self._known_played[entry.key] if entry.number <= self._known else self._result(entry))
        elif entry.kind == "pair" and entry.number <= self._known:
            self._pair(self._known_encounters[int(entry.key)])
        elif entry.kind == "void":
            self._void(entry.document["names"], entry.document["causes"])
        elif entry.kind not in ("conflict", "rebuild", LOST):  # these kinds change no table
            self._add(entry.kind, entry.key, entry.document, entry.number)
            if entry.kind not in ("pair", "drop"):
                self.order = entry.number

    @property
    def id(self) -> str:
        return str(self.facts["id"])

    @property
    def secret(self) -> str:
        """The secret from which seeds and sessions are computed."""
        return str(self.facts["secret"])

    # -- queries -------------------------------------------------------------------------------------

    def newest(self, team: str = "") -> Iterator[Played]:
        """Yield the results of a team, or all results, the newest first."""
        if not team:
            return self.played.newest()
        known = len(self.played)  # a copy of the state shares the lists
        return (one for one in reversed(self._of_team.get(team, [])) if one.index < known)

    def shown_pictures(self) -> dict[str, bytes]:
        """Return the picture of each team that has one, as a PNG file."""
        return {team: png for team, png in self.pictures.items() if team not in self.orders.unpictured}

    def twins(self, version: Version) -> list[Version]:
        """Return the other versions with the same files."""
        players = self.by_hash.get(version.hash, [])
        return [self.by_player[one] for one in players if one != version.player]

    def version(self, team: str, number: int) -> Version | None:
        return next((one for one in self.versions.get(team, []) if one.number == number), None)

    def active(self, team: str) -> Version | None:
        for step in reversed(self._activations.get(team, [])):
            if not self.orders.is_out(step):
                return self.by_player[step]
        return None

    def was_active(self, player: Player) -> bool:
        return player in self._activations.get(player[0], [])

    def next_encounter(self) -> int:
        """Return the number of the next encounter. Numbers of encounters that were lost are not used again."""
        return self._last_encounter + 1

    def copies(self) -> Iterator[tuple[str, str]]:
        for version in self.by_player.values():
            yield version.hash, version.key
        names = {content: name for name, content in self.anchors}
        for content in self.paths:
            yield content, names.get(content, content[:12])

    def waiting(self) -> Iterator[Version]:
        for versions in self.versions.values():
            yield from (one for one in versions if one.report is None)

    def uploads_since(self, team: str, now: datetime) -> int:
        """Return the number of versions that a team handed in during the last 24 hours."""
        return sum(time_of(one.at) > now - _DAY for one in self.versions.get(team, []))

    def uses(self, content: str) -> bool:
        return bool(self.by_hash.get(content)) or content in self.paths

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
        return list(takewhile(lambda one: one[0] > now - _DAY, reversed(self._checks.get(team, []))))[::-1]

    def challenges_since(self, team: str, now: datetime) -> int:
        """Return the number of challenges that a team started in the last 24 hours."""
        own = (one for one in self._challenges.values() if one.team == team)
        return sum(time_of(one.at) > now - _DAY for one in own)

    def players_of(self, spec: MatchSpec) -> tuple[Player, ...]:
        known = {name for name, _ in self.encounters[spec.round].players}
        # If a player has several seats, its names are "NAME", "NAME (2)" and so on. Remove the numbers.
        return tuple(
            (seat.name if seat.name in known else seat.name.rpartition(" (")[0], seat.hash) for seat in spec.seats
        )

    def in_force(self) -> list[Act]:
        """Return the acts that were not undone, in their order."""
        return [act for act in self.acts.values() if act.number not in self.undone]

    def counts(self, played: Played) -> bool:
        """Return whether a result counts for the ratings. A void match counts only with a correction."""
        return (
            played.is_rated
            and (not played.is_void or played.id in self.orders.corrected)
            and played.id not in self.orders.voided
            and self.encounters[played.encounter].act not in self.undone
            and not any(self.orders.is_out(player) for player in played.players)
        )

    def until_now(self, known: "SeasonState | None" = None) -> "SeasonState":
        """Return a copy that later entries do not change. Do not add entries to the copy.

        Args:
            known: An earlier copy. What has not changed since then is taken from it.
        """
        copied = copy.copy(self)  # `_of_team` and `timeline` are shared
        copied.encounters, copied.played = self.encounters.until_now(), self.played.until_now()
        copied._challenges = self._challenges.until_now()
        copied.open = dict(self.open)
        copied.voids, copied.void_causes = self.voids.copy(), self.void_causes.copy()
        if known is not None and known.order == self.order:
            copied._take_tables(known)
        else:
            copied._copy_tables()
        return copied

    # These tables change only with entries of other kinds than encounters and results.

    def _take_tables(self, known: "SeasonState") -> None:
        self.paths, self.teams, self.pictures = known.paths, known.teams, known.pictures
        self.members, self.tokens, self.invitations = known.members, known.tokens, known.invitations
        self.signed_out, self.by_player = known.signed_out, known.by_player
        self.acts, self.undone = known.acts, known.undone
        self.versions, self.by_hash = known.versions, known.by_hash
        self._activations, self._checks = known._activations, known._checks

    def _copy_tables(self) -> None:
        self.paths, self.teams, self.pictures = {**self.paths}, {**self.teams}, {**self.pictures}
        self.members, self.tokens, self.invitations = {**self.members}, {**self.tokens}, {**self.invitations}
        self.signed_out, self.by_player = {*self.signed_out}, {**self.by_player}
        self.acts, self.undone = {**self.acts}, {**self.undone}
        self.versions = {team: [*own] for team, own in self.versions.items()}
        self.by_hash = {one: [*players] for one, players in self.by_hash.items()}
        self._activations = {team: [*own] for team, own in self._activations.items()}
        self._checks = {team: [*own] for team, own in self._checks.items()}

    # -- entries -------------------------------------------------------------------------------------

    _of_team: dict[str, list[Played]] = field(default_factory=lambda: defaultdict(list))
    _activations: dict[str, list[Player]] = field(default_factory=lambda: defaultdict(list))
    _challenges: AppendOnly[int, Pairing] = field(default_factory=AppendOnly)
    _checks: dict[str, list[tuple[datetime, float]]] = field(default_factory=lambda: defaultdict(list))
    _last_encounter: int = 0
    _known: int = 0
    _known_encounters: dict[int, Pairing] = field(default_factory=dict)
    _known_played: dict[str, Played] = field(default_factory=dict)

    def _add(self, kind: str, key: str, document: Any, number: int) -> None:  # one branch for each kind
        match kind:
            case "start":
                if "season" not in document:
                    raise OtherJournalError(self.where, "tournament")
                self.facts = document
            case "config":
                self._configure(document)
            case "team":
                self.teams.setdefault(key, document["at"])
            case "picture":
                self.pictures.pop(key, None)
                if document["png"]:
                    self.pictures[key] = rewritten(base64.b64decode(document["png"]))  # a stranger's journal
            case "invite":
                fields = {name: document[name] for name in ("team", "name", "role", "expires")}
                self.invitations[key] = Invitation(key, **fields)
            case "member":
                self.members[key] = Member(key, document["name"], document["team"], document["role"])
                self.invitations.pop(document["invitation"], None)
            case "token":
                self.tokens[key] = document["member"]
            case "revoke":
                self.tokens = {one: member for one, member in self.tokens.items() if member != key}
                self.invitations.pop(key, None)
            case "sign_out":
                self.signed_out.add(key)
            case "version":
                self._version(Version(**document))
            case "report":
                before = self._named(key)
                version, versions = replace(before, report=document), self.versions[before.team]
                versions[versions.index(before)] = version
                self.by_player[version.player] = version
                self._checks[version.team].append((time_of(document["at"]), document["seconds"]))
            case "activate":
                player = self._named(key).player
                self._activations[player[0]].append(player)
                self.timeline.append(Activation(player))
            case "pair":
                self._pair(Pairing(int(key), **document | {"players": tuple(map(tuple, document["players"]))}))
            case "drop":
                self.open.pop(int(key), None)
            case "act":
                self._act(key, document, number)
            case "undo":
                undone = int(key)
                self.undone[undone] = Act(
                    number, "undo", key, document["author"], document["reason"], document["at"], {}
                )
                self._order(self.acts[undone])
            case _:
                raise ValueError(f"unknown kind {kind}")

    def _configure(self, document: Any) -> None:
        self.config = document["config"]
        self.anchors = {(one["name"], one["hash"]): one["skill"] for one in document["anchors"]}
        self.paths |= {one["hash"]: own_copy(one["path"], one["hash"]) for one in document["anchors"]}
        self.generation += 1

    def _named(self, key: str) -> Version:
        team, _, number = key.rpartition("/")
        found = self.version(team, int(number))
        if found is None:
            raise ValueError(f"there is no version {key}")
        return found

    def _version(self, version: Version) -> None:
        own_copy(version.path, version.hash)
        self.by_hash[version.hash].append(version.player)
        self.versions[version.team].append(version)
        self.by_player[version.player] = version

    def _pair(self, encounter: Pairing) -> None:
        self.encounters.add(encounter.number, encounter)
        self._last_encounter = max(self._last_encounter, encounter.number)
        self.open[encounter.number] = encounter.games
        if encounter.kind == "challenge":
            self._challenges.add(encounter.number, encounter)

    def _result(self, entry: Entry) -> Played:
        recorded = read_result(entry)
        spec, result = recorded.spec, recorded.outcome
        players = result.players
        return Played(
            entry.key, spec.round, spec.stage, self.players_of(spec),
            tuple([result.points(seat) for seat in range(len(players))]),
            tuple([player.ending for player in players]), tuple([player.score for player in players]),
            result.outcome.teams, own_replay(result.replay, entry.key), recorded.at, len(self.played),
            slot_time(result.seconds.total, result.seconds.start, [one.clock.wall for one in players]), result.course,
            result.outcome.reason,
        )  # fmt: skip

    def _played(self, played: Played) -> None:
        self.played.add(played.id, played)
        self.timeline.append(played)
        for name in {name for name, _ in played.players}:
            self._of_team[name].append(played)
        if played.is_void:
            self._void(played.names, ())
        left = self.open.get(played.encounter, 0) - 1
        if left > 0:
            self.open[played.encounter] = left
        else:
            self.open.pop(played.encounter, None)

    def _void(self, names: Iterable[str], causes: Iterable[str]) -> None:
        self.voids.update(self.teams.keys() & names)
        self.void_causes.update(self.teams.keys() & causes)

    def _act(self, key: str, document: Any, number: int) -> None:
        names = ("subject", "author", "reason", "at")
        more = {name: value for name, value in document.items() if name not in names}
        if key == "release" and more["limit"] is not None and self.orders.limit is not None:
            # Store the number of released results. The limit changes if an earlier release is undone.
            more["released"] = more["limit"] - self.orders.limit
        act = Act(number, key, more=more, **{name: document[name] for name in names})
        self.acts[number] = act
        self._order(act)

    def _order(self, changed: Act) -> None:
        """Compute the effect of all acts again, after the act `changed` was added or undone."""
        orders = Orders()
        for act in self.in_force():
            self._apply(orders, act)
        self.orders = orders
        self.generation += changed.kind in SCORING

    def _apply(self, orders: Orders, act: Act) -> None:
        match act.kind:
            case "pause" | "resume":
                orders.paused = act.kind == "pause"
            case "freeze":
                orders.frozen = True
            case "void" | "replay":
                orders.voided.add(act.subject)
            case "correct":
                orders.corrected[act.subject] = tuple(act.more["points"])
            case "disqualify_version":
                orders.versions.add(self._named(act.subject).player)
            case "disqualify_team":
                orders.teams.add(act.subject)
            case "remove_picture":
                orders.unpictured.add(act.subject)
            case "hold" if orders.limit is None:  # otherwise an earlier hold still applies
                orders.limit, orders.held_at = act.more["limit"], act.at
            case "release" if orders.limit is not None:  # otherwise its hold was undone
                orders.limit = None if act.more["limit"] is None else orders.limit + act.more["released"]
                orders.held_at = "" if orders.limit is None else orders.held_at
            case "announce":
                orders.announcements.insert(0, act)
            case "finals":
                if not re.fullmatch("finals-[0-9]+", act.more["place"]):  # a folder elsewhere: a stranger's journal
                    raise ValueError(f"{act.more['place']!r} is not the folder of finals")
                orders.finals.append(act)
