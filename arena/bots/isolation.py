"""The isolation that a bot got: a level from 0 to 3, its layers, and what is missing and why."""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import ArenaError, ExitCode

LEVEL_NAMES = ("none", "limits", "bwrap", "bwrap + cgroup")


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
    """What holds between one bot and the rest of the machine.

    Attributes:
        level: 0 none, 1 limits, 2 bubblewrap, 3 bubblewrap and cgroup.
        layers: The names of the layers that hold.
        missing: Those that do not.
    """

    level: int
    layers: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()

    @property
    def name(self) -> str:
        """The level's name, such as `L2 bwrap`."""
        return f"L{self.level} {LEVEL_NAMES[self.level]}"

    def to_document(self) -> dict[str, object]:
        """The value as JSON."""
        return {
            "level": self.level,
            "name": self.name,
            "layers": list(self.layers),
            "missing": [{"layer": m.layer, "reason": m.reason, "remedy": m.remedy} for m in self.missing],
        }


def check_level(isolation: Isolation, least: int) -> None:
    """Fails closed.

    Raises:
        ArenaError: The isolation is below the least level; the sentence says what is missing.
    """
    if isolation.level >= least:
        return
    reasons = "; ".join(f"{missing.layer}: {missing.reason}" for missing in isolation.missing)
    raise ArenaError(
        f"isolation level {least} is required and this machine gives {isolation.name} ({reasons})",
        hint="arena doctor shows what is missing and how to get it.",
        exit_code=ExitCode.NO_ISOLATION,
    )
