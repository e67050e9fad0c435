"""Valid and invalid messages with their meaning: the source of the test vectors and of the annotated example."""

import struct
from typing import Any, NamedTuple

import msgpack

from arena_player.wire import limits


class Example(NamedTuple):
    """A valid message of the protocol."""

    name: str
    sender: str
    message: dict[str, Any]
    meaning: str


class Counterexample(NamedTuple):
    """Bytes that are no valid message of the protocol."""

    name: str
    sender: str
    data: bytes
    code: str
    meaning: str


SCHEMA: dict[str, Any] = {
    "game": "stroll",
    "title": "Stroll",
    "version": "1.0",
    "hash": "0123456789abcdef",
    "root": "Game",
    "grid": {"width": "width", "height": "height"},
    "classes": {
        "Game": {
            "doc": "A race to the east side.",
            "placed": False,
            "fields": {
                "width": {"type": "int", "doc": "Columns."},
                "height": {"type": "int", "doc": "Rows."},
                "walkers": {"type": "[Walker]", "doc": "All walkers."},
            },
            "actions": {"end_turn": {"doc": "Ends the turn.", "receiver": None, "parameters": [], "returns": None}},
        },
        "Walker": {
            "doc": "Strolls about.",
            "placed": True,
            "fields": {
                "x": {"type": "int?", "doc": "Column."},
                "y": {"type": "int?", "doc": "Row."},
                "owner": {"type": "int", "doc": "The owner of the walker."},
                "mood": {"type": "str", "doc": "The walker's mood.", "choices": ["calm", "cross"]},
            },
            "actions": {
                "walk": {
                    "doc": "Goes to a neighbouring tile.",
                    "receiver": "walker",
                    "parameters": [{"name": "tile", "type": "tile", "keys": ["x", "y"], "doc": "Where to."}],
                    "returns": "Walker",
                }
            },
        },
    },
}

_CLOCK = {"bank": 59.75, "turn": 2.0}
_VIEW = [
    *("game", "+", "Game", "game", "width", 4, "game", "height", 2, "game", "walkers", ["w1", "w2"]),
    *("w1", "+", "Walker", "w1", "x", 0, "w1", "y", 0, "w1", "owner", 0, "w1", "mood", "calm"),
    *("w2", "+", "Walker", "w2", "x", 0, "w2", "y", 1, "w2", "owner", 1, "w2", "mood", "calm"),
]
_LEAVES = ["w2", "x", None, "w2", "y", None, "game", "walkers", ["w1"], "w2", "-", None]

