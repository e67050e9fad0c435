"""Copy messages, so that no player shares a list with another player, the rules or the record."""

from __future__ import annotations

from typing import Any

from arena_player import wire

PLAIN = frozenset((str, int, float, bool, type(None), bytes))
FEW_ENTRIES = 8
"""An action with so few plain entries cannot exceed any limit of a message that `wire.check` does not check."""


def copied(value: Any) -> Any:
    """Return a deep copy of lists, tuples and dictionaries. Tuples become lists, as on the wire."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is dict:
        return {name: one if type(one) in PLAIN else copied(one) for name, one in value.items()}
    if kind is list or kind is tuple:
        return [one if type(one) in PLAIN else copied(one) for one in value]
    return value  # for example the bytes of an array


def as_sent(message: dict[str, Any]) -> dict[str, Any] | bytes:
    """Return a client's message as it would travel: its copy if it obeys all limits for certain, otherwise its bytes.

    Raises:
        wire.WireError: The client's end of a connection would not send it.
    """
    if not _is_short(message):
        return wire.pack(message)
    wire.check(message, "client")
    copy: dict[str, Any] = copied(message)
    return copy


def _is_short(message: dict[str, Any]) -> bool:
    actions = message.get("actions", ())
    if len(message) != 3 or type(actions) is not list or len(actions) != 1 or type(actions[0]) is not dict:
        return False
    action = actions[0]
    return len(action) <= FEW_ENTRIES and PLAIN.issuperset(map(type, action.values()))
