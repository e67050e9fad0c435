"""An explanation as a document and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, islice, pairwise
from math import floor
from typing import Any, NamedTuple

from arena.bots.builtin import BUILTIN
from arena.game import Mistake
from arena.study.coach.causes import causes_of
from arena.study.coach.explaining import Explanation
from arena.study.coach.numbers import end_of, numbers_of, plural
from arena.study.coach.prices import CONFIDENCE, shown
from arena.study.coach.probability import Estimate
from arena.study.coach.recorded_match import Part, RecordedMatch
from arena.study.coach.turns import parts_of

STEEP = 0.5
"""The stretch of the steepest fall is the shortest one with this part of the largest fall."""
WIDE = 0.2
"""A stretch with a larger part of the match's turns tells a reader nothing to look at."""
LEAST_FALL = 0.2
"""A smaller fall to the end of the match is no turning point: a chance of one in ten is lost there nearly always."""
AS_WELL = 0.9
"""A win probability that came back to this part of what it was is as good as before."""
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
    win = [curve.rows(player) if curve else [] for player in range(match.players)]

    def has_recovered(player: int, mistake: Mistake) -> bool:
        return recovered(win[player], mistake.turns[0], mistake.turns[-1])

    priced = (explanation.lessons, explanation.choices)
    found, choices = (one.documents(has_recovered) if one else [] for one in priced)
    bots = [bot.removeprefix(BUILTIN) for bot in explanation.bots] or [""]
    causes = causes_of(match.reader)
    document: Document = {
        "game": match.game.name,
        "players": [
            {"name": name, "ending": end_of(match.reader, player).get("ending", "")}
            for player, name in enumerate(match.names)
        ],
        "outcome": match.reader.outcome,
        "turns": match.turns,
        "cause": [cause.to_document() for cause in causes],
        "lessons": shown(found, choices),
        # Nobody who idled learns from what happened meanwhile.
        "fall": [None if causes[player].idle else _fall(explanation, player, rows) for player, rows in enumerate(win)],
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
    if curve is None or player not in explanation.judged:
        return None
    own = {part.turn for part in parts_of(match, player)}
    least = 0.0 if stood_worse(rows, match.players) else LEAST_FALL
    fall = steepest_fall(rows, own, least)
    if fall is None:
        return None
    before, last = fall.first, fall.last
    inside = [part for part in match.parts if before["turn"] <= part.turn <= last["turn"]]

    def rise(part: Part) -> float:
        return curve.win(part.index + 1, player).value - curve.win(part.index, player).value

    matter = (part for part in sorted(inside, key=rise) if part.player == player or match.touches(part, player))
    told = [
        f"Turn {part.turn}, {match.names[part.player]}: {'; '.join(match.orders_in_words(part, WORDS))}."
        for part in sorted(islice(matter, WORDS), key=lambda part: part.index)
    ]
    return {
        "from_turn": before["turn"],
        "to_turn": last["turn"],
        "certain": fall.certain,
        "before": {"value": before["before"], "low": before["low"], "high": before["high"]},
        "after": curve.win(match.starts[rows.index(last) + 1], player).to_document(),
        "words": [*lost_in_words(match, player, inside[0], inside[-1]), *told],
    }


def lost_in_words(match: RecordedMatch, player: int, first: Part, last: Part) -> list[str]:
    """Return a line about what each player lost in a stretch of the match; none if nobody lost anything."""
    lost = match.lost(first, last)
    others = [other for other in range(match.players) if other != player]
    said = [
        f"{'You' if one == player else match.names[one]} lost {_listed(lost[one])}"
        for one in [player, *others]
        if lost[one]
    ]
    return [f"{', and '.join(said)}."] if said else []


def _listed(counted: Counter[str]) -> str:
    """Return what was counted in words, for example ``2 Brawlers and 1 Bartender``."""
    return " and ".join(f"{count} {plural(name) if count > 1 else name}" for name, count in sorted(counted.items()))


def recovered(rows: list[Document], first: int, last: int) -> bool:
    """Return whether a player stood as well again at some time after a stretch as before it."""
    before = next((float(row["before"]) for row in rows if row["turn"] == first), 0.0)
    later = (row["before"] for row in rows if row["turn"] > last and row["playouts"])
    return before > 0 and any(value >= AS_WELL * before for value in later)


class Fall(NamedTuple):
    """A stretch in which the win probability falls by `depth`, from the first to the last row of a curve."""

    depth: float
    first: Document
    last: Document
    certain: bool

    @property
    def turns(self) -> int:
        return int(self.last["turn"] - self.first["turn"]) + 1


def steepest_fall(rows: list[Document], own: Collection[int], least: float = LEAST_FALL) -> Fall | None:
    """Return the shortest stretch with a large part of a curve's largest fall.

    A fall is certain if it is larger than its interval, and to the end of the match larger by `LEAST_FALL`. It begins
    in a turn of the player's `own`: nobody learns from what another one did. Positions without playouts begin and end
    no stretch. Of a stretch that is a large part of the match, the steepest part is told.

    Args:
        least: Without a certain fall, the largest one counts if it is larger than this.
    """
    if not rows:
        return None
    after = {row["turn"]: previous for previous, row in pairwise(rows)}
    ends = [row for row in rows if row["playouts"]]
    pairs = [(one, other["before"], other["high"], after[other["turn"]]) for one, other in combinations(ends, 2)]
    end = rows[-1]["after"]
    pairs += [(one, end, end + LEAST_FALL, rows[-1]) for one in ends]
    falls = [
        Fall(one["before"] - value, one, last, one["low"] > high)
        for one, value, high, last in pairs
        if one["turn"] in own and one["before"] > value
    ]
    found = [fall for fall in falls if fall.certain] or [fall for fall in falls if fall.depth > least]
    if not found:
        return None
    whole = _shortest(found)
    if whole.turns <= max(3, WIDE * len(rows)):
        return whole
    parts = [
        one for one in falls if one.first["turn"] >= whole.first["turn"] and one.last["turn"] <= whole.last["turn"]
    ]
    return _shortest([one for one in parts if one.depth >= STEEP * whole.depth])


def _shortest(falls: Sequence[Fall]) -> Fall:
    """Return the shortest fall that is nearly as deep as the deepest."""
    deepest = max(fall.depth for fall in falls)
    return min((fall for fall in falls if fall.depth >= STEEP * deepest), key=lambda fall: (fall.turns, -fall.depth))


def conclusion(document: Document, player: int) -> str:
    """Return the main sentence about a player's loss; empty for a player who won, and as long as nothing is known."""
    if document["players"][player]["ending"] in ("won", "void", "finished"):
        return ""
    cause, lessons = document["cause"][player], of_player(document, "lessons", player)
    if cause["turn"] is not None:
        return str(cause["message"])
    if leads(document, player):
        text = f"{turns_in_words(lessons[0])}: {lessons[0]['text']}"
        return f"{text[0].upper()}{text[1:]}"
    if cause.get("idle"):
        return str(cause["message"])
    fall = document["fall"][player]
    if fall is None and (document["stage"] or not document["playouts"]["count"]):
        return ""
    first = stood_worse(document["win"][player], len(document["players"]))
    if first is not None and not (fall and fall["certain"]):
        worse = f"It stood worse from turn {first['turn']} on, with {percent(first, 'before')}"
        return f"{worse}{f', and lost that in {turns_in_words(fall)}' if fall else '. No stretch decided it'}."
    if fall is None:
        return "No mistake was found that certainly cost something, and no stretch in which the match was lost."
    fell = f"{turns_in_words(fall)}, from {percent(fall['before'])} to {percent(fall['after'])}"
    if fall["certain"]:
        return f"The win probability fell in {fell}."
    return f"The win probability seems to have fallen in {fell}. There were too few playouts to be sure."


def stood_worse(rows: list[Document], players: int) -> Document | None:
    """Return the first row with playouts, if the player certainly stood worse there than all others on average."""
    first = next((row for row in rows if row["playouts"]), None)
    return first if first is not None and first["high"] < 1 / players else None


def leads(document: Document, player: int) -> bool:
    """Return whether a player's first lesson is the main conclusion: not if the match forgave it and fell elsewhere."""
    lessons = of_player(document, "lessons", player)
    return bool(lessons) and not (lessons[0]["recovered"] and document["fall"][player] is not None)


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
        # Of two players, the winner's curve is that of the loser upside down.
        is_mirrored = len(players) == 2 and document["players"][player]["ending"] == "won"
        lines += ["", *_player_lines(document, player, curve=not is_mirrored)]
    lines += ["", *_origin(document)]
    if "checked" in document:
        lines += [_check_line(one, names) for one in document["checked"]] or ["There is no lesson to check."]
    return lines


def _player_lines(document: Document, player: int, *, curve: bool) -> Iterator[str]:
    about, cause = document["players"][player], document["cause"][player]
    yield f"{about['name']} ({about['ending'] or 'no ending'})"
    summary, lessons, fall = (
        document["summary"][player],
        of_player(document, "lessons", player),
        document["fall"][player],
    )
    if cause["turn"] is not None or not leads(document, player):
        yield from (f"  {text}" for text in (summary, cause["message"] * (summary != cause["message"])) if text)
        yield from _command_lines(cause)
    else:
        yield f"  {cause['message']}"
    if fall is not None and not leads(document, player):
        yield from (f"    {words}" for words in fall["words"])
        yield from _command_lines(fall)
    for at, lesson in enumerate(lessons, 1):
        yield f"  Lesson {at}, {turns_in_words(lesson)}: {_lesson(lesson)}"
        yield from _command_lines(lesson)
    if about["ending"] != "won" and (numbers := of_player(document, "numbers", player)):
        rows = [f"{one['words']} {one['own']} ({one['others']})" for one in numbers[:WORDS]]
        has_winner = any(player["ending"] == "won" for player in document["players"])
        whose = "the winner's" if has_winner else "those of the others"
        yield f"  In numbers, with {whose} in brackets: {'; '.join(rows)}"
    if curve and document["playouts"]["count"]:
        yield from _curve_lines(document["win"][player])


def _lesson(lesson: Document) -> str:
    cost = percent(lesson["price"])
    if lesson["count"] > 1:
        cost += f", on average of {lesson['count']} times"
    later = " Later it stood as well again." if lesson["recovered"] else ""
    return f"{lesson['text']} That cost {cost}.{later}"


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
