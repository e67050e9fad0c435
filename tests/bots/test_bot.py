"""What is taken as a bot, and what is refused with a message."""

from __future__ import annotations

import io
import os
import shutil
import socket
import struct
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.bot import Bot, load_bot
from arena.bots.folders import files as folders
from arena.bots.folders import parser
from arena.bots.folders.archive import left_out_of
from arena.bots.folders.files import BUILT, content_hash, left_out, left_out_in_words
from arena.bots.folders.manifest import check_name
from arena.errors import ArenaError
from arena.game import BuiltinBot, load


def refused(reference: Path | str, **options: Any) -> str:
    with pytest.raises(ArenaError) as caught:
        load_bot(reference, **options)
    return caught.value.message


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


@pytest.mark.process
def test_a_single_file(tmp_path: Path) -> None:
    write(tmp_path, quick__py="print(1)\n", other__py="SECRET = 1\n")
    bot = load_bot(tmp_path / "quick.py")
    assert (bot.name, bot.entry, bot.language, bot.files) == ("quick", "quick.py", "python", ("quick.py",))
    assert len(bot.content_hash) == 64


@pytest.mark.process
def test_a_single_file_brings_the_modules_it_imports_and_no_others(tmp_path: Path) -> None:
    write(
        tmp_path,
        quick__py="import helper, os\nfrom package.part import thing\nif 0:\n    from later import x\n",
        helper__py="from deeper import x\nimport quick\n",
        deeper__py="",
        later__py="",
        others__py="",
        notes__txt="",
    )
    write(tmp_path / "package", __init____py="", part__py="import wanted_by_part\n")
    (tmp_path / "package" / "__init__.py").write_text("")
    write(tmp_path, wanted_by_part__py="")
    files = load_bot(tmp_path / "quick.py").files
    assert files == ("deeper.py", "helper.py", "later.py", "package", "quick.py", "wanted_by_part.py")


@pytest.mark.process
def test_a_folder_with_a_manifest(tmp_path: Path) -> None:
    write(
        tmp_path / "mine",
        bot__toml='name = "Piano Man"\ngame = "saloon"\npython = "play.py"\ndescription = "Plays."\n',
        play__py="pass\n",
    )
    bot = load_bot(tmp_path / "mine")
    assert (bot.name, bot.game, bot.entry, bot.description) == ("Piano Man", "saloon", "play.py", "Plays.")
    assert load_bot(tmp_path / "mine" / "play.py") == bot


@pytest.mark.process
def test_a_folder_without_a_manifest_needs_main(tmp_path: Path) -> None:
    assert load_bot(write(tmp_path / "plain", main__py="pass")).name == "plain"
    assert "neither bot.toml nor main.py" in refused(write(tmp_path / "empty"))


@pytest.mark.process
def test_a_command_in_another_language(tmp_path: Path) -> None:
    folder = write(tmp_path / "js", bot__toml='name = "JS"\ncommand = ["node", "bot.js"]\n', bot__js="")
    bot = load_bot(folder)
    assert (bot.language, bot.command, bot.entry) == ("node", ("node", "bot.js"), "")
    (folder / "bot.toml").write_text('command = ["./run"]\n')
    assert "run" in refused(folder)
    (folder / "run").write_text("#!/bin/sh\n")
    assert "bot.toml names the program ./run, which is not executable" in refused(folder)
    (folder / "run").chmod(0o755)
    assert load_bot(folder).name == "js"


def test_a_builtin_bot_needs_its_game(tmp_path: Path) -> None:
    write(tmp_path, greedy__py="pass")
    game = replace(load("saloon"), bots=(BuiltinBot("Greedy", tmp_path / "greedy.py", "A bot."),))
    assert load_bot("builtin:Greedy", game).name == "Greedy"
    assert "no game is given" in refused("builtin:Greedy")


@pytest.mark.process
def test_a_bot_for_another_game_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "other", bot__toml='game = "chess"\npython = "main.py"\n', main__py="")
    assert load_bot(folder).game == "chess"
    assert refused(folder, game=load("saloon")) == "The bot other is for chess, not for saloon."


