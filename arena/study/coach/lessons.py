"""What a player can learn from a match: mistakes that detectors find, and turns in which a bot chose better.

A detector says what happened, and never whether it mattered: that is for `prices.py`. Where no detector fits, the turns
in which the win probability falls are compared with what the bot that plays on would have done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

from arena.bots.builtin import BUILTIN
from arena.errors import ArenaError, ExitCode
from arena.game import Document, Mistake
from arena.game.action import LEAVE
from arena.study.coach.curve import Curve
from arena.study.coach.habits import gave_no_orders, had_orders_refused, left_a_unit_idle, lost_time, receivers
from arena.study.coach.playouts import has_all
from arena.study.coach.questions import Pool, Questions
from arena.study.coach.recorded_match import Part, RecordedMatch
from arena.study.coach.turns import parts_of, turns_of
from arena.study.coach.words import ENDS, line_in_words, not_among

BOTS_CHOICE = "bots_choice"
"""The kind of a mistake that no detector found."""
MOST_OCCURRENCES = 6
"""So many occurrences of a kind are screened: the first, the last and some between."""
LEAST_OF_HABIT = 2
"""In so many turns without a break, an order that was left out each time is a habit."""
COMPARED = 8
"""The limit for the turns of one player that are compared with a bot's choice."""
WORDS = 3
"""The limit for the orders of each side that the text of a bot's choice names."""


class MistakesOfKind(NamedTuple):
    """All mistakes of one kind by one player, and the part in which each begins.

    Attributes:
        name: The name of the detector.
        found: How many there are; `mistakes` has the first, the last and some between.
    """

    player: int
    name: str
    found: int
    mistakes: list[tuple[Mistake, Part]]


def detect(match: RecordedMatch, player: int) -> list[MistakesOfKind]:
    """Return the mistakes of a player by kind, as far as detectors find any.

    Raises:
        ArenaError: A detector of the game has an error.
    """
    turns = turns_of(match, player)
    parts = parts_of(match, player)
    places = dict(zip([(turn.number, turn.part) for turn in turns], parts, strict=True))
    found: list[MistakesOfKind] = []
    for name, detector in detectors_of(match):
        try:
            mistakes = [(mistake, places[mistake.turns[0], mistake.part]) for mistake in detector(turns)]
        except Exception as error:
            raise ArenaError(
                f"The detector {name} of {match.game.name} failed: {type(error).__name__}: {error}",
                hint="Its author should run `arena game check`.",
                exit_code=ExitCode.DIFFERENCE,
            ) from error
        mistakes = [one for one in _with_habit(match, parts, _together(mistakes)) if not _is_told(*one, found)]
        if mistakes:
            found.append(MistakesOfKind(player, name, len(mistakes), _some(mistakes, MOST_OCCURRENCES)))
    return found


def detectors_of(match: RecordedMatch) -> Iterator[tuple[str, Any]]:
    """Yield the game's detectors, and those that every game shares, each with its name."""
    for detector in match.game.lessons:
        yield getattr(detector, "__name__", "lesson"), detector
    yield gave_no_orders.__name__, gave_no_orders
    for shared in (left_a_unit_idle, had_orders_refused, lost_time):
        yield shared.__name__, partial(shared, match)


def _is_told(mistake: Mistake, part: Part, told: Sequence[MistakesOfKind]) -> bool:
    """Return whether a game's own lesson says of the same turns that all orders which a unit can have are missing."""
    habits = [one for kind in told for one, _ in kind.mistakes if one.missing and set(one.turns) & set(mistake.turns)]
    if not habits or not mistake.missing:
        return False
    orders = [one for one in part.state.legal_actions(part.player) if has_all(one, mistake.missing)]
    return any(all(has_all(order, habit.missing or {}) for order in orders) for habit in habits)


def bots_choices(
    match: RecordedMatch, parts: Sequence[Part], pool: Pool, bot: str, seconds: float
) -> list[MistakesOfKind]:
    """Return what a bot would have done in some parts of a match, where that differs from what was done.

    Args:
        seconds: The time limit for each choice.
    """
    found = []
    for at, chosen in sorted(pool.ask([(Questions.choose, bot, part.index, seconds) for part in parts])):
        part = parts[at]
        if chosen is not None and chosen != part.actions:
            mistake = Mistake(_compared(match, part, chosen, bot), [part.turn], better=chosen)
            found.append(MistakesOfKind(part.player, BOTS_CHOICE, 1, [(mistake, part)]))
    return found


def falling_parts(match: RecordedMatch, curve: Curve, player: int) -> list[Part]:
    """Return the parts of a player in which the win probability falls most, as far as playouts began at one end."""
    falls = []
    for part in parts_of(match, player):
        together = match.simultaneous(part)
        before, after = together[0].index, together[-1].index + 1
        drop = curve.win(before, player).value - curve.win(after, player).value
        if drop > 0 and LEAVE not in part.actions and (curve.has_playouts(before) or curve.has_playouts(after)):
            falls.append((drop, -part.index))
    return [match.parts[-index] for _, index in sorted(falls, reverse=True)[:COMPARED]]


