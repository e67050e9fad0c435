"""A backup has the whole contest, and restoring one that somebody has changed writes nothing outside of its target."""

import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from contests_toys import add_team, add_version, ladder_bytes, opened, pointed_result, record, write_config

from arena.contests.backup import back_up, restore
from arena.contests.journal.store import FILE
from arena.errors import ArenaError, ExitCode

COPY = "contest/bots/" + "a" * 24


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """The path of the contest.toml of a contest, with its backup beside it in `b.tar`."""
    folder = tmp_path_factory.mktemp("contest")
    path = write_config(folder)
    with opened(path) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
            add_version(contest, team)
        (folder / "played").write_bytes(b"replay")
        result = replace(pointed_result((1.0, 0.0)), replay=str(folder / "played"))
        record(contest, contest.state.active("Red").player, contest.state.active("Blue").player, result=result)
    copy = folder / COPY
    (copy / "data" / ".deep").mkdir(parents=True)
    (copy / ".hidden").write_text("mine")
    (copy / "data" / "run").write_text("#!/bin/sh")
    (copy / "data" / "run").chmod(0o700)
    (copy / "data" / "same").hardlink_to(copy / "data" / "run")
    (copy.parent / f".{copy.name}.1").mkdir()
    (copy.parent / f".{copy.name}.1" / "unfinished").write_text("")
    [replay] = folder.glob("contest/replays/*/*.arena")
    replay.with_name("abcd.tmp.1").write_bytes(b"growing")
    back_up(path, folder / "b.tar")
    return path


@pytest.fixture
def tampered(contest, tmp_path):
    """Writes a backup with other members after (or before) those of a true one, or without one of those."""

    def write(*members, first=False, without=""):
        path = tmp_path / "tampered.tar"
        with tarfile.open(contest.with_name("b.tar")) as known, tarfile.open(path, "w") as out:
            true = [(member, known.extractfile(member)) for member in known if member.name != without]
            for member, data in [*members, *true] if first else [*true, *members]:
                out.addfile(member, data)
        return path

    return write