@pytest.mark.process
@pytest.mark.parametrize(
    ("manifest", "word"),
    [
        ("name = 1\npython = 'main.py'", "name must be a text"),
        ("nam = 'x'", "bot.toml:1: nam is not known here (did you mean name?)"),
        ("name = 'x'", "Give either python"),
        ("python = 'a.py'\ncommand = ['x']", "Give either python"),
        ("python = '../other/main.py'", "inside the bot's folder"),
        ("python = '/etc/passwd'", "inside the bot's folder"),
        ("python = 'absent.py'", "absent.py"),
        ("command = ['../x']", "inside the bot's folder"),
        ("command = 'node bot.js'", "list of texts"),
        ("command = ['']", "names no program"),
        ("name = 'a/b'\npython = 'main.py'", "parts of a path"),
        ("name = '\\u001b[2J'\npython = 'main.py'", "parts of a path"),
        ('name = "\\u001b[2J"\npython = "main.py"', "control characters"),
        ('name = "\\u202e"\npython = "main.py"', "control characters"),
        ('name = "\\u3164 \\ufe0f"\npython = "main.py"', "no visible character"),
        (f"name = '{'x' * 10_000}'\npython = 'main.py'", "10000 characters"),
        ("python = 'main.py'\ndescription = '''a\nb'''", "printable"),
        ("= broken", "not valid TOML"),
        ("name = 2027-01-31\npython = 'main.py'", 'The value 2027-01-31 is a time. For a text, write "2027-01-31".'),
    ],
)
def test_wrong_manifests(tmp_path: Path, manifest: str, word: str) -> None:
    message = refused(write(tmp_path / "bad", bot__toml=manifest, main__py="pass"))
    assert word in message
    assert message.replace("\n", " ").isprintable()


@pytest.mark.process
def test_all_defects_of_a_manifest_at_once_each_with_its_line(tmp_path: Path) -> None:
    folder = write(tmp_path / "bad", bot__toml="game = 3\npyton = 'main.py'\npython = '/x'", main__py="")
    lines = refused(folder).splitlines()
    assert [line.partition("bot.toml:")[2][:9] for line in lines[:3]] == ["1: game m", "2: pyton ", "3: python"]


@pytest.mark.process
def test_an_unknown_key_gets_a_proposal(tmp_path: Path) -> None:
    folder = write(tmp_path / "bad", bot__toml="pyton = 'main.py'", main__py="")
    with pytest.raises(ArenaError) as caught:
        load_bot(folder)
    assert "pyton is not known here (did you mean python?)" in caught.value.message


def test_missing_and_foreign_things(tmp_path: Path) -> None:
    assert "There is no bot at" in refused(tmp_path / "absent")
    assert "is not a bot" in refused(write(tmp_path, notes__txt="") / "notes.txt")


@pytest.mark.process
def test_a_syntax_error_is_reported_with_its_line(tmp_path: Path) -> None:
    message = refused(write(tmp_path, bad__py="x = 1\ndef broken(:\n") / "bad.py")
    assert "bad.py, line 2" in message


@pytest.mark.process
@pytest.mark.parametrize("suffix", ["", ".zip"])
@pytest.mark.parametrize(
    ("start", "message"),
    [
        (
            b"#!/bin/sh\r\nexec cat\r\n",
            "its first line ends with a carriage return, so it names the interpreter '/bin/sh",
        ),
        (b"\xef\xbb\xbf#!/bin/sh\nexec cat\n", "its first line begins with a byte order mark"),
    ],
)
@pytest.mark.parametrize("key", ["command", "build"])
def test_a_script_that_windows_has_written(tmp_path: Path, key: str, start: bytes, message: str, suffix: str) -> None:
    build = 'build = {command = ["./run.sh"], output = ["bot"]}\n' if key == "build" else ""
    folder = write(tmp_path / "odd", bot__toml=f'command = ["./{"bot" if build else "run.sh"}"]\n{build}')
    (folder / "run.sh").write_bytes(start)
    (folder / "run.sh").chmod(0o755)
    if suffix:
        zipped(tmp_path / "odd.zip", {path.name: path.read_bytes() for path in folder.iterdir()})
    told = refused(f"{folder}{suffix}", cache=tmp_path / "cache")
    assert told.startswith(f"{folder}{suffix}/run.sh cannot start: {message}")


@pytest.mark.process
def test_what_is_known_about_a_file_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    good = write(tmp_path, good__py="import helper, os\n", helper__py="x = '\\d'\nreturn\n") / "good.py"
    assert load_bot(good).files == ("good.py", "helper.py")
    assert "bad.py, line 1" in refused(write(tmp_path, bad__py="return\n") / "bad.py")
    monkeypatch.setattr(parser.Parser, "_ask", lambda *arguments: pytest.fail("it is known already"))
    assert load_bot(good).files == ("good.py", "helper.py")
    assert "bad.py, line 1" in refused(tmp_path / "bad.py"), "with the name that it has now"
    (tmp_path / "bad.py").rename(tmp_path / "other.py")
    assert "other.py, line 1: 'return' outside function" in refused(tmp_path / "other.py")
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert load_bot(write(tmp_path, good__py="import os\n") / "good.py").files == ("good.py",)


