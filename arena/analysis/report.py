"""An explanation as a document and as text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, NamedTuple

from arena.analysis.candidates import CONFIRMED_FROM, SMALLEST_GAIN
from arena.analysis.causes import causes_of
from arena.analysis.estimates import Estimate
from arena.analysis.explanation import CONFIDENCE, Decision, Explanation
from arena.analysis.probability import win_difference, win_of
from arena.analysis.words import line_in_words
from arena.text.numbers import rounded

CLAIMS = 3
"""The limit for the number of turning points of one player."""
MOST_TOKENS = 1_500
"""The limit for the length of an explanation as text; see `tokens_of`."""
TOKEN = re.compile(r"[a-z]{1,4}|[0-9]{1,2}|\S", re.IGNORECASE | re.ASCII)


class _Detail(NamedTuple):
    """How much an explanation as text contains: characters of a message or name, turning points, and curve entries."""

    text: int
    name: int
    points: int
    curve: int


DETAILS = (_Detail(300, 60, 3, 12), _Detail(150, 60, 3, 12), _Detail(100, 40, 3, 6), _Detail(50, 20, 1, 3))


def document_of(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as plain JSON values; docs/explaining-a-loss.md lists the keys."""
    match = explanation.match
    players = range(match.players)
    footer = match.reader.footer or {}
    ends: list[Any] = list(footer.get("players", ()))
    points = {player: turning_points(explanation, player) for player in players}
    causes = causes_of(match.reader)
    return {
        "game": match.game.name,
        "players": [
            {"name": name, "ending": ends[player].get("ending", "") if player < len(ends) else ""}
            for player, name in enumerate(match.names)
        ],
        "outcome": match.reader.outcome,
        "turns": match.turns,
        "cause": [cause.to_document() for cause in causes],
        "differences": explanation.differences,
        "win": [curve(explanation, player) for player in players],
        "known": [_known(explanation, player) for player in players],
        "luck": luck(explanation),
        "turning_points": [point for player in players for point in points[player]],
        "summary": [summary(explanation, player, points[player], failed=causes[player].failed) for player in players],
        "confidence": CONFIDENCE,
        "playouts": {"bot": explanation.bot, "compared_with": explanation.adviser, "count": explanation.playouts},
        "seconds": round(explanation.seconds, 2),
        "stage": explanation.stage,
    }


def curve(explanation: Explanation, player: int) -> list[dict[str, Any]]:
    """Return a player's win probability before and after each turn."""
    match = explanation.match
    starts = match.starts
    rows = []
    for at, after in pairwise(starts):
        before = explanation.win(at, player)
        rows.append(
            {
                "turn": match.parts[at].turn,
                "before": round(before.value, 4),
                "low": round(before.low, 4),
                "high": round(before.high, 4),
                "after": round(explanation.win(after, player).value, 4),
                "playouts": before.playouts,
            }
        )
    return rows


def _known(explanation: Explanation, player: int) -> list[dict[str, Any]]:
    """Return the win probabilities as estimated from what the player had seen, for a game with hidden information."""
    parts, power = explanation.match.parts, explanation.match.game.playout_power
    return [
        {"turn": parts[index].turn, **win_of(samples, player, power).to_document()}
        for index, samples in sorted(explanation.known[player].items())
        if index < len(parts)
    ]


def luck(explanation: Explanation) -> list[dict[str, Any]]:
    """Return the turns whose dice were rolled again, and what the recorded dice were worth for each player.

    The intervals have a Bonferroni correction: with probability `CONFIDENCE`, all intervals of a player are right.
    """
    rows = []
    for index, pairs in sorted(explanation.luck.items()):
        confidence = 1 - (1 - CONFIDENCE) / len(explanation.luck)
        if pairs:
            match, part = explanation.match, explanation.match.parts[index]
            effects = (
                win_difference(pairs, player, match.game.playout_power, confidence) for player in range(match.players)
            )
            worth = [effect.to_document() for effect in effects]
            rows.append({"turn": part.turn, "player": part.player, "pairs": len(pairs), "worth": worth})
    return rows


