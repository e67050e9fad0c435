"""Show one claim or one position of a replay: play on from it, and say how often each player wins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import Any, Final

from arena.analysis.estimates import Estimate
from arena.analysis.explaining import CHECK, Explainer, Explanation, fast_bots
from arena.analysis.playouts import Result
from arena.analysis.pool import Pool, Question
from arena.analysis.probability import win_difference, win_of
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import percent
from arena.analysis.worker import Place, Worker, required_bots
from arena.errors import ArenaError, ExitCode
from arena.game import Document
from arena.match.lookup import find_game
from arena.match.position import ReplayPlace
from arena.replaying.places import file_of, state_at
from arena_replays import Reader

MOST: Final = 400
"""The limit for the number of playouts; more of them would hardly make the interval smaller."""
LEAST: Final = 100
"""The strongest bot that can play this many playouts within the budget is chosen."""
PAIRS_AT_ONCE: Final = 5


def checked(
    match: RecordedMatch, pool: Pool, claims: Sequence[Document], teams: Sequence[Any], seconds: float
) -> list[dict[str, Any]]:
    """Play both lines of some turns again, with dice that no explanation uses: what bots choose, and what was done.

    Args:
        claims: The ``player``, the ``turn`` and the ``action`` of each; see `RecordedMatch.part_at`.
        teams: Who plays on; chosen within the time if empty.

    Returns:
        For each turn both win probabilities, the ``gain``, the number of ``pairs``, and whether it is ``confirmed``.

    Raises:
        ArenaError: The player did nothing in this turn.
    """
    found = []
    for claim in claims:
        part = match.part_at(claim["turn"], claim["action"], claim["player"])
        explanation = Explanation(match)
        explanation.teams = [tuple(team) for team in teams]
        for _ in Explainer(explanation, pool, seconds / len(claims), fresh=CHECK).check([part]):
            pass
        lines, gain = explanation.lines(part), explanation.gain(part).all
        done, instead = (
            win_of(explanation.results(key), claim["player"], match.game.playout_power).to_document()
            for key in (lines.done, lines.instead)
        )
        found.append(
            {
                "player": claim["player"],
                "turn": claim["turn"],
                "done": done,
                "instead": instead,
                "gain": gain.to_document(),
                "pairs": gain.playouts,
                "confirmed": gain.low > 0,
            }
        )
    return found


def at_position(place: ReplayPlace, budget: float) -> dict[str, Any]:
    """Return the win probabilities at a position, and how they were computed, as plain JSON values.

    Args:
        budget: The time limit in seconds. The playouts get at least 1 second.
    """
    end = monotonic() + budget
    path = file_of(place)
    reader = Reader(path)
    game = find_game(reader.header.get("game", ""))
    state = state_at(path, place.turn, place.action)
    if not state.to_move():
        raise ArenaError(f"The game is over at {path}@{place.turn}.{place.action}.", exit_code=ExitCode.BAD_OPTION)
    with Pool(path) as pool:
        where: Place = (place.turn, place.action)
        bot = [*fast_bots(pool, required_bots(game), budget / LEAST)][-1]
        questions: list[Question] = [(Worker.after, bot, where, state.to_move()[0], [], [seed]) for seed in range(MOST)]
        found: list[Result] = [row[0] for _, rows in pool.ask(questions, max(end, monotonic() + 1)) for row in rows]
    players = [player["name"] for player in reader.header.get("players", ())]
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


def position_in_words(document: dict[str, Any]) -> list[str]:
    where = f"turn {document['turn']}" + (f", action {document['action']}" if document["action"] else "")
    movers = ", ".join(document["players"][player] for player in document["to_move"]) or "nobody"
    return [
        f"{document['replay']}, {where}; to move: {movers}",
        *(f"  {name}: {percent(win)}" for name, win in zip(document["players"], document["win"], strict=True)),
        f"Win probabilities come from {document['playouts']} playouts by {document['bot']}. Intervals: 95 %.",
    ]


def gains(replay: Path, player: int, choices: Sequence[tuple[int, list[Document]]], seconds: float) -> list[Estimate]:
    """Return how much each choice raises the player's win probability, compared with the recorded choice.

    Args:
        choices: For each choice, the number of accepted actions before it in the replay, and the actions to play
            instead.
        seconds: The time limit. The playouts get at least 1 second.

    Returns:
        One estimate for each choice. It has no playouts if no `Part` of the player begins at the choice.
    """
    match = RecordedMatch.of_file(replay)
    begins = accumulate((len(part.actions) for part in match.parts), initial=0)
    places = {begin: part for begin, part in zip(begins, match.parts, strict=False) if part.player == player}
    world = player if match.end.hides_information() else None
    end = monotonic() + seconds
    found: list[list[tuple[Result, Result]]] = [[] for _ in choices]
    with Pool(replay) as pool:
        bot = [*fast_bots(pool, required_bots(match.game), seconds / LEAST)][-1]
        asked: list[tuple[int, Question]] = []
        for first in range(0, MOST, PAIRS_AT_ONCE):
            seeds = range(first, first + PAIRS_AT_ONCE)
            asked += [
                (number, (_pairs, places[begin].index, places[begin].actions, actions, world, bot, seeds))
                for number, (begin, actions) in enumerate(choices)
                if begin in places
            ]
        for at, pairs in pool.ask([question for _, question in asked], max(end, monotonic() + 1)):
            found[asked[at][0]] += pairs
    return [win_difference(pairs, player, match.game.playout_power) for pairs in found]


def _pairs(
    worker: Worker, index: int, done: list[Document], instead: list[Document], world: int | None, bot: str, seeds: range
) -> list[tuple[Result, Result]]:
    lines = (worker.line(index, actions, world, [(bot,)], seeds) for actions in (done, instead))
    return list(zip(*lines, strict=True))