@pytest.mark.process
def test_the_memory_of_files_is_limited_and_may_be_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(parser, "MAX_REMEMBERED", 10)
    for number in range(30):
        load_bot(write(tmp_path, bot__py=f"x = {number}\n") / "bot.py")
    folder = tmp_path / "cache" / "arena" / "sources"
    assert 1 <= len(list(folder.iterdir())) <= 10
    for file in folder.iterdir():
        file.write_text("[1, 2")
    assert load_bot(tmp_path / "bot.py").files == ("bot.py",)
    shutil.rmtree(folder)
    folder.write_text("in the way")
    assert load_bot(tmp_path / "bot.py").files == ("bot.py",)


@pytest.mark.process
def test_nothing_of_a_bot_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    load_bot(write(tmp_path, bot__py=f"open({str(mark)!r}, 'w')\n") / "bot.py")
    assert not mark.exists()


def test_links_stay_inside(tmp_path: Path) -> None:
    folder = write(tmp_path / "linked", main__py="pass", data__txt="1")
    (folder / "again.txt").symlink_to("data.txt")
    load_bot(folder)
    (folder / "shadow").symlink_to("/etc/shadow")
    assert "the link shadow leaves" in refused(folder)
    (folder / "shadow").unlink()
    (folder / "up").symlink_to("..", target_is_directory=True)
    assert "the link up leaves" in refused(folder)
    (folder / "up").unlink()
    (folder / "loop").symlink_to("loop")
    assert "loop" in refused(folder)
    (folder / "loop").unlink()
    (folder / "main.py").unlink()
    (folder / "main.py").symlink_to("/etc/hostname")
    assert "leaves the bot's folder" in refused(folder)


def test_a_manifest_that_is_a_link_to_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text("password = 'hush'")
    folder = write(tmp_path / "linked", main__py="pass")
    (folder / "bot.toml").symlink_to("../secret.toml")
    assert "hush" not in refused(folder)
    assert "leaves the bot's folder" in refused(folder)


def test_devices_and_pipes_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "odd", main__py="pass")
    os.mkfifo(folder / "pipe")
    assert "pipe is neither" in refused(folder)
    (folder / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "sock"))
        assert "sock is neither" in refused(folder)


def test_names_that_cannot_be_printed(tmp_path: Path) -> None:
    folder = write(tmp_path / "odd", main__py="pass")
    (folder / "\x1b[31m").write_text("")
    message = refused(folder)
    assert "cannot be printed" in message
    assert "\x1b" not in message


