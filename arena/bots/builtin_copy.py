"""The copy of a built-in bot that a match plays with, if the bot imports the game's typed module.

Games do not carry generated files, so a bot with ``from saloon import AI`` gets a copy beside a module that fits the
installed game. The copies are in the user's cache.
"""

from __future__ import annotations

import compileall
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import arena_player
from arena.bots.builtin import builtin_path, module_source
from arena.bots.folders.files import cache_folder, list_files
from arena.bots.folders.parser import Parser, imported_files
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec


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
