"""Check for packages that only some parts need."""

from __future__ import annotations

import importlib.util

from arena.errors import ArenaError, ExitCode

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
    missing = [package for package in EXTRAS[extra] if importlib.util.find_spec(package) is None]
    if missing:
        raise ArenaError(
            f"{purpose} needs packages that are not installed: {', '.join(missing)}.",
            hint=f'Install them: pip install "arena-learn[{extra}]"',
            exit_code=ExitCode.NOT_INSTALLED,
        )
