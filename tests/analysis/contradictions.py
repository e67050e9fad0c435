"""Find contradictions in an explanation: between its parts, its text and its page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from arena.analysis.page import page_of
from arena.analysis.report import falling, text_of

NUMBER = re.compile(r"-?\d+ % \(-?\d+ to -?\d+\)")
BARE = re.compile(r"\d %(?! \()")
TURN = re.compile(r"[Tt]urns? (\d+)")


def contradictions(document: dict[str, Any]) -> Iterator[str]:
    """Yield what does not fit together. The words of differences are counts of the replay, without intervals."""
    players = list(range(len(document["players"])))
    text = "\n".join(text_of(document, players))
    page = html.unescape(page_of([("match", document, [])]))
    yield from (f"{number} is not on the page" for number in NUMBER.findall(text) if number not in page)
    yield from (f"the page lacks: {one['words']}" for one in document["differences"] if one["words"] not in page)
    for player in players:
        yield from _of_player(document, player)


def _of_player(document: dict[str, Any], player: int) -> Iterator[str]:
    summary, rows = document["summary"][player], document["win"][player]
    own = {
        name: [one for one in document[name] if one["player"] == player]
        for name in ("turning_points", "differences", "dice")
    }
    for row in rows:
        if not row["low"] <= row["before"] <= row["high"]:
            yield f"turn {row['turn']}: {row}"
    place = {row["turn"]: row for row in rows}
    for point in own["turning_points"]:
        if point["before"]["low"] <= point["after"]["high"]:
            yield f"turn {point['turn']} is named, and the curve stays within its interval"
        if point["low"] <= 0:
            yield f"the gain of turn {point['turn']} may be nothing"
        row = place[point["turn"]]
        if abs(row["before"] - point["before"]["value"]) > 1e-9 and document["game"] != "derelict":
            yield f"turn {point['turn']}: the curve says {row['before']}, the point {point['before']['value']}"
    for one in own["dice"]:
        if one["high"] >= 0:
            yield f"the dice of turn {one['turn']} may be worth nothing"
    if (
        ("no single turn" in summary.lower()) == bool(own["turning_points"])
        and summary
        and document["playouts"]["count"]
    ):
        yield from (
            () if document["cause"][player]["turn"] else (f"turning points and the conclusion differ: {summary}",)
        )
    words = "".join(one["short"] for one in own["differences"])
    first = own["differences"][0]["short"] if words else ""
    for bare in BARE.findall(summary.replace(first, "").replace(f"{first[:1].upper()}{first[1:]}", "")):
        yield f"a number without its interval: {bare} in {summary}"
    known = {one["turn"] for each in own.values() for one in each} | {document["cause"][player]["turn"]}
    known |= {row["turn"] for row in falling(rows) or ()}
    known |= {int(turn) for turn in TURN.findall(words)}
    yield from (f"turn {turn} has no reason" for turn in map(int, TURN.findall(summary)) if turn not in known)
