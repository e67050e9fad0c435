"""The types of values that a field of a message can have. Each type has a checker, a function.

A checker takes a value and returns what is wrong, such as "must be a number", or the empty string if the
value is valid. The caller puts the field's name before this text. Checkers never raise, for any value.
They refuse values with more than `limits.DEPTH` nested levels.
"""

from collections.abc import Callable
from math import isfinite

from arena_player.light import Any, NamedTuple

from . import limits

Checker = Callable[[Any], str]

# Characters that can change a terminal, a log or a page: C0, C1, line and paragraph separators,
# marks that reverse the direction of text, zero-width characters, lone surrogates.
_UNSAFE = frozenset(
    chr(point)
    for low, high in (
        (0x00, 0x1F),
        (0x7F, 0x9F),
        (0x200B, 0x200F),
        (0x2028, 0x202E),
        (0x2060, 0x2069),
        (0xFEFF, 0xFEFF),
    )
    for point in range(low, high + 1)
)
_MOST = 2**63 - 1
_TOO_LARGE = "must have integers of at most 64 bits"
# Values of these types in a delta need no check, except that integers must not be too large.
_FREE = frozenset((str, int, bool, type(None)))
_STRINGS = frozenset((str,))
_SCALARS = frozenset((str, int, bool, float, type(None)))
_CONTAINERS = frozenset((list, tuple, dict))


def is_plain(text: str) -> bool:
    """Return whether a text has no control characters, so that a terminal can show it."""
    if text.isascii():
        return text.isprintable()
    return _UNSAFE.isdisjoint(text) and not any("\ud800" <= character <= "\udfff" for character in text)


class WireType(NamedTuple):
    """One type of value in a message.

    Attributes:
        name: Its name in the protocol document.
        checker: The function that checks a value.
    """

    name: str
    checker: Checker


def integer(low: int = limits.INTEGER_LOW, high: int = limits.INTEGER_HIGH) -> WireType:
    """Return the wire type of integers from `low` to `high`. Booleans are refused."""
    bounded = (low, high) != (limits.INTEGER_LOW, limits.INTEGER_HIGH)
    name = "int" if not bounded else f"int >= {low}" if high == limits.INTEGER_HIGH else f"int {low}..{high}"
    complaint = f"must be an {name}"

    def check(value: Any) -> str:
        return "" if type(value) is int and low <= value <= high else complaint

    return WireType(name, check)


def number() -> WireType:
    """Return the wire type of finite floats and ints."""

    def check(value: Any) -> str:
        kind = type(value)
        if kind is float:
            return "" if isfinite(value) else "must be finite"
        return "" if kind is int and -(2**63) <= value < 2**63 else "must be a number"

    return WireType("number", check)


def boolean() -> WireType:
    """Return the wire type of true and false."""

    def check(value: Any) -> str:
        return "" if value is True or value is False else "must be a bool"

    return WireType("bool", check)


def text(most: int) -> WireType:
    """Return the wire type of free text, with line breaks. Code that shows such a text must escape it."""

    def check(value: Any) -> str:
        if type(value) is not str:
            return "must be a string"
        return "" if len(value) <= most else f"must have at most {most} characters"

    return WireType(f"text <= {most}", check)


def line(most: int, least: int = 0) -> WireType:
    """Return the wire type of one line of text without control characters."""

    def check(value: Any) -> str:
        if type(value) is not str:
            return "must be a string"
        if not least <= len(value) <= most:
            return f"must have {least} to {most} characters"
        return "" if is_plain(value) else "must not have control characters"

    return WireType(f"line {least}..{most}", check)


def word(*choices: str) -> WireType:
    """Return the wire type of strings that are one of these words."""
    allowed = frozenset(choices)
    name = " or ".join(f'"{choice}"' for choice in choices)

    def check(value: Any) -> str:
        return "" if type(value) is str and value in allowed else f"must be {name}"

    return WireType(name, check)


def nullable(kind: WireType) -> WireType:
    """Return the wire type of values that are null or of another type."""
    inner = kind.checker

    def check(value: Any) -> str:
        return "" if value is None else inner(value)

    return WireType(f"{kind.name}, or null", check)


