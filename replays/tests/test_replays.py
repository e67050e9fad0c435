from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

import arena_replays.reader
from arena_replays import Reader, Writer, fold
from arena_replays.errors import CannotWrite
from arena_replays.state import view


def test_what_is_written_is_read(saloonish: Any, tmp_path: Path) -> None:
    game = saloonish.Saloonish(5, 20)
    draws, first = game.setup()
    writer = Writer(tmp_path / "a.arena", saloonish.header())
    writer.setup(draws, [first])
    expected_truth: list[Any] = [["setup", draws]]
    expected_frames: list[Any] = [([*first], [])]
    states = []
    turn = 0
    for step in game.play():
        writer.do(step.player, step.action, [3, 0.5], [step.delta], [step.events])
        expected_truth.append(["do", step.player, step.action, [3, 0.5]])
        expected_frames.append((step.delta, step.events))
        if step.ends_turn:
            writer.turn(turn, step.player, 1000, None, 60_000_000, b"digest00")
            expected_truth.append(["turn", turn, step.player, 1000, None, 60_000_000, b"digest00"])
            states.append({name: dict(fields) for name, fields in game.objects.items()})
            turn += 1
    for reader in (Reader(tmp_path / "a.arena"), _finished(writer)):
        assert reader.truth == expected_truth
        assert [tuple(frame) for frame in reader.frames()] == expected_frames
        assert [turn.number for turn in reader.turns] == list(range(20))
        for index, state in enumerate(states):
            assert reader.state_at(index) == state
        start: dict[str, dict[str, Any]] = {}
        fold(start, first)
        assert reader.state_at(-1) == start


def _finished(writer: Writer) -> Reader:
    writer.finish({"outcome": {"winner": 1}})
    return Reader(writer.path)


def test_a_finished_file_is_sound_and_within_its_size(replay: Path) -> None:
    reader = Reader(replay)
    assert reader.check() == []
    assert not reader.truncated
    assert reader.outcome == {"winner": 0, "reason": "max_turns/score"}
    assert len(reader.turns) == 192
    assert replay.stat().st_size <= 30_000