def member(name, kind=tarfile.REGTYPE, target="", data=b""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, str(target), len(data)
    return info, io.BytesIO(data)


def test_a_restored_backup_has_the_whole_contest(contest, tmp_path):
    restored = restore(contest.with_name("b.tar"), tmp_path / "new")
    copy = tmp_path / "new" / COPY
    assert {path.name for path in copy.rglob("*")} == {"data", ".deep", ".hidden", "run", "same"}
    assert [oct((copy / "data" / name).stat().st_mode & 0o777) for name in ("run", "same")] == ["0o700"] * 2
    assert (copy / "data" / "same").read_text() == "#!/bin/sh"
    assert {path.name for path in copy.parent.glob(".*")} == set()
    [replay] = contest.parent.glob("contest/replays/*/*.arena")
    assert [path.name for path in (tmp_path / "new/contest/replays").rglob("*.*")] == [replay.name]
    with opened(contest) as before, opened(restored) as after:
        assert ladder_bytes(before) == ladder_bytes(after)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def escapes(folder):
    """Members that lead out of the target, or that are something else than a file or a folder of a backup."""
    victim, content = folder / "victim", b"owned"
    through = member(f"{COPY}/x/victim", data=content)
    link, hard = tarfile.SYMTYPE, tarfile.LNKTYPE
    return {
        "a symlink": [member(f"{COPY}/x", link, victim)],
        "a symlink and a file through it": [member(f"{COPY}/x", link, folder), through],
        "a symlink in the place of a folder": [member("contest/bots", link, folder), member(f"{COPY}/x", data=content)],
        "a hard link": [member(f"{COPY}/x", hard, victim)],
        "a hard link and a file over it": [member(f"{COPY}/x", hard, victim), member(f"{COPY}/x", data=content)],
        "a hard link to a symlink": [member(f"{COPY}/x", link, "../y"), member(f"{COPY}/y", hard, f"{COPY}/x"),
                                     member(f"{COPY}/y", data=content)],
        "the hole of the filter": [*long_links(), member("x", data=content)],
        "an absolute name": [member(str(victim), data=content)],
        "a name that leads out": [member("../victim", data=content)],
        "a name that leads out of a copy": [member(f"{COPY}/../../../../victim", data=content)],
        "a device": [member(f"{COPY}/null", tarfile.CHRTYPE)],
        "a block device": [member(f"{COPY}/disk", tarfile.BLKTYPE)],
        "a pipe": [member(f"{COPY}/pipe", tarfile.FIFOTYPE)],
        "a sparse file": [member(f"{COPY}/sparse", tarfile.GNUTYPE_SPARSE)],
        "a name twice": [member("contest.toml", data=content)],
        "a name twice, in another form": [member("./contest.toml", data=content)],
        "a file below a file": [member(f"contest/{FILE}/x", data=content)],
        "a folder in the place of a file": [member("contest.toml", tarfile.DIRTYPE)],
        "a file beside the contest": [member(".bashrc", data=content)],
        "another file of the contest": [member("contest/lock", data=content)],
        "a write-ahead log": [member(f"contest/{FILE}-wal", data=content)],
        "a file among the copies": [member("contest/bots/x.py", data=content)],
        "an unprintable name": [member(f"{COPY}/a\x1b[2J", data=content)],
        "a name without end": [member(f"{COPY}/{'a' * 300}", data=content)],
        "an endless header": [(huge_header(), None)],
    }  # fmt: skip


def long_links():
    """A hole of Python's `data` filter: links are not followed if the path is longer than PATH_MAX (CVE-2025-4517)."""
    part, steps = "d" * 247, "abcdefghijklmnop"
    folders = ["/".join([part] * depth) for depth in range(1, len(steps) + 1)]
    places = [f"{folder}/".removeprefix(f"{part}/") for folder in folders]
    links = [member(f"{place}{step}", tarfile.SYMTYPE, part) for place, step in zip(places, steps, strict=True)]
    long = "/".join([*steps, "l" * 254])
    return [
        *(member(folder, tarfile.DIRTYPE) for folder in folders),
        *links,
        member(long, tarfile.SYMTYPE, "../" * len(steps)),
        member("escape", tarfile.SYMTYPE, f"{long}/.."),
        member("x", tarfile.LNKTYPE, "escape/victim"),
    ]


def huge_header():
    info = tarfile.TarInfo(f"{COPY}/x")
    info.pax_headers = {"comment": "c" * (1 << 20)}
    return info


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("attack", escapes(Path()))
@pytest.mark.promise("backups")
def test_a_tampered_backup_is_refused_before_anything_is_written(tampered, tmp_path, attack, first):
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    backup = tampered(*escapes(tmp_path)[attack], first=first)
    with pytest.raises(ArenaError, match="not a backup") as found:
        restore(backup, tmp_path / "new")
    assert found.value.exit_code == ExitCode.CANNOT_WRITE
    assert found.value.message.isprintable()
    assert victim.read_text() == "untouched"
    assert {path.name for path in tmp_path.iterdir()} == {"tampered.tar", "victim"}


@pytest.mark.parametrize("missing", ["contest.toml", f"contest/{FILE}"])
def test_a_backup_without_a_contest_is_refused(tampered, tmp_path, missing):
    with pytest.raises(ArenaError, match=f"not a backup: it has no {missing}"):
        restore(tampered(without=missing), tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("content", ["empty", "nonsense", "cut off"])
def test_another_file_is_no_backup(contest, tmp_path, content):
    whole = contest.with_name("b.tar").read_bytes()
    contents = {"empty": b"", "nonsense": b"nonsense" * 1000, "cut off": whole[: len(whole) // 2]}
    (tmp_path / "b.tar").write_bytes(contents[content])
    with pytest.raises(ArenaError, match="is not a backup"):
        restore(tmp_path / "b.tar", tmp_path / "new")
    assert {path.name for path in tmp_path.iterdir()} == {"b.tar"}


def test_a_backup_with_a_damaged_journal_leaves_nothing(tampered, tmp_path):
    backup = tampered()
    data = bytearray(backup.read_bytes())
    at = data.index(b"SQLite format 3")
    data[at + 100 : at + 8000] = bytes(7900)
    backup.write_bytes(data)
    with pytest.raises(ArenaError) as found:
        restore(backup, tmp_path / "new")
    assert found.value.exit_code == ExitCode.DAMAGED_JOURNAL
    assert f"{backup}/contest/{FILE}" in found.value.message
    assert {path.name for path in tmp_path.iterdir()} == {"tampered.tar"}


def test_nothing_is_restored_over_a_link(contest, tmp_path):
    (tmp_path / "new").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ArenaError, match="exists"):
        restore(contest.with_name("b.tar"), tmp_path / "new")
    assert not (tmp_path / "elsewhere").exists()
