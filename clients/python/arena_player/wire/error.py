"""The only exception that the codec raises."""

CODES = {
    "too_big": "longer than the limit of its direction",
    "garbled": "not one complete msgpack value, or one with parts that the wire does not use "
    "(binary, extension types, keys that are not strings, invalid UTF-8, arrays or maps over the limit)",
    "duplicate_key": "a map names the same key twice",
    "too_deep": "containers nested deeper than the limit",
    "too_many_parts": "more maps and arrays in one message than the limit",
    "not_a_message": "not a map with a string `type`",
    "unknown_message": "no such `type` in this direction",
    "missing_field": "a field is missing",
    "unknown_field": "a field that the message does not have",
    "bad_value": "a field's value is of the wrong kind or out of range",
}
"""Every code of a `WireError`, with its meaning."""


class WireError(Exception):
    """A message that violates the protocol.

    Args:
        code: One of `CODES`.
        message: What is wrong, for people. It is safe to print on a terminal.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"
