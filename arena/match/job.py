"""The job of a match process: everything that it needs to play one match, as one document on its standard input.

The seeds of a match are derived here, all from one: those of the set-up, of the dice, and of each bot. Who knows one of
them cannot compute the others (see docs/security.md, "The seed of a match").
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arena.errors import ArenaError
from arena.game import Clock
from arena.match.isolation import Level
from arena.match.limits import Limits, Policy
from arena.match.position import Position

HUMAN, TERMINAL, REMOTE = "human", "human:terminal", "remote"
OUTSIDE = (HUMAN, TERMINAL, REMOTE)
"""References of external players: a person in the browser, a person at a terminal, a bot on another machine."""
REPLAY = "replay"
"""The reference of the bot that repeats a player's recorded actions, in a match that starts from a replay."""


def remote_identity(name: str) -> str:
    """Return the identity of a remote bot. It replaces the content hash, since the bot's files are elsewhere."""
    return f"{REMOTE}:{name}"


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """The bot or the external player on a seat.

    Attributes:
        bot: A file, a folder, an archive, ``builtin:NAME``, `REPLAY`, or one of `OUTSIDE`.
        name: The name in results. If empty, the bot's own name is used.
        address: The path of the Unix socket on which the program of an external player listens.
        clock: The time settings of this seat; None for those of the match.
    """

    bot: str
    name: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    address: str = ""
    clock: Clock | None = None

    @property
    def is_outside(self) -> bool:
        """Whether the player is external, so that there is no bot to isolate on this machine."""
        return self.bot in OUTSIDE

    @property
    def identity(self) -> str:
        """The identity of a remote bot, made from its name. Empty for other bots, and without a name."""
        return remote_identity(self.name) if self.bot == REMOTE and self.name else ""

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> SeatAssignment:
        clock = document.get("clock")
        return cls(**{**document, "clock": clock and Clock(**clock)})


@dataclass(frozen=True, slots=True)
class Job:
    """One match to play.

    Attributes:
        seats: The bot of each player, in the order of players.
        options: The game options that the user gave; all others have their defaults. Ignored if `start` is given.
        seed: The seed of all random numbers of the match; drawn by the operating system if None.
        leg: 0 for the first leg, 1 for the second leg, which has swapped seats. Both legs have the same seed and
            set-up. Their dice differ, so that a bot cannot learn the draws of the second leg from the first.
        clock: The time settings for seats without settings of their own. If None, the game's settings.
        replay: The path of the replay file; no replay is written if empty.
        max_isolation: The highest isolation level (0-3) to use, even if this machine supports a higher one.
        cpu: The processor to which the match is pinned, if this process is allowed to use it. If None, any allowed
            processor.
        debug: Whether bots use the terminal for input and output. If so, there is no sandbox, no required isolation
            level, no pinning, and no time limit except one day for the start-up.
        sync: Whether to wait until the replay is on the disk.
        start: The position in which the match starts, and its options; None for the game's own set-up.
    """

    game: str
    seats: tuple[SeatAssignment, ...]
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | str | None = None
    leg: int = 0
    clock: Clock | None = None
    policy: Policy = field(default_factory=Policy)
    limits: Limits = field(default_factory=Limits)
    replay: str = ""
    sandbox: str = "auto"
    require_isolation: int = Level.NONE
    max_isolation: int = Level.CGROUP
    cpu: int | None = None
    debug: bool = False
    progress: bool = False
    sync: bool = False
    slot: dict[str, Any] = field(default_factory=dict)
    start: Position | None = None

    def to_document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Job:
        values = dict(document)
        try:
            values["seats"] = tuple(map(SeatAssignment.from_document, values["seats"]))
            for name, cls_of_value in (("clock", Clock), ("policy", Policy), ("limits", Limits)):
                if values.get(name) is not None:
                    values[name] = cls_of_value(**values[name])
                else:
                    values.pop(name, None)
            if values.get("start") is not None:
                values["start"] = Position.from_document(values["start"])
            return cls(**values)
        except (TypeError, KeyError, AttributeError) as error:
            raise ArenaError(f"The job for the match process cannot be read: {error}.") from None

    @property
    def setup_seed(self) -> str:
        """The seed of the draws of the set-up. Both legs have the same."""
        return f"{self.seed}/setup"

    @property
    def play_seed(self) -> str:
        """The seed of the dice during play. The two legs have different seeds."""
        return f"{self.seed}/play/{self.leg}" if self.leg else f"{self.seed}/play"

    def bot_seed(self, player: int) -> str:
        """Return the seed for a bot's own random numbers.

        The bot can compute the dice from it only if it guesses `seed`.
        """
        return hashlib.sha256(f"{self.play_seed}/bot/{player}".encode()).hexdigest()[:32]

    def seeded(self) -> Job:
        """Return the job with a seed, drawn by the operating system if none was given."""
        return self if self.seed is not None else replace(self, seed=int.from_bytes(os.urandom(8)) >> 1)

    def untimed(self, clock: Clock) -> Clock:
        """Return a clock for debugging. It has no time limits, except one day for the start-up."""
        return replace(clock, startup=86_400.0, bank=None, turn=None, turn_wall=None)