def turning_points(explanation: Explanation, player: int) -> list[dict[str, Any]]:
    """Return a player's turning points, the largest gain first: at most `CLAIMS`.

    Each claim is tested with fresh playouts. The intervals have a Bonferroni correction: with probability `CONFIDENCE`,
    all claims about the player are right.
    """
    tested, power = explanation.tested.get(player, 0), explanation.match.game.playout_power
    found: list[tuple[Estimate, Decision]] = []
    for decision in explanation.decisions.get(player, [])[:tested]:
        gain = win_difference(decision.pairs, player, power, 1 - (1 - CONFIDENCE) / tested)
        if gain.playouts >= CONFIRMED_FROM and gain.low > 0 and gain.value >= SMALLEST_GAIN:
            found.append((gain, decision))
    best: dict[int, tuple[Estimate, Decision]] = {}
    for gain, decision in sorted(found, key=lambda one: -one[0].value):
        best.setdefault(decision.part.index, (gain, decision))
    return [_point(explanation, decision, gain) for gain, decision in list(best.values())[:CLAIMS]]


def _point(explanation: Explanation, decision: Decision, gain: Estimate) -> dict[str, Any]:
    match, part = explanation.match, decision.part
    power = match.game.playout_power
    after = match.simultaneous(part)[-1].index + 1
    return {
        "player": part.player,
        "turn": part.turn,
        "gain": rounded(gain.value, 4),
        "low": rounded(gain.low, 4),
        "high": rounded(gain.high, 4),
        "pairs": gain.playouts,
        "done": {
            "actions": [action if isinstance(action, dict) else {"type": "leave"} for action in part.actions],
            "words": line_in_words(part.actions, part.state, match.schema),
            "win": round(win_of(decision.done, part.player, power).value, 4),
        },
        "instead": {
            "bot": decision.bot,
            "actions": decision.actions,
            "words": line_in_words(decision.actions, part.state, match.schema),
            "win": round(win_of(decision.instead, part.player, power).value, 4),
        },
        "before": round(explanation.win(part.index, part.player).value, 4),
        "after": round(explanation.win(after, part.player).value, 4),
    }


def summary(explanation: Explanation, player: int, points: list[dict[str, Any]], *, failed: bool) -> str:
    """Describe which turns decided, and where the player's win probability fell.

    If the program failed, give the win probability before the last recorded turn instead of the fall.
    """
    rows = curve(explanation, player)
    turns = sorted({point["turn"] for point in points})
    listed = f"turn{'s' * (len(turns) > 1)} {', '.join(map(str, turns))}"
    if failed:
        text = ""
        if rows:
            text = f"Before the last recorded turn ({rows[-1]['turn']}), the win probability was "
            text += f"{_percent(rows[-1]['before'])}."
        return f"{text} Other choices were better in {listed}." if turns else text
    text = f"Decided in {listed}." if turns else "No single turn decided."
    at, to = deepest_fall(rows)
    if at == to or (to < len(rows) and rows[to]["high"] >= rows[at]["low"]):
        return f"{text} The win probability never fell by more than its interval."
    return f"{text} {fall_in_words(rows[at:to])}"


def fall_in_words(rows: list[dict[str, Any]]) -> str:
    """Describe how the win probability fell in these rows of a curve."""
    first, last, steepest = rows[0], rows[-1], steepest_turn(rows)
    drop = first["before"] - last["after"]
    fell = f"the win probability fell from {_percent(first['before'])} to {_percent(last['after'])}"
    if len(rows) == 1:
        return f"In turn {first['turn']} {fell}."
    how = f"{100 * drop / len(rows):.1f} points a turn"
    if steepest["before"] - steepest["after"] > drop / 2:
        how = f"most of it in turn {steepest['turn']} ({_percent(steepest['before'])} to {_percent(steepest['after'])})"
    return f"From turn {first['turn']} to {last['turn']} {fell}, {how}."


