"""The isolation of a bot: a level, the active layers, and the missing layers with the reasons.

Each result and replay has it, so that nobody takes a match without walls for one behind them. `arena.bots` says what a
level is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any

from arena.errors import ArenaError, ExitCode


class Level(IntEnum):
    """The levels of isolation of bots. Each level includes the protection of the lower ones."""

    NONE = 0
    LIMITS = 1
    BWRAP = 2
    CGROUP = 3

    @property
    def key(self) -> str:
        """The level's name in configuration files, such as `bwrap+cgroup`."""
        return KEYS[self]

    @property
    def title(self) -> str:
        """The level's name for people, such as `L3 bwrap + cgroup`."""
        return f"L{int(self)} {self.key.replace('+', ' + ')}"


NOT_A_BOT = "seat"
"""The value of `Missing.layer` that marks a seat with an external player."""
IN_MEMORY_LAYER = "process"
"""The value of `Missing.layer` that marks a match in memory."""
OWN_BOTS_ONLY = "own bots only: no isolation, no processor clock"
"""What to know of a match in memory."""
KEYS = ("none", "limits", "bwrap", "bwrap+cgroup")
"""The names of the levels in configuration files, in the order of the levels."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A layer of isolation that this machine does not provide.

    Attributes:
        remedy: How to get the layer; empty if that is impossible.
    """

    layer: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Isolation:
    level: int = Level.NONE
    layers: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def name(self) -> str:
        """The level's name, such as `L2 bwrap`."""
        return Level(self.level).title

    @property
    def is_in_memory(self) -> bool:
        """Whether the match was played in memory, so that its players shared one process."""
        return any(missing.layer == IN_MEMORY_LAYER for missing in self.missing)

    @property
    def is_of_player_outside(self) -> bool:
        """Whether the player is external, so that this machine isolated no bot."""
        return any(missing.layer == NOT_A_BOT for missing in self.missing)

    def brief(self) -> Isolation:
        """Return the isolation without the layers that this machine does not provide."""
        kept = tuple([missing for missing in self.missing if missing.layer in (NOT_A_BOT, IN_MEMORY_LAYER)])
        return replace(self, missing=kept)

    def to_document(self) -> dict[str, Any]:
        return {
            "level": int(self.level),
            "name": self.name,
            "layers": list(self.layers),
            "missing": [asdict(missing) for missing in self.missing],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Isolation:
        missing = tuple([Missing(**layer) for layer in document["missing"]])
        return _shared(document["level"], tuple(document["layers"]), missing)


IN_MEMORY = Isolation(
    missing=(Missing(IN_MEMORY_LAYER, "The match was played in memory: all players share one process."),)
)
"""The isolation of the players of a match in memory."""
_shared = lru_cache(64)(Isolation)
"""Makes an `Isolation`, the same object for equal arguments. So the results of a contest use less memory."""


def check_level(isolation: Isolation, least: int) -> None:
    if isolation.level >= least:
        return
    reasons = "; ".join(f"{missing.layer}: {missing.reason}" for missing in isolation.missing)
    raise ArenaError(
        f"Isolation level {int(least)} is required, but this machine provides {isolation.name} ({reasons}).",
        hint="Run `arena doctor`. It shows the missing layers and how to get them.",
        exit_code=ExitCode.NO_ISOLATION,
    )
