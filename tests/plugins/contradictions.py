"""Find contradictions in an explanation: between its parts, its text, and what the tab Why shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from arena.study.coach.report import of_player, percent, text_of

NUMBER = re.compile(r"-?\d+ % \(-?\d+ to -?\d+\)")
BARE = re.compile(r"\d %(?! \()")
TURN = re.compile(r"^Turns? (\d+)")


def contradictions(document: dict[str, Any]) -> Iterator[str]:
    """Yield what does not fit together."""
    for player in range(len(document["players"])):
        yield from _of_player(document, player)
        parts = [document["summary"][player], *_numbers(document, player)]
        known = set(NUMBER.findall("\n".join(parts)))
        text = "\n".join(text_of(document, player))
        yield from (f"{number} is in no part" for number in NUMBER.findall(text) if number not in known)


def _numbers(document: dict[str, Any], player: int) -> Iterator[str]:
    """Yield all intervals that parts of an explanation have for a player, in words."""
    for row in document["win"][player]:
        yield percent(row, "before")
    yield from (percent(one["price"]) for one in of_player(document, "lessons", player))
    if fall := document["fall"][player]:
        yield from (percent(fall[name]) for name in ("before", "after"))


def _of_player(document: dict[str, Any], player: int) -> Iterator[str]:
    summary, rows, fall = document["summary"][player], document["win"][player], document["fall"][player]
    lessons = of_player(document, "lessons", player)
    for row in rows:
        if not row["low"] <= row["before"] <= row["high"]:
            yield f"turn {row['turn']}: {row}"
    for one in lessons:
        if not 0 < one["price"]["low"] <= one["price"]["value"] <= one["price"]["high"]:
            yield f"the lesson of turn {one['from_turn']} may cost nothing"
    named = [turn for one in lessons if one["kind"] != "bots_choice" for turn in _turns(one)]
    for one in lessons:
        if one["kind"] == "bots_choice" and one["from_turn"] in named:
            yield f"turn {one['from_turn']} is named twice"
    if fall and fall["before"]["low"] <= fall["after"]["high"]:
        yield f"the fall in turn {fall['from_turn']} stays within its interval"
    failed = document["cause"][player]["turn"] is not None
    if summary and not failed and not lessons and ("fell" in summary) != (fall is not None):
        yield f"the fall and the conclusion differ: {summary}"
    yield from (f"a number without its interval: {bare} in {summary}" for bare in BARE.findall(summary))
    known = {turn for one in (*lessons, *([fall] if fall else [])) for turn in _turns(one)}
    yield from (f"turn {turn} has no reason" for turn in map(int, TURN.findall(summary)) if turn not in known)


def _turns(stretch: dict[str, Any]) -> range:
    return range(stretch["from_turn"], stretch["to_turn"] + 1)


def of_the_tab(document: dict[str, Any], tab: str) -> Iterator[str]:
    """Yield what the text says and the tab Why does not, given the text of the tab. The curve is a drawing there."""
    for player, summary in enumerate(document["summary"]):
        lessons = of_player(document, "lessons", player)
        if not lessons and summary not in tab:
            yield f"the tab lacks: {summary}"
        for lesson in lessons[:1]:
            yield from (f"the tab lacks: {one}" for one in (lesson["text"], percent(lesson["price"])) if one not in tab)
