"""Get data for replays from installed games: renderers and numbers of legs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.errors import ArenaError
from arena.game import GameSpec, Outcome
from arena.match.ending import reason_in_words
from arena.match.lookup import find_game
from arena.match.void import is_void
from arena_replays import Reader
from arena_replays.documents import FooterOutcome, Header
from arena_replays.page import Renderer, read_renderer


def renderer_of(game: str) -> Renderer:
    """Return a game's renderer; the default renderer if the game has none or is not installed."""
    spec = _installed(game)
    return read_renderer(spec.viewer if spec else None)


def renderer_for(header: Header) -> Renderer:
    """Return the renderer of a replay's game (see `renderer_of`)."""
    return renderer_of(header.get("game", ""))


def legs_for(header: Header) -> int:
    """Return how many legs a match of the replay's game has; 1 if the game is not installed."""
    spec = _installed(header.get("game", ""))
    return spec.legs if spec else 1


def headline(outcome: FooterOutcome, players: Sequence[Mapping[str, Any]]) -> str:
    """Return a text that names the winners of a recorded match, or says that nobody won."""
    if is_void(player.get("ending", "") for player in players):
        return "No result"
    result = Outcome.from_document(outcome)
    if any(not 0 <= winner < len(players) for winner in result.winners):
        return "Unknown winner"
    return result.headline([str(player.get("name", "")) for player in players])


def result_in_words(reader: Reader) -> str:
    """Return how a recorded match ended, in one line."""
    footer, outcome = reader.footer, reader.outcome
    if footer is None or outcome is None:
        return "not finished"
    reason = reason_in_words(outcome["reason"])
    players = footer.get("players") or reader.header.get("players", [])
    result = headline(outcome, [{**player, "name": player.get("name", "")[:60]} for player in players])
    return f"{result} ({reason})" if reason else result


def _installed(game: str) -> GameSpec | None:
    try:
        return find_game(game)
    except ArenaError:
        return None
