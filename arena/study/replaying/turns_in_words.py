"""Turns of a recorded match in the text form of its game: what stood there, who ordered what, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arena.errors import ArenaError, ExitCode
from arena.text.form import Things, news, order, position
from arena.text.printable import one_line
from arena_player.errors import PlayerError
from arena_player.schema import Schema, parse_schema
from arena_replays import Reader
from arena_replays.documents import Entry
from arena_replays.state import CLASS


class TurnInWords(NamedTuple):
    """One turn of a match as text.

    Attributes:
        turn: Its number, as viewers show it.
        player: The player who had to act.
        position: The position before the turn; empty if the turn before is there too.
        orders: The orders, refused ones with the code of the reason.
        news: What changed in the turn.
    """

    turn: int
    player: int
    position: str
    orders: list[str]
    news: str


def turns_in_words(reader: Reader, first: int, last: int, player: int | None = None) -> Iterator[TurnInWords]:
    """Yield turns of a replay.

    Args:
        reader: The replay.
        first: The number of the first turn.
        last: The number of the last turn.
        player: Whose view to show, with this player's orders only; None for everything.

    Raises:
        ArenaError: The replay has no such turn or player, or does not describe its game.
    """
    try:
        yield from _turns(reader, parse_schema(reader.header.get("schema", {})), first, last, player)
    except PlayerError as error:
        raise ArenaError(
            f"{reader.where} cannot be shown in words: {error}", exit_code=ExitCode.DAMAGED_REPLAY
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"its views do not fit its schema ({type(error).__name__})"
        raise ArenaError(f"{reader.where} is damaged: {reason}.", exit_code=ExitCode.DAMAGED_REPLAY) from error


def _turns(reader: Reader, schema: Schema, first: int, last: int, player: int | None) -> Iterator[TurnInWords]:
    players = len(reader.header.get("players", ()))
    if player is not None and not 0 <= player < players:
        raise ArenaError(f"{reader.where} has no player {player}.", exit_code=ExitCode.BAD_OPTION)
    stream = 0 if player is None or reader.streams == 1 else 1 + player
    numbered = [(reader.number_of(turn.index), turn) for turn in reader.turns]
    wanted = [(number, turn) for number, turn in numbered if first <= number <= last]
    if not wanted:
        known = f"Its turns are {numbered[0][0]} to {numbered[-1][0]}." if numbered else "It has no turns."
        raise ArenaError(f"{reader.where} has no turns {first} to {last}.", hint=known, exit_code=ExitCode.BAD_OPTION)
    entries = _entries(reader, {turn.index for _, turn in wanted})
    before = _things(reader, wanted[0][1].first - 1, stream)
    text = position(schema, before)
    for number, turn in wanted:
        after = _things(reader, turn.last - 1, stream)
        events = [event for _, events in reader.frames(stream, turn.first, turn.last) for event in events]
        orders = [line for entry in entries[turn.index] for line in _orders(schema, entry, player, players)]
        yield TurnInWords(number, turn.player, text, orders, news(schema, before, after, events))
        before, text = after, ""


def _entries(reader: Reader, turns: set[int]) -> dict[int, list[Entry]]:
    """Return the entries of some turns."""
    entries: dict[int, list[Entry]] = {turn: [] for turn in turns}
    turn, last = 0, max(turns)
    for entry in reader.truth:
        if turn in turns:
            entries[turn].append(entry)
        turn += entry[0] == "turn"
        if turn > last:
            break
    return entries


def _things(reader: Reader, frame: int, stream: int) -> Things:
    state = reader.state_after(max(frame, 0), stream)
    return {
        name: (fields[CLASS], {field: value for field, value in fields.items() if field != CLASS})
        for name, fields in state.items()
    }


def _orders(schema: Schema, entry: Sequence[Any], player: int | None, players: int) -> Iterator[str]:
    """Yield the order of an entry. In the view of one player, others' orders are left out: they can be hidden."""
    if entry[0] not in ("do", "refuse", "leave", "seat") or (player is not None and entry[1] != player):
        return
    who = f"player {entry[1]}: " if player is None and players > 1 else ""
    match entry:
        case ["do", _, action, *_]:
            yield f"{who}{order(schema, action)}"
        case ["refuse", _, action, code, *_]:
            text = order(schema, action) if isinstance(action, dict) else one_line(str(action))
            yield f"{who}{text} (refused: {one_line(str(code))})"
        case ["leave", *_]:
            yield f"{who}leaves the game"
        case ["seat", _, ending, *_]:
            yield f"{who}{one_line(str(ending))}"
