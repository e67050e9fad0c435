"""The start page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from arena.errors import ArenaError
from arena.game import GameSpec, OptionError, names
from arena.lookup import find_game
from arena.web.editing.pages import page
from arena.web.startpage.recent import Recent


def start_page(recent: Sequence[Recent]) -> tuple[str, str]:
    """Return the page and its policy.

    Args:
        recent: The replays to list.
    """
    config = {
        "games": [_game(game) for game in _installed()],
        "replays": [
            {
                "url": f"/watch/{quote(one.path.name)}",
                "title": one.title,
                "file": one.path.name,
                "result": one.result,
                "written": one.written,
            }
            for one in recent
        ],
    }
    return page("Arena", "start.js", config)


def _installed() -> Iterator[GameSpec]:
    for name in names():
        try:
            yield find_game(name)
        except ArenaError:
            continue  # `arena games` says what is the matter with it


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
        "players": game.players,
        "rulesets": list(game.rulesets),
        "bots": [bot.name for bot in game.bots],
        "maps": maps,
        "editor": None if game.editor is None else game.editor.describe(),
    }


def _about(game: GameSpec) -> str:
    """Return the first sentence about a game, without its title in front."""
    sentence = " ".join((game.state.__doc__ or "").split()).partition(". ")[0].removeprefix(f"{game.title}:").strip()
    return sentence[:1].upper() + sentence[1:]
