"""The matches of a schedule."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Participant:
    """Who plays on one seat: the entrant's name, and the content hash of the bot that plays for it."""

    name: str
    hash: str


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to be played. Everything that decides its course is in here.

    Attributes:
        tournament: Id of the tournament.
        stage: Name of the stage.
        round: Round within the stage, from 1.
        pairing: Number of the pairing within the round, from 0.
        number: Number of the game within the pairing, from 0; games 2k and 2k+1 share map and seed with
            the seats swapped, and each has its own dice in play.
        game: Name of the game that is played.
        map: Name of the map, or "" for the game's own choice.
        options: Options of the game, as sorted pairs.
        seats: Who sits where, in order of the seats.
        seed: Seed of the referee's dice.
    """

    tournament: str
    stage: str
    round: int
    pairing: int
    number: int
    game: str
    map: str
    options: tuple[tuple[str, Scalar], ...]
    seats: tuple[Participant, ...]
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
        """Return the match as a JSON document."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "MatchSpec":
        """Return the match that `to_document` wrote."""
        fields = {key: document[key] for key in cls.__dataclass_fields__ if key != "match_id"}
        fields["options"] = tuple((key, value) for key, value in fields["options"])
        fields["seats"] = tuple(Participant(**seat) for seat in fields["seats"])
        return cls(**fields)


_HMAC = "hmac-sha256:"
"""How a secret begins whose seeds are computed by HMAC. Those of version 0.1.0 are the bare text."""


def new_secret(text: str) -> str:
    """Return the secret of a new tournament. Who knows or guesses the text knows all seeds."""
    return _HMAC + hashlib.sha256(text.encode()).hexdigest()


def seed_for(secret: str, *place: object) -> int:
    """Return a seed of 63 bits for one place of the schedule.

    Seeds are published with the replays. They do not give the secret away, unless it follows from a text that can be
    guessed.
    """
    if secret.startswith(_HMAC):
        key = bytes.fromhex(secret.removeprefix(_HMAC))
        digest = hmac.digest(key, json.dumps(place, separators=(",", ":")).encode(), "sha256")
    else:
        digest = hashlib.sha256(json.dumps([secret, *place], separators=(",", ":")).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
