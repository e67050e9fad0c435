"""An explanation as a document and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import floor
from typing import Any

from arena.bots.builtin import BUILTIN
from arena.study.coach.causes import causes_of
from arena.study.coach.explaining import Explanation
from arena.study.coach.numbers import end_of, numbers_of
from arena.study.coach.prices import CONFIDENCE, shown
from arena.study.coach.probability import Estimate
from arena.study.coach.words import line_in_words

STEEP = 0.5
"""The stretch of the steepest fall is the shortest one with this part of the largest fall."""
WORDS = 3
"""The limit for the turns of a fall that are told, and for the orders of each that the text names."""
BARS = "▁▂▃▄▅▆▇█"
SHOWN = 8
"""The limit for the places of a curve as text."""
Document = dict[str, Any]


def document_of(explanation: Explanation, budget: float = 0.0, player: int | None = None) -> Document:
    """Return an explanation as plain JSON values, without commands; docs/explaining-a-loss.md lists the keys.

    Args:
        budget: The seconds that were asked for.
        player: The player whose turns were asked for; None for all who did not win.
    """
    match, curve = explanation.match, explanation.curve
    found, choices = (one.documents() if one else [] for one in (explanation.lessons, explanation.choices))
    win = [curve.rows(player) if curve else [] for player in range(match.players)]
    bots = [bot.removeprefix(BUILTIN) for bot in explanation.bots] or [""]
    document: Document = {
        "game": match.game.name,
        "players": [
            {"name": name, "ending": end_of(match.reader, player).get("ending", "")}
            for player, name in enumerate(match.names)
        ],
        "outcome": match.reader.outcome,
        "turns": match.turns,
        "cause": [cause.to_document() for cause in causes_of(match.reader)],
        "lessons": shown(found, choices),
        "fall": [_fall(explanation, player, rows) for player, rows in enumerate(win)],
        "win": win,
        "numbers": numbers_of(match.reader),
        "confidence": CONFIDENCE,
        "playouts": {"bot": bots[0], "others": bots[1:], "count": explanation.playouts},
        "seconds": round(explanation.seconds, 2),
        "budget": budget,
        "player": player,
        "stage": explanation.stage,
    }
    return document | {"summary": [conclusion(document, player) for player in range(match.players)]}


def _fall(explanation: Explanation, player: int, rows: list[Document]) -> Document | None:
    match, curve = explanation.match, explanation.curve
    if curve is None or player not in explanation.judged or (fall := steepest_fall(rows)) is None:
        return None
    before, last = fall
    inside = [part for part in match.parts if before["turn"] <= part.turn <= last["turn"]]
    inside.sort(key=lambda part: curve.win(part.index + 1, player).value - curve.win(part.index, player).value)
    told = sorted(inside[:WORDS], key=lambda part: part.index)
    orders = ["; ".join(line_in_words(part.actions, part.state, match.schema, WORDS)) for part in told]
    return {
        "from_turn": before["turn"],
        "to_turn": last["turn"],
        "before": {"value": before["before"], "low": before["low"], "high": before["high"]},
        "after": curve.win(match.starts[rows.index(last) + 1], player).to_document(),
        "words": [
            f"Turn {part.turn}, {match.names[part.player]}: {words}." for part, words in zip(told, orders, strict=True)
        ],
    }


def steepest_fall(rows: list[Document]) -> tuple[Document, Document] | None:
    """Return the first and the last row of the shortest stretch of a curve with a large part of its largest fall.

    The fall must be larger than its interval. Positions without playouts of their own begin and end no stretch.
    """
    ends = [row for row in rows if row["playouts"]]
    after = {row["turn"]: previous for previous, row in pairwise(rows)}
    falls = []
    for one, other in combinations(ends, 2):
        falls += [(one["before"] - other["before"], one, after[other["turn"]])] if one["low"] > other["high"] else []
    end = rows[-1]["after"] if rows else 0
    falls += [(one["before"] - end, one, rows[-1]) for one in ends if one["low"] > end]
    if not falls:
        return None
    deepest = max(depth for depth, _, _ in falls)
    deep = [fall for fall in falls if fall[0] >= STEEP * deepest]
    _, first, last = min(deep, key=lambda fall: (fall[2]["turn"] - fall[1]["turn"], -fall[0]))
    return first, last


def conclusion(document: Document, player: int) -> str:
    """Return the main sentence about a player's loss; empty for a player who won, and as long as nothing is known."""
    if document["players"][player]["ending"] in ("won", "void", "finished"):
        return ""
    cause, lessons = document["cause"][player], of_player(document, "lessons", player)
    if cause["turn"] is not None:
        return str(cause["message"])
    if lessons:
        text = f"{turns_in_words(lessons[0])}: {lessons[0]['text']}"
        return f"{text[0].upper()}{text[1:]}"
    if (fall := document["fall"][player]) is not None:
        values = f"from {percent(fall['before'])} to {percent(fall['after'])}"
        return f"The win probability fell in {turns_in_words(fall)}, {values}."
    if document["stage"] or not document["playouts"]["count"]:
        return ""
    return "No mistake was found that certainly cost something, and no stretch in which the match was lost."


