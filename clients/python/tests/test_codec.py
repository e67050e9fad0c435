"""The codec: round trips, limits, and arbitrary bytes."""

import tracemalloc
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_player import wire
from arena_player.wire import MESSAGES, WireError, limits

pytestmark = pytest.mark.slow

ACT = {"type": "act", "seq": 5, "actions": [{"type": "move", "cowboy": "c1", "x": 3, "y": 4}]}


def code_of(data: bytes, sender: str = "client") -> str:
    with pytest.raises(WireError) as caught:
        wire.unpack(data, sender)
    assert caught.value.code in wire.CODES
    assert str(caught.value).isprintable()
    return caught.value.code


def read_or_refused(data: bytes, sender: str) -> None:
    """Check that the codec returns a message that can be packed again, or raises a WireError with a known code."""
    try:
        message = wire.unpack(data, sender)
    except WireError as error:
        message, code = {}, error.code
    else:
        code = ""
    assert code in wire.CODES or wire.pack(message)


plain = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)
integers = st.integers(-(2**63), 2**63 - 1)
scalars = st.none() | st.booleans() | integers | st.floats(allow_nan=False, allow_infinity=False) | plain
trees = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(plain, inner, max_size=4))
documents = st.builds(lambda name, rest: {**rest, "type": name}, plain.filter(bool), st.dictionaries(plain, trees))
deltas = st.lists(st.tuples(plain, plain, scalars | st.lists(scalars, max_size=3)), max_size=20).map(
    lambda triples: [part for triple in triples for part in triple]
)
events = st.lists(
    st.builds(lambda kind, rest: {**rest, "kind": kind}, plain, st.dictionaries(plain, scalars)), max_size=4
)
seconds = st.none() | st.floats(0, 1e6) | st.integers(0, 100)
clocks = st.fixed_dictionaries({"bank": seconds, "turn": seconds})
coordinates = st.floats(-1e6, 1e6) | st.integers(-5, 5)
shapes = st.fixed_dictionaries(
    {"kind": st.sampled_from(["point", "line", "rectangle", "text"]), "x": coordinates, "y": coordinates},
    optional={"x2": coordinates, "y2": coordinates, "text": plain, "color": plain},
)
sequence = st.integers(0, 2**62)
refusals = st.fixed_dictionaries({"code": plain.filter(bool), "message": plain})
outcomes = st.none() | plain.filter(bool) | refusals
FIELDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "hello": {
        "protocol": st.integers(0, 9),
        "client": plain,
        "schema": st.none() | plain,
        "legal_actions": st.booleans(),
    },
    "ready": {"seq": sequence},
    "act": {"seq": sequence, "actions": st.lists(documents, min_size=1, max_size=5)},
    "log": {"seq": sequence, "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=100)},
    "draw": {"seq": sequence, "shapes": st.lists(shapes, max_size=6)},
    "welcome": {
        "protocol": st.integers(0, 9),
        "game": plain.filter(bool),
        "version": plain,
        "schema": st.dictionaries(plain, trees, max_size=4),
        "player": st.integers(0, 3),
        "players": st.integers(1, 4),
        "options": st.dictionaries(plain, trees, max_size=4),
        "settings": st.dictionaries(plain, plain, max_size=4),
        "clock": st.fixed_dictionaries(
            {name: seconds for name in ("startup", "bank", "increment", "turn", "grace")}  # noqa: C420
        ),
    },
    "start": {"seq": sequence, "view": deltas},
    "turn": {"seq": sequence, "turn": st.integers(0, 500), "delta": deltas, "events": events, "clock": clocks},
    "result": {
        "seq": sequence,
        "results": st.lists(outcomes, min_size=1, max_size=4),
        "delta": deltas,
        "events": events,
        "draws": st.lists(trees, max_size=4),
        "your_move": st.booleans(),
        "clock": clocks,
        "legal_actions": st.lists(documents, max_size=3),
    },
    "over": {
        "outcome": st.dictionaries(plain, trees, max_size=4),
        "delta": deltas,
        "events": events,
        "players": st.lists(st.fixed_dictionaries({"name": plain, "ending": plain.filter(bool)}), max_size=3),
    },
    "refused": {"code": plain.filter(bool), "message": plain},
}
messages = st.one_of([st.fixed_dictionaries({"type": st.just(name), **fields}) for name, fields in FIELDS.items()])


def test_every_message_is_tried() -> None:
    assert set(FIELDS) == set(MESSAGES)