def _compared(match: RecordedMatch, part: Part, chosen: Sequence[Document], bot: str) -> str:
    better = [action for action in chosen if action.get("type") not in ENDS]
    weights = not_among(better, part.actions)
    own = "; ".join(match.orders_in_words(part, WORDS, better))
    would = "; ".join(line_in_words(better, part.state, match.schema, WORDS, weights)) or "no order"
    return f"You played: {own}. {bot.removeprefix(BUILTIN).capitalize()} would have played: {would}."


def _together(mistakes: list[tuple[Mistake, Part]]) -> list[tuple[Mistake, Part]]:
    """Put mistakes of one part together whose better lines only leave actions out: the joint line leaves out all.

    Five units that ran into the open lose a match, and one of them that stays does not save it.
    """
    joint: list[tuple[Mistake, Part]] = []
    groups: dict[int, list[tuple[Mistake, set[int]]]] = {}
    parts = {part.index: part for _, part in mistakes}
    for mistake, part in mistakes:
        places = None if mistake.better is None else _places(mistake.better, part.actions)
        if places is None:
            joint.append((mistake, part))
        else:
            groups.setdefault(part.index, []).append((mistake, set(places)))
    for index, group in groups.items():
        mistake, kept = group[0][0], set.intersection(*(places for _, places in group))
        if len(group) > 1:
            text = f"{mistake.text} It was {len(group)} times the same in this turn."
            better = [action for place, action in enumerate(parts[index].actions) if place in kept]
            units = list(dict.fromkeys(unit for one, _ in group for unit in one.units))
            mistake = replace(mistake, text=text, better=better, units=units)
        joint.append((mistake, parts[index]))
    return sorted(joint, key=lambda one: one[1].index)


def _places(kept: Sequence[Document], actions: Sequence[Document]) -> list[int] | None:
    """Return where some actions are among others, in the same order; None if they are not all among them."""
    places: list[int] = []
    for action in kept:
        begin = places[-1] + 1 if places else 0
        place = next((at for at in range(begin, len(actions)) if actions[at] == action), None)
        if place is None:
            return None
        places.append(place)
    return places


def _with_habit(
    match: RecordedMatch, parts: Sequence[Part], mistakes: list[tuple[Mistake, Part]]
) -> list[tuple[Mistake, Part]]:
    """Put mistakes together if the same orders were left out in turn after turn.

    Good play afterwards makes up for one such turn, so each alone costs little, and all together the match.
    """
    keys, flagged = receivers(match), {mistake.turns[0] for mistake, _ in mistakes}
    given = [_orders(part.actions, keys) for _, part in mistakes]
    better = [_orders(mistake.better or (), keys) for mistake, _ in mistakes]
    left_out = [wished - orders for wished, orders in zip(better, given, strict=True)]
    types = {order.type for orders in left_out for order in orders}
    takes_back = any(orders - wished for wished, orders in zip(better, given, strict=True))
    if len(types) != 1 or not all(left_out) or takes_back:
        return mistakes
    [name] = types
    at = min(range(len(mistakes)), key=lambda number: mistakes[number][1].index)
    first, begin = mistakes[at]
    units = {order.unit for order in left_out[at] if order.type == name}

    def lacks(part: Part) -> bool:
        ordered = {order.unit for order in _orders(part.actions, keys) if order.type == name}
        return not ordered & units if all(units) else not ordered

    stretch = list(takewhile(lacks, parts[parts.index(begin) :]))
    turns = [turn for turn in dict.fromkeys(part.turn for part in stretch) if turn in flagged]
    if len(turns) < LEAST_OF_HABIT:
        return mistakes
    missing: dict[str, Any] = {"type": name}
    if any(order.type == name for part in stretch for order in _orders(part.actions, keys)):
        missing[next(order.key for order in left_out[at] if order.type == name)] = sorted(units)
    text = f"{first.text} It was the same in {len(turns)} of your turns."
    habit = replace(first, text=text, turns=turns, missing=missing)
    return [(habit, begin), *(one for one in mistakes if one[0].turns[0] not in turns)]


class _Order(NamedTuple):
    """An order without its details: its type, and the unit that it is for under its key; empty if it names none."""

    type: str
    key: str
    unit: str


def _orders(actions: Sequence[Document], keys: Collection[str]) -> set[_Order]:
    found = set()
    for action in actions:
        if action is not LEAVE and action["type"] not in ENDS:
            key = next((key for key in action if key in keys), "")
            found.add(_Order(str(action["type"]), key, str(action.get(key, ""))))
    return found


def _some(mistakes: list[Any], most: int) -> list[Any]:
    if len(mistakes) <= most:
        return mistakes
    return [mistakes[at * (len(mistakes) - 1) // (most - 1)] for at in range(most)]