def test_a_part_of_a_file_shows_about_that_part_of_the_match(saloonish: Any, tmp_path: Path) -> None:
    data = saloonish.write(tmp_path / "long.arena", turns=1000).read_bytes()
    for share in (0.45, 0.7, 0.9):
        reader = Reader(data[: int(share * len(data))])
        assert reader.truncated
        assert len(reader.turns) > (share - 0.15) * 1000
        assert reader.frame_count() > (share - 0.15) * Reader(data).frame_count()
        assert reader.state_at(len(reader.turns) // 2)
    flipped = bytearray(data)
    flipped[int(0.45 * len(data))] ^= 1
    assert len(Reader(bytes(flipped)).turns) > 0.3 * 1000


def test_several_streams_and_chunks(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "hidden.arena", {"game": "cards", "streams": 3})
    writer.setup([], [["a", "+", "Card", "a", "face", 0]] * 3)
    for turn in range(3000):
        deltas = [["a", "face", turn], ["a", "face", turn], []]
        writer.do(0, {"type": "turn_over"}, [], deltas, [[{"kind": "seen"}], [], []])
        writer.turn(turn, 0, 10, None, None, b"12345678")
    writer.finish({})
    reader = Reader(tmp_path / "hidden.arena")
    assert reader.check() == []
    for turn in (2999, 5, 1024, 1500, 0):
        assert reader.state_at(turn)["a"]["face"] == turn
        assert reader.state_at(turn, 2)["a"]["face"] == 0
    assert reader.frame(2001, 0) == (["a", "face", 2000], [{"kind": "seen"}])
    assert reader.frame(2001, 2) == ([], [])
    with pytest.raises(IndexError):
        reader.frame(3001)


def test_notes_endings_and_the_turn_that_was_cut_short(saloonish: Any, tmp_path: Path) -> None:
    writer = Writer(tmp_path / "crash.arena", saloonish.header())
    writer.setup([], [["game", "+", "Game"]])
    writer.turn(0, 0, 5, 5, 5, b"12345678")
    writer.note(1, "log", "hello")
    writer.do(1, {"type": "end_turn"}, [], [["game", "x", 1]], [[]])
    writer.note(1, "stderr", b"Trace\xff")
    writer.refuse(1, {"type": "move"}, "dead", "the cowboy is dead")
    writer.seat(1, "crashed", "exited with code 1")
    writer.finish({"outcome": {"winner": 0, "reason": "done"}, "players": [{"ending": "won"}, {"ending": "crashed"}]})
    reader = Reader(tmp_path / "crash.arena")
    assert [(n.turn, n.frame, n.kind, n.payload) for n in reader.notes_of(1)] == [
        (1, 1, "log", "hello"),
        (1, 2, "stderr", "Trace\ufffd"),
    ]
    assert [(t.number, t.player, t.first, t.last, t.digest) for t in reader.turns] == [
        (0, 0, 1, 1, b"12345678"),
        (1, 1, 1, 2, None),
    ]
    assert reader.refusals[0].code == "dead"
    assert (reader.endings[0].turn, reader.endings[0].ending) == (1, "crashed")
    assert reader.state_at(1) == {"game": {"class": "Game", "x": 1}}
    text = "\n".join(arena_replays.log(tmp_path / "crash.arena"))
    assert "player 1 log: hello" in text
    assert "turn 1 of player 0 took" in text, "turns count from 1"
    assert "refused: dead (the cowboy is dead)" in text
    assert "player 1 ended: crashed exited with code 1" in text
    assert text.endswith('Outcome: {"winner": 0, "reason": "done"}')


def test_info(replay: Path, journal: Path) -> None:
    found = arena_replays.info(replay)
    assert found["game"] == "saloon"
    assert found["turns"] == 192
    assert found["players"][0]["ending"] == "won"
    assert found["digest"] == "31323334" * 4
    assert not found["truncated"]
    assert arena_replays.info(journal)["truncated"]


def test_a_growing_file_is_followed_to_its_end(saloonish: Any, tmp_path: Path) -> None:
    path = tmp_path / "live.arena"
    game = saloonish.Saloonish(5, 30)
    writer = Writer(path, saloonish.header())
    draws, first = game.setup()
    writer.setup(draws, [first])
    seen: list[int] = []
    wait = threading.Event()

    def watch() -> None:
        for reader in Reader(path).follow(0.001):
            seen.append(len(reader.turns))
            assert reader.state_at(len(reader.turns) - 1)["game"]["current_turn"] == len(reader.turns)
            wait.set()

    watching = threading.Thread(target=watch)
    watching.start()
    turn = 0
    for step in game.play():
        writer.do(step.player, step.action, [], [step.delta], [step.events])
        if step.ends_turn:
            wait.wait(10)
            wait.clear()
            writer.turn(turn, step.player, 5, None, None, b"12345678")
            turn += 1
    wait.wait(10)
    writer.finish({})
    watching.join(10)
    assert not watching.is_alive()
    assert seen[0] == 0
    assert seen[-1] == 30
    assert seen == sorted(seen)


def test_an_older_file_stays_until_the_new_one_has_a_header(saloonish: Any, replay: Path, tmp_path: Path) -> None:
    path = tmp_path / "again.arena"
    path.write_bytes(replay.read_bytes())
    writer = Writer(path, saloonish.header(leg=99))
    assert Reader(path).header["leg"] == 99
    writer.abandon()
    assert Reader(path).truncated
    assert [entry.name for entry in tmp_path.iterdir()] == ["again.arena"]


def test_places_that_cannot_be_written(saloonish: Any, tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="cannot be written: no such file"):
        Writer(tmp_path / "none" / "a.arena", saloonish.header())
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(CannotWrite, match="is a directory"):
        Writer(folder, saloonish.header())
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_one_message(saloonish: Any, tmp_path: Path) -> None:
    writer = Writer(tmp_path / "a.arena", saloonish.header())
    writer.setup([], [["game", "+", "Game"]])
    assert writer._file is not None
    with open("/dev/full", "wb", buffering=0) as full:
        os.dup2(full.fileno(), writer._file.fileno())
    with pytest.raises(CannotWrite, match="no space left"):
        writer.turn(0, 0, 1, None, None, b"12345678")


def test_a_view_is_a_delta_from_nothing(replay: Path) -> None:
    state = Reader(replay).state_at(50)
    again: dict[str, dict[str, Any]] = {}
    fold(again, view(state))
    assert again == state


def test_a_long_match_with_many_objects_is_recorded_whole_and_seeks_by_keyframes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(tmp_path / "long.arena", {"game": "toy", "players": [{"name": "a"}]})
    names = [f"object {number}" for number in range(400)]
    everything = [part for name in names for part in (name, "+", "Thing", name, "x", 0)]
    writer.setup([], [everything])
    moves = [part for name in names for part in (name, "x", 1)]
    for turn in range(500):
        events = [{"kind": "step", "thing": name, "x": turn} for name in names[:20]]
        writer.do(0, {"type": "move", "to": turn}, [], [[*moves[:-1], turn]], [events])
        writer.turn(turn, 0, 10, None, None, b"12345678")
    writer.finish({"outcome": {"winner": 0, "reason": "done"}, "digest": "d", "players": [{"name": "a"}]})
    reader = Reader(writer.path)
    assert reader.check() == []
    assert (reader.outcome, len(reader.turns)) == ({"winner": 0, "reason": "done"}, 500)
    assert (reader.frame_count(), reader.notice, reader.truncated) == (501, "", False)
    folded: list[int] = []
    real = arena_replays.reader.fold
    monkeypatch.setattr("arena_replays.reader.fold", lambda *given: folded.append(1) or real(*given))
    for frame in (499, 100, 300):
        folded.clear()
        assert reader.state_after(frame)["object 399"]["x"] == frame - 1
        assert len(folded) < 60


def test_known_keys_with_a_value_of_another_type_are_left_out(tmp_path: Path) -> None:
    header = {
        "game": 7,
        "title": "Toy",
        "players": [7, {"name": 3, "bot": "b.py"}, {"name": "c"}],
        "clock": [],
        "own": 1,
    }
    writer = Writer(tmp_path / "odd.arena", header)
    writer.setup([], [[]])
    writer.finish(
        {"outcome": {"winner": "x", "ranks": [1]}, "digest": 5, "players": [{"score": "1"}, 3], "turns": None}
    )
    reader = Reader(writer.path)
    players = [{"name": "player 0"}, {"name": "player 1", "bot": "b.py"}, {"name": "c"}]
    assert reader.header == {"title": "Toy", "players": players, "own": 1, "streams": 1}
    assert reader.footer == {"outcome": {"winner": None, "reason": "", "ranks": [1]}, "players": [{}, {}]}


def test_turns_have_their_numbers_in_the_match(saloonish: Any, journal: Path, tmp_path: Path) -> None:
    reader = Reader(journal)
    assert reader.turns[0].number == 0, "these rules count from 0"
    assert reader.number_of(0) == 1
    assert reader.check() == [f"The file has no end: it ends with turn {len(reader.turns)}."]
    header = {**saloonish.header(), "start": {"turn": 37, "first": 1}}
    for numbers, ends, known in [
        ((), "turn 37", [37]),
        ((37, 38, 41), "turn 41", [37, 38, 41, 42]),
    ]:
        writer = Writer(tmp_path / "later.arena", header)
        writer.position({}, [[]])
        writer.do(0, {"type": "pass"}, [], [[]], [[]])
        for number in numbers:
            writer.turn(number, 0, 1, 1, None, bytes(8))
        writer.abandon()
        later = Reader(tmp_path / "later.arena")
        assert later.check() == [f"The file has no end: it ends with {ends}."]
        assert [later.number_of(index) for index in range(len(known))] == known