def of_player(document: Document, name: str, player: int) -> list[Document]:
    """Return the entries of a player in one list of an explanation."""
    return [one for one in document[name] if one["player"] == player]


def turns_in_words(stretch: Document) -> str:
    first, last = stretch["from_turn"], stretch["to_turn"]
    return f"turn {first}" if first == last else f"turns {first} to {last}"


def percent(one: Document | Estimate, name: str = "value") -> str:
    """Return a probability or a difference with its interval, for example ``62 % (50 to 73)``."""
    values = one._asdict() if isinstance(one, Estimate) else one
    value, low, high = (floor(100 * values[key] + 0.5) for key in (name, "low", "high"))  # as the viewer rounds
    return f"{value} % ({low} to {high})"


def text_of(document: Document, judged: int | None = None) -> list[str]:
    """Return an explanation as lines of text, for one player or for all; with commands if it has them."""
    players = range(len(document["players"])) if judged is None else [judged]
    names = [player["name"] for player in document["players"]]
    lines = [f"{document['game']}: {' against '.join(names)}, {document['turns']} turns"]
    for player in players:
        lines += ["", *_player_lines(document, player)]
    lines += ["", *_origin(document)]
    if "checked" in document:
        lines += [_check_line(one, names) for one in document["checked"]] or ["There is no lesson to check."]
    return lines


def _player_lines(document: Document, player: int) -> Iterator[str]:
    about, cause = document["players"][player], document["cause"][player]
    yield f"{about['name']} ({about['ending'] or 'no ending'})"
    summary, lessons, fall = (
        document["summary"][player],
        of_player(document, "lessons", player),
        document["fall"][player],
    )
    if cause["turn"] is not None or not lessons:
        yield from (f"  {text}" for text in (summary, cause["message"] * (summary != cause["message"])) if text)
        yield from _command_lines(cause)
    else:
        yield f"  {cause['message']}"
    for at, lesson in enumerate(lessons, 1):
        yield f"  Lesson {at}, {turns_in_words(lesson)}: {_lesson(lesson)}"
        yield from _command_lines(lesson)
    if fall is not None and not lessons:
        yield from (f"    {words}" for words in fall["words"])
        yield from _command_lines(fall)
    if about["ending"] != "won" and (numbers := of_player(document, "numbers", player)):
        rows = [f"{one['words']} {one['own']} ({one['others']})" for one in numbers[:WORDS]]
        yield f"  In numbers, with the winner's in brackets: {'; '.join(rows)}"
    if document["playouts"]["count"]:
        yield from _curve_lines(document["win"][player])


def _lesson(lesson: Document) -> str:
    cost = percent(lesson["price"])
    if lesson["count"] > 1:
        cost += f", {lesson['count']} times together"
    return f"{lesson['text']} That cost {cost}."


def _origin(document: Document) -> list[str]:
    used, confidence = document["playouts"], f"Intervals: {100 * document['confidence']:.0f} %."
    if not used["count"]:
        return ["The time was too short for playouts."]
    others = f", and {' and '.join(used['others'])} for the doubt" if used["others"] else ""
    lines = [f"From {used['count']} playouts: what follows if {used['bot']} plays on for all{others}. {confidence}"]
    return lines + ["The computation is not complete: all of this is provisional."] * bool(document["stage"])


def _command_lines(one: Document) -> list[str]:
    return [f"    {command}" for command in one.get("commands", ())]


def _check_line(one: Document, names: Sequence[str]) -> str:
    where, verdict = turns_in_words(one), "confirmed" if one["confirmed"] else "NOT confirmed"
    pairs = f"in {one['pairs']} pairs of playouts with new dice"
    return f"{one['kind']} of {names[one['player']]}, {where}: {percent(one['price'])} {pairs}: {verdict}"


def _curve_lines(rows: list[Document]) -> list[str]:
    if not rows:
        return []
    bars = "".join(BARS[min(len(BARS) - 1, int(row["before"] * len(BARS)))] for row in rows[:: -(-len(rows) // 60)])
    told = [f"turn {row['turn']} {percent(row, 'before')}" for row in rows[:: -(-len(rows) // SHOWN)]]
    return [f"  Win probability {bars}: {', '.join(told)}"]
