"""Serve the rules of games, and their renderers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.game import names
from arena.match.lookup import find_game
from arena.web.pages import Endpoint, script
from arena.web.rulebook import rules_file
from arena_replays.page import renderer_or_default


def has_rules(game: str) -> bool:
    """Return whether a game is installed and has rules in words."""
    return game in names() and bool(find_game(game).rules_text())


def rules_routes(*, home: bool = False) -> dict[str, Endpoint]:
    """Return the routes of the rules. With `home`, the pages lead back to the start page."""

    def page(request: Request) -> Response:
        root = f"{request.scope['root_path']}/" if home else ""
        text, policy = rules_file(find_game(request.path_params["game"]), root)
        return HTMLResponse(text, headers={"Content-Security-Policy": f"{policy}; frame-ancestors 'self'"})

    return {"/rules/{game}": page}


def renderer_module(request: Request) -> Response:
    """Return the renderer of a game, or the default one."""
    game = find_game(request.path_params["game"])
    return script(renderer_or_default(None if game.viewer is None else game.viewer.read_text(encoding="utf-8")))
