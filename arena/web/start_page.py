"""Show the start page: the installed games with their maps, and recent replays."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from arena.game import GameSpec, OptionError
from arena.match.lookup import about, installed_games
from arena.text.printable import command_line
from arena.text.toml_files import known_tables
from arena.web.pages import editor_page
from arena.web.recent import Recent


def start_page(request: Request, recent: Sequence[Recent], folder: Path | None) -> Response:
    """Return the start page.

    Args:
        folder: The folder with the student's bots; None on a machine that plays no matches.
    """
    replays = [
        {
            "url": f"watch/{quote(one.path.name)}",
            "still": f"still/{quote(one.legs[-1].name)}",
            "game": one.game,
            "title": one.title,
            "file": one.path.name,
            "result": one.result,
            "written": one.written,
        }
        for one in recent
    ]
    config = {
        "games": [_game(game, folder) for game in installed_games()],
        "replays": replays,
        "plays": folder is not None,
        "playground": importlib.util.find_spec("arena_playground") is not None,
    }
    return editor_page(request, "Arena", "start.js", config)


def _game(game: GameSpec, folder: Path | None) -> dict[str, Any]:
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
        "doc": about(game),
        "players": game.describe_players(),
        "rulesets": list(game.rulesets),
        "bots": bots_of(game, folder),
        "least": game.player_counts[0],
        "maps": maps,
        "editor": None if game.editor is None else game.editor.describe(),
    }


def bots_of(game: GameSpec, folder: Path | None) -> list[dict[str, str]]:
    """Return what can play from the start page: the built-in bots, weakest first, and the bots in a folder."""
    found = [{"value": f"builtin:{bot.name}", "title": bot.name, "doc": bot.doc} for bot in game.bots]
    own = [] if folder is None else own_bots(game, folder)
    return found + [
        {
            "value": path,
            "title": path,
            "doc": "Your bot in this folder.",
            "climb": command_line("arena", "climb", game.name, path),
        }
        for path in own
    ]


def own_bots(game: GameSpec, folder: Path) -> list[str]:
    """Return the folders with a bot for a game that are directly in a folder."""
    manifests = sorted(folder.glob("*/bot.toml"))[:200]
    return [path.parent.name for path in manifests if known_tables(path).get("game") == game.name]
