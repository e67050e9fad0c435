"""A bot as a value, and the function that makes it from a reference on the command line.

`load_bot` runs nothing of the bot: it checks the files, reads the manifest, and lets `Parser` compile the Python files.
All that can be wrong with a bot's folder is found here, with exit code `BAD_BOT`, and not when a match has started.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from arena.bots.builtin import BUILTIN, is_typed_module, no_bot
from arena.bots.builtin_copy import builtin_bot
from arena.bots.folders.files import BUILT, LARGEST_ARCHIVE, content_hash, list_files, own_entries
from arena.bots.folders.manifest import (
    MAIN,
    MANIFEST,
    BotParameter,
    Build,
    Manifest,
    check_name,
    chosen_settings,
    read_manifest,
)
from arena.bots.folders.parser import Parser, check_python, imported_files
from arena.bots.players import PlayerKind, brought_player
from arena.bots.references import Settings, split_reference
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.text.printable import command_line
from arena_player.modules import RESERVED

__all__ = ["LARGEST_ARCHIVE", "Bot", "BotParameter", "load_bot", "split_reference"]

PYTHON_PROGRAMS = frozenset({"python", "python3"})
KINDS = "A bot is a Python file, a folder with bot.toml, an archive of such a folder, or builtin:NAME."
BOT_FOLDER = "/bot"
"""The bot's folder inside the sandbox."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A program that can play on a seat.

    Attributes:
        files: Its files and folders, relative to `folder`; empty means the whole folder.
        entry: The Python file to run, relative to `folder`; empty for a command.
        command: The command of a bot in another language; empty for Python.
        content_hash: The hash of the names, executable bits and bytes of its files, 64 hexadecimal digits. For an
            external player, an identity or an empty text.
        game: The game that it was written for; empty if unknown.
        bridge: Whether its command reads and writes lines of JSON instead of the protocol's messages.
        build: The build of the bot from its sources; None if it needs no build. `files` and `content_hash` do not
            include the output of the build.
        is_outside: Whether the program is Arena's relay to an external player: a person, or a bot on another machine.
            A relay needs no sandbox.
        is_brought: Whether another distribution brings the player outside (`arena.bots.players`).
        parameters: The numbers of its `bot.toml` that can be set.
        settings: What it is sent with the message `welcome`: the values of its parameters, and what the reference set.
    """

    name: str
    folder: Path
    files: tuple[str, ...]
    entry: str
    command: tuple[str, ...]
    language: str
    content_hash: str
    game: str = ""
    description: str = ""
    rules: bool = False
    bridge: bool = False
    build: Build | None = None
    is_outside: bool = False
    is_brought: bool = False
    parameters: tuple[BotParameter, ...] = ()
    settings: Settings = ()

    @property
    def runs_python(self) -> bool:
        """Whether the bot runs in Arena's own Python, as a Python file or by a command such as `python bot.py`."""
        return bool(self.entry) or self.command[0] in PYTHON_PROGRAMS

    @property
    def debugger(self) -> str:
        """The debugger that can stop the bot as a turn begins: pdb, gdb or node; empty if there is none."""
        if self.runs_python:
            return "pdb"
        program = self.command[0]
        return "gdb" if "/" in program else program if program == "node" else ""

    @property
    def hidden_files(self) -> list[str]:
        """The Python files that the bot cannot import, since modules of Python or of the kit have their names."""
        if not self.entry:
            return []
        modules = [name for name in self.files or os.listdir(self.folder) if name.endswith(".py")]
        return sorted(name for name in modules if name.removesuffix(".py") in RESERVED and name != self.entry)

    @property
    def size(self) -> int:
        """The size of all its files in bytes."""
        return sum((self.folder / name).stat().st_size for name in list_files(self.folder, self.files))

    @property
    def needs_python(self) -> bool:
        """Whether Arena's own Python must be visible to the bot."""
        return self.runs_python or self.rules or self.bridge


def need_program(bot: Bot, purpose: str) -> None:
    """Refuse a player that another distribution brings: it has no program here, and plays whole matches only."""
    if bot.is_brought:
        raise ArenaError(
            f"{purpose} needs a bot. {bot.name} is a player of another distribution, and plays whole matches only.",
            exit_code=ExitCode.BAD_BOT,
        )


def folder_name(reference: str) -> str:
    """Return the name of a bot's folder, file or archive, if it can be the bot's name; else an empty text."""
    path = Path(reference).expanduser().absolute()
    if not reference or not path.exists():
        return ""
    path = path.resolve()
    name = path.name if path.is_dir() else path.name.partition(".")[0]
    try:
        return check_name(path.parent.name if name == "main" else name, reference)
    except ArenaError:
        return ""


