"""Build a bot from its sources in the sandbox, once for each content and toolchain."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.command import PROGRAM_PATH
from arena.bots.exits import Exit
from arena.bots.folders.files import BUILT, cache_folder, list_files
from arena.bots.launch import launch
from arena.bots.probe import probe
from arena.errors import ArenaError, ExitCode
from arena.match.limits import MEBIBYTE, Limits

LONGEST_BUILD = 120.0
BUILD_LIMITS = Limits(
    memory=2048 * MEBIBYTE,
    private_memory=8192 * MEBIBYTE,
    processes=256,
    open_files=1024,
    file_size=256 * MEBIBYTE,
    temporary_space=512 * MEBIBYTE,
    cpu_seconds=int(LONGEST_BUILD),
    output_kept=64 * MEBIBYTE,
)
SHOWN_LINES = 20
SCRIPT = """
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT || exit
cp -R "$ARENA_BOT/." "$place" && cd "$place" && chmod -R u+w . || exit
"$@" >&2 || exit
printf '%s\\n' "$ARENA_OUTPUT" | while read -r file; do
    [ -e "$file" ] || { echo "The build command made no $file." >&2; exit 1; }
done || exit
printf '%s\\n' "$ARENA_OUTPUT" | tar --create --gzip --dereference --hard-dereference --files-from=-
"""
"""Copy the sources, run the build command there, and print its output files as an archive."""
TOOLCHAIN = (
    *("gcc", "g++", "clang", "clang++", "ld", "make", "cmake", "javac", "java", "node", "tsc", "esbuild"),
    *("dotnet", "mcs", "go", "rustc", "cargo", "python3", "ghc", "ocamlfind", "zig", "swiftc"),
)


class NoBuildError(ArenaError):
    """A bot does not build.

    Attributes:
        explained: The message without the name of the bot.
        reason: How the build ended, in a few words.
        output: All that its compiler printed.
    """

    exit_code = ExitCode.NO_BUILD

    def __init__(self, name: str, reason: str, output: str) -> None:
        lines = output.strip().splitlines()
        cut = [f"({len(lines) - SHOWN_LINES} lines before)"] if len(lines) > SHOWN_LINES else []
        self.explained = "\n".join([f"does not build: {reason}.", *cut, *lines[-SHOWN_LINES:]])
        super().__init__(f"The bot {name} {self.explained}")
        self.reason = reason
        self.output = output


def built(
    bot: Bot, tell: Callable[[str], None] | None = None, *, sandbox: str = "auto", require: int = 0, again: bool = False
) -> Bot:
    """Return a bot that is ready to run. It is the given one if that needs no build.

    Args:
        bot: The bot.
        tell: Called with what is going on, and with the warnings of a compiler that succeeds.
        sandbox: As for `launch`.
        require: As for `launch`.
        again: Build again even if the result is known.

    Raises:
        NoBuildError: The build command fails, takes too long, or does not make its output.
        ArenaError: This machine cannot build bots.
    """
    if bot.build is None:
        return bot
    folder = cache_folder() / "builds" / _key(bot)
    fresh = again or not folder.is_dir()
    if fresh:
        if tell:
            tell(f"Building {bot.name}: {' '.join(bot.build.command)}")
        _build(bot, folder, sandbox, require)
    with contextlib.suppress(OSError):
        os.utime(folder)
    log = (folder / "log").read_text().strip()
    if (failure := folder / "failure").is_file():
        raise NoBuildError(bot.name, failure.read_text(), log)
    if tell and fresh and log:
        tell(log)
    return replace(bot, folder=folder / BUILT, files=(), build=None)


def failing(bot: Bot, error: NoBuildError) -> Bot:
    """Return a program for the seat of a bot that does not build: it prints what the compiler printed, and fails."""
    command = ("sh", "-c", 'printf "%s\\n" "$1" >&2; exit 1', "sh", error.output[-60_000:])
    return replace(bot, entry="", command=command, bridge=False, build=None)


def _key(bot: Bot) -> str:
    assert bot.build is not None
    whole = hashlib.sha256(f"{bot.content_hash} {platform.machine()}".encode())
    for name in (*TOOLCHAIN, bot.build.command[0]):
        if place := shutil.which(name, path=PROGRAM_PATH):
            real = os.path.realpath(place)
            status = os.stat(real)
            whole.update(f"{real} {status.st_size} {status.st_mtime_ns}\n".encode())
    return whole.hexdigest()


def _build(bot: Bot, target: Path, sandbox: str, require: int) -> None:
    """Run the build command, and write its result into a new folder, which other processes see as a whole."""
    from arena.bots.folders.archive import remove_unused, write_members
    from arena.bots.folders.parser_process import ChildFailedError

    if sandbox != "none" and probe().level == 1:
        raise ArenaError(
            f"The bot {bot.name} cannot be built here: that needs isolation level 2.",
            hint="Run: arena doctor",
            exit_code=ExitCode.NO_ISOLATION,
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_unused(target.parent)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=target.parent) as name:
        place = Path(name)
        archive = place / "output.tar.gz"
        ending, late, log = _run(bot, archive, sandbox, require)
        made = place / "made"
        made.mkdir()
        (made / "log").write_text(log)
        reason = f"it took longer than {LONGEST_BUILD:g} seconds" if late else ending.reason if ending.code else ""
        if ending.code is None or late or ending.out_of_memory:  # the machine may have been busy: do not keep this
            raise NoBuildError(bot.name, reason or ending.reason, log)
        if reason:
            (made / "failure").write_text(reason)
        else:
            _copy_sources(bot, made / BUILT)
            try:
                write_members(archive, place / "output")
                _add_output(bot, place / "output", made / BUILT)
            except (ArenaError, ChildFailedError, OSError) as error:
                text = str(error).replace(f"{archive}: ", "").rstrip(".")
                raise NoBuildError(bot.name, f"its output cannot be used: {text}", log) from None
        shutil.rmtree(target, ignore_errors=True)
        with contextlib.suppress(OSError):  # another process was faster
            made.rename(target)


def _run(bot: Bot, archive: Path, sandbox: str, require: int) -> tuple[Exit, bool, str]:
    """Run the build command. Return its end, whether it took too long, and what it printed."""
    assert bot.build is not None
    command = ("sh", "-c", SCRIPT, "sh", *bot.build.command)
    program = replace(bot, entry="", command=command, bridge=False, build=None)
    with _socket() as path:
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
            end = time.monotonic() + LONGEST_BUILD
            while process.poll() is None and time.monotonic() < end:
                if not process.stdout.drain() + process.stderr.drain():
                    time.sleep(0.002)
            late = process.poll() is None
            ending = process.kill()
            archive.write_bytes(process.stdout.kept())
            return ending, late, process.stderr.text()


@contextlib.contextmanager
def _socket() -> Iterator[str]:
    """Yield the path of a socket: a sandbox has one in any case."""
    with tempfile.TemporaryDirectory(prefix="arena-build-") as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/seat.sock")
        listener.listen()
        yield f"{folder}/seat.sock"


def _copy_sources(bot: Bot, target: Path) -> None:
    for name in list_files(bot.folder, bot.files):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(bot.folder / name, target / name)


def _add_output(bot: Bot, unpacked: Path, target: Path) -> None:
    """Move the output files to the sources. What else is in the archive is not wanted."""
    assert bot.build is not None
    for name in bot.build.output:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (unpacked / name).rename(target / name)
