"""The protocol document, its test vectors and the codec agree."""

import json
from pathlib import Path
from typing import Any

import msgpack
import pytest
import wire_document
import wire_examples

from arena_player import wire
from arena_player.result import Result
from arena_player.schema import parse_schema
from arena_player.world import World

DOCS = Path(__file__).parents[3] / "docs"


def load(name: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((DOCS / "protocol-vectors" / name).read_text())
    return entries


def test_the_document_and_the_vectors_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert wire_document.main([str(DOCS), "--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("vector", load("valid.json"), ids=lambda vector: vector["name"])
def test_valid_vectors_in_both_directions(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["hex"])
    assert wire.unpack(data, vector["sender"]) == vector["message"]
    assert msgpack.unpackb(data) == vector["message"]
    assert wire.unpack(wire.pack(vector["message"]), vector["sender"]) == vector["message"]


@pytest.mark.parametrize("vector", load("invalid.json"), ids=lambda vector: vector["name"])
def test_invalid_vectors(vector: dict[str, Any]) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.unpack(bytes.fromhex(vector["hex"]), vector["sender"])
    assert caught.value.code == vector["error"]


def test_every_message_and_every_code_has_a_vector() -> None:
    assert {vector["message"]["type"] for vector in load("valid.json")} == set(wire.MESSAGES)
    # `too_big` has no vector, because a message over the limit would make the file too large.
    assert {vector["error"] for vector in load("invalid.json")} == set(wire.CODES) - {"too_big"}


def test_the_exchange_keeps_to_the_order_of_the_table() -> None:
    previous = None
    sequence = 0
    for example in wire_examples.EXCHANGE:
        message = wire.MESSAGES[example.message["type"]]
        if previous is not None:
            assert previous in message.follows
        else:
            assert message.follows == ()
        if "seq" in example.message:
            asks = example.sender == "referee" and example.message.get("your_move", True)
            sequence += asks
            assert example.message["seq"] == sequence
        if message.name not in ("log", "draw"):
            previous = message.name


def plain(world: World) -> dict[str, dict[str, Any]]:
    """Return the objects of a world in the form of the test vectors."""
    return {
        identity: {
            "class": thing._class_name,
            "fields": {
                field.name: plain_value(getattr(thing, field.name))
                for field in world.schema.classes[thing._class_name].fields
            },
        }
        for identity, thing in world.objects.items()
        if thing.present
    }


def plain_value(value: Any) -> Any:
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    return getattr(value, "id", value)


def test_deltas_fold_as_the_vectors_say() -> None:
    world = World(parse_schema(wire_examples.SCHEMA), lambda _: Result())
    for step in load("folding.json"):
        world.apply(step["delta"])
        assert plain(world) == step["objects"]


def test_arrays_fold_as_the_vectors_say() -> None:
    cells = {"type": "array", "doc": "", "dtype": "int16", "shape": [4]}
    game = {"doc": "", "placed": False, "fields": {"cells": cells}, "actions": {}}
    world = World(
        parse_schema(wire_examples.SCHEMA | {"root": "Game", "grid": None, "classes": {"Game": game}}),
        lambda _: Result(),
    )
    for step in load("arrays.json"):
        world.apply(msgpack.unpackb(bytes.fromhex(step["hex"])))
        assert world.game.cells.tobytes() == bytes.fromhex(step["value"])
    assert list(world.game.cells) == [1, -2, 3, 0]


def test_the_schema_in_the_document_is_that_of_the_example() -> None:
    text = (DOCS / "protocol.md").read_text()
    shown = text.split("The game Stroll does not exist")[1].split("```json\n")[1].split("```")[0]
    assert json.loads(shown) == wire_examples.SCHEMA


def test_the_document_names_every_field() -> None:
    text = (DOCS / "protocol.md").read_text()
    for message in wire.MESSAGES.values():
        assert f"#### `{message.name}`" in text
        for field in message.fields:
            assert f"`{field.name}`" in text


def test_a_stale_document_is_noticed_and_renewed(tmp_path: Path) -> None:
    (tmp_path / "protocol.md").write_text("<!-- begin: limits -->\nold\n<!-- end: limits -->\n")
    assert wire_document.main([str(tmp_path), "--check"]) == 1
    assert not (tmp_path / "protocol-vectors").exists()
    assert wire_document.main([str(tmp_path)]) == 0
    assert "262,144" in (tmp_path / "protocol.md").read_text()
    assert wire_document.main([str(tmp_path), "--check"]) == 0