def test_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "big", main__py="pass", data__bin="x" * 5000)
    monkeypatch.setattr(folders, "MOST_BYTES", 4000)
    assert "more than 0 MiB" in refused(folder)
    monkeypatch.setattr(folders, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(folders, "MOST_FILES", 1)
    assert "more than 1 files" in refused(folder)
    deep = folder
    for _ in range(15):
        deep = deep / "d"
    deep.mkdir(parents=True)
    monkeypatch.setattr(folders, "MOST_FILES", 100)
    assert "nested deeper" in refused(folder)


def test_the_hash_is_that_of_the_content(tmp_path: Path) -> None:
    first = load_bot(write(tmp_path / "a", main__py="pass", data__txt="1"))
    assert load_bot(write(tmp_path / "b", main__py="pass", data__txt="1")).content_hash == first.content_hash
    assert load_bot(write(tmp_path / "b", data__txt="2")).content_hash != first.content_hash


FOREIGN = (
    "__pycache__/main.pyc", ".git/config", ".vscode/launch.json", ".cache/clangd/index", "lib/.coverage",
    ".DS_Store", "._main.py", "lib/._helper.py", "__MACOSX/._lib", "lib/Thumbs.db", "desktop.ini",
    "replays/saloon-a-b-7.arena", "lost.arena",
    "climb/saloon/0123456789ab/results.jsonl", "climb/saloon/0123456789ab/rowdy-1.arena",
    "replays/.saloon-a-b-7.arena.12.34.part", "tune-saloon-mine.json",
)  # fmt: skip
"""Files that tools, systems and Arena's commands write beside a program."""


def fill(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("pass")
    return folder


def test_what_tools_systems_and_arena_write_is_no_part_of_a_bot(tmp_path: Path) -> None:
    folder = fill(tmp_path / "a", "main.py", "lib/helper.py")
    before = load_bot(folder)
    after = load_bot(fill(folder, *FOREIGN))
    assert after.content_hash == before.content_hash
    assert after.files == ("lib/helper.py", "main.py")
    assert left_out_in_words(left_out(folder)) == ".cache, .git, __pycache__, lib/.coverage, lost.arena, and 1 more"


def test_what_a_student_puts_beside_replays_is_part_of_a_bot(tmp_path: Path) -> None:
    own = ("climb/plan.py", "main.py", "replays/__init__.py", "replays/results.jsonl", "x.arenas")
    folder = fill(tmp_path / "a", *own)
    assert load_bot(folder).content_hash == content_hash(folder, own)
    assert load_bot(fill(folder, *FOREIGN)).content_hash == content_hash(folder, own)
    assert left_out(fill(tmp_path / "b", *own)) == ()


@pytest.mark.process
@pytest.mark.parametrize("entry", [".", "main.py"])
def test_caches_in_subfolders_are_no_part_of_a_bot(tmp_path: Path, entry: str) -> None:
    folder = write(tmp_path / "a", main__py="import pkg.sub")
    for place in (folder / "pkg", folder / "pkg" / "sub"):
        write(place, a__py="1")
        (place / "__init__.py").touch()
    before = load_bot(folder / entry)
    assert before.files == (() if entry == "." else ("main.py", "pkg"))
    write(folder / "pkg" / "sub" / "__pycache__", a__pyc="1")
    after = load_bot(folder / entry)
    assert after.content_hash == before.content_hash
    assert after.files == ("main.py", "pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/a.py")
    write(folder / "pkg" / ".pytest_cache", a__txt="1")
    assert load_bot(folder / entry) == after


@pytest.mark.process
def test_the_output_of_a_build_can_have_any_names(tmp_path: Path) -> None:
    """A stored copy of a bot has a folder with the sources and the output of the build."""
    manifest = 'command = ["venv/bot"]\nbuild = {command = ["make"], output = ["venv"]}\n'
    copy, source = write(tmp_path / BUILT, bot__toml=manifest), write(tmp_path / "source", bot__toml=manifest)
    write(copy / "venv" / ".git", config="")
    (write(copy / "venv", bot="") / "bot").chmod(0o755)
    bot = load_bot(copy)
    assert bot.files == ()
    assert bot.content_hash == load_bot(source).content_hash


# --- archives


def zipped(path: Path, members: dict[str, bytes | str], *, mode: int = 0o100644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100644 if name == "main.py" else mode) << 16
            archive.writestr(info, data)
    return path


def tarred(path: Path, *infos: tarfile.TarInfo, main: bool = True) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        if main:
            info = tarfile.TarInfo("main.py")
            info.size = 4
            archive.addfile(info, io.BytesIO(b"pass"))
        for info in infos:
            archive.addfile(info, io.BytesIO(b"x" * info.size))
    return path


@pytest.mark.process
@pytest.mark.parametrize("suffix", [".zip", ".tar.gz", ".tgz"])
def test_archives_are_unpacked_once(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"mine{suffix}"
    if suffix == ".zip":
        zipped(path, {"main.py": "pass", "data/x.txt": "1"})
    else:
        info = tarfile.TarInfo("data/x.txt")
        info.size = 1
        tarred(path, info)
    cache = tmp_path / "cache"
    bot = load_bot(path, cache=cache)
    assert isinstance(bot, Bot)
    assert bot.name == "mine"
    assert (bot.folder / "data" / "x.txt").stat().st_size == 1
    assert load_bot(path, cache=cache) == bot
    assert len(list(cache.iterdir())) == 1


@pytest.mark.process
@pytest.mark.parametrize("suffix", ["zip", "tar.gz"])
def test_what_does_not_belong_to_a_bot_is_left_out_of_its_archive(tmp_path: Path, suffix: str) -> None:
    """Links and large files there do no harm either: a virtual environment is full of them."""
    path = tmp_path / f"bot.{suffix}"
    names = ("._mine", "mine/main.py", "mine/lib/helper.py", "__MACOSX/x", "replays/a.arena")
    names += tuple(f"mine/{name}" for name in FOREIGN)
    link = "mine/.venv/bin/python"
    if suffix == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for folder in ("mine/", "mine/replays/", "replays/"):
                archive.mkdir(folder)
            for name in names:
                archive.writestr(name, "pass")
            info = zipfile.ZipInfo(link)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, "/usr/bin/python3")
    else:
        with tarfile.open(path, "w:gz") as tar:
            for name in names:
                info_of = tarfile.TarInfo(name)
                info_of.size = 4
                tar.addfile(info_of, io.BytesIO(b"pass"))
            linked = tarfile.TarInfo(link)
            linked.type, linked.linkname = tarfile.SYMTYPE, "/usr/bin/python3"
            tar.addfile(linked)
    bot = load_bot(path, cache=tmp_path / "cache")
    assert bot.folder.name == "mine"
    found = {one.relative_to(bot.folder).as_posix() for one in bot.folder.rglob("*") if one.is_file()}
    assert found == {"main.py", "lib/helper.py"}
    assert {"mine/.venv", "__MACOSX", "._mine", "mine/lib/._helper.py"} < set(left_out_of(bot.folder))
    assert left_out_in_words(left_out_of(bot.folder)).endswith(", and 2 more")


WINDOWS = {
    "my_bot\\main.py": "from lib.helper import x\n", "my_bot\\lib\\": "", "my_bot\\lib\\helper.py": "x = 1\n"
}  # fmt: skip


def zipped_on(system: int, path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.create_system = system
            archive.writestr(info, data)
    return path


@pytest.mark.process
@pytest.mark.parametrize("system", [0, 10, 14])
def test_backslashes_separate_folders_in_the_zips_of_windows(tmp_path: Path, system: int) -> None:
    bot = load_bot(zipped_on(system, tmp_path / "bot.zip", WINDOWS), cache=tmp_path / "cache")
    assert (bot.name, bot.folder.name, bot.files) == ("bot", "my_bot", ())
    assert (bot.folder / "lib" / "helper.py").read_text() == "x = 1\n"


@pytest.mark.process
@pytest.mark.parametrize(
    "name", ["..\\evil", "a\\..\\..\\evil", "C:\\evil", "\\evil", "\\\\server\\share\\evil", "a/..\\evil"]
)
def test_paths_of_windows_that_lead_out_of_a_bot_are_refused(tmp_path: Path, name: str) -> None:
    path = zipped_on(0, tmp_path / "a.zip", {"main.py": "pass", name: "x"})
    message = refused(path, cache=tmp_path / "cache")
    assert "leads out of the bot's folder" in message or "cannot be used" in message
    assert list((tmp_path / "cache").iterdir()) == []
    assert not list(tmp_path.glob("**/*evil*"))


@pytest.mark.process
def test_a_backslash_is_a_character_in_the_archives_of_other_systems(tmp_path: Path) -> None:
    for path in (
        zipped_on(3, tmp_path / "a.zip", {"main.py": "pass", "lib\\x.py": ""}),
        tarred(tmp_path / "a.tar.gz", tarfile.TarInfo("lib\\x.py")),
    ):
        assert "has a backslash" in refused(path, cache=tmp_path / "cache")


@pytest.mark.process
def test_names_in_a_zip_that_are_utf8_without_its_mark(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"main.py": "pass", "b\u00fccher-\u6728.txt": "1"})
    data = path.read_bytes()
    assert data.count(b"\x00\x08\x08\x00") == 2  # the flags and the method of both headers of the file
    path.write_bytes(data.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00"))
    bot = load_bot(path, cache=tmp_path / "cache")
    assert (bot.folder / "b\u00fccher-\u6728.txt").read_text() == "1"


@pytest.mark.process
def test_zips_with_a_directory_of_64_bits(tmp_path: Path) -> None:
    """Some programs always write one. Its size counts, and not that of the old directory, which it replaces."""
    path = zipped(tmp_path / "a.zip", {"main.py": "pass"})
    data = path.read_bytes()
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")

    def with_size(size: int) -> bytes:
        record = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, size, start)
        locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
        return data[:end] + record + locator + b"PK\5\6" + bytes(4) + b"\xff" * 12 + bytes(2)

    path.write_bytes(with_size(end - start))
    assert load_bot(path, cache=tmp_path / "cache").files == ()
    path.write_bytes(with_size(1 << 30))
    assert "It holds too many files" in refused(path, cache=tmp_path / "cache")


@pytest.mark.process
def test_what_is_left_out_of_a_folder_is_named(tmp_path: Path) -> None:
    write(tmp_path, main__py="pass")
    write(tmp_path / "__pycache__", a__pyc="")
    write(tmp_path / "venv" / "deep" / ".git", a="")
    write(tmp_path / "lib" / ".venv", a="")
    assert left_out(tmp_path) == ("__pycache__", "lib/.venv", "venv")
    assert left_out_in_words(left_out(tmp_path)) == "__pycache__, lib/.venv, venv"
    assert left_out_in_words([f"n{number}" for number in range(8)]) == "n0, n1, n2, n3, n4, and 3 more"
    assert load_bot(tmp_path).content_hash == content_hash(tmp_path, ["main.py"])


@pytest.mark.process
def test_an_archive_of_one_folder_is_that_folder(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"mine/main.py": "pass", "mine/bot.toml": 'name="A"\npython="main.py"'})
    assert load_bot(path, cache=tmp_path / "cache").name == "A"


@pytest.mark.process
@pytest.mark.parametrize(
    "name", ["../evil.py", "/etc/evil", "a/../../evil", "..\\evil", "C:evil", "a\x1b[2J", "x" * 300, "d/" * 20 + "x"]
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_names_in_archives(tmp_path: Path, name: str, kind: str) -> None:
    if kind == "zip":
        path = zipped(tmp_path / "a.zip", {"main.py": "pass", name: "x"})
    else:
        path = tarred(tmp_path / "a.tar.gz", tarfile.TarInfo(name))
    message = refused(path, cache=tmp_path / "cache")
    assert "leads out" in message or "cannot be used" in message or "nested" in message
    assert message.isprintable()
    assert list((tmp_path / "cache").iterdir()) == []
    assert not list(tmp_path.glob("evil*"))


@pytest.mark.process
@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_tar(tmp_path: Path, kind: bytes) -> None:
    info = tarfile.TarInfo("odd")
    info.type, info.linkname = kind, "/etc/shadow"
    message = refused(tarred(tmp_path / "a.tar.gz", info), cache=tmp_path / "cache")
    if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
        assert "'odd' is a link. Pack the file that it leads to: zip -r" in message
    else:
        assert "'odd' is neither a file nor a folder" in message


@pytest.mark.process
def test_links_in_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"main.py": "pass", "odd": "/etc/shadow"}, mode=0o120777)
    assert "'odd' is a link. Pack the file that it leads to" in refused(path, cache=tmp_path / "cache")


