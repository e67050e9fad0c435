"""Find contradictions in an explanation: between its parts, its text, and what the tab Why shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from arena.study.coach.report import falling, percent, text_of

NUMBER = re.compile(r"-?\d+ % \(-?\d+ to -?\d+\)")
BARE = re.compile(r"\d %(?! \()")
TURN = re.compile(r"[Tt]urns? (\d+)")


def contradictions(document: dict[str, Any]) -> Iterator[str]:
    """Yield what does not fit together. The words of differences are counts of the replay, without intervals."""
    for player in range(len(document["players"])):
        yield from _of_player(document, player)
        parts = [document["summary"][player], *_numbers(document, player)]
        known = set(NUMBER.findall("\n".join(parts)))
        text = "\n".join(text_of(document, player))
        yield from (f"{number} is in no part" for number in NUMBER.findall(text) if number not in known)


def of_the_tab(document: dict[str, Any], tab: str) -> Iterator[str]:
    """Yield what the text says and the tab Why does not, given the text of the tab. The curve is a drawing there."""
    for player, summary in enumerate(document["summary"]):
        if not summary:
            continue
        lines = [line for line in text_of(document, player) if not line.startswith("  Win probability")]
        yield from (f"{one} is not in the tab" for one in NUMBER.findall("\n".join(lines)) if one not in tab)
        words = [one["words"] for one in document["differences"] if one["player"] == player]
        yield from (f"the tab lacks: {one}" for one in (summary, *words) if one[:500] not in tab)


def _numbers(document: dict[str, Any], player: int) -> Iterator[str]:
    """Yield all intervals that parts of an explanation have for a player, in words."""
    for row in document["win"][player]:
        yield percent(row, "before")
    for point in document["turning_points"]:
        if point["player"] == player:
            yield from (percent(point[name]) for name in ("before", "after", "gain"))
    yield from (percent(one) for one in document["dice"] if one["player"] == player)
    yield from (percent(one["price"]) for one in document["lessons"] if one["player"] == player)


def _of_player(document: dict[str, Any], player: int) -> Iterator[str]:
    summary, rows = document["summary"][player], document["win"][player]
    own = {
        name: [one for one in document[name] if one["player"] == player]
        for name in ("turning_points", "differences", "dice", "lessons")
    }
    for row in rows:
        if not row["low"] <= row["before"] <= row["high"]:
            yield f"turn {row['turn']}: {row}"
    place = {row["turn"]: row for row in rows}
    for point in own["turning_points"]:
        if point["before"]["low"] <= point["after"]["high"]:
            yield f"turn {point['turn']} is named, and the curve stays within its interval"
        if not 0 < point["gain"]["low"] <= point["gain"]["value"] <= point["gain"]["high"]:
            yield f"the gain of turn {point['turn']} may be nothing"
        row = place[point["turn"]]
        if not point["action"] and abs(row["before"] - point["before"]["value"]) > 1e-9:
            yield f"turn {point['turn']}: the curve says {row['before']}, the point {point['before']['value']}"
    for one in own["dice"]:
        if one["high"] >= 0:
            yield f"the dice of turn {one['turn']} may be worth nothing"
    for one in own["lessons"]:
        if not 0 < one["price"]["low"] <= one["price"]["value"] <= one["price"]["high"]:
            yield f"the lesson of turn {one['from_turn']} may cost nothing"
    failed = document["cause"][player]["turn"]
    none = "no single turn" in summary.lower()
    if (
        summary
        and document["playouts"]["count"]
        and not failed
        and not own["lessons"]
        and none == bool(own["turning_points"])
    ):
        yield f"turning points and the conclusion differ: {summary}"
    words = "".join(one["short"] for one in own["differences"])
    first = next((one["short"] for one in own["differences"] if not one["late"]), "")
    for one in own["differences"]:
        if one["late"] and one["short"][5:] in summary:
            yield f"too late to be the cause: {one['short']}"
    for bare in BARE.findall(summary.replace(first, "").replace(f"{first[:1].upper()}{first[1:]}", "")):
        yield f"a number without its interval: {bare} in {summary}"
    known = {one["turn"] for name, each in own.items() if name != "lessons" for one in each} | {failed}
    known |= {turn for one in own["lessons"] for turn in range(one["from_turn"], one["to_turn"] + 1)}
    known |= {row["turn"] for row in falling(rows) or ()}
    known |= {int(turn) for turn in TURN.findall(words)}
    yield from (f"turn {turn} has no reason" for turn in map(int, TURN.findall(summary)) if turn not in known)
