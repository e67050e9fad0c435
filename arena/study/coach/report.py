"""An explanation as a document and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import floor
from typing import Any

from arena.bots.builtin import BUILTIN
from arena.study.coach.causes import Cause, causes_of
from arena.study.coach.explaining import CONFIDENCE, Explanation
from arena.study.coach.facts import end_of
from arena.study.coach.probability import Estimate
from arena.study.coach.recorded_match import Part
from arena.study.coach.words import line_in_words

CLAIMS = 3
"""The limit for the turning points of one player."""
LUCK = 0.1
"""Dice that were worth less are not named."""
LOST = 0.5
"""A difference is too late to be the cause if the win probability is certainly below this part of that at the start."""
BARS = "▁▂▃▄▅▆▇█"
SHOWN = 8
"""The limit for the places of a curve as text."""


def document_of(explanation: Explanation, budget: float = 0.0, player: int | None = None) -> dict[str, Any]:
    """Return an explanation as plain JSON values, without commands; docs/explaining-a-loss.md lists the keys.

    Args:
        budget: The seconds that were asked for.
        player: The player whose turns were asked for; None for all who did not win.
    """
    match, players = explanation.match, range(explanation.match.players)
    causes = causes_of(match.reader)
    tested = [part for parts in explanation.tested.values() for part in parts]
    points = [_point(explanation, part) for part in tested if _is_turning_point(explanation, part)]
    win = [_curve(explanation, player) for player in players]
    document: dict[str, Any] = {
        "game": match.game.name,
        "players": [
            {"name": name, "ending": end_of(match.reader, player).get("ending", "")}
            for player, name in enumerate(match.names)
        ],
        "outcome": match.reader.outcome,
        "turns": match.turns,
        "cause": [cause.to_document() for cause in causes],
        "lessons": explanation.pricing.documents() if explanation.pricing else [],
        "win": win,
        "differences": _by_chances(explanation.differences, win),
        "turning_points": sorted(points, key=lambda one: -one["gain"]["value"]),
        "dice": [
            {"player": part.player, "turn": part.turn, **worth.to_document()}
            for part in tested
            if (worth := explanation.dice(part)).high < 0 and worth.value < -LUCK
        ],
        "confidence": CONFIDENCE,
        "playouts": {"teams": [list(team) for team in explanation.teams], "count": explanation.playouts},
        "seconds": round(explanation.seconds, 2),
        "budget": budget,
        "player": player,
        "stage": explanation.stage,
    }
    return document | {"summary": [conclusion(document, player, causes[player]) for player in players]}


def _is_turning_point(explanation: Explanation, part: Part) -> bool:
    return explanation.gain(part).holds and explanation.fall(part) is not None


def _point(explanation: Explanation, part: Part) -> dict[str, Any]:
    match, gain, fall = explanation.match, explanation.gain(part), explanation.fall(part)
    instead = explanation.choices.get(part.index) or []
    lines = {"done": part.actions, "instead": instead}
    point: dict[str, Any] = {
        "player": part.player,
        "turn": part.turn,
        "action": part.action,
        "gain": gain.all.to_document(),
        "pairs": gain.all.playouts,
        "before": fall[0].to_document() if fall else None,
        "after": fall[1].to_document() if fall else None,
        "bots": [{"bot": bot, **one.to_document()} for bot, one in gain.bots.items() if one.low > 0],
    }
    for name, actions in lines.items():
        point[name] = {
            "actions": [action if isinstance(action, dict) else {"type": "leave"} for action in actions],
            "words": line_in_words(actions, part.state, match.schema),
        }
    return point


def _curve(explanation: Explanation, player: int) -> list[dict[str, Any]]:
    """Return a player's win probability before and after each turn."""
    match, rows = explanation.match, []
    for at, after in pairwise(match.starts):
        before = explanation.win(at, player)
        row = {"turn": match.parts[at].turn, "before": before.to_document()["value"], **before.to_document()}
        del row["value"]
        rows.append(
            {**row, "after": explanation.win(after, player).to_document()["value"], "playouts": before.playouts}
        )
    return rows


