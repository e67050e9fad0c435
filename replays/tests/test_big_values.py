"""A replay can be read with any content of a match, and it names the parts that are left out."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from shortened import shortened

import arena_replays.reader
from arena_replays import Reader, Writer, info
from arena_replays.errors import CannotWrite

HEADER = {"game": "toy", "players": [{"name": "a"}]}
FOOTER = {"outcome": {"winner": 0, "reason": "done"}, "digest": "d", "players": [{"name": "a"}]}
MIB = 1024 * 1024


def begun(folder: Path, **header: Any) -> Writer:
    writer = Writer(folder / "big.arena", {**HEADER, **header})
    writer.setup([], [["game", "+", "Toy"]])
    return writer


def ended(writer: Writer) -> Reader:
    """Check the journal and the finished file, and return a reader of the finished file."""
    journal = Reader(writer.path)
    assert journal.problem == ""
    list(journal.frames())
    writer.finish(FOOTER)
    reader = Reader(writer.path)
    assert reader.check() == []
    assert reader.outcome == {"winner": 0, "reason": "done"}
    return reader


def turn(writer: Writer, number: int) -> None:
    writer.turn(number, 0, 10, None, None, b"12345678")


def pixels(step: int, count: int = 7_056) -> list[float]:
    # Only few different values: zlib needs 20 s for millions of different ones.
    return [(step * 1000 + at % 500) / 7 for at in range(count)]


@pytest.mark.parametrize(("in_one_turn", "steps"), [(False, 20), pytest.param(True, 300, marks=pytest.mark.slow)])
def test_many_floats_are_read_as_they_were_written(tmp_path: Path, in_one_turn: bool, steps: int) -> None:
    writer = begun(tmp_path)
    for step in range(steps):
        writer.do(0, {"type": "paint"}, [], [["game", "pixels", pixels(step)]], [[]])
        if not in_one_turn:
            turn(writer, step)
    if in_one_turn:
        turn(writer, 0)
    reader = ended(writer)
    assert (reader.frame_count(), reader.notice) == (steps + 1, "")
    for step in (0, steps // 2, steps - 1):
        assert reader.frame(step + 1)[0][2] == pixels(step)


def test_a_value_of_nearly_a_whole_record_is_recorded(tmp_path: Path) -> None:
    writer = begun(tmp_path)
    text = "x" * (16 * MIB - 5_000)
    writer.do(0, {"type": "write"}, [], [["game", "text", text]], [[]])
    turn(writer, 0)
    reader = ended(writer)
    assert (reader.frame(1)[0][2], reader.notice) == (text, "")


def test_after_a_value_that_is_too_long_the_truth_goes_on_and_the_file_says_so(tmp_path: Path) -> None:
    writer = begun(tmp_path)
    for number, size in enumerate((10, 17 * MIB, 10)):
        writer.do(0, {"type": "write", "size": size}, [], [["game", "text", "x" * size]], [[]])
        turn(writer, number)
    reader = ended(writer)
    assert [entry[0] for entry in reader.truth] == ["setup", *["do", "turn"] * 3]
    assert reader.frame_count() == 2
    assert reader.notice == "A change of this match is larger than a replay can hold: its views end with action 1."
    assert info(writer.path)["notice"] == reader.notice


def test_an_action_that_is_too_long_ends_the_recording_and_the_file_says_so(tmp_path: Path) -> None:
    writer = begun(tmp_path)
    for number, size in enumerate((10, 1 * MIB, 17 * MIB, 10)):
        writer.do(0, {"type": "say", "text": "x" * size}, [], [["game", "x", number]], [[]])
        turn(writer, number)
        assert writer.left_out == ({"truth"} if number > 1 else set())
    journal = Reader(writer.path)
    assert (len(journal.turns), journal.frame_count()) == (2, 3)
    writer.finish({**FOOTER, "turns": 4})
    reader = Reader(writer.path)
    assert reader.check() == []
    assert (len(reader.turns), reader.frame_count()) == (2, 3)
    assert reader.truncated
    assert (
        reader.notice == "An action of this match is larger than a replay can hold: the match is recorded up to turn 2."
    )


def test_of_too_many_notes_the_first_are_kept(tmp_path: Path) -> None:
    writer = begun(tmp_path)
    for number in range(40):
        for _ in range(20):
            writer.note(0, "log", f"{number:04}" * 8_000)
        turn(writer, number)
    reader = ended(writer)
    assert len(reader.turns) == 40
    assert 100 < len(reader.notes) < 800
    assert reader.notice.startswith("The bots wrote too much")


def test_a_header_that_is_too_long_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="header"):
        Writer(tmp_path / "big.arena", {**HEADER, "options": {"map": "x" * 17 * MIB}})
    with pytest.raises(CannotWrite, match="header"):
        Writer(tmp_path / "big.arena", {**HEADER, "options": {"map": [0] * 2_000_000}})
    assert list(tmp_path.iterdir()) == []


def some_value(rng: Random) -> Any:
    match rng.randrange(5):
        case 0:
            return rng.choice((None, 0, 5, -1, 2**40, 0.5, "word"))
        case 1:
            return "y" * rng.choice((0, 1_000, 400_000, 2_000_000))
        case 2:
            return [rng.choice((0, 0.5, "z"))] * rng.choice((0, 100, 50_000, 300_000))
        case 3:
            return [[]] * rng.choice((10, 150_000))
    return {str(key): key for key in range(rng.choice((0, 3, 40_000)))}


@pytest.mark.slow
@pytest.mark.parametrize("seed", shortened(range(12), 3))
def test_anything_that_is_written_can_be_read(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    streams = rng.choice((1, 2))
    writer = Writer(tmp_path / "big.arena", {**HEADER, "streams": streams})
    writer.setup([], [["game", "+", "Toy"]] * streams)
    done = turns = 0
    for _ in range(rng.choice((3, 10, 25))):
        match rng.randrange(6):
            case 0:
                writer.refuse(0, {"type": "go", "value": some_value(rng)}, "no", "no")
            case 1:
                writer.note(0, "draw", [some_value(rng)])
            case 2:
                turn(writer, turns)
                turns += 1
            case _:
                delta = ["game", "value", some_value(rng)]
                action = {"type": "go", "value": some_value(rng) if rng.random() < 0.3 else 1}
                events = [{"kind": "went", "value": some_value(rng) if rng.random() < 0.2 else 1}]
                writer.do(0, action, [], [delta] * streams, [events] * streams)
                done += 1
    assert Reader(writer.path).problem == ""
    writer.finish({**FOOTER, "turns": turns})
    reader = Reader(writer.path)
    assert reader.check() == []
    assert reader.outcome == {"winner": 0, "reason": "done"}
    assert len({reader.frame_count(stream) for stream in range(streams)}) == 1
    if not reader.notice:
        assert reader.frame_count() == done + 1
        assert sum(entry[0] == "do" for entry in reader.truth) == done


def test_all_streams_are_read_side_by_side_without_unpacking_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check reads the frames of all players side by side. With eight players, each record is unpacked only once."""
    streams = 9
    writer = Writer(tmp_path / "many.arena", {**HEADER, "streams": streams})
    writer.setup([], [["game", "+", "Toy"]] * streams)
    for step in range(300):
        writer.do(0, {"type": "paint"}, [], [["game", "pixels", [step] * 20]] * streams, [[]] * streams)
        turn(writer, step)
    ended(writer)
    reader = Reader(writer.path)
    unpacked: list[int] = []
    real = arena_replays.reader._unpacked
    monkeypatch.setattr(
        "arena_replays.reader._unpacked",
        lambda record, budget: unpacked.append(record.offset) or real(record, budget),
    )
    for frame in range(reader.frame_count()):
        for stream in range(streams):
            reader.frame(frame, stream)
    assert len(unpacked) == len(set(unpacked)) >= streams
