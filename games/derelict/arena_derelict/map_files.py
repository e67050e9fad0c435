"""The supplied missions, and mission files."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from arena.game import OptionError
from arena_derelict.map_check import errors_in

MISSIONS = ("crossways", "airlock", "pump_station", "long_dark")
"""Names of the supplied missions, the default first."""
DEFAULT = MISSIONS[0]
_LARGEST_FILE = 1_000_000


def supplied(name: str) -> dict[str, Any]:
    """Return a supplied mission.

    Raises:
        KeyError: There is no mission of this name.
    """
    if name not in MISSIONS:
        raise KeyError(name)
    text = files("arena_derelict").joinpath("maps", f"{name}.json").read_text(encoding="utf-8")
    mission: dict[str, Any] = json.loads(text)
    return mission


def load_map(reference: str) -> Any:
    """Return the supplied mission with this name, or the content of the mission file at this path.

    The mission is not checked here, because the other options also decide whether it can be played. `check` runs when
    the options are resolved.

    Raises:
        OptionError: There is no mission of this name, or the file cannot be read, is too large or is not JSON.
    """
    if reference in MISSIONS:
        return supplied(reference)
    path = Path(reference)
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST_FILE + 1)  # a device can have no end
        if len(data) > _LARGEST_FILE:
            raise OptionError(f"The mission file {reference} is larger than {_LARGEST_FILE} bytes.")
        return json.loads(data)
    except OSError:
        names = ", ".join(MISSIONS)
        raise OptionError(f"There is no mission {reference}: it must be {names}, or a file that can be read.") from None
    except OptionError:
        raise
    except (ValueError, RecursionError) as error:
        raise OptionError(f"The mission file {reference} is not JSON: {error}.") from None


def check(document: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Check a mission, and return it if it can be played.

    Args:
        document: The mission.
        options: The options given explicitly.

    Raises:
        OptionError: The mission has errors; the message lists them all.
    """
    problems = errors_in(document, options)
    if problems:
        raise OptionError("The mission cannot be played:\n" + "\n".join(f"  {problem}" for problem in problems))
    mission: dict[str, Any] = document
    return mission