def steepest_turn(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return min(rows, key=lambda row: row["after"] - row["before"])


def deepest_fall(rows: list[dict[str, Any]]) -> tuple[int, int]:
    """Return the rows of the deepest fall of a curve: the index of the first row, and the index after the last row.

    The two indices are equal if the curve never falls.
    """
    values = [row["before"] for row in rows] + [row["after"] for row in rows[-1:]]
    best, peak = (0, 0), 0
    for at, value in enumerate(values):
        if value > values[peak]:
            peak = at
        if values and values[peak] - value > values[best[0]] - values[best[1]]:
            best = (peak, at)
    return best


def text_of(document: dict[str, Any], players: list[int], tokens: int = MOST_TOKENS) -> list[str]:
    """Return an explanation as lines of text, for the given players, as detailed as the limit allows.

    If even the least detailed text exceeds the limit, return that text.
    """
    lines: list[str] = []
    for detail in DETAILS:
        lines = _lines(document, players, detail)
        if sum(map(tokens_of, lines)) <= tokens:
            break
    return lines


def tokens_of(text: str) -> int:
    """Return an upper estimate of the number of tokens that a text has for a language model."""
    return len(TOKEN.findall(text))


def _lines(document: dict[str, Any], players: list[int], detail: _Detail) -> list[str]:
    names = [_shortened(player["name"], detail.name) for player in document["players"]]
    lines = [f"{document['game']}: {' against '.join(names)}, {document['turns']} turns"]
    for player in players:
        lines += ["", f"{names[player]} ({document['players'][player]['ending'] or 'no ending'})"]
        lines.append(f"  {_shortened(document['cause'][player]['message'], 2 * detail.text)}")
        lines += [
            f"  {_shortened(one['words'], 2 * detail.text)}"
            for one in document["differences"]
            if one["player"] == player
        ][: detail.points]
        lines.append(f"  {_shortened(document['summary'][player], 2 * detail.text)}")
        for point in [one for one in document["turning_points"] if one["player"] == player][: detail.points]:
            lines += _point_lines(point, detail.text)
        lines += [
            f"  The dice of turn {row['turn']} were worth {100 * row['worth'][player]['value']:+z.0f} points"
            for row in document["luck"]
            if row["worth"][player]["low"] > 0 or row["worth"][player]["high"] < 0
        ][: detail.points]
        lines += _curve_lines(document["win"][player], detail.curve)
    used = document["playouts"]
    others = " and ".join(f"builtin:{bot}" for bot in dict.fromkeys((used["bot"], used["compared_with"])))
    lines += [
        "",
        f"Win probabilities come from {used['count']} playouts by builtin:{used['bot']}. Choices are compared with "
        f"those of {others}. Intervals: {100 * document['confidence']:.0f} %.",
    ]
    return lines


def _point_lines(point: dict[str, Any], length: int) -> list[str]:
    done, instead = point["done"], point["instead"]
    played, better = (_shortened("; ".join(line["words"]) or "no action", length) for line in (done, instead))
    return [
        f"  Turn {point['turn']}: {played} (wins {_percent(done['win'])})",
        f"    {instead['bot']} would have played: {better} (wins {_percent(instead['win'])})",
        f"    Gain {100 * point['gain']:+z.0f} points ({100 * point['low']:+z.0f} to {100 * point['high']:+z.0f})",
    ]


def _curve_lines(rows: list[dict[str, Any]], most: int) -> list[str]:
    if not rows:
        return []
    step = max(1, -(-len(rows) // most))
    shown = [f"{row['turn']}: {_percent(row['before'])}" for row in rows[::step]]
    return [f"  Win probability by turn: {', '.join(shown)}, end: {_percent(rows[-1]['after'])}"]


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
