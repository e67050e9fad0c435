"""Bots that are built from their sources: in the sandbox, once for each content, and outside of their hash."""

from __future__ import annotations

import hashlib
import json
import socket
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots import build as building
from arena.bots.bot import Bot, load_bot
from arena.bots.build import NoBuildError, built
from arena.bots.folders.files import BUILT
from arena.bots.launch import launch
from arena.bots.system.reaping import wait_readable
from arena.bots.system.surroundings import unused_seat
from arena.errors import ArenaError, ExitCode
from arena.match.isolation import Isolation
from arena.match.limits import MEBIBYTE

pytestmark = [pytest.mark.process, pytest.mark.sandbox]

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_left: None) -> Write:
    """Writes a bot whose build runs a shell script."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def write_bot(script: str, output: tuple[str, ...] = ("bot",), command: tuple[str, ...] = ("./bot",)) -> Path:
        folder = tmp_path / "mine"
        folder.mkdir(exist_ok=True)
        build = f'[build]\ncommand = ["sh", "build.sh"]\noutput = {json.dumps(output)}\n'
        (folder / "bot.toml").write_text(f'name = "mine"\ncommand = {json.dumps(command)}\n{build}')
        (folder / "build.sh").write_text(script)
        return folder

    return write_bot


def refusal(bot: Bot, **options: Any) -> NoBuildError:
    with pytest.raises(NoBuildError) as caught:
        built(bot, **options)
    return caught.value


COPY = "echo made here >&2; date +%N > bot; echo '#!/bin/sh' >> bot; chmod +x bot; mkdir -p lib; ln -s ../bot lib/link"


@pytest.mark.parametrize("mode", [None, 0o755])
@pytest.mark.promise("cache")
def test_other_users_cannot_read_what_is_in_the_cache(write: Write, tmp_path: Path, mode: int | None) -> None:
    """The copy has the sources of a bot. The bot's own user in the sandbox reads it all the same."""
    cache = tmp_path / "cache" / "arena"
    if mode is not None:
        cache.mkdir(mode, parents=True)
    bot = built(
        load_bot(write("printf '#!/bin/sh\\ncat secret' > bot; chmod +x bot; echo mine > secret", ("bot", "secret")))
    )
    assert bot.folder.is_relative_to(cache)
    assert cache.stat().st_mode & 0o077 == 0
    with unused_seat() as seat, launch(bot, seat=0, socket=seat) as process:
        assert wait_readable(process.pidfd, 20)
        process.kill()
        assert process.stdout.text() == "mine\n"


def test_it_is_built_once_for_each_content(write: Write) -> None:
    folder = write(COPY, ("bot", "lib"))
    said: list[str] = []
    source = load_bot(folder)
    first = built(source, said.append)
    assert said == ["Building mine: sh build.sh", "made here"]
    assert {path.name for path in folder.iterdir()} == {"bot.toml", "build.sh"}, "the sources stay as they are"
    assert (first.name, first.build, first.content_hash) == ("mine", None, source.content_hash)
    assert (first.folder / "bot").stat().st_mode & 0o111
    assert (first.folder / "lib/link").read_text() == (first.folder / "bot").read_text()
    assert built(load_bot(folder), said.append).folder == first.folder
    assert len(said) == 2
    before = (first.folder / "bot").read_text()
    assert (built(source, again=True).folder / "bot").read_text() != before
    (folder / "more.txt").write_text("a source")
    assert built(load_bot(folder)).folder != first.folder


def test_old_output_counts_neither_for_the_hash_nor_for_the_bot(write: Write) -> None:
    folder = write("[ -e bot ] && exit 3; echo new > bot; chmod +x bot")
    source = load_bot(folder)
    (folder / "bot").write_text("old")
    (folder / BUILT).mkdir()
    (folder / BUILT / "bot").write_text("forged")
    again = load_bot(folder)
    assert again.content_hash == source.content_hash
    done = built(again)
    assert (done.folder / "bot").read_text() == "new\n"
    assert load_bot(done.folder).content_hash == source.content_hash
    assert load_bot(done.folder).build is None


