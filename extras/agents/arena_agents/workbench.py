"""One folder in which an agent works, and the commands of Arena that run there.

Each tool of `arena mcp` is a command of Arena in a process of its own. So it refuses what the command refuses, and
nothing that a bot or a game prints can get into the protocol on the standard output of this process. What is added
here are limits: paths stay in the folder, few commands run at once, each for a limited time, and a text has an end.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO

from arena.errors import ArenaError
from arena.text.printable import printable
from arena_replays import Reader
from arena_replays.errors import ReplayError

MOST_AT_ONCE = 4
"""Commands that run at once. Chosen, not measured: each plays a match on one or two processors at a time."""
MOST_KEPT = 50
"""Commands whose results are kept."""
LONGEST_COMMAND = 600.0
"""Seconds. A comparison of a hundred games of ordinary bots takes a few minutes."""
STOP_SECONDS = 1.0
"""The time in which an interrupted command must end. A client waits two seconds for the whole server."""
MOST_CHARACTERS = 20_000
"""Characters of one answer: some 6,000 tokens, which is as long as the longest rules of a game."""
BUILTIN = re.compile(r"builtin:[\w.-]+(\?[\w.,=&-]*)?")
SETTINGS = re.compile(r"\?[\w.,=&-]*$")


class Command:
    """A command that runs in a process of its own.

    Args:
        handle: The name by which the agent asks for its result.
        arguments: The words after ``arena``.
        seconds: It is interrupted after this time.
        edit: Changes the text of its result.
        quiet: Leave out what a successful command has said beside its result.
    """

    def __init__(
        self,
        handle: str,
        arguments: tuple[str, ...],
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        seconds: float = LONGEST_COMMAND,
        edit: Callable[[str], str] = str,
        quiet: bool = False,
    ) -> None:
        self.handle = handle
        self.name = arguments[0]
        self.text = ""
        self.failed = False
        self.ended = threading.Event()
        self._begin = time.monotonic()
        self._edit = edit
        self._quiet = quiet
        # `_wait` closes them.
        self._output, self._errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena", *arguments],
            cwd=folder,
            env={**os.environ, "COLUMNS": "120", **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._errors,
            start_new_session=True,
        )
        threading.Thread(target=self._wait, args=(seconds,), daemon=True).start()

    @property
    def seconds(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._begin

    def interrupt(self) -> None:
        """Do to the command what Ctrl-C does."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGINT)

    def end(self, seconds: float) -> None:
        """Wait for the end of the command, and kill it after some seconds."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):  # it has ended just now
                os.killpg(self._process.pid, signal.SIGKILL)

    def _wait(self, seconds: float) -> None:
        late = ""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            late = f"Interrupted: it took longer than {seconds:g} s."
            self.interrupt()
            self.end(STOP_SECONDS)
        code = self._process.wait()
        self.failed = code != 0
        with self._output, self._errors:
            texts = [_beginning(self._output)]
            texts += [_beginning(self._errors)] if self.failed or not self._quiet else []
        text = "\n\n".join(filter(None, (*texts, late)))
        try:
            self.text = shortened(self._edit(text)) or f"Exit code {code}."
        finally:
            self.ended.set()


class Workbench:
    """The folder of an agent.

    Args:
        folder: The folder. Paths are relative to it, and none may lead out of it, not through a link either.

    Raises:
        ArenaError: There is no such folder.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ArenaError(f"There is no folder {folder}.")
        self.folder = folder.resolve()
        self._commands: dict[str, Command] = {}
        self._count = 0
        self._lock = threading.Lock()

    def path(self, text: str, *, exists: bool = True) -> str:
        """Return a path in the folder, as a word of a command.

        Raises:
            ArenaError: It leaves the folder, or there is no such file.
        """
        try:
            path = (self.folder / text).resolve()
            is_here = path.is_file() or path.is_dir()
        except (OSError, RuntimeError, ValueError):  # too long, a loop of links, a NUL
            raise ArenaError(f"{text!r} is no path.") from None
        if not path.is_relative_to(self.folder):
            raise ArenaError(f"{text} is outside of the folder {self.folder}.", hint="Name a path in this folder.")
        if exists and not is_here:
            raise ArenaError(f"There is no file or folder {text} in {self.folder}.")
        return f"./{path.relative_to(self.folder).as_posix()}"

    def bot(self, text: str) -> str:
        """Return a bot, built in or in the folder, as a word of a command; settings can follow.

        People and models are no bots here.

        Raises:
            ArenaError: As for `path`.
        """
        if BUILTIN.fullmatch(text):
            return text
        path = SETTINGS.sub("", text)
        return self.path(path) + text.removeprefix(path)

    def start(
        self,
        *arguments: str,
        handle: str = "",
        environment: Mapping[str, str] | None = None,
        seconds: float = LONGEST_COMMAND,
        edit: Callable[[str], str] = str,
        quiet: bool = False,
    ) -> Command:
        """Start a command; see `Command`.

        Raises:
            ArenaError: Too many are running.
        """
        with self._lock:
            running = [one for one in self._commands.values() if not one.ended.is_set()]
            if len(running) >= MOST_AT_ONCE:
                named = ", ".join(f"{one.handle} ({one.name})" for one in running)
                raise ArenaError(f"{len(running)} commands are running: {named}.", hint="Wait for one of them.")
            for old in [one for one in self._commands.values() if one.ended.is_set()][:-MOST_KEPT]:
                del self._commands[old.handle]
            self._count += 1
            handle = handle or f"{arguments[0]}-{self._count}"
            command = Command(
                handle, arguments, self.folder, environment=environment, seconds=seconds, edit=edit, quiet=quiet
            )
            self._commands[handle] = command
        return command

    def command(self, handle: str, others: Iterable[str] = ()) -> Command:
        """Return a command by its handle.

        Args:
            others: Handles of something else, for the error.

        Raises:
            ArenaError: There is none.
        """
        if handle not in self._commands:
            known = ", ".join([*others, *self._commands]) or "none"
            raise ArenaError(f"There is no handle {handle!r}. There are: {known}.")
        return self._commands[handle]

    def without_names(self, replay: str, text: str) -> str:
        """Return a text about a replay with numbers in the place of names.

        Bots that are built in or in this folder keep theirs. All others belong to other people, as in a contest.
        """
        try:
            players = Reader(self.folder / replay).header.get("players", ())
        except ReplayError:  # so the text is an error
            return text
        names = {
            str(player["name"]): f"player {number}"
            for number, player in enumerate(players)
            if not self._is_own(str(player.get("bot", "")))
        }
        if not names:
            return text
        longest_first = sorted(map(re.escape, names), key=len, reverse=True)
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)")
        return pattern.sub(lambda found: names[found[0]], text)

    def _is_own(self, reference: str) -> bool:
        if not reference or Path(reference).is_absolute():
            return False
        try:
            return bool(self.bot(reference))
        except ArenaError:
            return False

    def close(self) -> None:
        """Interrupt all commands, and kill those that go on."""
        running = [command for command in self._commands.values() if not command.ended.is_set()]
        for command in running:
            command.interrupt()
        until = time.monotonic() + STOP_SECONDS
        for command in running:
            command.end(max(0.0, until - time.monotonic()))
            command.ended.wait(STOP_SECONDS)


def shortened(text: str) -> str:
    """Return a text that is no longer than an answer may be, and says so in its middle."""
    text = printable(text)
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters are left out here]\n{text[-half:]}"


def _beginning(file: IO[bytes]) -> str:
    """Return what a command has printed. What nobody would get to see is not read."""
    file.seek(0)
    return file.read(50 * MOST_CHARACTERS).decode("utf-8", "replace").strip()
