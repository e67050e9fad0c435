"""The start page: the installed games with their maps, and recent replays. `local_matches` starts its matches."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from arena.game import GameSpec, OptionError
from arena.match.lookup import about, installed_games
from arena.study.replaying.presentation import legs_for, result_in_words
from arena.text.printable import command_line
from arena.text.toml_files import known_tables
from arena.web.pages import editor_page
from arena_replays import Reader, ReplayError
from arena_replays.export import title_of
from arena_replays.legs import as_matches

MOST: Final = 24
"""The number of matches that the page shows; each replay is read for its result and its picture."""
LEGS: Final = 2
"""The most replays of a match."""
_MOST_BOTS: Final = 200
"""The number of folders with a bot that are read for a page: more than anybody has, except in a wrong folder."""


@dataclass(frozen=True, slots=True)
class Recent:
    """A match in a folder of replays.

    Attributes:
        written: The time of the last change of the last leg's replay, in seconds since 1970.
    """

    path: Path
    legs: tuple[Path, ...]
    game: str
    title: str
    result: str
    written: float


def recent_replays(folder: Path) -> list[Recent]:
    """List the newest matches in a folder of replays. Skip files that are not replays.

    Only the files are read that `MOST` matches can have.
    """
    try:
        newest = _by_age(folder)[: LEGS * MOST]
    except OSError:
        return []
    written = {path: when for when, path in reversed(newest) if _is_replay(path)}
    matches = as_matches(list(written), legs_for)
    return [_recent(legs, written[legs[-1]]) for legs in reversed(matches)][:MOST]


def legs_of(replay: Path) -> tuple[Path, ...]:
    """Return the replays of the match that a replay belongs to. The other leg is written right before or after it.

    Raises:
        OSError: The replay does not exist.
        ReplayError: It is not a replay.
    """
    Reader(replay)
    paths = [path for _, path in reversed(_by_age(replay.parent))]
    at = paths.index(replay)
    beside = [path for path in paths[max(0, at - 1) : at + LEGS] if _is_replay(path)]
    return next(legs for legs in as_matches(beside, legs_for) if replay in legs)


def _by_age(folder: Path) -> list[tuple[float, Path]]:
    """Return the time and path of each replay, the newest first."""
    return sorted(((path.stat().st_mtime, path) for path in folder.glob("*.arena")), reverse=True)


def _is_replay(path: Path) -> bool:
    try:
        Reader(path)
    except ReplayError:
        return False
    return True


def _recent(legs: tuple[Path, ...], written: float) -> Recent:
    readers = [Reader(path) for path in legs]
    results = [result_in_words(reader) for reader in readers]
    if len(legs) > 1:
        results = [f"leg {number}: {result}" for number, result in enumerate(results, 1)]
    return Recent(
        legs[0], legs, readers[0].header.get("game", ""), title_of(readers[0], len(legs)), ", ".join(results), written
    )


def start_page(request: Request, recent: Sequence[Recent], folder: Path) -> Response:
    """Return the start page.

    Args:
        folder: The folder with the student's bots.
    """
    replays = [
        {
            "url": f"watch/{quote(replay.path.name)}",
            "still": f"still/{quote(replay.legs[-1].name)}",
            "game": replay.game,
            "title": replay.title,
            "file": replay.path.name,
            "result": replay.result,
            "written": replay.written,
        }
        for replay in recent
    ]
    config = {
        "games": [_game(game, folder) for game in installed_games()],
        "replays": replays,
        "playground": importlib.util.find_spec("arena_playground") is not None,
    }
    return editor_page(request, "Arena", "start.js", config)


def _game(game: GameSpec, folder: Path) -> dict[str, Any]:
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


def bots_of(game: GameSpec, folder: Path) -> list[dict[str, str]]:
    """Return what can play from the start page: the built-in bots, weakest first, and the bots in a folder."""
    builtin = [{"value": f"builtin:{bot.name}", "title": bot.name, "doc": bot.doc} for bot in game.bots]
    paths = own_bots(game, folder)
    return builtin + [
        {
            "value": path,
            "title": path,
            "doc": "Your bot in this folder.",
            "climb": command_line("arena", "climb", game.name, path),
        }
        for path in paths
    ]


def own_bots(game: GameSpec, folder: Path) -> list[str]:
    """Return the folders with a bot for a game that are directly in a folder."""
    manifests = sorted(folder.glob("*/bot.toml"))[:_MOST_BOTS]
    return [path.parent.name for path in manifests if known_tables(path).get("game") == game.name]
