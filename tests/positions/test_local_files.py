"""A replay, a trace or a position from somebody else opens no local file that it names."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from in_memory import play

from arena.errors import ArenaError
from arena.game import OptionError, load
from arena.match.position import ReplayPosition
from arena.study.checks.verification import verify
from arena.study.replaying.positions import position_at, read_position
from arena_replays import Reader
from arena_replays.compact import assemble

opened: list[str] = []
"""The names of the files that were opened, while a test looks on."""
watched: list[bool] = []


def watch(event, arguments):
    if event == "open" and watched and isinstance(arguments[0], str | bytes | Path):
        opened.append(str(arguments[0]))


sys.addaudithook(watch)  # it cannot be removed again


MAPS = [("laser_flag", "map", "crossroads"), ("derelict", "mission", "crossways")]


@pytest.fixture(params=MAPS, ids=lambda one: one[0])
def strange(request, tmp_path):
    """A replay whose options name a map by a path, the path, and the option."""
    name, option, supplied = request.param
    path, local = tmp_path / "strange.arena", tmp_path / "elsewhere" / "local.json"
    play(path, name, 1, options={"rules": {"hard_turn_limit": 2}} if name == "laser_flag" else {"turn_limit": 2})
    local.parent.mkdir()
    local.write_text(json.dumps(load(name).load_map(supplied)))
    change(path, options={**Reader(path).header["options"], option: str(local)})
    return name, path, local, option


def change(path, **header):
    reader = Reader(path)
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    path.write_bytes(assemble({**reader.header, **header}, reader.truth, views, reader.notes, reader.footer))


@pytest.fixture
def looked_on():
    opened.clear()
    watched.append(True)
    yield opened
    watched.clear()


def readers(name, path, option, local):
    """Everything that plays a replay, a position, a trace or a view through the rules."""
    yield lambda: verify(path).problem
    yield lambda: position_at(ReplayPosition(str(path), 1))
    yield lambda: load(name).resolve_options({option: str(local)})
    yield lambda: load(name).start({option: str(local)})


@pytest.mark.promise("named-files")
def test_no_map_of_a_replay_is_opened(strange, looked_on):
    name, path, local, option = strange
    found = verify(path)
    assert not found.ok
    assert "There is no supplied map" in found.problem
    for read in list(readers(name, path, option, local))[1:]:
        with pytest.raises((ArenaError, OptionError), match="There is no supplied map"):
            read()
    position = path.with_suffix(".json")
    position.write_text(json.dumps({"game": name, "options": {option: str(local)}, "state": {}}))
    with pytest.raises(ArenaError, match="There is no supplied map"):
        read_position(str(position))
    assert str(path) in opened
    assert str(local) not in opened


@pytest.mark.parametrize("kind", ["elsewhere", "above", "link"])
@pytest.mark.promise("named-files")
def test_no_parent_elsewhere_is_opened(tmp_path, looked_on, kind):
    parent, fork = tmp_path / "elsewhere" / "parent.arena", tmp_path / "here" / "fork.arena"
    for path in (parent, fork):
        path.parent.mkdir()
    play(parent, "snakes", 1, players=2)
    start = position_at(ReplayPosition(str(parent), 2))
    play(fork, "snakes", 2, start, players=2)
    file = {"elsewhere": str(parent), "above": "../elsewhere/parent.arena", "link": "parent.arena"}[kind]
    if kind == "link":
        fork.with_name("parent.arena").symlink_to(parent)
    change(fork, parent={**Reader(fork).header["parent"], "file": file})
    position = fork.with_name("position.json")
    position.write_text(json.dumps(start.to_document() | {"parent": {**start.to_document()["parent"], "file": file}}))
    opened.clear()
    assert verify(fork).parent == "missing"
    with pytest.raises(ArenaError, match="does not name a replay beside it"):
        read_position(str(position), same_dice=True)
    assert not [name for name in opened if name.endswith("parent.arena")]
    if kind != "link":
        fork.with_name("parent.arena").write_bytes(parent.read_bytes())
        assert verify(fork).parent == "verified"
        place = ReplayPosition(str(parent), 2)
        assert read_position(str(position), same_dice=True).dice == position_at(place, same_dice=True).dice != ()
