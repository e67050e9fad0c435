"""Check for packages that only some parts need."""

from __future__ import annotations

from arena.cli.extending import need_packages

EXTRAS = {
    "environments": ("gymnasium", "pettingzoo"),
    "datasets": ("pyarrow",),
    "minari": ("minari", "pyarrow"),
}


def need(extra: str, purpose: str) -> None:
    """Raise an error that says what to install, if a package of an extra is missing.

    Raises:
        ArenaError: A package is missing.
    """
    need_packages(EXTRAS[extra], purpose, f"arena-learn[{extra}]")
