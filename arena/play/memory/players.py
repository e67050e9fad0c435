"""The players that a match in memory can have, and how results and replays refer to them.

Only for trusted bots: loading one runs its code in this process, and it keeps the memory and the rights of it.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from arena.bots.builtin import BUILTIN, builtin_path, module_source, no_bot
from arena.bots.folders.manifest import MAIN, MANIFEST, Manifest, chosen_settings, read_manifest
from arena.bots.folders.parser import Parser
from arena.bots.players import brought_player
from arena.bots.references import split_reference
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.ending import distinct_names
from arena.match.job import SeatAssignment
from arena.play.memory.choices import Policy, Turn
from arena_player.ai import AI, find_ai
from arena_player.errors import PlayerError
from arena_player.modules import BotModules

if TYPE_CHECKING:
    from arena.game import Document
    from arena_replays.documents import Entry


# Load bots into this process.

KINDS = "Use a .py file, a folder with main.py or a bot.toml, or builtin:NAME."


def bot_class(game: GameSpec, reference: str | Path) -> type[AI]:
    """Return the class of a trusted bot. Its code runs in this process, now and when it plays.

    Whenever its code runs in a match, it can import the files beside it, and the typed module of its game.

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
    if not path.exists():
        raise no_bot(path, game, KINDS)
    if path.suffix != ".py" or not path.is_file():
        raise ArenaError(
            f"{text} is no bot in Python, so it cannot play in memory.",
            hint=KINDS,
            exit_code=ExitCode.BAD_BOT,
        )
    try:
        path = path.resolve()
        modules = BotModules(str(path), _typed_module(game, path.parent, is_builtin=is_builtin))
        with modules:
            cls = find_ai(modules.load())
            cls._modules = modules
            return cls
    except PlayerError as error:
        raise ArenaError(str(error), exit_code=ExitCode.BAD_BOT) from None


def settings_of(game: GameSpec, reference: str | Path) -> dict[str, str]:
    """Return the settings of a bot: the values of the parameters in its `bot.toml`, and those of the reference.

    Raises:
        ArenaError: A setting is wrong, or the bot's `bot.toml` is.
    """
    text, settings = split_reference(reference)
    path = _path_of(game, text)
    try:
        manifest = _manifest_of(path if path.is_dir() else path.parent, path.name)
        return dict(chosen_settings(manifest.parameters, settings, text))
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


def _typed_module(game: GameSpec, folder: Path, *, is_builtin: bool) -> dict[str, ModuleType]:
    """Return the typed module of the game by its name. Return none if the bot brings it.

    In the folder of a built-in bot, it can be older than the game: an author wrote it there for an editor.
    """
    if not is_builtin and any((folder / name).is_file() for name in (f"{game.name}.py", f"{game.name}/__init__.py")):
        return {}
    loaded = sys.modules.get(game.name)
    if loaded is None or not _is_typed_module(loaded, game):
        loaded = ModuleType(game.name)
        exec(_module_code(game), loaded.__dict__)
    return {game.name: loaded}


@cache
def _module_code(game: GameSpec) -> CodeType:
    """Return the compiled typed module. To write and compile it takes longer than the bot's own file."""
    return compile(module_source(game), f"<{game.name}.py>", "exec")


def _is_typed_module(module: ModuleType, game: GameSpec) -> bool:
    base = getattr(module, "AI", None)
    return isinstance(base, type) and getattr(base, "schema_hash", None) == game.schema()["hash"]


# A player that repeats what was recorded.


class RecordedPlayer:
    """A policy that submits a player's actions of a replay again, in their order, also the refused ones.

    With the same seed and the other players recorded as well, the match is the same. After the last action, the policy
    submits the game's fallback actions.

    Args:
        truth: The entries of the replay (`Reader.truth`).
        player: The player's number.
    """

    def __init__(self, truth: Iterable[Entry], player: int) -> None:
        submitted = (entry for entry in truth if entry[0] in ("do", "refuse") and entry[1] == player)
        # Of a refused action that was too large, only a text was recorded.
        self._actions: deque[Document] = deque(entry[2] for entry in submitted if isinstance(entry[2], dict))

    def __call__(self, turn: Turn) -> Document:
        """Return the next action."""
        if self._actions:
            return self._actions.popleft()
        return turn.state.fallback_action(turn.player)


Loaded = type[AI] | Policy | None
Player = str | Path | Loaded
"""Who plays on a seat: the file, the folder or ``builtin:NAME`` of a trusted bot; a player that another distribution
brings, such as ``llm:NAME``; a bot's class; a policy; None if the caller of the match chooses the actions."""


def is_brought(player: Player) -> bool:
    """Return whether another distribution brings a player, so that no code of it runs in this process."""
    return isinstance(player, str) and brought_player(split_reference(player)[0]) is not None


def load_player(game: GameSpec, player: Player) -> Loaded:
    """Load a bot that is named; return other players unchanged.

    Raises:
        ArenaError: There is no such bot.
        TypeError: It is a class, but not a bot's.
    """
    if isinstance(player, str | Path):
        return bot_class(game, player)
    if isinstance(player, type) and not issubclass(player, AI):
        raise TypeError(f"{player.__name__} is no subclass of arena_player.AI.")
    return player


def assignments(
    game: GameSpec, players: Sequence[Player], names: Sequence[str] = (), settings: Sequence[Mapping[str, str]] = ()
) -> tuple[SeatAssignment, ...]:
    """Return the seats of a match. Players without a name get that of their bot or policy."""
    wished_names = names or [_name(player, number) for number, player in enumerate(players)]
    final_names = distinct_names(list(wished_names), [str(number + 1) for number in range(len(players))])
    return tuple(
        SeatAssignment(_reference(player), name, _settings(game, player) | dict(changed))
        for player, name, changed in zip(players, final_names, settings or [{}] * len(players), strict=True)
    )


def _settings(game: GameSpec, player: Player) -> dict[str, str]:
    return settings_of(game, player) if isinstance(player, str | Path) and not is_brought(player) else {}


def _reference(player: Player) -> str:
    if player is None or isinstance(player, str | Path):
        return str(player or "")
    code = player if hasattr(player, "__qualname__") else type(player)
    return f"{code.__module__}:{code.__qualname__}"


def _name(player: Player, number: int) -> str:
    if player is None:
        return f"player {number + 1}"
    if isinstance(player, str | Path):
        if (brought := brought_player(str(player))) is not None:
            return brought[1]
        path = Path(split_reference(player)[0].removeprefix(BUILTIN))
        return path.parent.name if path.name == "main.py" else path.stem
    return str(getattr(player, "__name__", type(player).__name__))
