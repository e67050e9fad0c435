"""A file that is written in one step."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena_replays.files import replace_file
from arena_replays.source import SMALL, open_source


def test_the_new_file_has_the_permissions_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    replace_file(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)


def test_threads_write_the_same_file_and_readers_see_a_whole_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([number]) * 50_000 for number in range(8)]

    def write(content: bytes) -> bool:
        replace_file(path, content, sync=False)
        return path.read_bytes() in contents

    with ThreadPoolExecutor(8) as executor:
        assert all(executor.map(write, contents * 25))
    assert [*tmp_path.iterdir()] == [path]


def test_after_an_error_the_old_file_stays_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    (path / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="folder"):
        replace_file(path, b"new")
    assert [*tmp_path.iterdir()] == [path]
    assert (path / "inside").is_dir()


def test_a_large_file_is_read_in_parts_without_pread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytes(range(256)) * (SMALL // 256 + 1)
    (tmp_path / "large").write_bytes(data)
    monkeypatch.delattr("os.pread")  # as on Windows
    source, _ = open_source(tmp_path / "large")
    assert source.read(1000, 5000) == data[1000:6000]
    assert source.read(len(data) - 3, 10) == data[-3:]
