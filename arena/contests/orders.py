"""What the acts of organizers do: `Orders` is the effect of all acts that are in force.

An act is an entry of the journal, and each can be undone. So nothing is changed back and forth: after every act,
`Contest` makes new `Orders` and applies each act that was not undone, in the order of the journal. A new kind of act
needs an `ActKind` in `values.ACTS`, a check in `people.organizer_acts`, and a case in `Orders.apply`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from arena.contests.stages.stage import Verdicts
from arena.contests.values import Act, Played, Player
from arena.game import Outcome
from arena.game.outcome import ranked
from arena.match.result import MatchResult

SCORING = frozenset({"void", "replay", "correct", "disqualify", "stage"})
"""If one of these acts is recorded or undone, ratings and stages are computed again from all results."""


@dataclass(slots=True)
class Orders(Verdicts):
    """The effect of all acts that have not been undone.

    Attributes:
        frozen: Whether the contest is frozen. Then new versions are late, and the ladder starts no new encounter.
        voided: The ids of matches whose results do not count.
        repeated: Those of them that are played again.
        corrected: The points that organizers gave in a match, by its id.
        disqualified: The entrants whose matches do not count on the ladder, and who do not play.
        disqualified_versions: The versions of other entrants of which the same is true.
        withdrawn: The entrants who do not play any more. Their results count.
        groups: The groups of entrants whom an organizer has moved.
        stages: The stages that do not count.
        limit: The number of results after which results are held back; None for no limit. Readers ask
            `arena.contests.visibility`.
        removed_pictures: The teams whose picture an organizer has removed.
        revealed: The ids of the teams that are not anonymous any more.
        erased: The ids of the people and entrants who were erased, with the acts.
        left: Those of them who are entrants: they do not play any more. Their results count.
        removed: The content hashes of the versions whose files were removed, with the acts.
    """

    paused: bool = False
    frozen: bool = False
    voided: set[str] = field(default_factory=set)
    repeated: set[str] = field(default_factory=set)
    corrected: dict[str, tuple[float, ...]] = field(default_factory=dict)
    disqualified: set[str] = field(default_factory=set)
    disqualified_versions: set[Player] = field(default_factory=set)
    withdrawn: set[str] = field(default_factory=set)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stages: set[str] = field(default_factory=set)
    limit: int | None = None
    removed_pictures: set[str] = field(default_factory=set)
    revealed: set[str] = field(default_factory=set)
    erased: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    removed: dict[str, str] = field(default_factory=dict)
    announcements: list[Act] = field(default_factory=list)

    def apply(self, act: Act, names: Mapping[str, str], *, is_match: bool, version: Player | None) -> None:
        """Add the effect of an act that is in force.

        Args:
            names: The names of people and entrants by their ids.
            is_match: Whether the subject is a match, not a stage.
            version: The version that the subject is, if it is one.
        """
        match act.kind:
            case "pause" | "resume":
                self.paused = act.kind == "pause"
            case "freeze":
                self.frozen = True
            case "void":
                (self.voided if is_match else self.stages).add(act.subject)
            case "replay":
                self.voided.add(act.subject)
                self.repeated.add(act.subject)
            case "correct":
                self.corrected[act.subject] = tuple(act.more["points"])
            case "disqualify" if version is not None:
                self.disqualified_versions.add(version)
            case "disqualify":
                self.disqualified.add(act.subject)
            case "withdraw":
                self.withdrawn.add(act.subject)
            case "group":
                self.groups[act.subject] = tuple(act.more["groups"])
            case "remove_picture":
                self.removed_pictures.add(act.subject)
            case "hold" if self.limit is None:  # otherwise an earlier hold still applies
                self.limit = act.more["limit"]
            case "release" if self.limit is not None:  # otherwise its hold was undone
                self.limit = None if act.more["limit"] is None else self.limit + act.more["released"]
            case "reveal":
                self.revealed.add(act.more["id"])
            case "erase":
                self.erased |= dict.fromkeys(act.more["people"], act.id)
                self.left |= {names[key] for key in act.more["people"] if key.startswith("e")}
                self.removed |= dict.fromkeys(act.more["copies"], act.id)
            case "announce":
                self.announcements.insert(0, act)

    def is_out(self, player: Player) -> bool:
        """Return whether a version is disqualified, or its entrant."""
        return player[0] in self.disqualified or player in self.disqualified_versions

    @property
    def gone(self) -> frozenset[str]:
        """The entrants who do not play any more."""
        return frozenset(self.disqualified | self.withdrawn | self.left)

    def is_repeated(self, match_id: str) -> bool:
        return match_id in self.repeated

    def is_void(self, played: Played) -> bool:
        """Return whether a match does not count: an organizer voided it, or it was void and was not corrected."""
        return played.id in self.voided or (played.is_void and played.id not in self.corrected)

    def counted(self, match_id: str, result: MatchResult) -> MatchResult:
        """Return the result that counts: a void one if an organizer has voided it, or one with corrected points."""
        if match_id in self.voided:
            return result.as_void()
        points = self.corrected.get(match_id)
        if points is None:
            return result
        outcome = Outcome(None, "corrected", ranked([-share for share in points]), result.outcome.teams)
        players = tuple([replace(player, ending=outcome.verdict(seat)) for seat, player in enumerate(result.players)])
        return replace(result, outcome=outcome, players=players)
