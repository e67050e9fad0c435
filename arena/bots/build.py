"""Build a bot from its sources in the sandbox. The result is cached until the sources or the toolchain change.

The build command comes from the bot's author, so it runs like a bot, with more memory and time. It cannot write outside
of the sandbox: the script prints the output files as an archive, of which only those that `bot.toml` names are taken. A
failure of the command is cached like a success, so that a contest does not build a broken bot for each match; a failure
that a busy machine can have caused is not.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.command import PROGRAM_PATH
from arena.bots.exit import Exit
from arena.bots.folders.files import BUILT, NO_ROOM, cache_folder, list_files
from arena.bots.launch import launch
from arena.bots.probe import probe
from arena.bots.system.surroundings import unused_seat
from arena.errors import ArenaError, ExitCode
from arena.match.limits import MEBIBYTE, Limits
from arena.text.printable import excerpt

LONGEST_BUILD = 120.0
"""Seconds. Chosen, not measured: a bot of the size of a course's project builds within some seconds."""
LARGEST_ARTEFACT = 64 * MEBIBYTE
"""The limit of the archive of the output files. The text of the build command has limits of its own: with one limit for
both, a zip of 300 bytes brought 59 MiB of text into memory, journal and pages."""
BUILD_LIMITS = Limits(
    memory=2048 * MEBIBYTE,
    private_memory=8192 * MEBIBYTE,
    processes=256,
    open_files=1024,
    file_size=256 * MEBIBYTE,
    temporary_space=512 * MEBIBYTE,
    cpu_seconds=int(LONGEST_BUILD),
    output_kept=8 * 1024,
    output_read=LARGEST_ARTEFACT,
)
SHOWN_LINES = 20
SCRIPT = """
copy=$(mktemp -d) && trap 'rm -rf "$copy"' EXIT || exit
cp -R "$ARENA_BOT/." "$copy" && cd "$copy" && chmod -R u+w . || exit
"$@" >&2 || exit
printf '%s\\n' "$ARENA_OUTPUT" | while read -r file; do
    [ -e "$file" ] || { echo "The build command did not make $file." >&2; exit 1; }
done || exit
printf '%s\\n' "$ARENA_OUTPUT" | tar --create --gzip --dereference --hard-dereference --files-from=-
"""
"""Copies the sources, runs the build command in the copy, and prints the output files as an archive."""
SANITIZERS = ("-g1", "-O0", "-fno-omit-frame-pointer", "-fsanitize=address,undefined")
"""Flags with which a program names the line of its crash, instead of only dying of a signal.

Nobody waits for its speed, but everybody for its build: with -g -O1 that takes 3 times as long. A precompiled header
would save another eighth, and take 80 to 150 MB for each game and each set of flags.
"""
TOOLCHAIN = (
    *("gcc", "g++", "clang", "clang++", "ld", "make", "cmake", "javac", "java", "node", "tsc", "esbuild"),
    *("dotnet", "mcs", "go", "rustc", "cargo", "python3", "ghc", "ocamlfind", "zig", "swiftc"),
)
INSTALLED = (
    *("/usr/include", "/usr/local/include", "/usr/local/lib"),
    *("/var/lib/dpkg/status", "/var/lib/rpm", "/lib/apk/db/installed", "/var/lib/pacman/local"),
)
"""Files and folders that change when headers and libraries are installed or updated."""


class NoBuildError(ArenaError):
    """A bot cannot be built.

    Attributes:
        explained: The message without the name of the bot.
        reason: Why, in a few words, such as `exit code 2`.
        output: The first and the last 8 KiB of the output of the build command.
    """

    exit_code = ExitCode.NO_BUILD

    def __init__(self, name: str, reason: str, output: str) -> None:
        lines = excerpt(output.strip()).splitlines()
        cut = ["(earlier lines omitted)"] if len(lines) > SHOWN_LINES else []
        self.explained = "\n".join([f"does not build: {reason}.", *cut, *lines[-SHOWN_LINES:]])
        super().__init__(f"The bot {name} {self.explained}")
        self.reason = reason
        self.output = output


def built(
    bot: Bot,
    report: Callable[[str], None] | None = None,
    *,
    sandbox: str = "auto",
    require: int = 0,
    again: bool = False,
    cache: Path | None = None,
) -> Bot:
    """Return a bot that is ready to run. Build it first if needed.

    Args:
        report: Called with messages about the progress, and with the warnings of a successful build.
    """
    if bot.build is None:
        return bot
    folder = (cache or cache_folder() / "builds") / _key(bot)
    fresh = again or not folder.is_dir()
    if fresh:
        if report:
            report(f"Building {bot.name}: {' '.join(bot.build.command)}")
        _build(bot, folder, sandbox, require)
    with contextlib.suppress(OSError):
        os.utime(folder)
    log = (folder / "log").read_text().strip()
    if (failure := folder / "failure").is_file():
        raise NoBuildError(bot.name, failure.read_text(), log)
    if report and fresh and log:
        report(log)
    return replace(bot, folder=folder / BUILT, files=(), build=None)


