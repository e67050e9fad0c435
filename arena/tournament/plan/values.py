"""The values that pass between schedule, runner and journal: what is to be played, and what came of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Scalar = str | int | float | bool | None

CRASHES = frozenset({"crashed", "no_start", "out_of_memory"})
"""Endings that say the bot's program broke, rather than that it played badly."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits in one seat: the entrant's name, and the content hash of the bot that plays for it."""

    name: str
    hash: str


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to be played. Everything that decides its course is in here.

    Attributes:
        tournament: id of the tournament.
        stage: name of the stage.
        round: round within the stage, from 1.
        pairing: number of the pairing within the round, from 0.
        number: number of the game within the pairing, from 0; games 2k and 2k+1 share map and seed with
            the seats swapped, and each has its own dice in play.
        game: name of the game that is played.
        map: name of the map, or "" for the game's own choice.
        options: options of the game, as sorted pairs.
        seats: who sits where, in order of the seats.
        seed: seed of the referee's dice.
    """

    tournament: str
    stage: str
    round: int
    pairing: int
    number: int
    game: str
    map: str
    options: tuple[tuple[str, Scalar], ...]
    seats: tuple[Seat, ...]
    seed: int
    match_id: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "match_id", self._digest())

    def _digest(self) -> str:
        played = [
            self.tournament, self.stage, self.round, self.pairing, self.number, self.game, self.map,
            self.options, [(seat.name, seat.hash) for seat in self.seats], self.seed,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(played, separators=(",", ":")).encode()).hexdigest()[:16]

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names in order of the seats."""
        return tuple(seat.name for seat in self.seats)

    def to_document(self) -> dict[str, Any]:
        """The match as a JSON document."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "MatchSpec":
        """The match that `to_document` wrote."""
        fields = {key: document[key] for key in cls.__dataclass_fields__ if key != "match_id"}
        fields["options"] = tuple((key, value) for key, value in fields["options"])
        fields["seats"] = tuple(Seat(**seat) for seat in fields["seats"])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """What a match was for one seat.

    Attributes:
        ending: won, lost, drawn, timed_out, crashed, no_start, ... as the referee names them.
        score: the game's own score, used for margins.
        turns: turns that this seat was asked for.
        refusals: actions that the rules refused.
        wall_seconds: wall time used in all turns.
        cpu_seconds: processor time used in all turns, where it could be measured.
        worst_turn_seconds: the longest turn.
        detail: one line of the referee's about a bad ending.
        said: the last line that the bot wrote to its error output before a bad ending; for its owner and the organizer.
    """

    ending: str
    score: float = 0.0
    turns: int = 0
    refusals: int = 0
    wall_seconds: float = 0.0
    cpu_seconds: float | None = None
    worst_turn_seconds: float = 0.0
    detail: str = ""
    said: str = ""

    @property
    def explained(self) -> str:
        """Detail and last words in one line, for those who may read both."""
        return "; ".join(part for part in (self.detail, self.said) if part)


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """What came of one match.

    Attributes:
        seats: one entry for each seat, in order.
        winner: the seat that won, or None for a draw.
        reason: the game's one line on how it ended.
        turns: turns played in the match.
        replay: path of the replay as the match process left it, or "" when there is none.
        replay_hash: sha256 of the replay file, in hex.
        isolation: the level of isolation that held for all seats.
        void: why the match must not count (the host was late), or "".
        seconds: wall time from start to end of the match process.
        host: name of the machine that played it.
        lateness: the worst delay of the referee's own wake-ups, in seconds.
        pressure: share of the match in which something waited for a processor; None where that is unknown.
        clock_factor: by how much the clocks were stretched, since the machine is slower than the organizer's.
    """

    seats: tuple[SeatOutcome, ...]
    winner: int | None
    reason: str = ""
    turns: int = 0
    replay: str = ""
    replay_hash: str = ""
    isolation: str = ""
    void: str = ""
    seconds: float = 0.0
    host: str = ""
    lateness: float = 0.0
    pressure: float | None = None
    clock_factor: float = 1.0

    def points(self, seat: int) -> float:
        """1 for the winner, 0 for the others, and equal shares for a draw."""
        if self.winner is None:
            return 1.0 / len(self.seats)
        return 1.0 if seat == self.winner else 0.0

    def verdict(self) -> tuple[int | None, tuple[str, ...], tuple[float, ...]]:
        """The part that must not differ when a deterministic match is played again."""
        return self.winner, tuple(seat.ending for seat in self.seats), tuple(s.score for s in self.seats)

    def to_document(self) -> dict[str, Any]:
        """The outcome as a JSON document."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "MatchOutcome":
        """The outcome that `to_document` wrote."""
        known = {key: document[key] for key in cls.__dataclass_fields__ if key in document}
        known["seats"] = tuple(SeatOutcome(**seat) for seat in known["seats"])
        return cls(**known)


def seed_for(secret: str, *place: object) -> int:
    """A seed of 63 bits for one place of the schedule, not to be guessed without the tournament's secret."""
    text = json.dumps([secret, *place], separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