EXCHANGE = (
    Example(
        "hello",
        "client",
        {"type": "hello", "protocol": 1, "client": "my-client/1.0", "schema": None, "legal_actions": True},
        "The client has connected. It knows no schema beforehand and asks for lists of legal actions.",
    ),
    Example(
        "welcome",
        "referee",
        {
            "type": "welcome",
            "protocol": 1,
            "game": "stroll",
            "version": "1.0",
            "schema": SCHEMA,
            "player": 0,
            "players": 2,
            "options": {"width": 4},
            "settings": {"mood": "bold"},
            "clock": {"startup": 5.0, "bank": 60.0, "increment": 0.5, "turn": 2.0, "grace": 0.02},
            "seed": "5f0c2a7e91b34d68",
        },
        "The client is player 0 of 2.",
    ),
    Example(
        "start",
        "referee",
        {"type": "start", "seq": 1, "view": _VIEW},
        "All players are there. The view makes the objects `game`, `w1` and `w2` with all their fields.",
    ),
    Example("ready", "client", {"type": "ready", "seq": 1}, "The client is ready; its start-up time ends here."),
    Example(
        "turn",
        "referee",
        {
            "type": "turn",
            "seq": 2,
            "turn": 0,
            "delta": [],
            "events": [],
            "clock": {"bank": 60.0, "turn": 2.0},
            "legal_actions": [{"type": "end_turn"}, {"type": "walk", "walker": "w1", "x": 1, "y": 0}],
        },
        "Player 0 is to move. Nothing has changed since the view. The clock of the turn runs.",
    ),
    Example(
        "log",
        "client",
        {"type": "log", "seq": 2, "text": "off we go\nheading east"},
        "A note for the bot's author. No answer.",
    ),
    Example(
        "draw",
        "client",
        {
            "type": "draw",
            "seq": 2,
            "shapes": [
                {"kind": "line", "x": 0.5, "y": 0.5, "x2": 1.5, "y2": 0.5, "color": "#ff8800"},
                {"kind": "text", "x": 1.5, "y": 0.5, "text": "goal"},
            ],
        },
        "An arrow for the replay. No answer.",
    ),
    Example(
        "act",
        "client",
        {"type": "act", "seq": 2, "actions": [{"type": "walk", "walker": "w1", "x": 1, "y": 0}]},
        "The reply to the `turn`: one action.",
    ),
    Example(
        "result",
        "referee",
        {
            "type": "result",
            "seq": 3,
            "results": ["w1"],
            "delta": ["w1", "x", 1, "w1", "mood", "cross"],
            "events": [{"kind": "bump", "walker": "w1"}],
            "draws": [["die", 3]],
            "your_move": True,
            "clock": _CLOCK,
            "legal_actions": [{"type": "end_turn"}],
        },
        "It was carried out and returned the walker `w1`. A die showed 3. The same player is still to move.",
    ),
    Example(
        "act-batch",
        "client",
        {
            "type": "act",
            "seq": 3,
            "actions": [{"type": "walk", "walker": "w1", "x": 3, "y": 0}, {"type": "end_turn"}],
        },
        "The reply to the `result`: a batch of two actions.",
    ),
    Example(
        "result-refused",
        "referee",
        {
            "type": "result",
            "seq": 4,
            "results": [{"code": "not_adjacent", "message": "not adjacent"}],
            "delta": [],
            "events": [],
            "draws": [],
            "your_move": True,
            "clock": {"bank": 59.5, "turn": 1.5},
            "legal_actions": [{"type": "end_turn"}],
        },
        "The first was refused and changed nothing; the second was not tried.",
    ),
    Example(
        "act-end-turn",
        "client",
        {"type": "act", "seq": 4, "actions": [{"type": "end_turn"}]},
        "The client ends its turn.",
    ),
    Example(
        "result-waiting",
        "referee",
        {
            "type": "result",
            "seq": 4,
            "results": [None],
            "delta": [],
            "events": [],
            "draws": [],
            "your_move": False,
            "clock": {"bank": 60.0, "turn": None},
        },
        "`your_move` is false: the client waits, and must not send anything. There is no new request and no new `seq`.",
    ),
    Example(
        "turn-after-opponent",
        "referee",
        {
            "type": "turn",
            "seq": 5,
            "turn": 2,
            "delta": _LEAVES,
            "events": [{"kind": "left", "walker": "w2"}],
            "clock": {"bank": 60.0, "turn": 2.0},
            "legal_actions": [{"type": "end_turn"}],
        },
        "The opponent has moved: `w2` has left the board and the game.",
    ),
    Example(
        "act-last",
        "client",
        {"type": "act", "seq": 5, "actions": [{"type": "end_turn"}]},
        "The last action of the match.",
    ),
    Example(
        "result-last",
        "referee",
        {
            "type": "result",
            "seq": 5,
            "results": [None],
            "delta": [],
            "events": [],
            "draws": [],
            "your_move": False,
            "clock": {"bank": 60.0, "turn": None},
        },
        "Accepted. Nobody is to move any more.",
    ),
    Example(
        "over",
        "referee",
        {
            "type": "over",
            "outcome": {"winner": 0, "reason": "alone"},
            "delta": [],
            "events": [],
            "players": [{"name": "ada", "ending": "won"}, {"name": "bob", "ending": "lost"}],
        },
        "The match is over. The client closes its socket and exits.",
    ),
)
"""All messages of one match that one client sends and receives."""

OTHERS = (
    Example(
        "hello-typed",
        "client",
        {"type": "hello", "protocol": 1, "client": "späti 酒場", "schema": "0123456789abcdef", "legal_actions": False},
        "Text is UTF-8. This client was made for one schema.",
    ),
    Example(
        "refused",
        "referee",
        {"type": "refused", "code": "stale_schema", "message": "Run `arena sdk stroll` to renew stroll.py."},
        "The referee refuses this client and closes the connection.",
    ),
    Example(
        "act-every-kind-of-value",
        "client",
        {
            "type": "act",
            "seq": 4294967296,
            "actions": [
                {
                    "type": "try",
                    "null": None,
                    "yes": True,
                    "least": -(2**63),
                    "most": 2**63 - 1,
                    "half": 0.5,
                    "whole": 3.0,
                    "text": "é",
                    "list": [[1, 2], []],
                    "map": {"inner": {}},
                }
            ],
        },
        "Every kind of value an action can have.",
    ),
    Example(
        "draw-whole-numbers",
        "client",
        {"type": "draw", "seq": 1, "shapes": [{"kind": "point", "x": 1, "y": -2}]},
        "An int is accepted as a number.",
    ),
    Example(
        "clock-none",
        "referee",
        {
            "type": "turn",
            "seq": 1,
            "turn": 0,
            "delta": [],
            "events": [],
            "clock": {"bank": None, "turn": None},
        },
        "No clock, and no legal actions because the client did not ask for them.",
    ),
)
"""Messages that are not part of the exchange."""