def load_bot(reference: str | Path, game: GameSpec | None = None, *, cache: Path | None = None) -> Bot:
    """Find and check a bot without running it.

    Args:
        reference: A Python file, a folder with `bot.toml` or `main.py`, a `.zip`, `.tar.gz` or `.tgz` of such a
            folder, or `builtin:NAME`. Settings can follow: `builtin:NAME?NAME=VALUE&NAME=VALUE`. Or a player that
            another distribution brings, such as `llm:NAME`: then the bot is the relay to it.
        game: The game that the bot is to play. A bot for another game is refused. Without a game, `builtin:NAME` is
            refused.
        cache: Folder for unpacked archives; by default in the user's cache folder.

    Raises:
        ArenaError: There is no such bot, it is for another game, or a file or setting of it is wrong.
    """
    text, settings = split_reference(reference)
    if (player := brought_player(text)) is not None:
        return _brought_bot(*player, settings)
    builtin_name = ""
    if text.startswith(BUILTIN):
        builtin_name = text.removeprefix(BUILTIN)
        if game is None:
            raise ArenaError(f"{text} is a built-in bot, but no game is given.")
        path = builtin_bot(game, builtin_name)
    else:
        if not text:
            raise ArenaError("A bot is missing: its name is empty.", exit_code=ExitCode.BAD_BOT)
        path = Path(text).expanduser()
        if not path.exists():
            raise no_bot(path, game, KINDS)
    try:
        # Built-in bots are trusted, so this process can parse their files.
        with Parser(trusted=bool(builtin_name)) as parser:
            bot = _load_path(path, cache, parser)
        if game is not None and bot.game not in ("", game.name):
            raise ArenaError(f"The bot {bot.name} is for {bot.game}, not for {game.name}.")
        name = check_name(builtin_name, BUILTIN) if builtin_name else bot.name
        return replace(bot, name=name, settings=chosen_settings(bot.parameters, settings, text))
    except OSError as error:
        reason = f"{path} cannot be read: {(error.strerror or str(error)).lower()}."
        raise ArenaError(reason, exit_code=ExitCode.BAD_BOT) from error
    except ArenaError as error:
        if error.exit_code != ExitCode.CANNOT_WRITE:
            error.exit_code = ExitCode.BAD_BOT
        raise


def _load_path(path: Path, cache: Path | None, parser: Parser) -> Bot:
    path = path.resolve()
    if path.is_dir():
        return _load_folder(path, parser)
    if suffix := archive_suffix(path):
        # Import the module only here: the import is slow, and most bots are not archives.
        from arena.bots.folders.archive import unpack_archive

        folder = unpack_archive(path, cache)
        try:
            return _load_folder(folder, parser, path.name[: -len(suffix)])
        except ArenaError as error:
            # Name the archive: the user does not know the folder into which it was unpacked.
            error.message = error.message.replace(str(folder), str(path))
            raise
    if path.suffix == ".py" and path.is_file():
        manifest = path.parent / MANIFEST
        if manifest.is_file() and read_manifest(manifest, path.parent.name, parser).python == path.name:
            return _load_folder(path.parent, parser)
        return _load_file(path, parser)
    raise ArenaError(
        f"{path} is not a bot.", hint="A bot is a .py file, a folder with bot.toml, or a .zip or .tar.gz of one."
    )


def archive_suffix(path: Path) -> str:
    """Return the suffix `.zip`, `.tar.gz` or `.tgz` of the file's name, or an empty text."""
    name = path.name.lower()
    return next((suffix for suffix in (".zip", ".tar.gz", ".tgz") if name.endswith(suffix)), "")


def _load_file(path: Path, parser: Parser) -> Bot:
    if is_typed_module(path):
        raise ArenaError(
            f"{path} is not a bot: it is the typed module that bots import.",
            hint=f"Name the file with your class, which begins with `from {path.stem} import AI`.",
        )
    check_python(path, parser)
    imported = imported_files(path, parser)
    files = list_files(path.parent, imported)
    return Bot(
        name=check_name(path.stem, str(path)),
        folder=path.parent,
        files=own_entries(path.parent, imported),
        entry=path.name,
        command=(),
        language="python",
        content_hash=content_hash(path.parent, files),
    )


