"""The news: events, and the difference between two positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from arena.text.form.positions import PLACE, board_size, pair, place, table, unplaced
from arena.text.form.values import NOTHING, Things, numbers_of, ranges, value_text, word
from arena_player.schema import GameClass, GameField, Schema
from arena_player.world import ROOT_ID

FEW_EVENTS = 8
"""So many events stand in their order. Of more, those of one kind share a line: a battle has many shots."""
MOST_EVENTS = 14
"""So many events are told, the newest ones: as many tokens as a position has. Older ones are counted by kind."""
LONG_LIST = 24
"""From so many characters on, only the items of a list that came and went are shown."""


def news(schema: Schema, before: Things, after: Things, events: Iterable[Mapping[str, Any]] = ()) -> str:
    """Return what has changed between two views of a player, after the events that the player saw; empty for nothing.

    Args:
        schema: The game's schema.
        before: The view then.
        after: The view now.
        events: The events between them, as the protocol sends them. Those that only announce a change are left out.
    """
    gone = [name for name in before if name not in after]
    said = {*gone, *(name for name in after if name not in before)}
    size = board_size(schema, after[ROOT_ID][1] if ROOT_ID in after else {})
    changes = {
        name: dict(_changes(schema.classes[kind], before[name][1], values, said, size))
        for name, (kind, values) in after.items()
        if name in before
    }
    changed = {field for pairs in changes.values() for field in pairs}
    lines = list(_events([event for event in events if not _is_announced(event, changed, before, after)]))
    for kind, entry in schema.classes.items():
        new = [name for name, (its_kind, _) in after.items() if its_kind == kind and name not in before]
        for head, *rows in filter(None, [table(entry, new, after)]):
            lines.append(f"new {head}{': ' * bool(rows)}{'; '.join(rows)}")
    lines += _shared(changes)
    return "\n".join([*lines, f"gone: {' '.join(ranges(map(word, gone)))}"][: None if gone else -1])


def _shared(changes: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield a line for all changes that the same things have, the game last."""
    names: dict[str, list[str]] = {}
    for name, pairs in sorted(changes.items(), key=lambda item: item[0] == ROOT_ID):
        for field, text in pairs.items():
            names.setdefault(pair(field, text), []).append(word(name))
    owners = {change: " ".join(ranges(same)) for change, same in names.items()}
    for owner in dict.fromkeys(owners.values()):
        yield f"{owner}: {', '.join(change for change, same in owners.items() if same == owner)}"


def _is_announced(event: Mapping[str, Any], changed: set[str], before: Things, after: Things) -> bool:
    """Return whether the views say what an event says.

    Its kind is a changed field, or what its thing is now, or the thing is new and has all values of the event.
    """
    kind = event.get("kind")
    values = [value for key, value in event.items() if key not in ("kind", "x", "y")]
    values += [(event["x"], event.get("y"))] if "x" in event else []
    things = {name: after[name][1] for name in values if isinstance(name, str) and name in after}
    new = [[name, (its.get("x"), its.get("y")), *its.values()] for name, its in things.items() if name not in before]
    is_new = any(all(value in told for value in values) for told in new)
    return is_new or kind in changed or any(kind in its.values() for its in things.values())


def _events(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each run of events of one kind; of many events, for each kind. The oldest are only counted."""
    counts = Counter(word(str(event.get("kind", "event"))) for event in events[:-MOST_EVENTS])
    if counts:
        yield f"earlier: {', '.join(f'{kind} {count}' for kind, count in counts.items())}"
    rows = [(str(event.get("kind", "event")), _told(event)) for event in events[-MOST_EVENTS:]]
    kinds = [(kind, *values) for kind, values in rows]
    first = {kind: index for index, kind in reversed(list(enumerate(kinds)))}
    order = sorted(range(len(rows)), key=lambda index: first[kinds[index]] if len(rows) > FEW_EVENTS else index)
    for (kind, *_), run in groupby(order, key=lambda index: kinds[index]):
        yield _run(word(kind), [rows[index][1] for index in run])


def _run(kind: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a run of events as a table: its keys once, what all rows have once, and what is true by its name."""
    keys = [key for key in rows[0] if any(row[key] not in (None, False) for row in rows)]
    texts = {key: [value_text(row[key]) for row in rows] for key in keys}
    flags = [key for key in keys if all(row[key] in (None, False) or row[key] is True for row in rows)]
    shared = [key for key in keys if len(rows) > 1 and len(set(texts[key])) == 1]
    once = [key if key in flags else pair(key, texts[key][0]) for key in (keys if len(rows) == 1 else shared)]
    columns = [key for key in keys if key not in (*flags, *shared)]
    if len(rows) == 1 or not set(keys) - set(shared):
        return kind + (f" {len(rows)} times" if len(rows) > 1 else "") + (f": {', '.join(once)}" if once else "")
    told = [
        [texts[key][at] for key in columns] + [key for key in flags if key not in shared and row[key]]
        for at, row in enumerate(rows)
    ]
    head = f" ({' '.join(columns)})" if columns else ""
    head += f" (all: {', '.join(once)})" if once else ""
    lines = [" ".join(row) or NOTHING for row in told]
    return f"{kind}{head}: {' '.join(ranges(lines)) if max(map(len, told)) == 1 else '; '.join(lines)}"


def _told(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an event, with its place in one, without what only pictures need: tables and lines."""
    values = {word(str(key)): value for key, value in event.items() if key != "kind" and not _is_drawn(value)}
    if type(event.get("x")) is int and type(event.get("y")) is int:
        del values["x"], values["y"]
        values[PLACE] = [event["x"], event["y"]]
    return values


def _is_drawn(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(part, float) for part in value))


def _changes(
    entry: GameClass, before: dict[str, Any], after: dict[str, Any], said: set[str], size: tuple[int, int]
) -> Iterator[tuple[str, str]]:
    """Yield the changes of one object by field, its place first.

    A list of things says nothing new if the things that came or went are new or gone themselves.
    """
    if entry.placed and place(before) != place(after):
        yield PLACE, place(after)
    for field in unplaced(entry):
        old, new = before.get(field.name), after.get(field.name)
        is_same = old == new and type(old) is type(new)
        if not is_same and (change := _change(field, old, new, said, size)):
            yield field.name, change


def _change(field: GameField, old: Any, new: Any, said: set[str], size: tuple[int, int]) -> str:
    if field.dtype and isinstance(old, bytes) and isinstance(new, bytes):
        return _changed_tiles(numbers_of(old, field), numbers_of(new, field), *size) or value_text(new, field)
    if field.type.many and isinstance(old, list) and isinstance(new, list):
        texts = [value_text([item], field)[1:-1] for item in old], [value_text([item], field)[1:-1] for item in new]
        came, went = Counter(texts[1]) - Counter(texts[0]), Counter(texts[0]) - Counter(texts[1])
        if set(came) | set(went) <= said and came.keys() != went.keys():
            return ""
        if came.keys() != went.keys() and len(value_text(new, field)) >= LONG_LIST:
            return " ".join([*(f"+{text}" for text in came.elements()), *(f"-{text}" for text in went.elements())])
    return value_text(new, field)


def _changed_tiles(old: Sequence[float], new: Sequence[float], width: int, height: int) -> str:
    """Return the new numbers of an array that has one for each tile; nothing if most changed, or for another array."""
    changed = [at for at, (was, now) in enumerate(zip(old, new, strict=False)) if was != now]
    if not len(old) == len(new) == width * height or 2 * len(changed) > len(new):
        return ""
    return " ".join(f"{PLACE}{at % width},{at // width} {new[at]}" for at in changed)
