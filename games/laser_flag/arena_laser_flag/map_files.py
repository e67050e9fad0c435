"""Where maps come from: names of those in the package, files, and ``generate:`` with arguments."""

from __future__ import annotations

import difflib
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from arena.game import OptionError
from arena_laser_flag.map_check import find_faults
from arena_laser_flag.map_generator import Plan, generate
from arena_laser_flag.rule_check import is_turn_limit
from arena_laser_flag.rulesets import Document

GENERATE = "generate:"
_FOLDER = Path(__file__).parent / "maps"
_DOCUMENT_KEYS = ("name", "turn_limit")


def map_names() -> tuple[str, ...]:
    """List the maps of the package."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


def load_map(source: str) -> Document:
    """Return a map that has passed the validator.

    Args:
        source: The name of a map of the package (``crossroads``), the path of a JSON file, or ``generate:`` with
            arguments (``generate:seed=3,width=21,mode=assault,units=grunt+grunt+sniper``; see `Plan`, and
            ``turn_limit``).

    Raises:
        OptionError: There is no such map, or the validator found faults.
    """
    if source.startswith(GENERATE) or source == GENERATE[:-1]:
        return check(_generated(source[len(GENERATE) :]), source)
    if source in map_names():
        return check(_read(_FOLDER / f"{source}.json"), source)
    path = Path(source)
    if not path.is_file():
        raise OptionError(f"there is no map {source}; {_help(source)}")
    return check(_read(path), source)


def check(document: Any, source: str) -> Document:
    """Return a map if it is without fault.

    Raises:
        OptionError: The sentence lists code and place of each fault.
    """
    faults = find_faults(document)
    if not faults:
        checked: Document = document
        return checked
    shown = [f"{fault.code} ({fault.place})" if fault.place else fault.code for fault in faults[:5]]
    more = f" and {len(faults) - 5} more" if len(faults) > 5 else ""
    raise OptionError(f"the map {source} is faulty: {', '.join(shown)}{more}")


def _help(source: str) -> str:
    names = map_names()
    near = difflib.get_close_matches(source, names, 1)
    tail = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
    return f"{tail} (a path of a file or {GENERATE}seed=1 will do as well)"


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError(f"the map {path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise OptionError(f"the map {path} is not JSON: {error}") from None


def _generated(text: str) -> Document:
    given = _arguments(text)
    extra = {key: given.pop(key) for key in _DOCUMENT_KEYS if key in given}
    document = generate(Plan(**given))
    if "turn_limit" in extra and not is_turn_limit(extra["turn_limit"]):
        raise OptionError(f"turn_limit cannot be {extra['turn_limit']}: it must be from 1 to 500")
    return document | extra


def _arguments(text: str) -> dict[str, Any]:
    known = {one.name: str(one.type) for one in fields(Plan)} | {"turn_limit": "int", "name": "str"}
    given: dict[str, Any] = {"seed": 1}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if name not in known or not equals:
            raise OptionError(f"{GENERATE} cannot take {part!r}; it takes NAME=VALUE with {', '.join(known)}")
        given[name] = _value(name, known[name], value)
    return given


def _value(name: str, kind: str, text: str) -> Any:
    if kind == "int":
        try:
            return int(text)
        except ValueError:
            raise OptionError(f"{name} cannot be {text!r}: it must be a whole number") from None
    if kind == "bool":
        if text.lower() not in ("true", "false", "yes", "no"):
            raise OptionError(f"{name} cannot be {text!r}: it must be true or false")
        return text.lower() in ("true", "yes")
    return tuple(text.split("+")) if kind.startswith("tuple") else text
