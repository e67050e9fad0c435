"""Convert bytes to messages and back, and enforce every limit of the wire.

The checks run in a safe order: length, then msgpack with its limits, then the shape of the message, then its fields.
`unpack` raises `WireError` and nothing else, for any input.
"""

from collections.abc import Callable, Sequence

import msgpack

from arena_player.light import Any

from . import limits
from .error import WireError
from .kinds import Checker
from .table import MESSAGES, Message

# All bytes that do not start an array or a map in msgpack. `unpack` removes these bytes. The number of bytes left is at
# least the number of arrays and maps.
_NOT_A_CONTAINER = bytes(byte for byte in range(256) if not (0x80 <= byte <= 0x9F or 0xDC <= byte <= 0xDF))

_AROUND_ACTIONS = 64  # bytes of an `act` without its actions, rounded up
_CANNOT_PACK = (ValueError, OverflowError, TypeError, RecursionError, UnicodeError)


class _Rules:
    """The checkers of one message."""

    __slots__ = ("allowed", "name", "needed", "optional", "required", "sender")

    def __init__(self, message: Message) -> None:
        self.name = message.name
        self.sender = message.sender
        self.required: tuple[tuple[str, Checker], ...] = tuple(
            (field.name, field.kind.checker) for field in message.fields if not field.optional
        )
        self.optional: tuple[tuple[str, Checker], ...] = tuple(
            (field.name, field.kind.checker) for field in message.fields if field.optional
        )
        self.needed = frozenset(name for name, _ in self.required) | {"type"}
        self.allowed = self.needed | {name for name, _ in self.optional}

    def check(self, message: dict[str, Any]) -> None:
        """Raise WireError at the first field that is missing, unknown or wrong."""
        keys = message.keys()
        if keys != self.needed:
            if not keys >= self.needed:
                raise WireError("missing_field", f"{self.name} has no field {min(self.needed - keys)}")
            if not keys <= self.allowed:
                raise WireError("unknown_field", f"{self.name} has a field that it should not have")
            for name, checker in self.optional:
                if name in message and (complaint := checker(message[name])):
                    raise WireError("bad_value", f"{self.name}: {name} {complaint}")
        for name, checker in self.required:
            if complaint := checker(message[name]):
                raise WireError("bad_value", f"{self.name}: {name} {complaint}")


_RULES = {name: _Rules(message) for name, message in MESSAGES.items()}


def check(message: Any, sender: str | None = None) -> dict[str, Any]:
    """Check a message against the message table.

    Args:
        message: A received message, or one to send.
        sender: "client" or "referee" to allow only messages of this sender.

    Returns:
        The same message.

    Raises:
        WireError: The message is invalid. The error names the first problem.
    """
    if type(message) is not dict:
        raise WireError("not_a_message", "a message must be a map")
    name = message.get("type")
    if type(name) is not str:
        raise WireError("not_a_message", "a message must have a string type")
    rules = _RULES.get(name)
    if rules is None or (sender is not None and rules.sender != sender):
        raise WireError("unknown_message", f"a {sender or 'peer'} cannot send this type of message")
    rules.check(message)
    return message


def pack(message: dict[str, Any], *, trusted: bool = False) -> bytes:
    """Check a message against the message table and pack it.

    Args:
        message: The message to send.
        trusted: Whether to check only the size, which takes half the time. For messages that our own code builds.

    Raises:
        WireError: The message does not match the table, exceeds a limit, or cannot be packed.
    """
    if not trusted:
        check(message)
    try:
        data: bytes = msgpack.packb(message)
    except _CANNOT_PACK as error:
        raise WireError("garbled", f"the message cannot be packed: {error}") from error
    sender = _RULES[message["type"]].sender
    if len(data) > (limits.CLIENT_BYTES if sender == "client" else limits.REFEREE_BYTES):
        raise WireError("too_big", f"a message of {len(data)} bytes is longer than allowed")
    return data


def fitting(actions: Sequence[dict[str, Any]]) -> int:
    """Return how many of the first actions one `act` can carry, at least 1."""
    first = list(actions[: limits.BATCH])
    left = limits.CLIENT_BYTES - _AROUND_ACTIONS
    try:
        if len(msgpack.packb(first)) <= left:
            return len(first)
        for count, action in enumerate(first):
            left -= len(msgpack.packb(action))
            if left < 0:
                return max(count, 1)
    except _CANNOT_PACK:  # `pack` reports what is wrong with the action
        pass
    return len(first)