def _load_folder(folder: Path, parser: Parser, name: str = "") -> Bot:
    """Load a bot from its folder.

    Args:
        name: The name of the archive that the folder was unpacked from; empty for a folder of the user.
    """
    listed = list_files(folder)
    is_built = folder.name == BUILT
    manifest = _manifest_of(folder, name or (folder.parent if is_built else folder).name, parser)
    build = None if is_built else manifest.build
    output = manifest.build.output if manifest.build else ()
    if name:
        for path in _own_programs(folder, manifest.command, manifest.build):
            path.chmod(0o755)  # zip files from Windows do not store executable bits
    files = tuple(file for file in listed if not _is_in(file, output))
    if manifest.python:
        if manifest.python not in files:
            raise ArenaError(f"{folder}: bot.toml names the Python file {manifest.python}, which does not exist.")
        check_python(folder / manifest.python, parser)
    elif "/" in manifest.command[0]:
        _check_program(folder, manifest.command[0], files, output, is_built_later=build is not None)
    for path in _own_programs(folder, manifest.command, build):
        _check_script(path)
    return Bot(
        name=manifest.name,
        folder=folder,
        files=own_entries(folder) if build is None else files,
        entry=manifest.python,
        command=manifest.command,
        language="python" if manifest.python else Path(manifest.command[0]).name,
        content_hash=content_hash(folder, files),
        game=manifest.game,
        description=manifest.description,
        rules=manifest.rules,
        bridge=manifest.bridge,
        build=build,
        parameters=manifest.parameters,
    )


def _check_program(
    folder: Path, program: str, files: Sequence[str], output: Sequence[str], *, is_built_later: bool
) -> None:
    """Raise `ArenaError` unless the program of a command is in the bot's folder and can be run, or will be built."""
    if not _is_in(program, (*files, *output)):
        raise ArenaError(f"{folder}: bot.toml names the program {program}, which does not exist.")
    if is_built_later and _is_in(program, output):
        return
    path = folder / program
    if path.is_file() and not os.access(path, os.X_OK):
        raise ArenaError(
            f"{folder}: bot.toml names the program {program}, which is not executable.",
            hint=f"Run: {command_line('chmod', '+x', path)}",
        )


def _own_programs(folder: Path, command: Sequence[str], build: Build | None) -> list[Path]:
    """Return the programs of a bot's command and of its build that are files of the bot."""
    names = [*command[:1], *(build.command[:1] if build else ())]
    return [folder / name for name in names if "/" in name and (folder / name).is_file()]


def _check_script(program: Path) -> None:
    """Refuse a script whose first line no system understands, since it would only say that there is no such file."""
    with program.open("rb") as file:
        line = file.readline(256).rstrip(b"\n")  # Linux reads no more of it either
    if line.startswith(b"\xef\xbb\xbf#!"):
        problem = "begins with a byte order mark, so no interpreter is found"
    elif line.startswith(b"#!") and line.endswith(b"\r"):
        problem = f"ends with a carriage return, so it names the interpreter {line[2:].decode('utf-8', 'replace')!r}"
    else:
        return
    raise ArenaError(
        f"{program} cannot start: its first line {problem}.",
        hint="Save it with the line ends of Unix (LF), as UTF-8 without a byte order mark.",
    )


def _is_in(file: str, paths: Iterable[str]) -> bool:
    return any(PurePosixPath(file).is_relative_to(path) for path in paths)


def _manifest_of(folder: Path, name: str, parser: Parser) -> Manifest:
    manifest = folder / MANIFEST
    if manifest.is_file():
        return read_manifest(manifest, name, parser)
    if (folder / MAIN).is_file():
        return Manifest(name=check_name(name, str(folder)), python=MAIN)
    raise ArenaError(
        f"{folder} is not a bot: it has neither bot.toml nor main.py.",
        hint='Name its file main.py, or write a bot.toml with the line python = "FILE.py".',
    )


# External players: a person, or a bot on another machine. A relay of Arena's own takes their seat, so that the referee
# has one kind of player.


def bot_outside(name: str, address: str, content: str = "", *, is_brought: bool = False) -> Bot:
    """Return the program that connects a seat with its external player.

    Args:
        address: The path of the Unix socket on which the player's program listens.
        content: The identity of the player. It replaces the content hash: this machine has no program of the player.
        is_brought: Whether another distribution brings the player.
    """
    program = Path(__file__).with_name("seat_program.py")
    return Bot(
        name=name,
        folder=program.parent,
        files=(program.name,),
        entry="",
        command=("python", str(program), address),
        language="python",
        content_hash=content,
        is_outside=True,
        is_brought=is_brought,
    )


def _brought_bot(kind: PlayerKind, name: str, settings: Settings) -> Bot:
    if settings:
        raise ArenaError(f"{name} has no settings in its reference.", exit_code=ExitCode.BAD_BOT)
    return bot_outside(check_name(name, name), "", kind.identity(name), is_brought=True)
