"""Answer the requests of the map editor's page: open, check and save a map. `trials` plays on it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.lookup import find_game
from arena.sdk.maps import blank_map, editable, editor_of, problems_of, read_map, write_map
from arena.text.printable import command_line
from arena.web.pages import editor_page

FILE_NAME: Final = re.compile(r"[A-Za-z0-9][\w-]{0,80}\.json", re.ASCII)
MOST_PROBLEMS: Final = 500
"""Chosen, not measured: nobody reads more, and a map of 128 x 128 tiles without any good one would fill megabytes."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A map that is open in the editor.

    Attributes:
        target: The file to save to; None if the page asks for a name.
    """

    document: dict[str, Any] | None = None
    target: Path | None = None


class Editing:
    """The maps that are open in the editor, one for each game.

    Args:
        folder: Where maps without a file are saved.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: dict[str, Opened] = {}

    def open(self, game: str, document: dict[str, Any] | None, target: Path | None) -> str:
        self._opened[game] = Opened(document, target)
        return f"edit/{game}"

    def page(self, request: Request) -> Response:
        """Return the editor with a map of the game, the opened map, or a new one."""
        game = find_game(request.path_params["game"])
        opened = self._opened_map(game, request.query_params.get("map", ""))
        spec = editor_of(game).describe()
        config = {
            "game": game.name,
            "gameTitle": game.title,
            "players": game.players,
            "document": opened.document or blank_map(game, {}),
            "target": "" if opened.target is None else opened.target.name,
            "maps": list(game.maps),
            "bots": [{"name": bot.name, "doc": bot.doc} for bot in game.bots],
            "editor": spec,
        }
        return editor_page(request, f"{game.title}: {spec['noun']}", "main.js", config)

    def _opened_map(self, game: GameSpec, name: str) -> Opened:
        """Return a copy of one of the game's maps; without a name, the map that was opened or saved last."""
        editor_of(game)
        if name:
            if name not in game.maps:
                raise ArenaError(f"{game.name} has no map {name}.", exit_code=ExitCode.BAD_OPTION)
            return Opened(editable(game, read_map(game, name), name), None)
        opened = self._opened.get(game.name, Opened())
        if opened.target is not None and opened.target.exists():
            # After a reload the page shows the saved map.
            return Opened(editable(game, read_map(game, str(opened.target)), str(opened.target)), opened.target)
        return opened

    def check(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Return at most `MOST_PROBLEMS` problems of a map. For a map that can be played, also return some facts."""
        editor = editor_of(find_game(request.path_params["game"]))
        document = body.get("document")
        problems = problems_of(editor, document)
        can_be_played = not any(problem.is_error for problem in problems)
        facts = editor.facts(document) if can_be_played and isinstance(document, dict) else []
        return {"problems": [problem.to_document() for problem in problems[:MOST_PROBLEMS]], "facts": facts}

    def save(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Write a map. A file that was not opened is replaced only on request."""
        game = find_game(request.path_params["game"])
        document = editable(game, body.get("document"), "The document")
        opened = self._opened.get(game.name, Opened())
        target = self._target(opened, body.get("name"))
        if target.exists() and not body.get("replace") and target != opened.target:
            return {"message": f"{target.name} exists already.", "exists": True}
        write_map(target, document)
        self._opened[game.name] = Opened(document, target)
        bots = ["BOT"] * game.player_counts[0]
        play = command_line("arena", "play", game.name, *bots, "--map", os.path.relpath(target))
        return {"saved": str(target), "play": play}

    def _target(self, opened: Opened, name: Any) -> Path:
        if opened.target is not None and name in (None, "", opened.target.name):
            return opened.target
        if not isinstance(name, str) or not FILE_NAME.fullmatch(name):
            raise ArenaError("The name of a map file must consist of letters, digits, _ and -, and end in .json.")
        return self._folder / name
