"""Write explanations as one self-contained page: without scripts, and without requests to the network."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from arena.analysis.report import percent
from arena.pages.render import render_alone

LEFT, RIGHT, BOTTOM, HEIGHT = 64, 632, 270, 250
"""The place of the curves in the drawing, in its SVG units."""
MOST_TICKS = 10
"""The limit for the number of turns that are named below the curves."""
SPARK_WIDTH, SPARK_HEIGHT = 240, 40


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
    return render_alone("explain.html", title=title, matches=matches, losses=losses, names=names, percent=percent)


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
    curves = document["win"] if document["playouts"]["count"] else []
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
        "sparks": [_spark(one["rows"]) for one in document["differences"]],
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
    points = [[(_x(at, count), _y(value)) for at, value in line] for line in (enumerate(values), edge)]
    return {
        "player": player,
        "line": _path(points[0]),
        "band": f"{_path(points[1])}Z" if edge else "",
        "marks": [{"turn": turn, "x": _x(place[turn], count), "y": _y(values[place[turn]])} for turn in mine],
    }


def _spark(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return the paths of a number over the match, and of the range of winners."""
    most = max((max(row["value"], row["high"]) for row in rows), default=0) or 1

    def line(name: str) -> list[tuple[float, float]]:
        return [
            (round(SPARK_WIDTH * at / max(1, len(rows) - 1), 1), round(SPARK_HEIGHT * (1 - row[name] / most), 1))
            for at, row in enumerate(rows)
        ]

    return {"line": _path(line("value")), "band": f"{_path([*line('high'), *reversed(line('low'))])}Z"}


def _path(points: Iterable[tuple[float, float]]) -> str:
    return f"M{'L'.join(f'{x} {y}' for x, y in points)}"


def _x(at: int, count: int) -> float:
    return round(LEFT + (RIGHT - LEFT) * at / max(1, count), 1)


def _y(value: float) -> float:
    return round(BOTTOM - HEIGHT * value, 1)
