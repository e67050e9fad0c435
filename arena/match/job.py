"""What a match process is asked to play."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arena.errors import ArenaError
from arena.game import Clock
from arena.match.isolation import Level
from arena.match.limits import Limits
from arena.match.policy import Policy


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """What fills a seat.

    Attributes:
        bot: Reference: a file, a folder, an archive, or ``builtin:NAME``.
        name: The name in results; the bot's own name if empty.
        settings: What the user passes to it (``--bot-option``).
    """

    bot: str
    name: str = ""
    settings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """One match to be played.

    Attributes:
        game: The game's name.
        seats: What fills each seat, in the order of players.
        options: The game options given (not yet resolved).
        seed: The match's randomness follows from it; drawn by the operating system if None.
        leg: 0 for the first match with this seed, 1 for the second, with swapped seats. Both have the same set-up,
            and each has its own dice: a bot cannot learn in the first leg what is drawn in the second.
        clock: Time settings; the game's own if None.
        policy: What violations cost.
        limits: What each bot may use of the machine.
        replay: Where the replay goes; none is written if empty.
        sandbox: ``auto``, ``bwrap`` or ``none``.
        require_isolation: The least isolation level (0-3) that is accepted.
        max_isolation: The highest isolation level to use, for trying the others.
        cpu: The processor that the whole match is pinned to once it plays; None for any one.
        debug: Bots run unsandboxed with the terminal, and no clock runs.
        progress: Report turns while playing.
        sync: Wait until the replay is on the disk.
        place: The match's place in a tournament, for the header of the replay.
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
    place: dict[str, Any] = field(default_factory=dict)

    def to_document(self) -> dict[str, Any]:
        """Return the job as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Job:
        """Read a job.

        Raises:
            ArenaError: It lacks something or has something unknown.
        """
        values = dict(document)
        try:
            values["seats"] = tuple(SeatAssignment(**seat) for seat in values["seats"])
            for name, kind in (("clock", Clock), ("policy", Policy), ("limits", Limits)):
                if values.get(name) is not None:
                    values[name] = kind(**values[name])
                else:
                    values.pop(name, None)
            return cls(**values)
        except (TypeError, KeyError, AttributeError) as error:
            raise ArenaError(f"The job for the match process is not readable: {error}.") from None

    @property
    def play_seed(self) -> str:
        """The seed of the dice in play. That of the first leg is the same as in version 0.1.0."""
        return f"{self.seed}/play/{self.leg}" if self.leg else f"{self.seed}/play"

    def bot_seed(self, player: int) -> str:
        """Return the seed for a bot's own random numbers. Neither other seeds nor the dice can be computed from it."""
        return hashlib.sha256(f"{self.play_seed}/bot/{player}".encode()).hexdigest()[:32]

    def seeded(self) -> Job:
        """Return the job with a seed, drawn by the operating system if none was given."""
        return self if self.seed is not None else replace(self, seed=int.from_bytes(os.urandom(8)) >> 1)

    def untimed(self, clock: Clock) -> Clock:
        """Return a clock without limits, for debugging."""
        return replace(clock, startup=86_400.0, bank=None, turn=None, turn_wall=None)
