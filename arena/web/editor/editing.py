"""Answer the requests of the map editor's page: open, check and save a map, and play on it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.ending import counted, reason_in_words
from arena.match.job import Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.result import MatchResult
from arena.sdk.maps import blank_map, editable, editor_of, problems_of, read_map, write_map
from arena.text.printable import command_line
from arena.web.page_matches import ACTIVE, PageMatches, WaitingMatch
from arena.web.pages import editor_page, json_page

FILE_NAME: Final = re.compile(r"[A-Za-z0-9][\w-]{0,80}\.json", re.ASCII)
MOST_PROBLEMS: Final = 500
"""Chosen, not measured: nobody reads more, and a map of 128 x 128 tiles without any good one would fill megabytes."""
_PATIENCE: Final = 10.0
"""Seconds for the end of a stopped match. Its process is killed after two; the rest is for a busy machine."""


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


class Trials:
    """The matches that the editor plays, one at a time.

    Args:
        register: Called with the replay of a finished match; returns the address to watch it.

    Attributes:
        folder: The folder for the replays. It exists only while the server runs.
    """

    def __init__(self, register: Callable[[Path], str]) -> None:
        self.folder = Path()
        self._register = register
        self._matches = PageMatches()
        self._count = 0

    def play(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start a match of built-in bots on the given map, and return its number."""
        game = find_game(request.path_params["game"])
        document, bots = body.get("document"), body.get("bots")
        errors = [problem for problem in problems_of(editor_of(game), document) if problem.is_error]
        if errors:
            raise ArenaError(f"The map cannot be played: {errors[0].message}")
        names = [bot.name for bot in game.bots]
        if not isinstance(bots, list) or len(bots) != game.players or not all(bot in names for bot in bots):
            raise ArenaError(f"{game.name} has no such bots." if names else f"{game.title} has no built-in bots.")
        if any(status["state"] in ACTIVE for status in self._matches.statuses().values()):
            raise ArenaError("Another match is running.")
        seats = tuple(SeatAssignment(f"builtin:{bot}") for bot in bots)
        job = Job(game=game.name, seats=seats, options={game.map_option: document}, progress=True).seeded()
        return {"trial": self.start(job)}

    def start(self, job: Job) -> int:
        number = self._count
        self._count += 1
        replay = self.folder / f"trial-{number}.arena"

        def describe(result: MatchResult) -> dict[str, Any]:
            return {"view": self._register(replay), "result": _in_words(result)}

        self._matches.play(WaitingMatch(str(number), replace(job, replay=str(replay)), describe=describe))
        return number

    def status(self, request: Request) -> Response:
        return json_page(self.status_of(request.path_params["number"]))

    def status_of(self, number: int) -> dict[str, Any]:
        status = self._matches.status(str(number))
        if not status:
            raise ArenaError("This match does not exist.")
        return status

    def stop(self, request: Request, _body: dict[str, Any]) -> dict[str, Any]:
        number: int = request.path_params["number"]
        self._matches.stop(str(number), _PATIENCE)
        return self.status_of(number)

    def close(self) -> None:
        self._matches.close()


def _in_words(result: MatchResult) -> str:
    reason = reason_in_words(result.outcome.reason)
    won = result.headline([f"{player.name} (player {seat})" for seat, player in enumerate(result.players, 1)])
    return f"{won}: {reason}, after {counted(result.turns, 'turn')}."