def test_another_compiler_builds_again(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "g++"
    compiler.write_text("one")
    compiler.chmod(0o755)
    monkeypatch.setattr(building, "PROGRAM_PATH", f"{tmp_path}:{building.PROGRAM_PATH}")
    source = load_bot(write("echo x > bot"))
    first = built(source)
    compiler.write_text("another")
    assert built(source).folder != first.folder


def test_other_headers_build_again(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = tmp_path / "include"
    headers.mkdir()
    monkeypatch.setattr(building, "INSTALLED", (str(headers), str(tmp_path / "none")))
    source = load_bot(write("echo x > bot"))
    first = built(source)
    assert built(source).folder == first.folder
    (headers / "new.h").touch()
    assert built(source).folder != first.folder


def test_level_1_says_that_it_cannot_build(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "probe", lambda: Isolation(1, (), ()))
    with pytest.raises(ArenaError, match=r"mine cannot be built .*: a build needs isolation level 2") as caught:
        built(load_bot(write("echo x > bot")))
    assert caught.value.exit_code == ExitCode.NO_ISOLATION


@pytest.mark.promise("builds")
def test_it_is_isolated(write: Write) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"""
            touch /usr/x || echo usr; touch "$ARENA_BOT/x" || echo sources
            cat /etc/passwd || echo passwd; ls {Path.home()} || echo home
            python3 -c 'import socket; socket.create_connection(("127.0.0.1", {port}), 2)' || echo network
            exit 4
        """
        error = refusal(load_bot(write(script)))
    assert error.reason == "exit code 4"
    lines = error.output.splitlines()
    assert [line for line in lines if " " not in line] == ["usr", "sources", "passwd", "home", "network"], error.output


def test_a_failure_is_kept_and_shown(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = load_bot(write("seq 30 >&2; exit 7"))
    error = refusal(bot)
    assert error.exit_code == ExitCode.NO_BUILD
    first = ["The bot mine does not build: exit code 7.", "(earlier lines omitted)", "11"]
    assert error.message.splitlines()[:3] == first
    assert error.message.endswith("\n30")
    monkeypatch.setattr(building, "_run", None)
    assert refusal(bot).message == error.message


@pytest.mark.parametrize(
    "flood", ["yes", "yes | tr -d '\\n'", "yes $(printf '\\033[2J')", "tr '\\0' '\\377' < /dev/zero"]
)
@pytest.mark.promise("build-output")
def test_a_flood_of_output_is_cut(write: Write, flood: str) -> None:
    script = f"echo first >&2; {flood} | head -c 60000000 >&2; echo; echo last >&2; exit 7"
    error = refusal(load_bot(write(script)))
    assert error.reason == "exit code 7"
    assert len(error.output) < 80 * 1024
    assert error.output.startswith("first\n")
    assert error.output.endswith("last")
    assert len(error.message) < 17 * 1024
    assert max(map(len, error.message.splitlines())) < 600
    assert "\n[cut: " in error.output


@pytest.mark.promise("build-output")
def test_large_output_files_are_whole_and_larger_ones_are_refused(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "head -c 3000000 /dev/urandom > bot; sha256sum bot > sum"
    done = built(load_bot(write(script, ("bot", "sum")))).folder
    assert (done / "sum").read_text().split()[0] == hashlib.sha256((done / "bot").read_bytes()).hexdigest()
    small = replace(building.BUILD_LIMITS, output_read=MEBIBYTE)
    monkeypatch.setattr(building, "BUILD_LIMITS", small)
    assert refusal(load_bot(write(script + "; date", ("bot", "sum")))).reason == "its output is larger than 64 MiB"


@pytest.mark.parametrize(
    ("script", "reason", "said"),
    [
        ("true", "exit code 1", "The build command did not make ./bot."),
        ("no-such-compiler", "exit code 127", "not found"),
        ("sleep 60", "it took longer than 1 seconds", ""),
        ("head -c 40000000 /dev/zero > bot", "exit code 1", "No space left"),
        ("mkfifo bot", "its output cannot be used: './bot' is neither a file nor a folder", ""),
        ("mkdir bot; cd bot; seq 2100 | xargs touch", "its output cannot be used: it holds more than 2000 files", ""),
        ("python3 -c 'x = [bytes([1]) * (1 << 20) for _ in range(999)]'", "out of memory", ""),
    ],
)
@pytest.mark.promise("contest-place")
def test_what_a_build_must_not_do(
    write: Write, monkeypatch: pytest.MonkeyPatch, script: str, reason: str, said: str
) -> None:
    small = replace(building.BUILD_LIMITS, memory=96 * MEBIBYTE, temporary_space=16 * MEBIBYTE)
    monkeypatch.setattr(building, "BUILD_LIMITS", small)
    if "sleep" in script:
        monkeypatch.setattr(building, "LONGEST_BUILD", 1.0)
    error = refusal(load_bot(write(script)))
    assert (error.reason, said in error.output) == (reason, True), error.output


@pytest.mark.promise("builds")
def test_only_the_named_output_is_taken(write: Write) -> None:
    forge = "echo x > bot; echo evil > bot.toml; tar -cz ./bot ./bot.toml > /proc/$PPID/fd/1; kill -9 $PPID"
    bot = load_bot(write(forge))
    refusal(bot)
    done = built(load_bot(write("echo x > bot; echo evil > bot.toml")))
    assert "evil" not in (done.folder / "bot.toml").read_text()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('[build]\ncommand = ["make"]', "build.output is missing"),
        ('[build]\ncommand = []\noutput = ["bot"]', "build.command names no program"),
        ('[build]\ncommand = ["make"]\noutput = []', "build.output"),
        ('[build]\ncommand = ["make"]\noutput = ["../bot"]', "build.output[0] must be a path inside"),
        ('[build]\ncommand = ["make"]\noutput = ["."]', "build.output[0] must be a path inside"),
        ('[build]\ncommand = ["make"]\noutput = ["bot"]\ntime = 3', "build.time is not known here"),
        ("[build]", "build.command is missing"),
    ],
)
def test_defects_of_the_manifest(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "bot.toml").write_text(f'command = ["./bot"]\n{lines}\n')
    with pytest.raises(ArenaError) as caught:
        load_bot(tmp_path)
    assert message in caught.value.message


def test_a_zip_without_marks_of_programs(write: Write, tmp_path: Path) -> None:
    folder = write("cp run.sh bot", command=("./run.sh",))
    (folder / "run.sh").write_text("#!/bin/sh\n")
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        for path in folder.iterdir():
            archive.writestr(zipfile.ZipInfo(path.name), path.read_text())
    assert (built(load_bot(tmp_path / "mine.zip")).folder / "run.sh").stat().st_mode & 0o100


@pytest.mark.parametrize(
    ("program", "source", "command", "output"),
    [
        ("g++", ("main.cpp", "int main() { return 5; }"), ["g++", "-o", "bot", "main.cpp"], "bot"),
        (
            "javac",
            ("Main.java", "public class Main { public static void main(String[] a) { System.exit(5); } }"),
            ["javac", "-d", "classes", "Main.java"],
            "classes",
        ),
    ],
)
def test_compilers(
    ring: Any, level: int, need_program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    program: str, source: tuple[str, str], command: list[str], output: str,
) -> None:  # fmt: skip
    need_program(program)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = ring.bot("").folder
    (folder / source[0]).write_text(source[1])
    run = ["./bot"] if program == "g++" else ["java", "-cp", "classes", "Main"]
    (folder / "bot.toml").write_text(f"command = {run}\n[build]\ncommand = {command}\noutput = ['{output}']\n")
    ended = ring.run(built(load_bot(folder)), level)
    assert ended.ending.code == 5, ended
