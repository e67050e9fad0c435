"""The matches of a schedule: who plays on which seat, on which map, with which seed, and the id that follows from it.

A schedule is computed again after each restart (docs/decisions/008-schedule-is-a-fold.md). What was played is found by
the id, a hash of the match, so whatever is in the hash must never change for a match that was played: names may change
and be erased, so an entrant's id stands in for the name where there is one.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from arena.match.job import remote_identity
from arena.match.settings import Scalar

__all__ = ["MatchSpec", "NamedBot"]
_text = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Participant:
    """The player on one seat: the entrant's name, and the content hash of its bot.

    Attributes:
        id: The id of the entrant of a contest, which stays if the name is erased; empty elsewhere.
    """

    name: str
    hash: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to play. The clock, the policy and the limits are not included: all matches of a contest share them.

    Attributes:
        number: Number of the match within the pairing, from 0. Two bots play matches 2k and 2k+1 with the same map
            and seed, and swapped seats. At a table of n bots, n matches in a row share map and seed; the seats rotate.
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
    names: tuple[str, ...] = field(default=(), init=False, compare=False)
    _id: str = field(default="", init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple([seat.name for seat in self.seats]))
        object.__setattr__(self, "_id", "")  # compute the id again: a document could contain a wrong one

    @property
    def match_id(self) -> str:
        """A hash of the content, computed when it is first needed."""
        if not self._id:
            slot = [self.tournament, self.stage, self.round, self.pairing, self.number]
            seats = [(seat.id or seat.name, seat.hash) for seat in self.seats]
            content = [*slot, self.game, self.map, self.options, seats, self.seed]
            object.__setattr__(self, "_id", hashlib.sha256(_text(content).encode()).hexdigest()[:16])
        return self._id

    @property
    def leg(self) -> int:
        """Number of the match among the matches with the same seed, from 0."""
        return self.number % len(self.seats)

    def to_document(self) -> dict[str, Any]:
        """Return the match as JSON has it, with its id."""
        document = {key: getattr(self, key) for key, field in self.__dataclass_fields__.items() if field.init}
        return document | {"seats": tuple([asdict(seat) for seat in self.seats]), "match_id": self.match_id}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "MatchSpec":
        """Return the match of a document of `to_document`."""
        values = {key: document[key] for key, field in cls.__dataclass_fields__.items() if field.init}
        values["options"] = tuple([(key, value) for key, value in values["options"]])
        values["seats"] = tuple([Participant(**seat) for seat in values["seats"]])
        return cls(**values)


def new_secret(text: str) -> str:
    """Compute the secret of a new contest from a text. Anybody who knows or guesses the text knows all seeds."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(8)  # the games of a pair ask for the same seed
def seed_for(secret: str, *slot: object) -> int:
    """Return a seed of 63 bits for one slot of the schedule.

    Replays publish the seeds. A seed reveals the secret only to somebody who guesses the text of `new_secret`.
    """
    digest = hmac.digest(secret.encode(), _text(slot).encode(), "sha256")
    return int.from_bytes(digest[:8], "big") >> 1


@dataclass(frozen=True, slots=True)
class NamedBot:
    """A bot in the contest, and its current version.

    Attributes:
        hash: The content hash of the version; for a remote bot, its identity (see `remote_identity`).
        path: The path of the version's copy, relative to the contest's folder; empty for a remote bot.
    """

    name: str
    hash: str
    path: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether the bot runs on another machine. The contest has no copy of such a bot."""
        return self.hash == remote_identity(self.name)