def for_debugging(bot: Bot, *flags: str) -> Bot:
    """Return a bot whose build gets more flags, if its build command is a compiler for C or C++; else the bot."""
    if bot.build is None or not bot.build.compiles_c:
        return bot
    build = replace(bot.build, command=(*bot.build.command, *flags))
    return replace(bot, build=build, content_hash=f"{bot.content_hash} {' '.join(flags)}")


def failing(bot: Bot, error: NoBuildError) -> Bot:
    """Return a substitute for a bot that cannot be built. It prints the end of the build's output and fails."""
    command = ("sh", "-c", 'printf "%s\\n" "$1" >&2; exit 1', "sh", error.output)
    return replace(bot, entry="", command=command, bridge=False, build=None)


def _key(bot: Bot) -> str:
    """Return the name of a build in the cache: a hash of the sources, the toolchain and the installed libraries."""
    assert bot.build is not None
    digest = hashlib.sha256(f"{bot.content_hash} {platform.machine()}".encode())
    programs = (shutil.which(name, path=PROGRAM_PATH) for name in (*TOOLCHAIN, bot.build.command[0]))
    for path in (*filter(None, programs), *INSTALLED):
        real = os.path.realpath(path)
        with contextlib.suppress(OSError):
            status = os.stat(real)
            digest.update(f"{real} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _build(bot: Bot, target: Path, sandbox: str, require: int) -> None:
    """Run the build command and write its result to a new folder. Other processes see only the finished folder."""
    from arena.bots.folders.archive import remove_unused, write_members
    from arena.bots.folders.child_process import ChildFailedError

    if sandbox != "none" and probe().level == 1:
        raise ArenaError(
            f"The bot {bot.name} cannot be built on this machine: a build needs isolation level 2.",
            hint="Run `arena doctor`. It shows what is missing. A bot of your own is also built with `--sandbox none`.",
            exit_code=ExitCode.NO_ISOLATION,
        )
    assert bot.build is not None
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_unused(target.parent)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=target.parent) as name:
        temporary = Path(name)
        archive = temporary / "output.tar.gz"
        ending, problem, log = _run(bot, archive, sandbox, require)
        result = temporary / "result"
        result.mkdir()
        (result / "log").write_text(log)
        if problem or ending.code is None or ending.out_of_memory:  # not cached: a busy machine can be the cause
            raise NoBuildError(bot.name, problem or ending.reason, log)
        if ending.code:
            (result / "failure").write_text(ending.reason)
        else:
            _transfer(bot.folder, result / BUILT, list_files(bot.folder, bot.files), shutil.copy)
            try:
                write_members(archive, temporary / "output", whole=True)
                # Only what `bot.toml` names, although the archive can have more.
                _transfer(temporary / "output", result / BUILT, bot.build.output, os.rename)
            except (ArenaError, ChildFailedError, OSError) as error:
                if isinstance(error, OSError) and error.errno in NO_ROOM:
                    raise
                text = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
                text = text.replace(f"{archive}: ", "").replace(str(archive), "it").rstrip(".")
                raise NoBuildError(bot.name, f"its output cannot be used: {text}", log) from None
        shutil.rmtree(target, ignore_errors=True)
        with contextlib.suppress(OSError):  # another process was faster
            result.rename(target)


def _run(bot: Bot, archive: Path, sandbox: str, require: int) -> tuple[Exit, str, str]:
    """Run the build command, and write its output files to `archive`.

    Return how the command ended, which limit it exceeded if any, and what it printed.
    """
    assert bot.build is not None
    command = ("sh", "-c", SCRIPT, "sh", *bot.build.command)
    program = replace(bot, entry="", command=command, bridge=False, build=None)
    with unused_seat() as path:
        outputs = "\n".join(f"./{name}" for name in bot.build.output)
        with launch(
            program,
            seat=0,
            socket=path,
            environment={"ARENA_OUTPUT": outputs},
            limits=BUILD_LIMITS,
            sandbox=sandbox,
            require=require,
        ) as process:
            process.stdout.keep_artefact(LARGEST_ARTEFACT)
            end = time.monotonic() + LONGEST_BUILD
            while process.poll() is None and time.monotonic() < end:
                if not process.stdout.drain() + process.stderr.drain():
                    time.sleep(0.002)
            late = process.poll() is None
            ending = process.kill()
            archive.write_bytes(process.stdout.kept())
            problem = f"it took longer than {LONGEST_BUILD:g} seconds" if late else ""
            if process.stdout.flooded:
                problem = f"its output is larger than {LARGEST_ARTEFACT // MEBIBYTE} MiB"
            return ending, problem, process.stderr.text()


def _transfer(source: Path, target: Path, names: Iterable[str], transfer: Callable[[Path, Path], object]) -> None:
    """Copy or move files from one folder to another, which gets the folders that it needs."""
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        transfer(source / name, target / name)
