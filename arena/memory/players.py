"""The players that a match in memory can have, and how results and replays refer to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.bots.game_files import BUILTIN
from arena.bots.references import split_reference
from arena.game import GameSpec
from arena.match.job import SeatAssignment
from arena.match.wording import distinct_names
from arena.memory.bots import bot_class, settings_of
from arena.memory.choices import Policy
from arena_player.ai import AI

Loaded = type[AI] | Policy | None
Player = str | Path | Loaded
"""Who plays on a seat: the file, the folder or ``builtin:NAME`` of a trusted bot; a bot's class; a policy; None if the
caller of the match chooses the actions."""


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
    given = names or [_name(player, number) for number, player in enumerate(players)]
    named = distinct_names(list(given), [str(number + 1) for number in range(len(players))])
    own = settings or [{}] * len(players)
    return tuple(
        SeatAssignment(_reference(player), name, _settings(game, player) | dict(values))
        for player, name, values in zip(players, named, own, strict=True)
    )


def _settings(game: GameSpec, player: Player) -> dict[str, str]:
    return settings_of(game, player) if isinstance(player, str | Path) else {}


def _reference(player: Player) -> str:
    if player is None or isinstance(player, str | Path):
        return str(player or "")
    kind = player if hasattr(player, "__qualname__") else type(player)
    return f"{kind.__module__}:{kind.__qualname__}"


def _name(player: Player, number: int) -> str:
    if player is None:
        return f"player {number + 1}"
    if isinstance(player, str | Path):
        path = Path(split_reference(player)[0].removeprefix(BUILTIN))
        return path.parent.name if path.name == "main.py" else path.stem
    return str(getattr(player, "__name__", type(player).__name__))