@given(messages)
def test_round_trip(message: dict[str, Any]) -> None:
    sender = MESSAGES[message["type"]].sender
    assert wire.unpack(wire.pack(message), sender) == message
    other = "referee" if sender == "client" else "client"
    if len(wire.pack(message)) < limits.CLIENT_BYTES:
        with pytest.raises(WireError):
            wire.unpack(wire.pack(message), other)


@given(st.binary(max_size=300), st.sampled_from(["client", "referee"]))
@settings(max_examples=500)
def test_any_bytes_raise_nothing_but_wire_errors(data: bytes, sender: str) -> None:
    with pytest.raises(WireError):
        wire.unpack(data, sender)


@given(messages, st.data())
@settings(max_examples=300)
def test_damaged_messages_raise_nothing_but_wire_errors(message: dict[str, Any], draw: st.DataObject) -> None:
    data = bytearray(wire.pack(message))
    for _ in range(draw.draw(st.integers(1, 4))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    read_or_refused(bytes(data), MESSAGES[message["type"]].sender)


@given(messages, st.data())
def test_a_message_with_one_field_replaced_is_checked(message: dict[str, Any], draw: st.DataObject) -> None:
    message[draw.draw(st.sampled_from(sorted(message)))] = draw.draw(trees)
    sender = MESSAGES[message["type"]].sender if message["type"] in list(MESSAGES) else "client"
    read_or_refused(msgpack.packb(message), sender)


def act(**changed: Any) -> bytes:
    data: bytes = msgpack.packb({**ACT, **changed})
    return data


def action(**entries: Any) -> bytes:
    return act(actions=[{"type": "move", **entries}])


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "garbled"),
        (b"\xc1", "garbled"),
        (b"\x81", "garbled"),
        (wire.pack(ACT) + b"\xc0", "garbled"),
        (msgpack.packb(b"bytes"), "garbled"),
        (msgpack.packb({b"type": "act"}), "garbled"),
        (msgpack.packb({1: 2}), "garbled"),
        (b"\xd4\x05\x00", "garbled"),
        (b"\xc7\x00\x05", "garbled"),
        (b"\xd6\xff\x00\x00\x00\x00", "garbled"),
        (b"\x81\xa4type\xa2\xff\xfe", "garbled"),
        (b"\xdd\xff\xff\xff\xff", "garbled"),
        (b"\xdf\xff\xff\xff\xff", "garbled"),
        (b"\xdb\xff\xff\xff\xff", "garbled"),
        (b"\x82\xa4type\xa3act\xa4type\xa3act", "duplicate_key"),
        (b"\x81" * 1500, "garbled"),
        (b"\x91" * 200 + b"\x90", "too_deep"),
        (action(deep=nested(13)), ""),
        (action(deep=nested(14)), "too_deep"),
        (act(actions=[{"type": "move", "many": [[[] for _ in range(100)] for _ in range(100)]}]), "too_many_parts"),
        (action(many=list(range(limits.CLIENT_ARRAY + 1))), "garbled"),
        (action(**{f"k{index}": 1 for index in range(65)}), "garbled"),
        (msgpack.packb([1]), "not_a_message"),
        (msgpack.packb({"seq": 5}), "not_a_message"),
        (msgpack.packb({"type": ["act"]}), "not_a_message"),
        (msgpack.packb({"type": "nothing"}), "unknown_message"),
        (msgpack.packb({"type": "turn"}), "unknown_message"),
        (msgpack.packb({"type": "act", "seq": 5}), "missing_field"),
        (act(extra=1), "unknown_field"),
        (act(seq=True), "bad_value"),
        (act(seq=5.0), "bad_value"),
        (act(seq=-1), "bad_value"),
        (act(seq=2**64 - 1), "bad_value"),
        (act(seq=None), "bad_value"),
        (act(actions=[]), "bad_value"),
        (act(actions={}), "bad_value"),
        (act(actions=[{"type": "x"}] * limits.BATCH), ""),
        (act(actions=[{"type": "x"}] * (limits.BATCH + 1)), "bad_value"),
        (act(actions=["move"]), "bad_value"),
        (act(actions=[{"cowboy": "c1"}]), "bad_value"),
        (act(actions=[{"type": ""}]), "bad_value"),
        (act(actions=[{"type": 5}]), "bad_value"),
        (action(x=float("nan")), "bad_value"),
        (action(x=float("inf")), "bad_value"),
        (action(x=2**63), "bad_value"),
        (action(x=-(2**63)), ""),
        (action(x=True), ""),
        (action(x="\x1b[2J"), "bad_value"),
        (action(x=["\x00"]), "bad_value"),
        (action(x={"\x07": 1}), "bad_value"),
        (action(x="\u202eevil"), "bad_value"),
        (action(x="späti 酒場"), ""),
        (action(x="a" * 1001), "bad_value"),
        (action(**{"\x1b": 1}), "bad_value"),
        (action(x=b""), "bad_value"),
        (msgpack.packb({"type": "log", "seq": 1, "text": "a" * 2001}), "bad_value"),
        (msgpack.packb({"type": "log", "seq": 1, "text": "two\nlines\x1b"}), ""),
        (msgpack.packb({"type": "draw", "seq": 1, "shapes": [{"kind": "circle", "x": 1, "y": 1}]}), "bad_value"),
        (msgpack.packb({"type": "draw", "seq": 1, "shapes": [{"kind": "point", "x": 1}]}), "bad_value"),
        (msgpack.packb({"type": "draw", "seq": 1, "shapes": [{"kind": "point", "x": 1, "y": True}]}), "bad_value"),
        (
            msgpack.packb({"type": "hello", "protocol": 1, "client": "a\nb", "schema": None, "legal_actions": False}),
            "bad_value",
        ),
        (
            msgpack.packb({"type": "hello", "protocol": 1, "client": "a", "schema": None, "legal_actions": 0}),
            "bad_value",
        ),
        (b"\x00" * (limits.CLIENT_BYTES + 1), "too_big"),
    ],
)
def test_limits(data: bytes, code: str) -> None:
    if code:
        assert code_of(data) == code
    else:
        assert wire.pack(wire.unpack(data))


