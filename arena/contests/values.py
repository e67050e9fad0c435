"""The values of a contest: entrants, versions, people, encounters of the ladder, results, and acts.

They are what `arena.contests.state` makes of entries: with names in place of ids, and never changed. One result has
these forms on its way to a page, each with what the one before does not have:

* `MatchResult` of the referee, in an `entries.Result` of the journal, and here in a `Played`: what happened in a match,
  between which versions, and as which result of the contest;
* in a stage, a `SeriesGame` (whether and how it counts), an `EncounterResult` (who won) and a `Row` (the place);
* in a report, a line of a table or of the page: the place with pictures, in words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple

from arena.game.outcome import FORFEIT
from arena.match.job import remote_identity
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.match.void import is_void
from arena.text.reading import whole_number

ROLES = ("organizer", "member", "spectator")
LADDER = "ladder"
"""The name of the stage without rounds, in which everybody who has a version can play at any time."""
RATED = (LADDER, "replay")
"""The kinds of encounters whose results count for the ladder. Everybody can see them when they are released."""
REPORTED = ("trial", "comparison")
"""The kinds of encounters that belong to the report of a version, which only its team and the organizers see."""
KINDS = (*RATED, *REPORTED, "challenge")
"""The kinds of encounters of the ladder. Stages cannot have these names, except the ladder."""
Player = tuple[str, str]
"""A player of a match: the name of the entrant, and the content hash of the version."""


@dataclass(frozen=True, slots=True)
class Member:
    """A person. `entrant` is the name of their team; empty for others than members."""

    id: str
    name: str
    entrant: str
    role: str

    @property
    def is_organizer(self) -> bool:
        return self.role == "organizer"


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation, which can be used once.

    Attributes:
        name: The name of the person; empty to let them choose it.
        expires: The time after which it cannot be used.
    """

    hash: str
    entrant: str
    name: str
    role: str
    expires: str


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes part: a bot of the organizer, or a team whose members hand in bots.

    Attributes:
        name: The name that everybody sees: in an anonymous contest, the display name of a team.
        real_name: The name that only the team and the organizers see. Most entrants have one name.
        groups: The groups of `contest.toml` to which it belongs.
        at: When it entered.
    """

    id: str
    name: str
    is_team: bool
    groups: tuple[str, ...]
    at: str
    real_name: str


@dataclass(frozen=True, slots=True)
class Consent:
    """What a team agrees to. The defaults count as long as it has not said.

    Attributes:
        replays: Whether everybody may watch its matches.
        picture: Whether pages show its picture.
        opponent: Whether its bots may be opponents in later contests.
        licence: The licence of its bots, in its own words.
        at: When it said so; empty if it has not.
    """

    replays: bool = True
    picture: bool = True
    opponent: bool = False
    licence: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class VersionReport:
    """The report of a version's check.

    Attributes:
        match: The id of the first match; empty if it was not reached.
        lines: The parts of the check: `name`, `passed`, `problem_text`.
        seconds: The time that the check took.
    """

    passed: bool
    match: str
    at: str
    seconds: float
    problem: str = ""
    lines: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an entrant's bot.

    Attributes:
        hash: The content hash; for a bot on another machine, its identity.
        path: The path of its copy, relative to the folder of the contest; empty for a bot on another machine.
        by: The id of the person who handed it in; empty for a bot of the organizer.
        file: The name of the uploaded file.
        late: Whether it was handed in after the deadline or the freeze.
        at_once: Whether it becomes active as soon as it passes its check. Otherwise its team is asked.
        left_out: What was in the upload and does not belong to a bot, in words.
        report: The report of its check; None until the check has ended.
    """

    entrant: str
    number: int
    hash: str
    path: str
    at: str
    by: str = ""
    size: int = 0
    file: str = ""
    late: bool = False
    at_once: bool = False
    left_out: str = ""
    report: VersionReport | None = None

    @property
    def player(self) -> Player:
        return self.entrant, self.hash

    @property
    def key(self) -> str:
        return f"{self.entrant}/{self.number}"

    @property
    def passed(self) -> bool:
        return self.report is not None and self.report.passed

    @property
    def is_remote(self) -> bool:
        """Whether the bot runs on another machine. The contest has no copy of such a bot."""
        return self.hash == remote_identity(self.entrant)


@dataclass(frozen=True, slots=True)
class LadderEncounter:
    """An encounter of the ladder: matches of the same players with the same seed. The seats rotate.

    Attributes:
        kind: One of `KINDS`: "ladder", "challenge", "trial", "comparison" of a new version with the active one or an
            anchor, or "replay" for a match that an organizer repeats.
        team: The team that started the challenge, or whose version is on trial or compared; empty for other kinds.
        act: For "replay": the id of the act that repeats the match.
    """

    number: int
    kind: str
    players: tuple[Player, ...]
    games: int
    at: str
    team: str = ""
    act: str = ""


class SlotTime(NamedTuple):
    """How long a match occupied its slot, in seconds: while each seat was thinking, and while nobody was."""

    thinking: tuple[float, ...] = ()
    rest: float = 0.0


