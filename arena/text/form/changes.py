"""The news: events, and the difference between two positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.text.form.positions import PLACE, pairs_of, place, unplaced
from arena.text.form.values import Things, value_text, word
from arena_player.schema import GameClass, GameField, Schema
from arena_player.world import ROOT_ID

SHARED = 2
"""If so many things have changes of the same field, the field has a line: with fewer, each thing has one."""
FEW_EVENTS = 8
"""So many events stand in their order. Of more, those of one kind share a line: a battle has many shots."""
LONG_LIST = 24
"""From so many characters on, only the items of a list that came and went are shown."""


def news(schema: Schema, before: Things, after: Things, events: Iterable[Mapping[str, Any]] = ()) -> str:
    """Return what has changed between two views of a player, after the events that the player saw; empty for nothing.

    Args:
        schema: The game's schema.
        before: The view then.
        after: The view now.
        events: The events between them, as the protocol sends them.
    """
    lines = _events(list(events))
    changed: dict[str, dict[str, str]] = {}
    born = {name for name in after if name not in before}
    gone = [name for name in before if name not in after]
    for name, (kind, values) in after.items():
        entry = schema.classes[kind]
        if name in born:
            lines.append(f"new {word(name)} {entry.name}: {', '.join(pairs_of(entry, values))}")
        elif changes := _changes(entry, before[name][1], values, born.union(gone)):
            changed[name] = changes
    counts = Counter(field for name, changes in changed.items() if name != ROOT_ID for field in changes)
    shared = [field for field, count in counts.items() if count >= SHARED]
    lines += [_of_field(field, changed) for field in shared]
    for name, changes in sorted(changed.items(), key=lambda item: item[0] == ROOT_ID):
        own = [_pair(*change) for change in changes.items() if name == ROOT_ID or change[0] not in shared]
        if own:
            lines.append(f"{word(name)}: {', '.join(own)}")
    if gone:
        lines.append(f"gone: {' '.join(map(word, gone))}")
    return "\n".join(lines)


def _of_field(field: str, changed: dict[str, dict[str, str]]) -> str:
    """Return the line of a field that many things have changed. Things with the same value stand before it."""
    names: dict[str, list[str]] = {}
    for name, changes in changed.items():
        if name != ROOT_ID and field in changes:
            names.setdefault(changes[field], []).append(word(name))
    return f"{field}: {'; '.join(f'{chr(32).join(same)} {value}' for value, same in names.items())}"


def _events(events: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each run of events of one kind; if there are many events, for each kind.

    Runs are tables: the keys are said once. Places become ``@``. What is nothing or no in all events of a run is left
    out, and what only pictures need: tables in events, and lines between points.
    """
    runs: list[list[tuple[str, dict[str, Any]]]] = []
    by_kind: dict[tuple[str, ...], list[tuple[str, dict[str, Any]]]] = {}
    for event in events:
        kind, values = str(event.get("kind", "event")), _told(event)
        keys = kind, *values
        run = by_kind.get(keys)
        if run is None or (len(events) <= FEW_EVENTS and runs[-1] is not run):
            runs.append(run := [])
            by_kind[keys] = run
        run.append((kind, values))
    return [_run(run) for run in runs]


def _pair(key: str, text: str) -> str:
    return f"{PLACE}{text}" if key == PLACE else f"{key} {text}"


def _run(run: list[tuple[str, dict[str, Any]]]) -> str:
    kind, values = run[0]
    if not values:
        return word(kind) + (f" {len(run)} times" if len(run) > 1 else "")
    if len(run) == 1:
        told = [(key, value_text(value)) for key, value in values.items() if value is not None and value is not False]
        return f"{word(kind)}: {', '.join(_pair(*pair) for pair in told)}" if told else word(kind)
    keys = [key for key in values if any(row[key] is not None and row[key] is not False for _, row in run)]
    rows = [" ".join(value_text(row[key]) for key in keys) for _, row in run]
    return f"{word(kind)} ({' '.join(keys)}): {'; '.join(rows)}"


def _told(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an event that are told, with its place in one."""
    values = {word(str(key)): value for key, value in event.items() if key != "kind" and not _is_drawn(value)}
    if type(event.get("x")) is int and type(event.get("y")) is int:
        del values["x"], values["y"]
        values[PLACE] = [event["x"], event["y"]]
    return values


def _is_drawn(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(part, float) for part in value))


def _changes(entry: GameClass, before: dict[str, Any], after: dict[str, Any], said: set[str]) -> dict[str, str]:
    """Return the changes of one object by field, its place first.

    A list of things says nothing new if the things that came or went are new or gone themselves.
    """
    changes = {}
    if entry.placed and place(before) != place(after):
        changes[PLACE] = place(after).removeprefix(PLACE)
    for field in unplaced(entry):
        old, new = before.get(field.name), after.get(field.name)
        if old == new and type(old) is type(new):
            continue
        change = _change(field, old, new, said)
        if change:
            changes[field.name] = change
    return changes


def _change(field: GameField, old: Any, new: Any, said: set[str]) -> str:
    if field.type.many and isinstance(old, list) and isinstance(new, list):
        texts = [value_text([item], field)[1:-1] for item in old], [value_text([item], field)[1:-1] for item in new]
        came, went = Counter(texts[1]) - Counter(texts[0]), Counter(texts[0]) - Counter(texts[1])
        if set(came) | set(went) <= said and came.keys() != went.keys():
            return ""
        if came.keys() != went.keys() and len(value_text(new, field)) >= LONG_LIST:
            return " ".join([*(f"+{text}" for text in came.elements()), *(f"-{text}" for text in went.elements())])
    return value_text(new, field)
