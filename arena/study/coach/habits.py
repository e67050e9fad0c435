"""Mistakes that need no code of a game: turns without orders, idle units, refused orders, and lost time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arena.game import Document, Mistake, PlayerTurn
from arena.match.ending import counted
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.words import ENDS, entity_in_words

LEAST_TURNS = 3
"""So many turns without any order in a row are named. Good bots of the games of the house wait for one or two."""
LEAST_IDLE = 6
"""So many turns of a unit without an order in a row are named, if other units had orders. Chosen, not measured."""
REFUSED = 0.5
"""The share of a turn's orders that must be refused."""
Turns = Sequence[PlayerTurn[Any]]


def gave_no_orders(turns: Turns) -> Iterator[Mistake]:
    """Find several turns running without any order, although there was one."""
    for run in _runs(turns, lambda turn: not _orders(turn), LEAST_TURNS):
        if any(action.get("type") not in ENDS for action in _legal(run[0])):
            numbers = [turn.number for turn in run]
            text = f"You gave no order in {len(run)} turns running. Use every turn."
            yield Mistake(text, numbers, missing={})


def left_a_unit_idle(match: RecordedMatch, turns: Turns) -> Iterator[Mistake]:
    """Find units that had no order for long, while others had some."""
    keys = receivers(match)
    able = {turn.number: _able(turn, keys) for turn in turns}
    for key, unit in sorted(set().union(*able.values())):

        def idles(turn: PlayerTurn[Any], key: str = key, unit: str = unit) -> bool:
            had_none = all(action.get(key) != unit for action in turn.actions)
            return bool(_orders(turn)) and had_none and (key, unit) in able[turn.number]

        for run in _runs(turns, idles, LEAST_IDLE):
            numbers = [turn.number for turn in run]
            who = entity_in_words(unit, run[0].before, match.schema)
            could = sorted({str(one["type"]).replace("_", " ") for one in _legal(run[0]) if one.get(key) == unit})
            text = f"{who} had no order in {len(run)} turns running. In the first it could {' or '.join(could)}."
            yield Mistake(text, numbers, missing={key: unit}, units=[unit])


def had_orders_refused(match: RecordedMatch, turns: Turns) -> Iterator[Mistake]:
    """Find turns of which many orders were refused."""
    for turn in turns:
        refused = [
            one
            for one in match.reader.refusals
            if one.player == turn.player and match.reader.number_of(one.turn) == turn.number
        ]
        if refused and len(refused) >= REFUSED * (len(refused) + len(_orders(turn))):
            reason = refused[0].message.rstrip(".")
            text = f"{counted(len(refused), 'order')} of yours had no effect: {reason}."
            yield Mistake(text, [turn.number])


def lost_time(match: RecordedMatch, turns: Turns) -> Iterator[Mistake]:
    """Find turns for which the program took too long."""
    late = {
        match.reader.number_of(one.turn)
        for one in match.reader.endings
        if one.ending == "timed_out" and turns and one.player == turns[0].player
    }
    for turn in turns:
        if turn.number in late:
            text = f"You had {counted(len(late), 'time-out')}, and lost this turn by one."
            yield Mistake(text, [turn.number])


def receivers(match: RecordedMatch) -> set[str]:
    """Return the keys under which actions name the unit that they are for."""
    abouts = [about for entry in match.schema["classes"].values() for about in entry.get("actions", {}).values()]
    return {about["receiver"] for about in abouts if about.get("receiver")}


def _orders(turn: PlayerTurn[Any]) -> list[Document]:
    return [action for action in turn.actions if action.get("type") not in ENDS]


def _legal(turn: PlayerTurn[Any]) -> list[Document]:
    found: list[Document] = turn.before.legal_actions(turn.player)
    return found


def _able(turn: PlayerTurn[Any], keys: set[str]) -> set[tuple[str, str]]:
    """Return the units that can have an order at the start of a turn, with the key that names them in it."""
    return {(key, action[key]) for action in _legal(turn) for key in keys if isinstance(action.get(key), str)}


def _runs(turns: Turns, holds: Callable[[PlayerTurn[Any]], bool], least: int) -> Iterator[list[PlayerTurn[Any]]]:
    """Yield the longest stretches of turns for which something holds."""
    run: list[PlayerTurn[Any]] = []
    for turn in [*turns, None]:
        if turn is not None and holds(turn):
            run.append(turn)
            continue
        if len(run) >= least:
            yield run
        run = []
