"""Load maps: by name from the package, from a file, or from ``generate:`` with arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.game import Option, OptionError
from arena.game.options import parse
from arena.game.validation import did_you_mean
from arena_laser_flag.map_check import Fault, find_faults
from arena_laser_flag.map_generator import SETTINGS as PLAN_SETTINGS
from arena_laser_flag.map_generator import Plan, generate
from arena_laser_flag.rulesets import Document

GENERATE = "generate:"
_LARGEST_FILE = 1_000_000
_FOLDER = Path(__file__).parent / "maps"
SETTINGS = (
    *PLAN_SETTINGS,
    Option("turn_limit", "int", None, "Turns of each player.", 1, 500),
    Option("name", "str", "", "The map's name."),
)
"""The settings of a random map."""
_NAMES = ", ".join(setting.name for setting in SETTINGS)


def map_names() -> tuple[str, ...]:
    """List the maps of the package."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


def load_map(source: str) -> Document:
    """Return a map that has passed the validator.

    Args:
        source: The name of a map of the package (``crossroads``), the path of a JSON file, or ``generate:`` with
            arguments (``generate:seed=3,width=21,mode=assault,units=grunt+grunt+sniper``; see `SETTINGS`).

    Raises:
        OptionError: The map does not exist, cannot be read or has defects, or a setting after ``generate:`` is invalid.
    """
    if source.startswith(GENERATE) or source == GENERATE[:-1]:
        return generated(_pairs(source[len(GENERATE) :]))
    if source in map_names():
        return _checked(_read(_FOLDER / f"{source}.json"), source)
    path = Path(source)
    if not path.is_file():
        other = f"A map is one of these, {GENERATE}seed=1, or the path of a file."
        raise OptionError(f"There is no map {source}{did_you_mean(source, map_names())}. {other}")
    return _checked(_read(path), source)


def _checked(document: Any, source: str) -> Document:
    return refuse_faults(document, f"The map {source}", find_faults(document))


def refuse_faults(document: Any, what: str, faults: list[Fault]) -> Document:
    """Return the map if it has no defects.

    Raises:
        OptionError: The map has defects. The message lists code and place of the first five.
    """
    if not faults:
        checked: Document = document
        return checked
    shown = [f"{fault.code} ({fault.place})" if fault.place else fault.code for fault in faults[:5]]
    more = f" and {len(faults) - 5} more" if len(faults) > 5 else ""
    raise OptionError(f"{what} has faults: {', '.join(shown)}{more}.")


def _read(path: Path) -> Any:
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST_FILE + 1)  # a device can have no end
        if len(data) > _LARGEST_FILE:
            raise OptionError(f"The map {path} is larger than {_LARGEST_FILE} bytes.")
        return json.loads(data)
    except OptionError:
        raise
    except OSError as error:
        raise OptionError(f"The map {path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise OptionError(f"The map {path} is not JSON: {error}.") from None


def generated(settings: Mapping[str, str]) -> Document:
    """Make a random map.

    Args:
        settings: The given values as text; see `SETTINGS`.

    Raises:
        OptionError: A setting is unknown or its value is impossible.
    """
    values = parse(SETTINGS, settings)
    units = tuple(values.pop("units").split("+"))
    extra = {key: values.pop(key) for key in ("name", "turn_limit")}
    document = generate(Plan(units=units, **values))
    return _checked(document | {key: extra[key] for key in extra if key in settings}, "generated")


def _pairs(text: str) -> dict[str, str]:
    pairs = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise OptionError(f"{GENERATE} takes NAME=VALUE, not {part!r}. Names are {_NAMES}.")
        pairs[name] = value
    return pairs
