"""Each kind of value on the wire explains why it refuses a value."""

from __future__ import annotations

from typing import Any

import pytest

from arena_player.wire import kinds, limits

DEEP: list[Any] = []
for _ in range(limits.DEPTH + 2):
    DEEP = [DEEP]
WORDS, RECORD, DOCUMENT = kinds.words(2), kinds.record("pair", {"a": kinds.line(3)}), kinds.document()
CASES = [
    (kinds.line(3), 1, "must be a string"),
    (kinds.line(3), "long", "must have 0 to 3 characters"),
    (kinds.line(3), "a\n", "must not have control characters"),
    (WORDS, [], "must be a map"),
    (WORDS, dict.fromkeys("abc", ""), "must have at most 2 entries"),
    (WORDS, {"a": 1}, "must map strings to strings"),
    (RECORD, [], "must be a map"),
    (RECORD, {}, "has no field a"),
    (RECORD, {"a": "", "b": ""}, "has a field that does not belong there"),
    (RECORD, {"a": 1}, "a must be a string"),
    (DOCUMENT, [], "must be a map"),
    (DOCUMENT, {}, f"must have a string type of 1 to {limits.NAME} characters"),
    (DOCUMENT, {"type": "t"} | {str(key): 0 for key in range(limits.CLIENT_MAP)}, f"at most {limits.CLIENT_MAP}"),
    (kinds.tree(), [], "must be a map"),
    (kinds.tree(), {"a": 2**64}, "must have integers of at most 64 bits"),
    (kinds.tree(), {"a": float("nan")}, "must have finite numbers"),
    (kinds.tree(), {"a": DEEP}, f"must not nest deeper than {limits.DEPTH} levels"),
    (kinds.tree(), {"a": object()}, "must"),
    (kinds.delta(), {}, "must be an array"),
    (kinds.delta(), [1], "must have a multiple of 3 entries"),
    (kinds.delta(), [1, "x", 2], "must have strings as ids and fields"),
    (kinds.delta(), ["c", "x", {}], "must not have maps as values"),
    (kinds.delta(), ["c", "x", [2**64]], "must have integers of at most 64 bits"),
    (kinds.delta(), ["c", "x", 2**63], "must have integers of at most 64 bits"),
    (kinds.events(), {}, "must be an array"),
    (kinds.events(), [{}], "must have maps with a string kind"),
    (kinds.events(), [{"kind": "hit", "at": DEEP}], "must not nest deeper"),
    (kinds.anything("values"), {}, "must be an array"),
]


@pytest.mark.parametrize(("kind", "value", "complaint"), CASES)
def test_a_wrong_value_is_refused_with_its_reason(kind: kinds.WireType, value: Any, complaint: str) -> None:
    assert complaint in kind.checker(value)
