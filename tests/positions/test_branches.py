"""The tree of branches beside a replay."""

import contextlib
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from in_memory import name_parent, play

from arena.checks.verification import verify
from arena.errors import ArenaError
from arena.match.position import ReplayPlace
from arena.replaying.branches import ROOT, BranchTree
from arena.replaying.course import course as steps_of
from arena.replaying.positions import position_at
from arena_replays import Reader, ReplayError


def fork(tree, parent, frame, seed=1, game="snakes", players=3):
    """Play a branch from a frame of the whole course of another one, and return its id."""
    id_, path = tree.new()
    play(path, game, seed, position_at(tree.place(parent, frame)), players)
    return id_


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "root.arena"
    play(root, "snakes", 2, players=3)
    return BranchTree(root)


def test_fifty_branches_survive_a_restart(tree):
    frames = Reader(tree.root).frame_count()
    for number in range(50):
        assert fork(tree, ROOT, number % (frames - 3), seed=number) == f"b{number + 1}"
    tree.describe("b7", name="Calm", note="Why not?")
    again = BranchTree(tree.root)
    assert again.branches() == tree.branches()
    assert len(again.branches()) == 51
    assert {branch.parent for branch in again.branches()[1:]} == {ROOT}
    assert (again.branches()[7].name, again.branches()[7].note) == ("Calm", "Why not?")
    assert again.new()[0] == "b51"


def test_the_course_of_a_branch_of_a_branch_is_one_match(tree):
    first = fork(tree, ROOT, 4)
    length = len(list(Reader(tree.course(first)).frames()))
    assert length == 4 + Reader(tree.path(first)).frame_count()
    second = fork(tree, first, length - 3, seed=5)
    assert tree.parent_of(second) == first
    course = tree.root.with_name("course.arena")
    course.write_bytes(tree.course(second))
    *_, last = steps_of(Reader(course))
    assert last.state.digest() == Reader(course).footer["digest"]
    assert "verify the files of both" in verify(course).problem
    assert list(Reader(course).frames(stop=5)) == list(Reader(tree.root).frames(stop=5))
    assert [one.parent for one in tree.branches()] == [None, ROOT, first]


def test_a_frame_before_the_branch_belongs_to_its_parent(tree):
    first = fork(tree, ROOT, 6)
    assert Path(tree.place(first, 6).replay) == tree.root
    assert Path(tree.place(first, 7).replay) == tree.path(first)
    assert tree.place(first, 6) == tree.place(ROOT, 6)


def test_a_branch_whose_parent_was_changed_is_marked(tree):
    first = fork(tree, ROOT, 6)
    second = fork(tree, first, 8)
    play(tree.path(first), "snakes", 77, position_at(tree.place(ROOT, 3)), 3)
    assert {one.id: one.changed for one in tree.branches()} == {ROOT: False, first: False, second: True}


@pytest.mark.parametrize("complete", [True, False], ids=["complete", "incomplete"])
def test_a_branch_is_not_joined_with_another_match(tree, complete):
    first = fork(tree, ROOT, 6)
    if not complete:  # as of a match that is still being played
        tree.path(first).write_bytes(tree.path(first).read_bytes()[:-1])
    second = fork(tree, first, 8)
    assert Reader(tree.course(second)).frame_count() > 8
    play(tree.path(first), "snakes", 77, position_at(tree.place(ROOT, 3)), 3)
    for seen in (tree, BranchTree(tree.root)):
        with pytest.raises(ArenaError, match=rf"branch {second} .*b1\.arena"):
            seen.course(second)
        with pytest.raises(ArenaError, match=f"branch {second} "):
            seen.place(second, 8)


def test_a_parent_that_cannot_be_read_leaves_the_branch(tree):
    first = fork(tree, ROOT, 6)
    second = fork(tree, first, 8)
    tree.path(first).write_bytes(b"no replay")
    found = tree.branches()
    assert [(one.id, one.parent, one.changed) for one in found] == [
        (ROOT, None, False),
        (first, None, False),
        (second, first, True),
    ]
    assert found[1].result.startswith("cannot be read")
    assert tree.page().count('id="arena-replay-') == 1


def test_a_branch_that_was_cut_off_after_its_header_is_listed(tree):
    path = tree.path(fork(tree, ROOT, 6))
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with contextlib.suppress(ReplayError):
            if Reader(path).header:
                break
    assert not Reader(path).truth
    assert [(one.parent, one.result) for one in tree.branches()[1:]] == [(ROOT, "not finished")]
    assert tree.page().count('id="arena-replay-') == 1


def test_a_missing_parent_leaves_the_branch(tree):
    first = fork(tree, ROOT, 6)
    second = fork(tree, first, 8)
    tree.path(first).unlink()
    assert [(one.id, one.parent) for one in tree.branches()] == [(ROOT, None), (second, None)]
    with pytest.raises(ArenaError, match="is missing"):
        tree.course(second)


def test_one_page_holds_the_tree(tree):
    first = fork(tree, ROOT, 6)
    fork(tree, first, 8)
    tree.describe(first, name="</script><b>", note="")
    text = tree.page()
    config = text.split('id="arena-config">')[1].split("</script>")[0]
    assert [node["id"] for node in json.loads(config)["tree"]] == [ROOT, "b1", "b2"]
    assert text.count('id="arena-replay-') == 3


@pytest.mark.parametrize("id_", ["b9", "../root", "b1/../../root", "."])
def test_nothing_outside_of_the_tree_is_read(tree, id_):
    fork(tree, ROOT, 2)
    with pytest.raises(ArenaError, match="There is no branch"):
        tree.path(id_)


def test_unusable_notes_are_no_notes(tree):
    fork(tree, ROOT, 2)
    (tree.folder / "tree.json").write_text('{"branches": {"b1": 3, "": {"name": 4}}}')
    assert [one.name for one in tree.branches()] == ["", ""]
    (tree.folder / "b2.arena").write_text("no replay")
    assert tree.branches()[2].result.startswith("cannot be read")


def test_files_with_other_names_are_no_branches(tree):
    first = fork(tree, ROOT, 2)
    copy = tree.folder / "b1 (copy).arena"
    copy.write_bytes(tree.path(first).read_bytes())
    (tree.folder / "b2.arena").mkdir()
    play(tree.folder / "b3.arena", "snakes", 1, position_at(ReplayPlace(str(copy), 3)), 3)
    assert [(one.id, one.parent) for one in tree.branches()] == [(ROOT, None), (first, ROOT), ("b3", None)]


@pytest.mark.parametrize("file", ["\0", "x" * 300 + ".arena"], ids=["a zero byte", "a long name"])
def test_a_branch_can_name_a_parent_that_no_file_can_be(tree, file):
    first, second = (fork(tree, ROOT, 2) for _ in range(2))
    name_parent(tree.path(second), file)
    assert [(one.id, one.parent) for one in tree.branches()] == [(ROOT, None), (first, ROOT), (second, None)]