def test_a_false_bool_is_not_the_number_it_equals() -> None:
    hello = {"type": "hello", "protocol": 1, "client": "x", "schema": None, "legal_actions": 1}
    assert code_of(msgpack.packb(hello)) == "bad_value"


def amplifying_messages() -> list[bytes]:
    size = limits.CLIENT_BYTES
    return [
        b"\x90" * size,
        b"\xdc\xff\xff" * (size // 3),
        b"\xdc\x01\x00" * (size // 3),
        b"\xdd\x00\x00\xff\xff" * (size // 5),
        b"\xde\x00\x40" * (size // 3),
        b"\xdc\x04\x00" * (size // 3),
        b"\xdc\x01\x00" + (b"\xdc\x04\x00" + b"\x90" * 1024) * 240,
        b"\x9f" + (b"\xdc\x04\x00" + b"\xa2ab" * 1024) * 60,
        b"\x91" * size,
        b"\x81\xa1a" * (size // 3),
        b"\xdc\x01\x00" + b"\xca\x00\x00\x00\x00" * 10_000,
    ]


@pytest.mark.parametrize("index", range(len(amplifying_messages())))
def test_what_a_message_costs_in_memory_is_bounded(index: int) -> None:
    data = amplifying_messages()[index]
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            wire.unpack(data)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_packing_refuses_what_could_not_be_read() -> None:
    for changed in (
        {"seq": -1},
        {"actions": [{"type": "x", "y": float("nan")}]},
        {"actions": [{"type": "x", "y": {1}}]},
    ):
        with pytest.raises(WireError):
            wire.pack({**ACT, **changed})
    with pytest.raises(WireError, match="longer"):
        wire.pack({**ACT, "actions": [{"type": "x", "y": ["a" * 1000] * 300}]})


@pytest.mark.process
def test_the_codec_needs_no_zeromq() -> None:
    import subprocess
    import sys

    program = "import arena_player.wire, arena_player.sdk, sys; sys.exit('zmq' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_optional_fields_are_checked() -> None:
    result = {"type": "result", "seq": 1, "results": [None], "delta": [], "events": []}
    result |= {"draws": [], "your_move": True, "clock": {"bank": None, "turn": None}, "legal_actions": 3}
    with pytest.raises(WireError, match="result: legal_actions"):
        wire.check(result)
    shape = {"kind": "point", "x": 1, "y": 1, "color": 7}
    with pytest.raises(WireError, match="color"):
        wire.check({"type": "draw", "seq": 1, "shapes": [shape]})


def test_a_message_that_cannot_be_packed_is_garbled() -> None:
    with pytest.raises(WireError, match="cannot be packed"):
        wire.pack({"type": "log", "text": {1}}, trusted=True)


@pytest.mark.parametrize("kind", [[], {}, None, 1, "strange"])
def test_a_trusted_message_needs_a_known_type(kind: Any) -> None:
    with pytest.raises(WireError):
        wire.unpack(msgpack.packb({"type": kind}), "referee", trusted=True)