def unpack(data: bytes, sender: str = "client", *, trusted: bool = False) -> dict[str, Any]:
    """Unpack and check one message from `sender`.

    Args:
        data: The whole of one ZeroMQ message.
        sender: The sender of the message: "client" or "referee".
        trusted: Whether to check only the `type` of the message, not its fields. For messages from the referee.

    Raises:
        WireError: The message is invalid. No other exception is raised.
    """
    hostile = sender == "client"
    if len(data) > (limits.CLIENT_BYTES if hostile else limits.REFEREE_BYTES):
        raise WireError("too_big", f"a message of {len(data)} bytes is longer than allowed")
    # Count an upper bound of the number of maps and arrays. If it is small, the message cannot be nested too deeply.
    parts = 0 if trusted else len(data.translate(None, _NOT_A_CONTAINER))
    small = parts <= limits.DEPTH
    try:
        message = _read(data, hostile, hostile and parts > limits.CLIENT_PARTS)
    except WireError:
        raise
    except (
        ValueError,
        TypeError,
        OverflowError,
        RecursionError,
        MemoryError,
        msgpack.UnpackException,
    ) as error:
        raise WireError("garbled", f"not a message in msgpack: {_why(error)}") from None
    if trusted and type(message) is dict and type(name := message.get("type")) is str and name in MESSAGES:
        return message
    if not small and _too_deep(message):
        raise WireError("too_deep", f"nested deeper than {limits.DEPTH} levels")
    return check(message, sender)


def _read(data: bytes, hostile: bool, counted: bool) -> Any:
    on_map, on_array = _counting_hooks() if counted else (_pairs, None)
    return msgpack.unpackb(
        data,
        raw=False,
        strict_map_key=True,
        timestamp=0,
        object_pairs_hook=on_map,
        list_hook=on_array,
        ext_hook=_no_extension,
        max_str_len=len(data),
        max_bin_len=0 if hostile else len(data),
        max_ext_len=0,
        max_array_len=limits.CLIENT_ARRAY if hostile else len(data),
        max_map_len=limits.CLIENT_MAP if hostile else len(data),
    )


_REASONS = (
    ("extra data", "more bytes follow the value"),
    ("incomplete input", "it ends too early, or a length is too large"),
    ("max_bin_len", "binary values are not used"),
    ("max_ext_len", "extension types are not used"),
    ("extension types", "extension types are not used"),
    ("strict_map_key", "a key of a map is not a string"),
    ("max_array_len", "an array has too many entries"),
    ("max_map_len", "a map has too many entries"),
    ("utf-8", "a string is not UTF-8"),
)


def _why(error: Exception) -> str:
    """Explain why msgpack cannot read a message, for authors of clients in any language."""
    if isinstance(error, (msgpack.StackError, RecursionError)):
        return "it is nested too deeply"
    text = str(error)
    return next((words for known, words in _REASONS if known in text), "a byte has no meaning there")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise WireError("duplicate_key", "a map has the same key twice")
    return mapping


def _no_extension(_code: int, _data: bytes) -> Any:
    raise ValueError("extension types are not used")


def _counting_hooks() -> tuple[Callable[[list[tuple[str, Any]]], dict[str, Any]], Callable[[list[Any]], list[Any]]]:
    """Return hooks for msgpack that count maps and arrays while it decodes, and raise an error at too many."""
    parts = 0

    def count() -> None:
        nonlocal parts
        parts += 1
        if parts > limits.CLIENT_PARTS:
            raise WireError("too_many_parts", f"more than {limits.CLIENT_PARTS} maps and arrays")

    def on_map(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        count()
        return _pairs(pairs)

    def on_array(items: list[Any]) -> list[Any]:
        count()
        return items

    return on_map, on_array


def _too_deep(message: Any) -> bool:
    """Return whether a message is nested too deeply. The check has no recursion, so the stack cannot overflow."""
    level = [message]
    for _ in range(limits.DEPTH):
        level = [
            child
            for item in level
            if type(item) in (dict, list)
            for child in (item.values() if type(item) is dict else item)
            if type(child) in (dict, list)
        ]
        if not level:
            return False
    return True
