"""Load bots into this process. Only for trusted bots: they share the memory and the rights of this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from arena.bots.folders.manifest import MAIN, MANIFEST, Manifest, chosen_settings, read_manifest
from arena.bots.folders.parser import Parser
from arena.bots.game_files import builtin_path, module_source
from arena.bots.references import split_reference
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena_player.ai import AI
from arena_player.errors import PlayerError
from arena_player.runner import find_ai, load_module

BUILTIN = "builtin:"


def bot_class(game: GameSpec, reference: str | Path) -> type[AI]:
    """Return the class of a trusted bot. Its code runs in this process, now and when it plays.

    While it is loaded, a bot can import the files beside it, and the typed module of its game.

    Args:
        game: The game.
        reference: ``builtin:NAME``, a Python file, or a folder with a file ``main.py`` or a ``bot.toml``. Its settings,
            such as ``?playouts=200``, are for `settings_of`.

    Raises:
        ArenaError: There is no such bot, it is not written in Python, or its file has no bot's class.
        Exception: Any exception of the bot's own code.
    """
    text, _ = split_reference(reference)
    is_builtin = text.startswith(BUILTIN)
    path = _path_of(game, text)
    path = path / (_manifest_of(path).python or MAIN) if path.is_dir() else path
    if path.suffix != ".py" or not path.is_file():
        raise ArenaError(
            f"{text} is no bot in Python, so it cannot play in memory.",
            hint="Use a .py file, a folder with main.py or a bot.toml, or builtin:NAME.",
            exit_code=ExitCode.BAD_BOT,
        )
    try:
        with _own_modules(game, path.resolve().parent, brings_module=not is_builtin):
            return find_ai(load_module(str(path)))
    except PlayerError as error:
        raise ArenaError(str(error), exit_code=ExitCode.BAD_BOT) from None


def settings_of(game: GameSpec, reference: str | Path) -> dict[str, str]:
    """Return the settings of a bot: the values of the parameters in its `bot.toml`, and those of the reference.

    Raises:
        ArenaError: A setting is wrong, or the bot's `bot.toml` is.
    """
    text, given = split_reference(reference)
    path = _path_of(game, text)
    try:
        manifest = _manifest_of(path if path.is_dir() else path.parent, path.name)
        return dict(chosen_settings(manifest.parameters, given, text))
    except ArenaError as error:
        error.exit_code = ExitCode.BAD_BOT
        raise


def _path_of(game: GameSpec, text: str) -> Path:
    return builtin_path(game, text.removeprefix(BUILTIN)) if text.startswith(BUILTIN) else Path(text).expanduser()


def _manifest_of(folder: Path, file: str = "") -> Manifest:
    """Return the manifest in a bot's folder; one without entries if there is none, or if it is not that of the file."""
    path = folder / MANIFEST
    if path.is_file():
        manifest = read_manifest(path, folder.name, Parser(trusted=True))
        if not file.endswith(".py") or manifest.python == file:
            return manifest
    return Manifest(folder.name)


@contextmanager
def _own_modules(game: GameSpec, folder: Path, *, brings_module: bool) -> Iterator[None]:
    """While a bot is loaded, let it import the files of its folder. Then forget them: other bots have equal names.

    If the folder brings no typed module of the game, the bot gets one that is made in memory.
    """
    own = {name for name in _names(folder) if not _is_from(sys.modules.get(name), folder)}
    own -= set() if brings_module else {game.name}
    typed = None
    if game.name not in own and not _is_typed_module(sys.modules.get(game.name), game):
        typed = _typed_module(game)
        own |= {game.name} & set(sys.modules)  # a module of this name is of something else: put it back afterwards
    path, before = list(sys.path), {name: one for name, one in sys.modules.items() if name.partition(".")[0] in own}
    for name in before:
        del sys.modules[name]
    if typed is not None:
        sys.modules[game.name] = typed
    try:
        yield
    finally:
        sys.path[:] = path
        for name in [name for name in sys.modules if name.partition(".")[0] in own]:
            del sys.modules[name]
        sys.modules.update(before)


def _names(folder: Path) -> set[str]:
    """Return the names of the modules and packages in a folder."""
    return {file.stem for file in folder.glob("*.py")} | {file.parent.name for file in folder.glob("*/__init__.py")}


def _is_from(module: ModuleType | None, folder: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).is_relative_to(folder)


def _is_typed_module(module: ModuleType | None, game: GameSpec) -> bool:
    own = getattr(module, "AI", None)
    return isinstance(own, type) and getattr(own, "schema_hash", None) == game.schema()["hash"]


def _typed_module(game: GameSpec) -> ModuleType:
    module = ModuleType(game.name)
    exec(compile(module_source(game), f"<{game.name}.py>", "exec"), module.__dict__)
    return module
