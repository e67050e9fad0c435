"""The header commits to the seed, and only the footer has it."""

from pathlib import Path
from typing import Any

import pytest

from arena_replays import DamagedReplay, Reader, Writer, info
from arena_replays.commitment import commitment, new_salt


@pytest.mark.parametrize("seed", [7, -7, "7/x", "é", "\ud800"])
@pytest.mark.promise("small-seeds")
def test_the_commitment_needs_seed_and_salt(seed: int | str) -> None:
    one, other = new_salt(), new_salt()
    assert commitment(seed, one) == commitment(seed, one)
    assert len({commitment(seed, one), commitment(seed, other), commitment(8, one)}) == 3


def test_a_growing_file_has_no_seed(saloonish: Any, tmp_path: Path) -> None:
    path = saloonish.write(tmp_path / "cut.arena", seed=98765, end=False)
    assert Reader(path).seed is None
    assert info(path)["seed"] is None
    assert saloonish.SALT.encode() not in path.read_bytes()
    with pytest.raises(DamagedReplay, match=r"cut.arena has no end, so the seed of its match is unknown."):
        Reader(path).known_seed()


def test_the_end_reveals_the_seed(saloonish: Any, tmp_path: Path) -> None:
    path = saloonish.write(tmp_path / "whole.arena", seed=98765)
    assert Reader(path).known_seed() == info(path)["seed"] == 98765
    assert Reader(path).check() == []


@pytest.mark.promise("other-seed")
def test_another_seed_than_the_promised_one_is_found(saloonish: Any, tmp_path: Path) -> None:
    for number, end in enumerate([{"seed": 8, "salt": saloonish.SALT}, {"seed": 7, "salt": "other"}, {"seed": 7}]):
        writer = Writer(tmp_path / f"{number}.arena", saloonish.header(commitment=commitment(7, saloonish.SALT)))
        writer.finish(end)  # type: ignore[arg-type]
        found = Reader(writer.path).check()
        assert found == ["The seed in the footer is not the one to which the header commits."]


def test_a_copy_without_the_seed_is_whole(saloonish: Any, tmp_path: Path) -> None:
    writer = Writer(tmp_path / "copy.arena", saloonish.header(commitment=commitment(7, saloonish.SALT)))
    writer.finish({})
    assert Reader(writer.path).check() == []
    with pytest.raises(DamagedReplay, match="is a copy without the seed"):
        Reader(writer.path).known_seed()