TURN = next(example.message for example in EXCHANGE if example.message["type"] == "turn")


def counterexamples() -> tuple[Counterexample, ...]:
    """Return bytes that the receiver must refuse, each with the error code of the refusal."""

    def bad(name: str, message: Any, code: str, meaning: str) -> Counterexample:
        data = message if isinstance(message, bytes) else msgpack.packb(message)
        return Counterexample(name, "client", data, code, meaning)

    def refused(name: str, message: Any, code: str, meaning: str) -> Counterexample:
        return bad(f"referee-{name}", message, code, meaning)._replace(sender="referee")

    def turn(value: Any) -> bytes:
        """Return a packed message whose delta ends with `value`. If `value` is bytes, insert it without packing it."""
        filled = msgpack.packb({**TURN, "delta": ["w1", "x", "HERE"]})
        return filled.replace(b"\xa4HERE", value if isinstance(value, bytes) else msgpack.packb(value))

    def act(**entries: Any) -> dict[str, Any]:
        return {"type": "act", "seq": 1, "actions": [{"type": "walk", **entries}]}

    return (
        bad("empty", b"", "garbled", "No bytes at all."),
        bad("never-used-byte", b"\xc1", "garbled", "0xc1 is not used by msgpack."),
        bad("cut-short", msgpack.packb({"type": "ready", "seq": 1})[:-1], "garbled", "The last byte is missing."),
        bad("two-values", msgpack.packb({"type": "ready", "seq": 1}) + b"\xc0", "garbled", "Something follows."),
        bad("bytes", {"type": "ready", "seq": b"1"}, "garbled", "Binary values are not used."),
        bad("extension", b"\x82\xa4type\xa5ready\xa3seq\xd4\x01\x00", "garbled", "Extension types are not used."),
        bad("not-utf-8", b"\x82\xa4type\xa5ready\xa3seq\xa1\xff", "garbled", "Strings are UTF-8."),
        bad("number-as-key", {"type": "ready", 1: 1}, "garbled", "Keys are strings."),
        bad(
            "same-key-twice",
            b"\x83\xa4type\xa5ready\xa3seq\x01\xa3seq\x02",
            "duplicate_key",
            "A map has the same key twice.",
        ),
        bad("array", [1, 2], "not_a_message", "A message is a map."),
        bad("no-type", {"seq": 1}, "not_a_message", "A message has a type."),
        bad("unknown-type", {"type": "resign", "seq": 1}, "unknown_message", "There is no such message."),
        bad("others-message", {"type": "turn"}, "unknown_message", "Only the referee sends this one."),
        bad("field-missing", {"type": "ready"}, "missing_field", "`seq` is missing."),
        bad("field-unknown", {"type": "ready", "seq": 1, "x": 1}, "unknown_field", "There is no field `x`."),
        bad("bool-for-int", {"type": "ready", "seq": True}, "bad_value", "A bool is not an int."),
        bad("float-for-int", {"type": "ready", "seq": 1.0}, "bad_value", "A float is not an int."),
        bad("int-for-bool", {**EXCHANGE[0].message, "legal_actions": 1}, "bad_value", "An int is not a bool."),
        bad("null-for-int", {"type": "ready", "seq": None}, "bad_value", "`seq` is not nullable."),
        bad("65-bit", {"type": "ready", "seq": 2**64 - 1}, "bad_value", "Ints fit into 64 bits with sign."),
        bad("nan", act(x=float("nan")), "bad_value", "Floats are finite."),
        bad("infinity", act(x=float("-inf")), "bad_value", "Floats are finite."),
        bad("no-actions", {"type": "act", "seq": 1, "actions": []}, "bad_value", "A batch has at least one action."),
        bad(
            "too-many-actions",
            {"type": "act", "seq": 1, "actions": [{"type": "x"}] * (limits.BATCH + 1)},
            "bad_value",
            f"A batch has at most {limits.BATCH} actions.",
        ),
        bad("escape-sequence", act(x="\x1b[2J"), "bad_value", "Actions have no control characters."),
        bad(
            "long-text",
            {"type": "log", "seq": 1, "text": "a" * (limits.LOG_TEXT + 1)},
            "bad_value",
            f"A log has at most {limits.LOG_TEXT} characters.",
        ),
        bad("deep", act(x=_nested(limits.DEPTH)), "too_deep", f"More than {limits.DEPTH} levels of containers."),
        bad(
            "many-parts",
            act(x=[[[] for _ in range(100)] for _ in range(100)]),
            "too_many_parts",
            f"More than {limits.CLIENT_PARTS} maps and arrays.",
        ),
        bad(
            "long-array",
            act(x=list(range(limits.CLIENT_ARRAY + 1))),
            "garbled",
            f"An array of a client has at most {limits.CLIENT_ARRAY} entries.",
        ),
        refused("empty", b"", "garbled", "No bytes at all."),
        refused("never-used-byte", turn(b"\xc1"), "garbled", "0xc1 is not used by msgpack."),
        refused("cut-short", turn(1)[:-1], "garbled", "The last byte is missing."),
        refused("two-values", turn(1) + turn(1), "garbled", "Two messages in one frame."),
        refused("extension", turn(b"\xd4\x01\x00"), "garbled", "Extension types are not used."),
        refused("timestamp", turn(b"\xd6\xff\x00\x00\x00\x00"), "garbled", "Not even the standard one."),
        refused("text-cut-short", turn(b"\xdb\xff\xff\xff\xff"), "garbled", "A string longer than the message."),
        refused("array-cut-short", turn(b"\xdd\xff\xff\xff\xff"), "garbled", "An array longer than the message."),
        refused("map-cut-short", turn(b"\xdf\xff\xff\xff\xff"), "garbled", "A map longer than the message."),
        refused("bytes-cut-short", turn(b"\xc6\xff\xff\xff\xff"), "garbled", "Binary longer than the message."),
        refused("not-utf-8", turn(b"\xa1\xff"), "garbled", "Strings are UTF-8."),
        refused("overlong", turn(b"\xa2\xc0\xaf"), "garbled", "UTF-8 has one form for each character."),
        refused("surrogate", turn(b"\xa3\xed\xa0\x80"), "garbled", "A surrogate is not a character."),
        refused("number-as-key", turn({1: 1}), "garbled", "Keys are strings."),
        refused("same-key-twice", turn(b"\x82\xa1x\x01\xa1x\x02"), "duplicate_key", "A map has the same key twice."),
        refused("array", [TURN], "not_a_message", "A message is a map."),
        refused("null", None, "not_a_message", "A message is a map."),
        refused("no-type", {"seq": 1}, "not_a_message", "A message has a type."),
        refused("type-is-a-number", {**TURN, "type": 1}, "not_a_message", "A type is a string."),
        refused("nan", turn(float("nan")), "bad_value", "Floats are finite."),
        refused("infinity", turn(b"\xca\x7f\x80\x00\x00"), "bad_value", "Floats are finite, also short ones."),
        refused("deep", turn(_nested(limits.DEPTH)), "too_deep", f"More than {limits.DEPTH} levels of containers."),
    )


