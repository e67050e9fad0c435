"""What a game brings for bots: its built-in bots, and the typed module that bots import. It needs no processes.

A built-in bot that imports the typed module (``from saloon import AI``) gets a copy with a module that fits the
installed game, because games do not carry generated files.
"""

from __future__ import annotations

import compileall
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import arena_player
from arena.bots.folders.files import cache_folder, list_files
from arena.bots.folders.parser import Parser, imported_files
from arena.errors import ArenaError, ExitCode
from arena.game import BuiltinBot, GameSpec
from arena.game.validation import nearest

__all__ = ["GROUP", "bots_for_all_games", "module_source"]
BUILTIN = "builtin:"
GROUP = "arena.bots"
"""The entry points of bots that play any game. Each names a `BuiltinBot`, and games have no bot of its name."""


def builtin_path(game: GameSpec, name: str) -> Path:
    """Return the file or folder of a built-in bot, as it came with the game."""
    own = [bot for bot in game.bots if bot.name == name]
    for bot in own or bots_for_all_games(name):
        return bot.path
    names = builtin_names(game)
    near = nearest(name, names)
    listed = ", ".join(BUILTIN + bot for bot in names) or "none"
    advice = f"Did you mean {BUILTIN}{near}?" if near else f"It has {listed}."
    raise ArenaError(
        f"The game {game.name} has no bot {BUILTIN}{name}. {advice}",
        hint="builtin:search plays every game. Install it: pip install arena-learn" if name == "search" else "",
        exit_code=ExitCode.BAD_BOT,
    )


def builtin_names(game: GameSpec) -> list[str]:
    """Return the names of all bots that can play a game, without the prefix ``builtin:``."""
    return [bot.name for bot in (*game.bots, *bots_for_all_games())]


def no_bot(path: Path, game: GameSpec | None, hint: str) -> ArenaError:
    """Return the error of a bot that does not exist. If a built-in bot has a similar name, the hint names this bot."""
    near = nearest(path.name, builtin_names(game)) if game is not None else ""
    hint = f"Did you mean {BUILTIN}{near}?" if near else hint
    return ArenaError(f"There is no bot at {path}.", hint=hint, exit_code=ExitCode.BAD_BOT)


def bots_for_all_games(name: str | None = None) -> list[BuiltinBot]:
    """Return the bots that play any game. They come with other distributions.

    Args:
        name: Only the bots of this name.
    """
    from importlib.metadata import entry_points  # the import is slow, and most bots come with their game

    points = entry_points(group=GROUP) if name is None else entry_points(group=GROUP, name=name)
    return [point.load() for point in sorted(points)]


def is_typed_module(path: str | Path) -> bool:
    """Return whether a file is the typed module of a game, which lies beside the bots that import it."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return f"Written by `arena sdk {Path(path).stem}`" in file.read(1000)
    except (OSError, ValueError):  # for example a built-in module of Python, which has no file
        return False


def without_modules(references: Sequence[str], report: Callable[[str], None], base: Path = Path()) -> tuple[str, ...]:
    """Return references of bots without the typed module, which `bots/*` of a shell names too. Report what is left out.

    A single reference is not left out: it is refused where it is read.
    """
    if len(references) < 2:
        return tuple(references)
    files = [reference for reference in references if reference.endswith(".py")]
    modules = [file for file in files if is_typed_module(base / file)]
    for module in modules:
        report(f"{module} is left out: it is the typed module that the bots beside it import.")
    return tuple(reference for reference in references if reference not in modules)


def module_source(game: GameSpec) -> str:
    """Return the source of a game's typed module, which bots import (``from saloon import AI``)."""
    from arena_player import sdk  # the import is slow, and most commands write no module

    return sdk.generate(game.schema(), sdk.read_extras(game.kit))


def builtin_bot(game: GameSpec, name: str) -> Path:
    """Return the path of a built-in bot. If the bot imports the game's typed module, return a copy with that module.

    The copy is in the user's cache. It is made again if the bot, the game's schema or kit, or the generator changes.
    """
    path = builtin_path(game, name)
    return _with_module(game, path.resolve()) if path.exists() else path


def _with_module(game: GameSpec, path: Path) -> Path:
    folder = path if path.is_dir() else path.parent
    module = f"{game.name}.py"
    with Parser(trusted=True) as parser:
        imported = () if path.is_dir() else imported_files(path, parser)
        # A module that an author wrote there for an editor can be older than the game.
        files = set(list_files(folder, imported)) - {module}
        sources = [folder / name for name in files if name.endswith(".py")]
        if all(game.name not in parser.source(source).imports for source in sources):
            return path
    contents = {name: (folder / name).read_bytes() for name in files}
    # Making the module takes longer than a bot's start, so the key is that of all that it is made from.
    key = hashlib.sha256(repr((sorted(contents.items()), _origins(game))).encode()).hexdigest()[:16]
    target = cache_folder() / "builtin" / key / folder.name
    if not os.path.isdir(target):  # False, too, if it cannot be read
        _write(target, folder, contents | {module: module_source(game).encode()})
    return target if path.is_dir() else target / path.name


def _origins(game: GameSpec) -> tuple[object, ...]:
    """Return what the typed module is made from: schema, kit, and the sources of the generator."""
    generator = sorted((Path(arena_player.__file__).parent / "sdk").glob("*.py"))
    kit = game.kit.read_bytes() if game.kit is not None else None
    return json.dumps(game.schema()), kit, [source.read_bytes() for source in generator]


def _write(target: Path, folder: Path, contents: dict[str, bytes]) -> None:
    """Write the files to a new folder. Another process can do the same at the same time."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".copy-", dir=target.parent) as temporary:
            copy = Path(temporary) / "files"
            for name, data in contents.items():
                path = copy / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                if (folder / name).is_file():
                    shutil.copymode(folder / name, path)
            compileall.compile_dir(copy, quiet=2)  # the bot's process cannot write byte code here
            copy.rename(target)
    except OSError as error:
        if not os.path.isdir(target):
            raise ArenaError(
                f"A built-in bot cannot be copied to {target.parent}: {error.strerror or error}.",
                hint="Set XDG_CACHE_HOME to a folder that you can write to.",
                exit_code=ExitCode.CANNOT_WRITE,
            ) from None