@pytest.mark.process
def test_a_zip_that_declares_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"main.py": "pass", "big": b"\0" * 1000})
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = (257 << 20).to_bytes(4, "little")
    path.write_bytes(data)
    cache = tmp_path / "cache"
    assert "cannot be unpacked. It unpacks to more than 256 MiB." in refused(path, cache=cache)
    assert list(cache.iterdir()) == []


@pytest.mark.process
def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.bots.folders.archive.MOST_BYTES", 1_000_000)
    cache = tmp_path / "cache"
    bomb = zipped(tmp_path / "a.zip", {"main.py": "pass", "big": b"\0" * 2_000_000})
    assert bomb.stat().st_size < 10_000
    assert "unpacks to more" in refused(bomb, cache=cache)
    info = tarfile.TarInfo("big")
    info.size = 2_000_000
    assert "unpacks to more" in refused(tarred(tmp_path / "a.tar.gz", info), cache=cache)
    monkeypatch.setattr("arena.bots.folders.archive.MOST_FILES", 10)
    many = zipped(tmp_path / "b.zip", {"main.py": "pass", **{f"f{n}": "" for n in range(20)}})
    assert "more than 10 files" in refused(many, cache=cache)
    assert list(cache.iterdir()) == []


@pytest.mark.process
def test_twice_the_same_name(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("main.py", "pass")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("main.py", "evil")
    assert "is in the archive twice" in refused(path, cache=tmp_path / "cache")


@pytest.mark.process
@settings(deadline=None, max_examples=20)
@given(data=st.binary(max_size=300))
def test_garbage_is_no_archive(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("garbage")
    for suffix in (".zip", ".tar.gz"):
        path = folder / f"x{suffix}"
        path.write_bytes(data)
        refused(path, cache=folder / "cache")


@given(st.text())
def test_every_accepted_name_can_stand_anywhere(name: str) -> None:
    text = ""
    try:
        text = check_name(name, "test")
        assert "/" not in text
        assert 0 < len(text) <= 60
    except ArenaError as error:
        text = error.message
    assert text.isprintable()