def listing(kind: WireType, least: int, most: int) -> WireType:
    """Return the wire type of arrays of `least` to `most` values of one kind."""
    inner = kind.checker

    def check(value: Any) -> str:
        if type(value) is not list and type(value) is not tuple:
            return "must be an array"
        if not least <= len(value) <= most:
            return f"must have {least} to {most} entries"
        for index, item in enumerate(value):
            if complaint := inner(item):
                return f"entry {index}: {complaint}"
        return ""

    many = f"{least}..{most}" if most < limits.REFEREE_BYTES else f"{least} or more"
    return WireType(f"array of {many} x {kind.name}", check)


def choice(name: str, *kinds: WireType) -> WireType:
    """Return the wire type of values that are of one of several types. The last type gives the error message."""
    checkers = tuple(kind.checker for kind in kinds)

    def check(value: Any) -> str:
        complaint = ""
        for inner in checkers:
            if not (complaint := inner(value)):
                return ""
        return complaint

    return WireType(name, check)


def words(most: int) -> WireType:
    """Return the wire type of maps from strings to strings."""

    def check(value: Any) -> str:
        if type(value) is not dict:
            return "must be a map"
        if len(value) > most:
            return f"must have at most {most} entries"
        if not _STRINGS.issuperset(map(type, value)) or not _STRINGS.issuperset(map(type, value.values())):
            return "must map strings to strings"
        return ""

    return WireType("map of string to string", check)


def record(name: str, required: dict[str, WireType], optional: dict[str, WireType] | None = None) -> WireType:
    """Return the wire type of maps with all required fields, perhaps some optional fields, and no others."""
    optional = optional or {}
    first = tuple((key, kind.checker) for key, kind in required.items())
    second = tuple((key, kind.checker) for key, kind in optional.items())
    needed = frozenset(required)
    allowed = needed | frozenset(optional)

    def check(value: Any) -> str:
        if type(value) is not dict:
            return "must be a map"
        if value.keys() != needed:
            if not needed <= value.keys():
                return f"has no field {min(needed - value.keys())}"
            if not value.keys() <= allowed:
                return "has a field that does not belong there"
        for key, inner in first:
            if complaint := inner(value[key]):
                return f"{key} {complaint}"
        for key, inner in second:
            if key in value and (complaint := inner(value[key])):
                return f"{key} {complaint}"
        return ""

    return WireType(name, check)


def _complain_of_tree(value: Any, levels: int, most: int, plain: bool = False) -> str:
    """Check a free value: null, bool, int, finite float, string, array, map with string keys. Return what is wrong.

    Args:
        value: The value.
        levels: The number of container levels that are left.
        most: The longest allowed string, in characters.
        plain: Whether to refuse control characters.
    """
    kind = type(value)
    if kind is int:
        return "" if -(2**63) <= value <= _MOST else _TOO_LARGE
    if kind is bool or value is None:
        return ""
    # All values of a level are checked at once: a list of orders for many units has thousands of values.
    level: list[Any] = [value]
    while level:
        kinds = set(map(type, level))
        if complaint := _complain_of_scalars(level, kinds, most, plain):
            return complaint
        kinds -= _SCALARS
        if not kinds:
            return ""
        if levels <= 0:
            return f"must not nest deeper than {limits.DEPTH} levels"
        levels -= 1
        if not kinds <= _CONTAINERS:
            return "must be plain data"
        children: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is list or kind is tuple:
                children += item
            elif kind is dict:
                if not _STRINGS.issuperset(map(type, item)) or (plain and not all(map(is_plain, item))):
                    return "must have plain strings as keys"
                children += item.values()
        level = children
    return ""


def _complain_of_scalars(values: list[Any], kinds: set[type], most: int, plain: bool) -> str:
    """Check the strings and numbers among values, which have these types; see `_complain_of_tree`."""
    if str in kinds:
        texts = values if len(kinds) == 1 else [one for one in values if type(one) is str]
        if max(map(len, texts)) > most:
            return f"must have strings of at most {most} characters"
        if plain and not is_plain("".join(texts)):
            return "must not have control characters"
    if int in kinds:
        whole = values if len(kinds) == 1 else [one for one in values if type(one) is int]
        if min(whole) < -(2**63) or max(whole) > _MOST:
            return _TOO_LARGE
    if float in kinds and not all(isfinite(one) for one in values if type(one) is float):
        return "must have finite numbers"
    return ""


