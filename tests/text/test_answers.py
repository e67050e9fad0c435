"""Answers of people and models: every spelling with one meaning is read, and all others have their reason."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from random_positions import GAMES, game_of, random_positions

from arena.game import Document, filled, load
from arena.text.form import order, read
from arena_player.schema import Schema, parse_schema

SALOON = parse_schema(load("saloon").schema())
LEGAL: list[Document] = [
    {"type": "end_turn"},
    {"type": "call_in", "young_gun": "g0", "job": "Sharpshooter"},
    {"type": "move", "cowboy": "c1", "x": 2, "y": 1},
    {"type": "move", "cowboy": "c1", "x": 1, "y": 2},
    {"type": "move", "cowboy": "c2", "x": 3, "y": 1},
    {"type": "play", "cowboy": "c2", "furnishing": "f1"},
    *({"type": "act", "cowboy": "c2", "x": 2, "y": 1, "drunk_direction": word} for word in ("North", "East")),
]
MOVE = LEGAL[2]
MENTIONED = "The answer only mentions orders. Write yours on a line of its own. "


@pytest.mark.parametrize("name", GAMES)
def test_each_legal_action_is_read_as_it_is_written(name: str) -> None:
    game = game_of(name)
    schema = parse_schema(game.schema())
    rng = Random(1)
    for _, _, legal in random_positions(game, seed=1, most=20):
        for action in rng.sample(legal, min(len(legal), 12)):
            document = filled(action, rng)
            text = order(schema, document)
            assert "\n" not in text
            reading = read(schema, text, legal)
            assert (reading.actions, reading.reason) == ((document,), ""), text


def spellings(schema: Schema, document: Document, text: str) -> Iterator[str]:
    """Yield other ways to write an order: those of people in a hurry, of models, and of programs."""
    yield from (text.upper(), text.title(), f'"{text}"', f"'{text}'", f"`{text}`", f"**{text}**", f"  ({text}). ")
    yield from (f"- {text}", f"1. {text}", f"> {text}", f"{text};", f"{text}!", f"Action: {text}", f"Final: **{text}**")
    yield from (f"```\n{text}\n```", f"```text\n{text}\n```", f"<answer>{text}</answer>", f"\\boxed{{{text}}}")
    yield f"I have looked at everything, and this is best:\n\n```\n{text}\n```\nGood luck!"
    yield f"Let me see what is there first.\nThe others are close.\n\n{text}\n"
    yield text.replace(",", ", ")
    first, *rest = text.split()
    yield f"{first}({', '.join(rest)})"
    yield from (json.dumps(document, indent=2), json.dumps([document]), json.dumps({"actions": [document]}))
    yield from (f"```json\n{json.dumps(document)}\n```", f"My order is {json.dumps(document)}, as it should be.")
    yield from (json.dumps({"action": document}), json.dumps({"action": text}), repr(document))
    shouted = {key.upper(): value.upper() if isinstance(value, str) else value for key, value in document.items()}
    texts = {key: str(value) if isinstance(value, int) else value for key, value in document.items()}
    yield from (json.dumps(shouted), json.dumps(texts))
    if not any(isinstance(value, list) for value in document.values()):
        yield ", ".join(f"{key}={value}" for key, value in document.items())


@pytest.mark.parametrize("name", GAMES)
def test_other_spellings_mean_the_same(name: str) -> None:
    game = game_of(name)
    schema = parse_schema(game.schema())
    keys = {"type"}
    for entry in schema.classes.values():
        for action in entry.actions:
            keys |= {action.receiver or "type", *(key for parameter in action.parameters for key in parameter.keys)}
    rng = Random(2)
    for _, _, legal in random_positions(game, seed=2, most=5):
        for action in rng.sample(legal, min(len(legal), 2)):
            document = filled(action, rng)
            written = {key: value for key, value in document.items() if key in keys}  # without what rules add
            for answer in spellings(schema, written, order(schema, document)):
                reading = read(schema, answer, legal)
                assert (reading.actions, reading.reason) == ((document,), ""), answer


@pytest.mark.parametrize(
    "answer",
    [
        "c1.move(2, 1)", "move(c1, 2, 1)", "C1 -> move -> (2|1)", "move c1 to 2,1", "cowboy c1 moves to x=2, y=1",
        "y: 1, x: 2, move, cowboy: c1", "c1 2,1", "MOVE: c1 move @2,1",
        "c2 is busy, so I move c1 to 2,1 because f1 is near.", "{'type': 'move', 'cowboy': 'c1', 'x': 2, 'y': 1}",
        '{"type": "move", "cowboy": "c1", "tile": [2, 1]}', '{"action": "move", "cowboy": "c1", "x": 2, "y": 1}',
        '{"reason": "it is near", "type": "move", "cowboy": "c1", "tile": {"x": 2, "y": 1}}',
        "First c1 move 2,1 seemed bad to me.\n```\nc1 move 2,1\n```", "mov c1 2,1",
    ],
)  # fmt: skip
def test_a_move_in_many_words(answer: str) -> None:
    assert read(SALOON, answer, LEGAL).actions == (MOVE,)


@pytest.mark.parametrize(
    ("answer", "document"),
    [("end", LEGAL[0]), ("End turn.", LEGAL[0]), ("sharpshooter", LEGAL[1]), ("Call in a Sharpshooter!", LEGAL[1]),
     ("c2 play", LEGAL[5]), ("call-in", LEGAL[1]), ("c2 act north", LEGAL[6])],
)  # fmt: skip
def test_what_only_one_legal_action_can_mean_can_be_left_out(answer: str, document: Document) -> None:
    assert read(SALOON, answer, LEGAL).actions == (document,)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("move", "cowboy is missing: one of c1, c2. "),
        ("c1 move", "tile is missing: one of 2,1, 1,2. "),
        ("c2 act 2,1", "drunk_direction is missing: one of North, East. "),
        ("c7 play", "c7 does not fit: c2 play f1 would. "),
        ("call in a Brawler", "Brawler does not fit: g0 call_in Sharpshooter would. "),
        ("c1 move 2,1 or 1,2", MENTIONED),
        ("Options:\n- c1 move 2,1\n- end_turn", MENTIONED),
        ("c1 move 2,1 1,2", "1 is too much in this order. "),
        ("c1 c2 move 2,1", "c2 does not fit: c1 move 2,1 would. "),
        ("c1 walk 2,1", "Unknown here: walk. The answer names no action: one of end_turn, call_in, move, play, act. "),
        ("", "The answer names no action: one of end_turn, call_in, move, play, act. "),
        ('{"type": "move", "cowboy": "c1", "x": 2', "2 does not fit: c1 move 2,1, c1 move 1,2 would. "),
        ("I could move c1 to 2,1. I could also move c1 to 1,2.", f"Unknown here: also. {MENTIONED}"),
        ("I move c1 to 2,1 since it is near. I move c1 to 1,2 since it is far.",
         "The answer has both c1 move 2,1 and c1 move 1,2. Write one order on each line. "),
    ],
)  # fmt: skip
def test_what_is_not_read_has_its_reason(answer: str, reason: str) -> None:
    reading = read(SALOON, answer, LEGAL)
    assert not reading.actions
    assert reading.reason.startswith(reason), reading.reason
    nearest = reading.reason.partition("Legal and nearest: ")[2].rstrip(".").split("; ")
    assert len(nearest) == 3
    assert all(read(SALOON, text, LEGAL).actions[0] in LEGAL for text in nearest)


def test_an_action_that_is_not_legal_is_read_with_its_reason() -> None:
    reading = read(SALOON, "c1 move 9,9", LEGAL)
    assert reading.actions == ({"type": "move", "cowboy": "c1", "x": 9, "y": 9},)
    assert reading.illegal
    assert reading.reason.startswith("c1 move 9,9 is not legal now. Legal and nearest: c1 move ")


def test_several_orders_in_one_answer() -> None:
    later = {"type": "play", "cowboy": "c1", "furnishing": "f3"}  # legal only after the move
    for answer in ("c1 move 2,1\nc1 play f3\nend_turn", "c1 move 2,1; c1 play f3; end turn",
                   "c1 move 2,1, then c1 play f3 and end_turn", json.dumps([MOVE, later, LEGAL[0]])):  # fmt: skip
        assert read(SALOON, answer, LEGAL).actions == (MOVE, later, LEGAL[0]), answer
    mentioned = read(SALOON, "I thought about c1 move 1,2 too.\n\nc1 move 2,1", LEGAL)
    assert (mentioned.actions, mentioned.reason) == ((MOVE,), "Only mentioned, and left out: c1 move 1,2.")
    unread = read(SALOON, "Turn 5:\nc1 move 2,1\nc9 fly 3,3\nI hope it helps.\nend_turn", LEGAL)
    assert unread.actions == (MOVE, LEGAL[0])
    assert unread.reason.startswith("Not read: c9 fly 3,3. Legal and nearest: ")
    cut = read(SALOON, "c1 move 2,1\nc2 move\nend_turn", LEGAL)
    assert cut.actions == (MOVE,)
    assert cut.reason.startswith("tile is missing: one of 3,1. ")


def test_without_the_legal_actions_an_order_is_complete() -> None:
    assert read(SALOON, "c1 move 2,1\nc9 act 0,0 west").actions == (
        {"type": "move", "cowboy": "c1", "x": 2, "y": 1},
        {"type": "act", "cowboy": "c9", "x": 0, "y": 0, "drunk_direction": "West"},
    )
    assert read(SALOON, "move 2,1").reason.startswith("cowboy is missing. Orders: end_turn; YOUNG_GUN call_in ")


@pytest.mark.parametrize(
    "answer",
    ["[" * 90_000, "c1 move " * 12_000, "```" * 30_000, "```\n" * 20_000, "\x00\ud800 \u202e", "'" * 30_001,
     "c1 move " + "9" * 5_000,
     '{"type": "move", ' * 2_000, "c1 move 2,1 or " * 6_000, "c1 f1 2 " * 12_000 + "move", "x: 2\n" * 20_000,
     "answer:\n" * 12_000, "- ; " * 25_000, "f1 " * 30_000],
)  # fmt: skip
def test_strange_answers_take_no_time(answer: str) -> None:
    start = time.process_time()
    reading = read(SALOON, answer, LEGAL)
    assert time.process_time() - start < 2
    assert reading.reason.isprintable()
    assert len(reading.reason) < 1_000


def test_ids_and_words_that_differ_in_case_only_stay_apart() -> None:
    legal: list[dict[str, Any]] = [{"type": "play", "cowboy": name, "furnishing": "f1"} for name in ("a", "A")]
    assert [read(SALOON, f"{name} play f1", legal).actions for name in ("a", "A")] == [(legal[0],), (legal[1],)]


def test_actions_of_two_classes_can_have_one_name() -> None:
    document = json.loads(json.dumps(load("saloon").schema()))
    horse = json.loads(json.dumps(document["classes"]["Cowboy"]).replace('"cowboy"', '"horse"'))
    document["classes"]["Horse"] = horse
    legal = [MOVE, {"type": "move", "horse": "h1", "x": 3, "y": 3}, {"type": "move", "horse": "h1", "x": 4, "y": 3}]
    for answer, meant in (("c1 move 2,1", 0), ("move 3,3", 1), ("h1 move 4,3", 2), ("c1 move", 0)):
        assert read(parse_schema(document), answer, legal).actions == (legal[meant],), answer
    assert read(parse_schema(document), "h1 move", legal).reason.startswith("tile is missing: one of 3,3, 4,3. ")
