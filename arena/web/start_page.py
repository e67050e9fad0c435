"""Show the start page: the installed games with their maps, and recent replays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.game import GameSpec, OptionError, names
from arena.match.lookup import find_game
from arena.web.pages import editor_page
from arena.web.recent import Recent
from arena.web.rulebook import summary


def start_page(request: Request, recent: Sequence[Recent]) -> Response:
    replays = [
        {
            "url": f"watch/{quote(one.path.name)}",
            "title": one.title,
            "file": one.path.name,
            "result": one.result,
            "written": one.written,
        }
        for one in recent
    ]
    config = {"games": [_game(game) for game in _installed()], "replays": replays}
    return editor_page(request, "Arena", "start.js", config)


def _installed() -> Iterator[GameSpec]:
    for name in names():
        try:
            yield find_game(name)
        except ArenaError:
            continue  # `arena games` shows what is wrong with this game


def _game(game: GameSpec) -> dict[str, Any]:
    maps = []
    for name in game.maps:
        try:
            document = game.load_map(name) if game.load_map is not None else None
        except OptionError:
            continue
        maps.append({"name": name, "document": document if isinstance(document, dict) else None})
    return {
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "doc": _about(game),
        "players": game.describe_players(),
        "rulesets": list(game.rulesets),
        "bots": [bot.name for bot in game.bots],
        "maps": maps,
        "editor": None if game.editor is None else game.editor.describe(),
    }


def _about(game: GameSpec) -> str:
    """Return the first sentence of a game's documentation, without the game's title."""
    text = summary(game.state.__doc__ or "").removeprefix(f"{game.title}:").strip()
    return text[:1].upper() + text[1:]
