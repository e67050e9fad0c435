"""The win probabilities at one position of a replay."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any, Final

from arena.analysis.playouts import Result
from arena.analysis.pool import Pool
from arena.analysis.probability import win_of
from arena.analysis.worker import required_bots
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game
from arena.match.position import ReplayPlace
from arena.replaying.places import file_of, state_at
from arena_replays import Reader

MOST: Final = 400
"""The limit for the number of playouts; more of them would hardly make the interval smaller."""
LEAST: Final = 100
"""The strongest bot that can play this many playouts within the budget is chosen."""


def at_position(place: ReplayPlace, budget: float) -> dict[str, Any]:
    """Return the win probabilities at a position, and how they were computed, as plain JSON values.

    Args:
        budget: The time limit in seconds. The playouts get at least 1 second.
    """
    end = monotonic() + budget
    path = file_of(place)
    reader = Reader(path)
    header = reader.header
    game = find_game(header.get("game", ""))
    state = state_at(path, place.turn, place.action)
    if not state.to_move():
        raise ArenaError(f"The game is over at {path}@{place.turn}.{place.action}.", exit_code=ExitCode.BAD_OPTION)
    names = required_bots(game)
    with Pool(path) as pool:
        left = sum(turn.number > state.turn_number() for turn in reader.turns)
        limit = budget * pool.processes / LEAST / max(1, left)
        where = place.turn, place.action
        costs = dict(pool.ask([("turn_cost", name, where) for name in names]))
        fast = [at for at in range(len(names)) if costs[at] <= limit] or [min(costs, key=lambda at: costs[at])]
        bot = names[fast[-1]]
        questions = [("values_at", bot, where, [seed]) for seed in range(MOST)]
        end = max(end, monotonic() + 1)
        found: list[Result] = [result for _, results in pool.ask(questions, end) for result in results]
    players = [player["name"] for player in header.get("players", ())]
    return {
        "replay": str(Path(path)),
        "turn": place.turn,
        "action": place.action,
        "players": players,
        "to_move": list(state.to_move()),
        "bot": bot,
        "playouts": len(found),
        "win": [win_of(found, player, game.playout_power).to_document() for player in range(len(players))],
    }


def lines_of(document: dict[str, Any]) -> list[str]:
    where = f"turn {document['turn']}" + (f", action {document['action']}" if document["action"] else "")
    movers = ", ".join(document["players"][player] for player in document["to_move"]) or "nobody"
    return [
        f"{document['replay']}, {where}; to move: {movers}",
        *(
            f"  {name}: {100 * win['value']:.0f} % ({100 * win['low']:.0f} to {100 * win['high']:.0f} %)"
            for name, win in zip(document["players"], document["win"], strict=True)
        ),
        f"Win probabilities come from {document['playouts']} playouts by builtin:{document['bot']}. Intervals: 95 %.",
    ]
