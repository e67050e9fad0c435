"""Matches that start from a position of a replay: what they record, what is checked, and what stays hidden."""

import json
import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from in_memory import name_parent, play

from arena.errors import ArenaError
from arena.game import Seeded, load
from arena.match.job import SeatAssignment
from arena.match.limits import Policy
from arena.match.position import Position, ReplayPosition
from arena.play.memory import MatchInMemory, play_in_memory
from arena.play.referee.carrying import Resident, hand_over
from arena.play.referee.match import Match
from arena.study.checks.verification import verify
from arena.study.replaying.course import course
from arena.study.replaying.positions import position_at, read_position, state_at
from arena_player import wire
from arena_replays import Reader, info


@pytest.fixture(scope="module")
def saloon(tmp_path_factory):
    path = tmp_path_factory.mktemp("parent") / "saloon.arena"
    play(path, "saloon", 7)
    return path


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a.arena@57", ReplayPosition("a.arena", 57)),
        ("a@b/x.arena@1.12", ReplayPosition("a@b/x.arena", 1, 12)),
        ("x@2:57.3", ReplayPosition("x", 57, 3, 2)),
        ("x.json", None),
        ("x@", None),
        ("x@3:1", None),
        ("x@1.", None),
    ],
)
def test_places_are_read(text, place):
    assert ReplayPosition.parse(text) == place


def test_turns_are_numbered_from_1(saloon):
    first = next(course(Reader(saloon)))
    assert (first.turn, first.action, first.state.turn_number()) == (1, 0, 0)
    assert state_at(saloon, 1).digest() == first.state.digest()


def test_a_position_is_what_a_match_starts_with(saloon, tmp_path):
    start = position_at(ReplayPosition(str(saloon), 20, 2))
    fork = tmp_path / "fork.arena"
    play(fork, "saloon", 1, start)
    reader = Reader(fork)
    assert reader.truth[0] == ["position", json.loads(json.dumps(start.state))]
    assert reader.header["start"] == {"turn": 20, "first": 0}
    assert info(fork)["parent"] == {
        "chain": Reader(saloon).chain,
        "turn": 20,
        "action": 2,
        "file": f"../{saloon.parent.name}/saloon.arena",
        "same_dice": False,
    }
    again = next(course(reader))
    assert (again.turn, again.state.digest()) == (20, state_at(saloon, 20, 2).digest())


def test_same_actions_and_same_dice_give_the_same_end(tmp_path):
    parent, fork = tmp_path / "parent.arena", tmp_path / "fork.arena"
    play(parent, "derelict", 5)
    draws = [entry[3] for entry in Reader(parent).truth if entry[0] == "do"]
    turn = next(one.turn for one in course(Reader(parent)) if one.turn > 4)
    assert any(draws)

    def end(same_dice, seed):
        start = position_at(ReplayPosition(str(parent), turn), same_dice=same_dice)
        actions = iter(recorded)
        players = [lambda _: next(actions)] * 2
        return play_in_memory("derelict", players, seed=seed, start=start, replay=fork).digest

    entry = next(one.entries for one in course(Reader(parent)) if one.turn == turn)
    recorded = [entry[2] for entry in Reader(parent).truth[entry:] if entry[0] == "do"]
    assert end(True, 1) == end(True, 2) == Reader(parent).footer["digest"]
    assert verify(fork).parent == "verified"


def test_a_changed_parent_is_noticed(saloon, tmp_path):
    parent, fork = tmp_path / "parent.arena", tmp_path / "fork.arena"
    parent.write_bytes(saloon.read_bytes())
    play(fork, "saloon", 1, position_at(ReplayPosition(str(parent), 9)))
    assert verify(fork).parent == "verified"
    play(parent, "saloon", 8)
    found = verify(fork)
    assert (found.ok, found.parent, found.turn) == (False, "differs", None)
    assert found.problem == f"its parent {parent} was changed, or is another match"
    parent.unlink()
    assert (verify(fork).ok, verify(fork).parent) == (True, "missing")
    assert verify(fork, saloon).parent == "verified"


@pytest.mark.parametrize("file", ["\0", "x" * 300, "..", ""])
def test_a_parent_that_no_file_can_be_is_missing(saloon, tmp_path, file):
    fork = tmp_path / "fork.arena"
    play(fork, "saloon", 1, position_at(ReplayPosition(str(saloon), 9)))
    name_parent(fork, file)
    assert (verify(fork).ok, verify(fork).parent) == (True, "missing")


def test_a_position_whose_parent_has_no_path_has_nothing_to_repeat(saloon, tmp_path):
    start = position_at(ReplayPosition(str(saloon), 9)).to_document()
    file = tmp_path / "position.json"
    file.write_text(json.dumps({**start, "parent": {**start["parent"], "file": ""}}))
    assert read_position(str(file)).turn == 9
    with pytest.raises(ArenaError, match="does not name a replay beside it, so there is nothing to repeat"):
        read_position(str(file), moves=True)


