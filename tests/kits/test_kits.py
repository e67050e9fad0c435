"""All kits decode, fold and play alike."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, cast

import msgpack
import pytest
import wire_examples
import zmq
from fake_referee import FakeReferee
from languages import NEEDED, Programs, build, generated

from arena.sdk import languages as kits
from arena_player import wire
from arena_player.schema import ARRAYS

pytestmark = [pytest.mark.process, pytest.mark.slow]

VECTORS = Path(__file__).parents[2] / "docs" / "protocol-vectors"
W2_LEAVES = ["w2", "x", None, "w2", "y", None, "game", "walkers", ["w1"], "w2", "-", None]
W2_COMES = [
    *("game", "walkers", ["w1", "w2"], "w2", "+", "Walker", "w2", "x", 2),
    *("w2", "y", 1, "w2", "mood", "cross"),
]


def load(name: str) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], json.loads((VECTORS / name).read_text(encoding="utf-8")))


@pytest.fixture(scope="module", params=["python", *kits.LANGUAGES])
def language(request: pytest.FixtureRequest, need_program: Callable[[str], str]) -> str:
    chosen: str = request.param
    for program in NEEDED[chosen]:
        need_program(program)
    return chosen


@pytest.fixture(scope="module")
def programs(language: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    cache = request.config.rootpath / ".pytest_cache" / "kits"
    cache.mkdir(parents=True, exist_ok=True)
    return build(language, tmp_path_factory.mktemp(language), cache)


@pytest.fixture
def ask(programs: Programs) -> Callable[[list[str]], list[str]]:
    if not programs.vectors:
        pytest.skip("the tests of the Python kit do it")

    def answers(lines: list[str]) -> list[str]:
        text = "".join(f"{line}\n" for line in lines)
        done = subprocess.run(programs.vectors, input=text, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    return answers


@pytest.mark.parametrize("language", kits.SDKS)
def test_committed_classes_are_up_to_date(language: str) -> None:
    for path, text in generated(language).items():
        assert path.read_text(encoding="utf-8") == text, "`python tests/kits/languages.py` writes them again"


def test_valid_messages_are_decoded_and_encoded(ask: Callable[[list[str]], list[str]]) -> None:
    vectors = load("valid.json")
    answers = ask([f"decode {vector['hex']}" for vector in vectors])
    assert [msgpack.unpackb(bytes.fromhex(line)) for line in answers] == [vector["message"] for vector in vectors]


def test_invalid_messages_are_refused(ask: Callable[[list[str]], list[str]]) -> None:
    vectors = [vector for vector in load("invalid.json") if vector["sender"] == "referee"]
    assert len(vectors) > 20
    answers = ask([f"decode {vector['hex']}" for vector in vectors])
    assert answers == [f"error {vector['error']}" for vector in vectors]


def test_deltas_fold_as_the_vectors_say(ask: Callable[[list[str]], list[str]]) -> None:
    steps = load("folding.json")
    answers = ask([f"fold {msgpack.packb({'type': 'turn', 'delta': step['delta']}).hex()}" for step in steps])
    for line, step in zip(answers, steps, strict=True):
        assert msgpack.unpackb(bytes.fromhex(line)) == {"type": "objects", **step["objects"]}


@pytest.mark.parametrize("delta", [["w9", "x", 1], ["w9", "+", "Ghost"], ["w9", "-", None], ["game", "width"]])
def test_deltas_that_do_not_fit_are_refused(ask: Callable[[list[str]], list[str]], delta: list[Any]) -> None:
    assert ask([f"fold {msgpack.packb({'type': 'turn', 'delta': delta}).hex()}"]) == ["error bad_value"]


INTEGERS = [2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]


def test_large_integers_keep_their_value(ask: Callable[[list[str]], list[str]]) -> None:
    steps = [["w1", "+", "Walker"], *(["w1", "x", number] for number in INTEGERS)]
    answers = ask([f"fold {msgpack.packb({'type': 'turn', 'delta': step}).hex()}" for step in steps])[1:]
    assert [msgpack.unpackb(bytes.fromhex(line))["w1"]["fields"]["x"] for line in answers] == INTEGERS


@pytest.mark.parametrize("number", [2**63, 2**64 - 1])
def test_integers_of_more_than_64_bits_with_sign_are_refused(
    ask: Callable[[list[str]], list[str]], number: int
) -> None:
    messages = [{"type": "turn", "delta": ["w1", "x", number]}, {"type": "turn", "view": {"deep": [number]}}]
    assert ask([f"decode {msgpack.packb(message).hex()}" for message in messages]) == ["error bad_value"] * 2


def changed(delta: list[Any]) -> str:
    return f"array {msgpack.packb({'type': 'turn', 'delta': delta}).hex()}"


def test_arrays_fold_as_the_vectors_say(ask: Callable[[list[str]], list[str]]) -> None:
    steps = load("arrays.json")
    answers = ask([changed(msgpack.unpackb(bytes.fromhex(step["hex"]))) for step in steps])
    for line, step in zip(answers, steps, strict=True):
        numbers = memoryview(bytes.fromhex(step["value"])).cast("h")
        assert msgpack.unpackb(bytes.fromhex(line))["cells"] == list(numbers)


@pytest.mark.parametrize("dtype", ARRAYS)
def test_arrays_of_each_type(ask: Callable[[list[str]], list[str]], dtype: str) -> None:
    letter = ARRAYS[dtype]
    last = 0.5 if "float" in dtype else 100 if dtype.startswith("u") else -100
    numbers = [1, 0, last]
    whole = struct.pack(f"<3{letter}", *numbers)
    span = [struct.calcsize(letter), struct.pack(f"<{letter}", 7)]
    answers = ask([changed(["game", "+", "Game", "game", f"{dtype}s", value]) for value in (whole, span)])
    assert [msgpack.unpackb(bytes.fromhex(line))[f"{dtype}s"] for line in answers] == [numbers, [1, 7, last]]


@pytest.mark.parametrize("value", [[7, b"12"], [-1, b"1"], [2**40, b"1"], [0], "text", b"123"])
def test_arrays_that_do_not_fit_are_refused(ask: Callable[[list[str]], list[str]], value: Any) -> None:
    whole, wrong = (["game", "+", "Game", "game", "cells", one] for one in (b"12345678", value))
    assert ask([changed(whole), changed(wrong)])[1] == "error bad_value"


def test_random_numbers_are_those_of_python(ask: Callable[[list[str]], list[str]]) -> None:
    seeds = ["0", "5f0c2a7e91b34d68", "00000000ffffffff", f"{2**128 - 1:x}"]
    for line, seed in zip(ask([f"random {seed}" for seed in seeds]), seeds, strict=True):
        *order, number, one, large = line.split()
        generator = Random(int(seed, 16))
        expected = list(range(10))
        generator.shuffle(expected)
        assert list(map(int, order)) == expected
        assert number == struct.pack(">d", generator.random()).hex()
        assert (int(one), int(large)) == (generator.randrange(1), generator.randrange(2**32 - 1))


# --- conversations -------------------------------------------------------------------------


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[FakeReferee]:
    view = next(example.message["view"] for example in wire_examples.EXCHANGE if example.name == "start")
    with FakeReferee(tmp_path, wire_examples.SCHEMA, view) as fake:
        yield fake


def play(probe: tuple[str, ...], referee: FakeReferee, script: Callable[[FakeReferee], Any]) -> tuple[int, str, str]:
    """Run a script against the probe; return its exit code, standard output and standard error."""
    referee.run(script)
    environment = {**os.environ, "ARENA_ENDPOINT": referee.endpoint}
    done = subprocess.run(probe, capture_output=True, text=True, env=environment, timeout=30, check=False)
    referee.finish()
    return done.returncode, done.stdout, done.stderr


def walk(x: int, y: int) -> dict[str, Any]:
    return {"type": "walk", "walker": "w1", "x": x, "y": y}


END = {"type": "end_turn"}


def whole_match(fake: FakeReferee) -> None:
    hello = fake.enter(seed="5f0c2a7e91b34d685f0c2a7e91b34d68")
    assert (hello["protocol"], hello["schema"], hello["legal_actions"]) == (1, "0123456789abcdef", False)
    assert fake.turn(0)["actions"] == [walk(1, 0)]
    assert fake.result(value="w1", delta=["w1", "x", 1, "w1", "mood", "cross"])["actions"] == [END]
    fake.result(your_move=False)
    assert fake.turn(1, W2_LEAVES)["actions"] == [walk(2, 0), walk(0, 1), END]
    assert fake.result(1, ("not_adjacent", "too far"), ["w1", "x", 2])["actions"] == [END]
    fake.result(your_move=False)
    assert fake.turn(2, W2_COMES)["actions"] == [walk(3, 0)]
    fake.result(0, ("too_late", "time is over"), your_move=False)
    first = fake.turn(3)
    assert (first["actions"], first["keep_going"]) == ([walk(3, 1)] * wire.limits.BATCH, True)
    refusal = {"code": "no", "message": "not now"}
    second = fake.result(results=[refusal, "w1", *[None] * (wire.limits.BATCH - 3), refusal])
    assert (second["actions"], second["keep_going"]) == ([walk(3, 1)] * 6, True)
    last = fake.result(6)
    assert (last["actions"], "keep_going" in last) == ([END], False)
    fake.result(your_move=False)
    assert fake.turn(4)["actions"] == [walk(0, 0)]
    fake.over("won", "crashed")


def test_a_whole_match(programs: Programs, referee: FakeReferee) -> None:
    code, output, errors = play(programs.probe, referee, whole_match)
    assert (code, errors) == (0, "")
    assert output.splitlines() == [
        "start 0 bold 6 8",
        "refused walk not_adjacent",
        "refused walk too_late",
        "refused walk no",
        "refused walk no",
        "end won 1 0 14",
    ]
    texts = [message["text"] for message in referee.received if message["type"] == "log"]
    generator = Random(0x5F0C2A7E91B34D685F0C2A7E91B34D68)
    assert texts == [
        "1 w1 cross 1 1",
        "0 1 1",
        "1 \n0 not_adjacent\n0 not_tried",
        f"1 1 cross 0\n{generator.randrange(1000)} {generator.randrange(7)} 1 line\nbreak ?.",
        "too_late not_your_turn",
        f"{wire.limits.BATCH + 6} no 1 0 no 1",
    ]
    shapes = [message["shapes"] for message in referee.received if message["type"] == "draw"]
    assert shapes == [
        [
            {"kind": "line", "x": 2.5, "y": 0.5, "x2": 1.5, "y2": 0.5, "color": "red"},
            {"kind": "rectangle", "x": 2, "y": 0, "x2": 3, "y2": 2},
            {"kind": "text", "x": 2.5, "y": 1.5, "text": "h?i"},
        ]
    ]


def refuse(fake: FakeReferee) -> None:
    fake.send("refused", code="stale_schema", message="Run arena sdk.")


def enter_and(then: Callable[[FakeReferee], Any]) -> Callable[[FakeReferee], None]:
    def script(fake: FakeReferee) -> None:
        fake.enter()
        then(fake)

    return script


def hello_and(then: Callable[[FakeReferee], Any]) -> Callable[[FakeReferee], None]:
    def script(fake: FakeReferee) -> None:
        fake.receive()
        then(fake)

    return script


def turn_and(then: Callable[[FakeReferee], Any]) -> Callable[[FakeReferee], None]:
    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.turn(0)
        then(fake)

    return script


@pytest.mark.parametrize(
    ("script", "expected", "message"),
    [
        pytest.param(hello_and(refuse), 4, "refused the bot: Run arena sdk.", id="refused after hello"),
        pytest.param(enter_and(refuse), 4, "refused the bot", id="refused after ready"),
        pytest.param(turn_and(refuse), 4, "refused the bot", id="refused after act"),
        pytest.param(hello_and(lambda fake: fake.over("void", "no_start")), 0, "", id="over after hello"),
        pytest.param(enter_and(lambda fake: fake.over("won", "no_start")), 0, "", id="over after ready"),
        pytest.param(turn_and(lambda fake: fake.over("lost", "won")), 0, "", id="over after act"),
        pytest.param(
            enter_and(lambda fake: fake.result(your_move=False)), 3, "unexpected message: result", id="result"
        ),
        pytest.param(turn_and(lambda fake: fake.send("start", seq=2, view=[])), 3, "unexpected message", id="start"),
        pytest.param(turn_and(lambda fake: send_turn(fake)), 3, "unexpected message: turn", id="turn after act"),
        pytest.param(enter_and(lambda fake: send_turn(fake, ["w9", "x", 1])), 3, "", id="unknown object"),
        pytest.param(enter_and(lambda fake: fake.send_bytes(b"\xc1")), 3, "sent an invalid message", id="garbage"),
        pytest.param(enter_and(lambda fake: send_plain(fake, type="gossip")), 3, "message", id="unknown message"),
        pytest.param(hello_and(lambda fake: send_plain(fake, type="turn", seq=1)), 3, "turn", id="turn after hello"),
        pytest.param(turn_and(lambda fake: late(fake)), 0, "", id="late result"),
        pytest.param(enter_and(lambda fake: None), 3, "connection to the referee is lost", id="lost"),
        pytest.param(lambda fake: turn_nine(fake), 1, "run_turn returned without an action", id="no action"),
    ],
)
def test_ends(
    programs: Programs, referee: FakeReferee, script: Callable[[FakeReferee], Any], expected: int, message: str
) -> None:
    code, _, errors = play(programs.probe, referee, script)
    assert code == expected, errors
    assert (message in errors) if message or expected else not errors
    assert "Traceback" not in errors


def test_a_value_of_another_type_than_the_bot_expects_is_a_mistake_of_the_bot(
    programs: Programs, referee: FakeReferee
) -> None:
    def script(fake: FakeReferee) -> None:
        fake.enter()
        send_turn(fake, number=5)

    code, _, errors = play(programs.probe, referee, script)
    assert code == 1, errors
    assert "referee" not in errors


def test_a_batch_of_long_actions_is_split_by_bytes(programs: Programs, referee: FakeReferee) -> None:
    actions = [{"type": "walk", "walker": "w" * 400, "x": x, "y": 0} for x in range(1000)]

    def script(fake: FakeReferee) -> None:
        fake.enter()
        first = fake.turn(6)["actions"]
        second = fake.result(len(first))["actions"]
        assert first + second == actions
        assert 600 < len(first) <= wire.fitting(actions)
        assert fake.result(len(second))["actions"] == [END]
        fake.over("won", "crashed")

    code, _, errors = play(programs.probe, referee, script)
    assert (code, errors) == (0, "")
    assert [note["text"] for note in referee.received if note["type"] == "log"] == ["1000 1"]


def send_plain(fake: FakeReferee, flags: int = 0, **message: Any) -> None:
    """Send what may be no message of the table."""
    fake.send_bytes(cast(bytes, msgpack.packb(message)), flags)


def send_turn(fake: FakeReferee, delta: list[Any] | None = None, number: int = 9) -> None:
    send_plain(fake, type="turn", seq=9, turn=number, delta=delta or [], events=[], clock={"bank": None, "turn": None})


def late(fake: FakeReferee) -> None:
    """End the match during the turn, and send the result of the action after that."""
    fake.over("lost", "won")
    with contextlib.suppress(zmq.Again):  # the program may have left already, and then nobody takes the message
        send_plain(
            fake,
            zmq.DONTWAIT,
            type="result",
            seq=2,
            results=[None],
            delta=["w9", "x", 1],
            your_move=True,
        )


def turn_nine(fake: FakeReferee) -> None:
    fake.enter()
    assert fake.turn(9)["actions"] == [END]
    error = {"code": "not_now", "message": "you must move"}
    clock = {"bank": None, "turn": None}
    rest = {"delta": [], "events": [], "draws": [], "your_move": True, "clock": clock}
    fake.send("result", seq=2, results=[error], **rest)


def test_no_referee(programs: Programs) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ARENA_ENDPOINT"}
    done = subprocess.run(programs.probe, capture_output=True, text=True, env=environment, timeout=30, check=False)
    assert done.returncode == 3
    assert "ARENA_ENDPOINT is not set" in done.stderr