def _nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


class Step(NamedTuple):
    """One delta, and all objects after it."""

    delta: list[Any]
    objects: dict[str, dict[str, Any]]


def folding() -> tuple[Step, ...]:
    """Return a view and deltas, with all objects after each step. The last two deltas combine several actions."""
    game = {"width": 4, "height": 2, "walkers": ["w1", "w2"]}
    first = {"x": 0, "y": 0, "owner": 0, "mood": "calm"}
    second = {"x": 0, "y": 1, "owner": 1, "mood": "calm"}
    start = {
        "game": {"class": "Game", "fields": game},
        "w1": {"class": "Walker", "fields": first},
        "w2": {"class": "Walker", "fields": second},
    }
    cross = {**first, "x": 1, "mood": "cross"}
    walked = {**start, "w1": {"class": "Walker", "fields": cross}}
    left = {"game": {"class": "Game", "fields": {**game, "walkers": ["w1"]}}, "w1": walked["w1"]}
    back = [*("w2", "+", "Walker", "w2", "x", 2, "w2", "y", 1, "w2", "owner", 1, "w2", "mood", "cross")]
    back += ["game", "walkers", ["w1", "w2"]]
    returned = {
        "game": start["game"],
        "w1": walked["w1"],
        "w2": {"class": "Walker", "fields": {**second, "x": 2, "mood": "cross"}},
    }
    both = ["w2", "mood", "calm", *_LEAVES, *back, "w1", "x", 2, "w1", "x", 3]
    twice = {**returned, "w1": {"class": "Walker", "fields": {**cross, "x": 3}}}
    return (
        Step(_VIEW, start),
        Step(["w1", "x", 1, "w1", "mood", "cross"], walked),
        Step(_LEAVES, left),
        Step(back, returned),
        Step(both, twice),
        Step([*back, *_LEAVES], {"game": left["game"], "w1": twice["w1"]}),
    )


def arrays() -> tuple[tuple[list[Any], bytes], ...]:
    """Return deltas of an array of four int16, and the bytes of the array after each delta."""
    first, second = struct.pack("<4h", 1, -2, 3, 0), struct.pack("<4h", 1, 500, 3, 4)
    return (
        (["game", "+", "Game", "game", "cells", first], first),
        (["game", "cells", [2, second[2:4], 6, second[6:7]]], second),
        (["game", "cells", first], first),
        (["game", "cells", []], first),
    )