def test_a_position_that_the_parent_never_had_is_noticed(saloon, tmp_path):
    start = position_at(ReplayPosition(str(saloon), 9))
    forged = {**start.to_document(), "state": position_at(ReplayPosition(str(saloon), 11)).state}
    play(tmp_path / "fork.arena", "saloon", 1, Position.from_document(forged))
    found = verify(tmp_path / "fork.arena", saloon)
    assert (found.ok, found.parent) == (False, "differs")
    assert "its position is not that of its parent" in found.problem


def test_a_forged_first_view_is_noticed(saloon, tmp_path, monkeypatch):
    path = tmp_path / "forged.arena"
    start = position_at(ReplayPosition(str(saloon), 9))
    other = load("saloon").load(position_at(ReplayPosition(str(saloon), 11)).state, start.options)
    from arena.play.referee import recording

    class Forged(recording.Writer):
        def position(self, state, view0):
            super().position(state, [other.view() for _ in view0])

    monkeypatch.setattr(recording, "Writer", Forged)
    MatchInMemory("saloon", [None, None], seed=1, start=start, replay=path).close()
    found = verify(path)
    assert "first view 0" in found.problem
    assert found.turn is None


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("0", "begins with turn 1"),
        ("999", "ends with turn 60"),
        ("5.400", "Turn 5 of"),
        ("2:5", "There is no replay of leg 2 beside"),
    ],
)
def test_a_place_that_does_not_exist_is_one_message(saloon, place, message):
    with pytest.raises(ArenaError, match=message) as error:
        read_position(f"{saloon}@{place}")
    assert error.value.exit_code == 4


def test_a_position_of_another_game_is_refused(saloon):
    with pytest.raises(ArenaError, match="is a position of saloon, not of snakes"):
        read_position(f"{saloon}@5", load("snakes"))


@pytest.mark.parametrize("whole", [True, False])
def test_a_state_document_is_a_position(saloon, tmp_path, whole):
    start = position_at(ReplayPosition(str(saloon), 12, 1))
    file = tmp_path / "state.json"
    file.write_text(json.dumps(start.to_document() if whole else start.state))
    found = read_position(str(file), load("saloon"), Reader(saloon).header["options"])
    assert (found.state, found.turn, found.first) == (start.state, 12, 0)
    assert found.parent == (start.parent if whole else None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a JSON object"),
        ("[1]", "is not a JSON object"),
        ('{"a": 1}', "is not a state of saloon"),
        ('{"game": "saloon", "options": {}, "state": {"current_turn": []}}', "is not a state of saloon"),
        ('{"game": "saloon", "options": {"nonsense": 1}, "state": {}}', "nonsense"),
        ('{"game": "no_such_game", "options": {}, "state": {}}', "no_such_game"),
    ],
)
def test_an_unusable_document_is_one_message(tmp_path, text, message):
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(ArenaError, match=message):
        read_position(str(tmp_path / "state.json"), load("saloon"))


@pytest.mark.parametrize(
    ("game", "options", "step"),
    [("derelict", {}, 7), ("laser_flag", {"rules": {"fog_of_war": True}}, 31), ("snakes", {}, 1)],
)
def test_a_fork_sends_nothing_hidden(tmp_path, game, options, step):
    """Compare the bytes that a player gets in worlds that differ only in what is hidden from this player."""
    spec = load(game)
    parent = tmp_path / "parent.arena"
    play(parent, game, 11, options=options)
    compared = 0
    for number, place in enumerate(course(Reader(parent))):
        if number % step or not place.state.to_move():
            continue
        assert place.state.hides_information()
        given = place.state.options
        for player in range(spec.players_in(given)):
            view = place.state.view(player)
            guesses = [spec.state.determinize(view, player, Random(seed), given) for seed in range(3)]
            worlds = {json.dumps(world.to_document()): world for world in (place.state, *guesses)}
            assert len({what_a_player_gets(spec, world, player) for world in worlds.values()}) == 1
            compared += len(worlds) > 1
    assert compared > 3


class Heard(Resident):
    """A player who starts up, and keeps all bytes that come."""

    data = b""

    def send(self, message):
        if message["type"] != "turn":
            self.data += wire.pack(message, trusted=True)
        super().send(message)


def what_a_player_gets(spec, state, player):
    """Return the bytes that a player gets before anybody acts."""
    state = spec.load(state.to_document(), state.options)
    seats = [SeatAssignment("", f"player {number}") for number in range(spec.players_in(state.options))]
    match = Match(spec, state, seats, Seeded(3), spec.clock, Policy())
    ends = [Heard(match, number, lambda _: None) for number in range(len(seats))]
    match.start_next()
    hand_over(match, ends, None)
    assert match.playing
    return ends[player].data