# The levels that a free value can have. The message is level 1, the value of a field level 2, an entry of an array in a
# field level 3, and a value in an action document level 4.
_IN_FIELD = limits.DEPTH - 1
_IN_ARRAY = limits.DEPTH - 2
_IN_DOCUMENT = limits.DEPTH - 3


def tree(name: str = "free map") -> WireType:
    """Return the wire type of maps whose content the game defines."""

    def check(value: Any) -> str:
        if type(value) is not dict:
            return "must be a map"
        return _complain_of_tree(value, _IN_FIELD, limits.REFEREE_BYTES)

    return WireType(name, check)


def document() -> WireType:
    """Return the wire type of action documents: maps with `type` and the action's own keys."""
    most, longest, largest = limits.DOCUMENT_TEXT, limits.NAME, limits.CLIENT_MAP

    def check(value: Any) -> str:
        if type(value) is not dict:
            return "must be a map"
        if len(value) > largest:
            return f"must have at most {largest} entries"
        name = value.get("type")
        if type(name) is not str or not 1 <= len(name) <= longest:
            return f"must have a string type of 1 to {longest} characters"
        if not _STRINGS.issuperset(map(type, value)) or max(map(len, value)) > longest or not is_plain("".join(value)):
            return "must have plain strings as keys"
        for item in value.values():  # most are numbers and short texts; the function of trees takes longer
            kind = type(item)
            if kind is int and -_MOST <= item <= _MOST:
                continue
            if kind is str and len(item) <= most and is_plain(item):
                continue
            if complaint := _complain_of_tree(item, _IN_DOCUMENT, most, plain=True):
                return complaint
        return ""

    return WireType("action document", check)


def delta() -> WireType:
    """Return the wire type of views and deltas: flat arrays of id, field, value, id, field, value, and so on."""

    def check(value: Any) -> str:
        if type(value) is not list and type(value) is not tuple:
            return "must be an array"
        if len(value) % 3:
            return "must have a multiple of 3 entries"
        if not _STRINGS.issuperset(map(type, value[::3])) or not _STRINGS.issuperset(map(type, value[1::3])):
            return "must have strings as ids and fields"
        values = value[2::3]
        if any(type(item) is int and item > _MOST for item in values):  # msgpack cannot hold integers below the minimum
            return _TOO_LARGE
        if not _FREE.issuperset(map(type, values)):
            for item in values:
                if type(item) is dict:
                    return "must not have maps as values"
                if type(item) is bytes or _is_spans(item):
                    continue
                if complaint := _complain_of_tree(item, _IN_ARRAY, limits.REFEREE_BYTES):
                    return complaint
        return ""

    return WireType("delta", check)


def _is_spans(value: Any) -> bool:
    """Return whether a value is a list of changed spans of an array: offset, bytes, offset, bytes, ..."""
    if type(value) is not list or len(value) % 2 or not value:
        return False
    return all(type(at) is int and at >= 0 for at in value[::2]) and all(type(new) is bytes for new in value[1::2])


def events() -> WireType:
    """Return the wire type of lists of events: maps with a string `kind`."""

    def check(value: Any) -> str:
        if type(value) is not list and type(value) is not tuple:
            return "must be an array"
        for item in value:
            if type(item) is not dict or type(item.get("kind")) is not str:
                return "must have maps with a string kind"
            if complaint := _complain_of_tree(item, _IN_ARRAY, limits.REFEREE_BYTES):
                return complaint
        return ""

    return WireType("events", check)


def anything(name: str) -> WireType:
    """Return the wire type of arrays of free values."""

    def check(value: Any) -> str:
        if type(value) is not list and type(value) is not tuple:
            return "must be an array"
        return _complain_of_tree(value, _IN_FIELD, limits.REFEREE_BYTES)

    return WireType(name, check)
