"""The values of a season: people, versions, encounters, results, and acts of the organizer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from arena.match.ending import is_void
from arena.text.numbers import whole_number

ROLES = ("organizer", "member", "spectator")
RATED = ("ladder", "replay")
"""The kinds of encounters whose results count for the ratings. Everybody can see them when they are released."""
REPORTED = ("trial", "comparison")
"""The kinds of encounters that belong to the report of a version, which only its team and the organizers see."""
Player = tuple[str, str]
"""A player of a match: the team or built-in bot, and the content hash of the version."""


@dataclass(frozen=True, slots=True)
class Member:
    id: str
    name: str
    team: str
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
    team: str
    name: str
    role: str
    expires: str


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a team's bot.

    Attributes:
        path: The path of its copy, relative to the season's folder.
        late: Whether it was handed in after the deadline or the freeze.
        at_once: Whether it becomes active as soon as it passes its check. Otherwise its team is asked.
        left_out: What was in the upload and does not belong to a bot, in words.
        report: The report of its check; None until the check has ended.
    """

    team: str
    number: int
    hash: str
    path: str
    by: str
    at: str
    size: int
    file: str
    late: bool
    at_once: bool = False
    left_out: str = ""
    report: Mapping[str, Any] | None = None

    @property
    def player(self) -> Player:
        return self.team, self.hash

    @property
    def key(self) -> str:
        return f"{self.team}/{self.number}"

    @property
    def passed(self) -> bool:
        return self.report is not None and bool(self.report["passed"])


@dataclass(frozen=True, slots=True)
class Pairing:
    """An encounter: matches of the same players with the same seed. The seats rotate from match to match.

    Attributes:
        kind: "ladder", "challenge", "trial", "comparison" of a new version with the active one or a built-in bot, or
            "replay" for a match that an organizer repeats.
        team: The team that started the challenge, or whose version is on trial or compared; empty for other kinds.
        act: For "replay": the number of the organizer's act that repeats the match. 0 for other kinds.
    """

    number: int
    kind: str
    players: tuple[Player, ...]
    games: int
    team: str
    at: str
    act: int = 0


class SlotTime(NamedTuple):
    """How long a match occupied its slot, in seconds."""

    thinking: tuple[float, ...] = ()
    rest: float = 0.0


_NO_TIME = SlotTime()


@dataclass(frozen=True, slots=True)
class Played:
    """The result of one match.

    Attributes:
        teams: The seats of each team, in games with teams; otherwise empty.
        replay: The path of the replay, relative to the season's folder.
        reason: Why the game ended as it did, in the game's own word.
    """

    id: str
    encounter: int
    kind: str
    players: tuple[Player, ...]
    points: tuple[float, ...]
    endings: tuple[str, ...]
    scores: tuple[float, ...]
    teams: tuple[tuple[int, ...], ...]
    replay: str
    at: str
    index: int
    slot_time: SlotTime = _NO_TIME
    course: str = ""
    reason: str = ""

    @property
    def decided_by(self) -> str:
        """The reason of the game's outcome if one player has won with equal scores, such as a tie-break; else empty."""
        equal = len(self.scores) > 1 and len(set(self.scores)) == 1
        return self.reason if equal and len(set(self.points)) > 1 else ""

    @property
    def is_rated(self) -> bool:
        """Whether it is a match of the ladder, or its repetition. Only these matches count for the ratings."""
        return self.kind in RATED

    @property
    def is_void(self) -> bool:
        """Whether the match is void (see `arena.match.ending.is_void`)."""
        return is_void(self.endings)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.players]


@dataclass(frozen=True, slots=True)
class Activation:
    player: Player


@dataclass(frozen=True, slots=True)
class Act:
    """An act of an organizer.

    Attributes:
        subject: The match, version or team that the act changes. For "undo", it is the number of the undone act; for
            "finals", the number of teams. For other kinds, it has no meaning.
    """

    number: int
    kind: str
    subject: str
    author: str
    reason: str
    at: str
    more: Mapping[str, Any]


def time_of(text: str) -> datetime:
    return datetime.fromisoformat(text)


def number_of(text: str) -> int:
    """Convert a text from a request to a number; 0 if it is not a number, or has 16 digits or more."""
    return whole_number(text) or 0