@dataclass(frozen=True)
class Played:
    """A match and its result.

    Attributes:
        players: The entrant and the version on each seat.
        result: The result; None while the match is being played.
        index: The number of results before it, in all stages.
    """

    spec: MatchSpec
    players: tuple[Player, ...]
    result: MatchResult | None
    at: str
    index: int

    @property
    def id(self) -> str:
        return self.spec.match_id

    @property
    def kind(self) -> str:
        """The name of the stage, or the kind of encounter."""
        return self.spec.stage

    @property
    def encounter(self) -> int:
        return self.spec.round

    @cached_property
    def points(self) -> tuple[float, ...]:
        """The points on each seat; empty while the match is being played."""
        return tuple([self.result.points(seat) for seat in range(len(self.players))]) if self.result else ()

    @property
    def endings(self) -> tuple[str, ...]:
        return tuple([player.ending for player in self.result.players]) if self.result else ()

    @property
    def scores(self) -> tuple[float, ...]:
        return tuple([player.score for player in self.result.players]) if self.result else ()

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each team, in games with teams; otherwise empty."""
        return self.result.outcome.teams if self.result else ()

    @property
    def replay(self) -> str:
        """The path of the replay, relative to the folder of the contest; empty without one."""
        return self.result.replay if self.result else ""

    @property
    def decided_by(self) -> str:
        """The reason of the game's outcome if one player has won with equal scores, such as a tie-break; else empty.

        It is empty after a failure too, which is named beside the player.
        """
        is_level = len(self.scores) > 1 and len(set(self.scores)) == 1
        if self.result is None or not is_level or len(set(self.points)) <= 1:
            return ""
        reason = self.result.outcome.reason
        return "" if reason == FORFEIT else reason

    @property
    def is_rated(self) -> bool:
        """Whether it is a match of the ladder, or its repetition. Only these matches count for the ladder."""
        return self.kind in RATED

    @property
    def is_reported(self) -> bool:
        return self.kind in REPORTED

    @property
    def is_public(self) -> bool:
        """Whether everybody can see the result when it is released: it is of the ladder or of a stage."""
        return self.kind in RATED or self.kind not in KINDS

    @cached_property
    def is_void(self) -> bool:
        """Whether the match is void (see `arena.match.void`)."""
        return is_void(self.endings)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple([name for name, _ in self.players])


@dataclass(frozen=True, slots=True)
class ShowEntry:
    """A step of a show.

    Attributes:
        number: The number of its entry in the journal.
        subject: The id of what it is about; empty if it is about the whole contest.
        released: The ids of the matches whose results everybody sees from here on.
        document: What the distribution says that shows them, as values for JSON.
        text: Free text; empty if there is none, or if it was erased.
    """

    number: int
    subject: str
    at: str
    released: Sequence[str]
    document: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Act:
    """An act of an organizer.

    Attributes:
        number: The number of its entry in the journal.
        subject: What it changes: a match, a version, an entrant, a stage, or for "undo" an act. For other kinds, it has
            no meaning. Names of entrants are those of the moment, not their ids.
        author: The name of the organizer.
        more: What else the kind of act needs.
    """

    id: str
    number: int
    kind: str
    subject: str
    author: str
    reason: str
    at: str
    more: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ActKind:
    """A kind of act.

    Attributes:
        words: How the public log describes it.
        does: What it does, for the desk and the help of commands.
        subject: What its subject is, such as MATCH; empty without one.
    """

    words: str
    does: str
    subject: str


ACTS: Mapping[str, ActKind] = {
    "stage": ActKind("began the stage {subject}", "begin a stage", "STAGE"),
    "pause": ActKind("paused the ladder", "start no new match of the ladder", ""),
    "resume": ActKind("resumed the ladder", "go on with the ladder", ""),
    "freeze": ActKind("froze the ladder and the versions", "end the ladder; later versions are late", ""),
    "void": ActKind("voided {subject}", "let a match or a stage not count", "MATCH"),
    "replay": ActKind("let {subject} be played again", "play a match again", "MATCH"),
    "correct": ActKind("corrected the result of {subject} to {points}", "give other points in a match", "MATCH"),
    "withdraw": ActKind("withdrew {subject}", "let a team or bot play no further round", "NAME"),
    "disqualify": ActKind("disqualified {subject}", "let a team, a bot or a version not count and not play", "NAME"),
    "group": ActKind("moved {subject} to {groups}", "let a team or bot belong to other groups", "NAME"),
    "remove_picture": ActKind("removed the picture of {subject}", "show no picture of a team", "NAME"),
    "hold": ActKind("held back new results", "hide new results from everybody but organizers", ""),
    "release": ActKind("released results", "show results that were held back", ""),
    "announce": ActKind("announced", "show a text on the first page", ""),
    "reveal": ActKind("revealed who {subject} is", "show everybody the name of an anonymous team", "NAME"),
    "erase": ActKind("erased {subject}", "erase a person for ever", "PERSON"),
    "undo": ActKind("undid {subject}", "undo an act", "ACT"),
}
"""All kinds of acts, by name."""


def time_of(text: str) -> datetime:
    return datetime.fromisoformat(text)


def number_of(text: str) -> int:
    """Convert a text from a request to a number; 0 if it is not a number, or has 16 digits or more."""
    return whole_number(text) or 0


def utc() -> datetime:
    return datetime.now(UTC)
