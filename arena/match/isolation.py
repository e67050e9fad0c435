"""The isolation of a bot: a level, the layers that hold, and what is missing and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any

from arena.errors import ArenaError, ExitCode


class Level(IntEnum):
    """How well bots are isolated; a higher level includes what the lower ones give."""

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


KEYS = ("none", "limits", "bwrap", "bwrap+cgroup")
"""The names of the levels in configuration files, in the order of the levels."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A layer that does not hold.

    Attributes:
        layer: Its name, as in `Isolation.layers`.
        reason: Why not, in one sentence.
        remedy: What to do about it; empty where nothing can be done.
    """

    layer: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What separates one bot from the rest of the machine.

    Attributes:
        level: One of `Level`.
        layers: The names of the layers that hold.
        missing: Those that do not.
    """

    level: int = Level.NONE
    layers: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def name(self) -> str:
        """The level's name, such as `L2 bwrap`."""
        return Level(self.level).title

    def to_document(self) -> dict[str, Any]:
        """Return the value as JSON."""
        return {
            "level": int(self.level),
            "name": self.name,
            "layers": list(self.layers),
            "missing": [asdict(missing) for missing in self.missing],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Isolation:
        """Read back what `to_document` wrote."""
        missing = tuple([Missing(**one) for one in document["missing"]])
        return _shared(document["level"], tuple(document["layers"]), missing)


_shared = lru_cache(64)(Isolation)
"""Returns one value for all matches of a tournament that were isolated alike."""


def check_level(isolation: Isolation, least: int) -> None:
    """Refuse an isolation below the least accepted level.

    Raises:
        ArenaError: The level is too low; the message says what is missing.
    """
    if isolation.level >= least:
        return
    reasons = "; ".join(f"{missing.layer}: {missing.reason}" for missing in isolation.missing)
    raise ArenaError(
        f"Isolation level {int(least)} is required and this machine gives {isolation.name} ({reasons}).",
        hint="Run arena doctor: it shows what is missing and how to get it.",
        exit_code=ExitCode.NO_ISOLATION,
    )
