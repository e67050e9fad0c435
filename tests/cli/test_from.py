"""Positions on the command line: `play --from`, the seat `replay`, `replay info` and `verify`."""

import json
from pathlib import Path

import pytest

from arena_replays import Reader

pytestmark = pytest.mark.process
REPLAYS = Path(__file__).parents[1] / "replays"


@pytest.fixture(scope="module")
def parent(tmp_path_factory):
    from arena.testing import play_match

    path = tmp_path_factory.mktemp("parent") / "parent.arena"
    bots = ["builtin:castaway"] * 2
    assert play_match("derelict", bots, seed=4, replay=path).players
    return path


def place_in_the_middle(parent):
    """Return the middle decision of the match, which is in the middle of a turn."""
    from arena.study.replaying.course import course

    found = [one for one in course(Reader(parent)) if one.action and one.state.to_move()]
    middle = found[len(found) // 2]
    return f"{parent}@{middle.turn}.{middle.action}"


def test_replay_on_both_seats_with_the_same_dice_is_the_same_match(arena, parent, tmp_path):
    fork = tmp_path / "fork.arena"
    found = arena(
        "play",
        "derelict",
        "replay",
        "replay",
        "--from",
        place_in_the_middle(parent),
        "--seed",
        "replay",
        "--replay",
        fork,
    )
    assert found.code == 0, found.stderr
    assert Reader(fork).footer["digest"] == Reader(parent).footer["digest"]
    verified = arena("replay", "verify", fork)
    assert verified.code == 0
    assert ", without its parent, which is not beside it; its draws were not compared with a seed" in verified.stdout
    assert arena("replay", "verify", fork, "--parent", parent).stdout.endswith(", its parent\n")


def test_a_position_as_json_is_a_position(arena, parent, tmp_path):
    document, fork = parent.with_name("position.json"), tmp_path / "fork.arena"
    document.write_text(arena("replay", "info", place_in_the_middle(parent), "--json").stdout)
    bots = ("replay", "builtin:castaway")
    found = arena("play", "derelict", *bots, "--from", document, "--replay", fork, "--json")
    assert found.code == 0, found.stderr
    known = json.loads(arena("replay", "info", fork, "--json").stdout)["parent"]
    assert known["chain"] == Reader(parent).chain


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--from", "{parent}@999"), 4, "has no turn 999"),
        (("--from", "{parent}@1", "--option", "turn_limit=3"), 2, "takes the options of that match"),
        (("--from", "nowhere.arena@3"), 9, "cannot be opened"),
        (("--seed", "replay"), 2, "--seed replay needs --from"),
        (("--from", "{parent}@1", "--replay", "{parent}"), 6, "is an input of this command"),
    ],
)
def test_a_wrong_position_is_one_message(arena, parent, arguments, code, message):
    given = [argument.format(parent=parent) for argument in arguments]
    found = arena("play", "derelict", "builtin:castaway", "builtin:castaway", *given)
    assert found.code == code
    assert message in found.stderr


def test_the_seat_replay_needs_a_parent(arena):
    found = arena("play", "derelict", "replay", "builtin:castaway")
    assert found.code == 5
    assert "The bot `replay` can play only in a match that starts from a replay" in found.stderr


@pytest.mark.parametrize("turn", [1, 39, 999])
def test_a_picture_of_a_match_from_a_position_names_its_turns(arena, tmp_path, turn):
    fork, landed = tmp_path / "fork.arena", REPLAYS / "saloon.arena"
    assert arena("play", "saloon", "replay", "replay", "--from", f"{landed}@40", "--replay", fork).code == 0
    last = len(Reader(landed).turns)
    found = arena("replay", "export", fork, "--png", str(turn))
    assert found.code == 4
    assert f"has no turn {turn}. Its turns are 40 to {last}, and 0 is the start." in found.stderr


def test_an_opening_book_is_played_both_ways(arena, parent, tmp_path):
    book = tmp_path / "positions.txt"
    book.write_text(f"# a comment\n\n{parent}@3\n{parent}@5.1\n")
    found = arena(
        "compare", "derelict", "builtin:castaway", "builtin:castaway", "--from", book, "--games", "4", "--json"
    )
    assert found.code == 0, found.stderr
    document = json.loads(found.stdout)
    assert (document["games"], document["positions"], sum(document["pairs"])) == (4, 2, 2)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("# nothing", 4, "has no positions"),
        ("nowhere.arena@3", 9, "cannot be opened"),
        (None, 4, "cannot be read"),
    ],
)
def test_a_wrong_book_is_one_message(arena, tmp_path, text, code, message):
    if text is not None:
        (tmp_path / "positions.txt").write_text(text)
    found = arena("compare", "derelict", "builtin:castaway", "builtin:castaway", "--from", "positions.txt")
    assert found.code == code
    assert message in found.stderr


def test_rerun_takes_a_position_as_well(arena, parent):
    found = arena("rerun", f"{parent}@3", "builtin:castaway", "--player", "0", "--json")
    assert found.code == 0, found.stderr
