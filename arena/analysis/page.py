"""Write explanations as one self-contained page: without scripts, and without requests to the network."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from arena.pages.render import render_alone

LEFT, RIGHT, BOTTOM, HEIGHT = 64, 632, 270, 250
"""The place of the curves in the drawing, in its SVG units."""
MOST_TICKS = 10
"""The limit for the number of turns that are named below the curves."""


def page_of(
    documents: Sequence[tuple[str, dict[str, Any], Sequence[int]]], losses: dict[str, Any] | None = None
) -> str:
    """Return explanations as one page of HTML.

    Args:
        documents: For each match, its name, its explanation, and the players whose turns are explained. An empty list
            stands for all players.
        losses: The losses of a bot in groups. They come first on the page. None if the page has no losses.
    """
    title = documents[0][0] if len(documents) == 1 else f"{len(documents)} matches explained"
    if losses is not None:
        title = f"{losses['bot']}: {losses['losses']} losses in {losses['matches']} matches"
    first = _names(documents[0][1]) if documents else []
    matches = [_match(*one) | {"colors": _colors(_names(one[1]), first)} for one in documents]
    names = [one[0] for one in documents]
    return render_alone("explain.html", title=title, matches=matches, losses=losses, names=names)


def _names(document: dict[str, Any]) -> list[str]:
    return [player["name"] for player in document["players"]]


def _colors(names: list[str], first: list[str]) -> list[int]:
    """Return the number of each player's colour.

    A bot that plays in the first match gets its seat number, as in the viewer. Other bots get free numbers.
    """
    taken = {name: first.index(name) for name in names if name in first}
    free = (number for number in itertools.count() if number not in taken.values())
    return [(taken[name] if name in taken else next(free)) % 8 for name in names]


def _match(name: str, document: dict[str, Any], players: Sequence[int]) -> dict[str, Any]:
    curves = document["win"]
    turns = [row["turn"] for row in curves[0]] if curves else []
    step = max(1, -(-len(turns) // MOST_TICKS))
    # With two players, the second curve adds nothing: it is 1 minus the first one.
    drawn = range(1) if len(curves) == 2 else range(len(curves))
    return {
        **document,
        "name": name,
        "shown": list(players) or list(range(len(document["players"]))),
        "rows": list(zip(*curves, strict=True)),
        "ticks": [{"turn": turns[at], "x": _x(at, len(turns))} for at in range(0, len(turns), step)],
        "curves": [_curve(document, player, curves[player]) for player in drawn],
    }


def _curve(document: dict[str, Any], player: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    count = len(rows)
    place = {row["turn"]: at for at, row in enumerate(rows)}
    values = [row["before"] for row in rows] + ([rows[-1]["after"]] if rows else [])
    low = [row["low"] for row in rows] + values[-1:]
    high = [row["high"] for row in rows] + values[-1:]
    edge = [*enumerate(high), *reversed(list(enumerate(low)))]
    both = len(document["players"]) == 2
    mine = [point["turn"] for point in document["turning_points"] if both or point["player"] == player]
    return {
        "player": player,
        "line": _path(enumerate(values), count),
        "band": f"{_path(edge, count)}Z" if edge else "",
        "marks": [{"turn": turn, "x": _x(place[turn], count), "y": _y(values[place[turn]])} for turn in mine],
    }


def _path(points: Any, count: int) -> str:
    places = [f"{_x(at, count)} {_y(value)}" for at, value in points]
    return f"M{'L'.join(places)}" if places else ""


def _x(at: int, count: int) -> float:
    return round(LEFT + (RIGHT - LEFT) * at / max(1, count), 1)


def _y(value: float) -> float:
    return round(BOTTOM - HEIGHT * value, 1)