def _by_chances(differences: list[dict[str, Any]], win: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Put differences that began when the match was lost behind those that can be a cause, and say so."""
    found = []
    for one in differences:
        row = next((row for row in win[one["player"]] if row["turn"] == one["turn"]), None)
        late = row is not None and row["high"] < LOST * win[one["player"]][0]["before"]
        words = f" By then the win probability was {percent(row, 'before')}." if row is not None and late else ""
        found.append({**one, "words": one["words"] + words, "late": late})
    return sorted(found, key=lambda one: one["late"])


def falling(rows: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return two rows of a curve between which it falls most, by more than its interval; None if it never does."""
    best, peak = None, None
    for row in rows:
        if peak is None or row["low"] > peak["low"]:
            peak = row
        drop = peak["low"] - row["high"]
        if drop > 0 and (best is None or drop > best[0]["low"] - best[1]["high"]):
            best = peak, row
    return best


def conclusion(document: dict[str, Any], player: int, cause: Cause) -> str:
    """Return one sentence that follows from the parts of an explanation; empty for a player who won."""
    if document["players"][player]["ending"] in ("won", "void", "finished"):
        return ""
    text = "; ".join((_after_failure if cause.failed else _after_defeat)(document, player, cause))
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _after_failure(document: dict[str, Any], player: int, cause: Cause) -> Iterator[str]:
    yield f"the program failed in turn {cause.turn} ({cause.kind.replace('_', ' ')})"
    yield from map(_decided, _of(document, "turning_points", player))
    yield from (f"the {_dice(one)}" for one in _of(document, "dice", player))


def _after_defeat(document: dict[str, Any], player: int, _: Cause) -> Iterator[str]:
    points = _of(document, "turning_points", player)
    lessons = _of(document, "lessons", player)
    if lessons:
        yield f"{_turns(lessons[0])}: {lessons[0]['text'].rstrip('.')}"
        return
    yield from map(_decided, points)
    # That a difference caused the loss is not proven, as it is of a turn.
    yield from [one["short"] for one in _of(document, "differences", player) if not one["late"]][:1]
    yield from (f"the {_dice(one)}" for one in _of(document, "dice", player))
    if document["playouts"]["count"] and not points:
        yield _slow(document["win"][player])


def _of(document: dict[str, Any], name: str, player: int) -> list[dict[str, Any]]:
    """Return the entries of a player in one list of an explanation."""
    return [one for one in document[name] if one["player"] == player]


def _decided(point: dict[str, Any]) -> str:
    fell = f"from {percent(point['before'])} to {percent(point['after'])}"
    return f"turn {point['turn']} decided, where the win probability fell {fell}"


def _turns(lesson: dict[str, Any]) -> str:
    first, last = lesson["from_turn"], lesson["to_turn"]
    return f"turn {first}" if first == last else f"turns {first} to {last}"


def _lesson(lesson: dict[str, Any]) -> str:
    cost = percent(lesson["price"])
    if lesson["count"] > 1:
        cost += f", {lesson['count']} times together"
    return f"{lesson['text']} That cost {cost}."


def _dice(one: dict[str, Any]) -> str:
    return f"dice of turn {one['turn']} were worth {percent(one)}"


def _slow(rows: list[dict[str, Any]]) -> str:
    fall = falling(rows)
    if fall is None:
        return "no single turn was shown to decide"
    first, last = (f"{percent(row, 'before')} in turn {row['turn']}" for row in fall)
    return f"no single turn was shown to decide: the win probability fell from {first} to {last}"


def percent(one: dict[str, Any] | Estimate, name: str = "value") -> str:
    """Return a probability or a difference with its interval, for example ``62 % (50 to 73)``."""
    values = one._asdict() if isinstance(one, Estimate) else one
    value, low, high = (floor(100 * values[key] + 0.5) for key in (name, "low", "high"))  # as the viewer rounds
    return f"{value} % ({low} to {high})"


def text_of(document: dict[str, Any], judged: int | None = None) -> list[str]:
    """Return an explanation as lines of text, for one player or for all; with commands if it has them."""
    players = range(len(document["players"])) if judged is None else [judged]
    names = [player["name"] for player in document["players"]]
    lines = [f"{document['game']}: {' against '.join(names)}, {document['turns']} turns"]
    for player in players:
        lines += ["", *_player_lines(document, player)]
    used = document["playouts"]
    by = f" by {_teams(used['teams'])}" if used["count"] else ", as the time was too short"
    lines += ["", f"From {used['count']} playouts{by}. Intervals: {100 * document['confidence']:.0f} %."]
    if "checked" in document:
        lines += [_check_line(one, names) for one in document["checked"]] or ["There is no turning point to check."]
    return lines


def _player_lines(document: dict[str, Any], player: int) -> Iterator[str]:
    about, cause = document["players"][player], document["cause"][player]
    yield f"{about['name']} ({about['ending'] or 'no ending'})"
    yield from (f"  {text}" for text in (document["summary"][player], cause["message"]) if text)
    yield from _command_lines(cause)
    for at, lesson in enumerate(_of(document, "lessons", player), 1):
        yield f"  Lesson {at}, {_turns(lesson)}: {_lesson(lesson)}"
    for at, one in enumerate(_of(document, "differences", player)):
        yield f"  {'Also' if at else 'What was different'}: {one['words']}"
        if not at and "commands" not in cause:
            yield from _command_lines(one)
    for point in _of(document, "turning_points", player):
        yield from _point_lines(point)
    for one in _of(document, "dice", player):
        yield f"  The {_dice(one)}"
    if document["playouts"]["count"]:
        yield from _curve_lines(document["win"][player])


def _command_lines(one: dict[str, Any]) -> list[str]:
    return [f"    {command}" for command in one.get("commands", ())]


def _check_line(one: dict[str, Any], names: Sequence[str]) -> str:
    return (
        f"Turn {one['turn']} of {names[one['player']]}: wins {percent(one['instead'])} as bots choose, "
        f"{percent(one['done'])} as it was played; difference {percent(one['gain'])} in {one['pairs']} pairs with new "
        f"dice: {'confirmed' if one['confirmed'] else 'NOT confirmed'}"
    )


def _point_lines(point: dict[str, Any]) -> list[str]:
    played, better = ("; ".join(point[name]["words"]) or "no action" for name in ("done", "instead"))
    bots = " and ".join(one["bot"].removeprefix(BUILTIN) for one in point["bots"])
    return [
        f"  Turn {point['turn']}: from {percent(point['before'])} to {percent(point['after'])}",
        f"    Played: {played}",
        f"    A bot would have played: {better}",
        f"    That is worth {percent(point['gain'])}, if {bots} play on in this place.",
        *_command_lines(point),
    ]


def _teams(teams: list[list[str]]) -> str:
    named = [[bot.removeprefix(BUILTIN) for bot in team] for team in teams]
    return ", ".join(f"{team[0]} on all seats" if len(team) == 1 else " against ".join(team) for team in named)


def _curve_lines(rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return []
    bars = "".join(BARS[min(len(BARS) - 1, int(row["before"] * len(BARS)))] for row in rows[:: -(-len(rows) // 60)])
    shown = [f"turn {row['turn']} {percent(row, 'before')}" for row in rows[:: -(-len(rows) // SHOWN)]]
    return [f"  Win probability {bars}: {', '.join(shown)}"]
