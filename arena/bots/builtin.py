"""The files of built-in bots."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from arena.bots.folders.files import cache_folder, list_files
from arena.bots.folders.parser import Parser
from arena.bots.folders.sources import bring_files
from arena.bots.game_files import builtin_path, module_source
from arena.game import GameSpec


def builtin_bot(game: GameSpec, name: str) -> Path:
    """Return the path of a built-in bot. If the bot needs the game's typed module, return a copy with that module.

    Raises:
        ArenaError: The game has no bot of this name.
    """
    path = builtin_path(game, name)
    folder = path if path.is_dir() else path.parent
    is_complete = not path.exists() or (folder / f"{game.name}.py").is_file()
    return path if is_complete else _with_module(game, path.resolve())


def _with_module(game: GameSpec, path: Path) -> Path:
    """Copy a bot and the typed module to the user's cache. Return the original path if the bot needs no module."""
    folder = path if path.is_dir() else path.parent
    with Parser(trusted=True) as parser:
        files = list_files(folder, () if path.is_dir() else bring_files(path, parser))
        sources = [folder / name for name in files if name.endswith(".py")]
        if all(game.name not in parser.source(source).imports for source in sources):
            return path
    contents = {name: (folder / name).read_bytes() for name in files} | {
        f"{game.name}.py": module_source(game).encode()
    }
    key = hashlib.sha256(repr(sorted(contents.items())).encode()).hexdigest()[:16]
    target = cache_folder() / "builtin" / key / folder.name
    if not target.is_dir():
        _write(target, folder, contents)
    return target if path.is_dir() else target / path.name


def _write(target: Path, folder: Path, contents: dict[str, bytes]) -> None:
    """Write the files to a new folder. Another process can do the same at the same time."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".copy-", dir=target.parent))
    try:
        for name, data in contents.items():
            place = temporary / "files" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            if (folder / name).is_file():
                shutil.copymode(folder / name, place)
        (temporary / "files").rename(target)
    except OSError:
        if not target.is_dir():
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
