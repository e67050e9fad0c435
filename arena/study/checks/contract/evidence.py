"""Find out whether the values sent to a player in several runs of an experiment reveal a hidden value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log
from typing import Any, NamedTuple

from arena.game import State
from arena.game.chance import Draw
from arena.study.checks.contract.fold import fold
from arena.study.checks.contract.observers import hidden
from arena_replays.state import CLASS

CERTAIN = log(1e9)
"""The evidence (a logarithm of odds) from which the agreement of two values counts as more than a coincidence. A check
compares up to millions of pairs of values (fields, paths, players and positions), and must accuse no honest game."""
_NOTHING = "nothing"
_ALL = "all"

Path = tuple[Any, ...]
"""Keys and indices. The path of a secret starts with a pair (id, field). If values of several objects are one secret
together, such as the roles of all players, the id is `_ALL`."""


class Run(NamedTuple):
    """The values that one player receives after an action, and the values that are hidden from the player, as text.

    Attributes:
        shown: The values that are sent to the player, by path. Fields declared secret are left out.
        is_mixed: Whether all secrets of the run were chosen at random, independently of one another.
    """

    secrets: dict[Path, str]
    shown: dict[Path, str]
    is_mixed: bool = False


class Leak(NamedTuple):
    """A value that reveals a secret.

    Attributes:
        example: The value at `path` in one run, and the value of the secret in this run.
    """

    secret: Path
    path: Path
    example: tuple[str, str]

    def describe(self, player: int, occasion: str) -> str:
        shown, secret = (text.replace(f", {_NOTHING}", "") for text in self.example)
        return (
            f"{path_text(self.secret)} is hidden from player {player}, but {path_text(self.path)}, which they get "
            f"{occasion}, reveals it: for example, it is {shown} when the secret is {secret}"
        )


def observe(state: State, player: int, mark: int = 0, draws: Sequence[Draw] = ()) -> Run:
    """Return the values that are sent to a player, and the values that are hidden from the player.

    Args:
        mark: Only events since this mark are included.
    """
    view = fold({}, state.view(player))
    unseen = hidden(fold({}, state.view()), view)
    secrets = {key: value for key, value in unseen.items() if value is not None}
    declared = {plan.cls.__name__: plan.secret for plan in state.plan().classes.values()}
    plain = {
        id_: {name: value for name, value in fields.items() if name not in declared[fields[CLASS]]}
        for id_, fields in view.items()
    }
    shown = {"view": plain, "events": state.events(mark, player), "draws": [draw.value for draw in draws]}
    return Run(dict(_leaves(secrets)), dict(_leaves(shown)))


def unchanged(before: Run, after: Run) -> Run:
    """Return the run after an action without the secrets of the fields that the action has changed or revealed.

    Sealed choices that are opened and cards that are replaced were kept until now: what is said of them is no leak.
    """
    changed = {
        path[0]
        for path in before.secrets.keys() | after.secrets.keys()
        if before.secrets.get(path) != after.secrets.get(path)
    }
    return after._replace(secrets={path: value for path, value in after.secrets.items() if path[0] not in changed})


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict | list | tuple) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            yield from _leaves(item, (*path, key))
    else:
        yield path, write(value)


def write(value: Any) -> str:
    """Return a scalar as text. Equal numbers give equal texts, whatever their type."""
    return repr(int(value) if type(value) is float and value.is_integer() else value)


def find_leak(runs: list[Run], least: float, evidence: float = CERTAIN) -> Leak | None:
    """Find a shown value that reveals a secret: in all runs with the same shown value, the secret is the same too.

    What is shown in some runs only, such as an event that not every world has, is compared in these runs. Then only
    mixed runs count as evidence: in others, one secret can decide another, and so what is shown of a third one.

    Args:
        least: The number of different values of a secret that a leak requires; for strings, one less, but at least 2.
            If the shown value equals the secret in all runs, 2 are enough.
    """
    secrets = _columns([run.secrets for run in runs])
    shown = _columns([run.shown for run in runs])
    secrets = {path: column for path, column in secrets.items() if _NOTHING not in column and len(set(column)) > 1}
    if not secrets:
        return None
    shown = {path: column for path, column in shown.items() if len(set(column)) > 1}
    mixed = [run.is_mixed for run in runs]
    single = _find(secrets, shown, mixed, least, evidence)
    return single or _find(_together(secrets), _wholes(shown), mixed, least, evidence)


Column = list[str]
"""The values of one path in all runs."""


def _columns(runs: list[dict[Path, str]]) -> dict[Path, Column]:
    return {path: [run.get(path, _NOTHING) for run in runs] for path in {path: None for run in runs for path in run}}


def _find(
    secrets: dict[Path, Column], shown: dict[Path, Column], mixed: list[bool], least: float, evidence: float
) -> Leak | None:
    for secret, values in secrets.items():
        for path, column in shown.items():
            if _evidence(values, column, least) >= evidence:
                return Leak(secret, path, (column[0], values[0]))
            if _NOTHING not in column:
                continue
            rows = [index for index, value in enumerate(column) if value != _NOTHING]
            some, some_values = [column[index] for index in rows], [values[index] for index in rows]
            if len(set(some_values)) < 2 or _evidence(some_values, some, least) < evidence:
                continue
            rows = [index for index in rows if mixed[index]]
            if _evidence([values[index] for index in rows], [column[index] for index in rows], least) >= evidence:
                return Leak(secret, path, (some[0], some_values[0]))
    return None


def _evidence(values: Column, column: Column, least: float) -> float:
    """Return how improbable it is that a column decides the values by accident; below 0 if it does not decide them."""
    counts = Counter(values)
    if len(counts) < 2:
        return -1.0
    if column == values:
        agreements = len(values)
    elif len(counts) >= least - (least > 2 and values[0][0] in "'\"") and _decides(column, values):
        # The first run with each shown value proves nothing. Each further one could have contradicted.
        agreements = len(values) - len(set(column))
    else:
        return -1.0
    # The evidence of one agreement: how improbable it is that two runs have the same secret by accident.
    return agreements * log(len(values) ** 2 / sum(count**2 for count in counts.values()))


def _decides(column: Column, values: Column) -> bool:
    """Return whether equal entries of a column always have equal values."""
    return len(set(zip(column, values, strict=True))) == len(set(column))


def _together(secrets: dict[Path, Column]) -> dict[Path, Column]:
    """Return the secrets that several objects have in a field of one name, such as all roles, each as one secret."""
    groups: dict[Path, list[Column]] = {}
    for ((_, name), *rest), column in secrets.items():
        groups.setdefault(((_ALL, name), *rest), []).append(column)
    return {path: _joined(columns) for path, columns in groups.items() if len(columns) > 1}


def _wholes(shown: dict[Path, Column]) -> dict[Path, Column]:
    """Return each event as one value, and what is shown in a field of one name, of all objects together."""
    groups: dict[Path, list[Column]] = {}
    for path, column in shown.items():
        head = (path[0], _ALL, path[2]) if path[0] == "view" and len(path) > 2 else path[:2]
        groups.setdefault(head, []).append(column)
    return {path: _joined(columns) for path, columns in groups.items()}


def _joined(columns: list[Column]) -> Column:
    rows = list(zip(*columns, strict=True))
    return [_NOTHING if all(value == _NOTHING for value in row) else ", ".join(row) for row in rows]


def path_text(path: Path) -> str:
    """Return a path as text, for example ``events[0].cards``."""
    head, *rest = path
    parts = (*head, *rest) if isinstance(head, tuple) else rest if head == "view" else path
    if parts[0] == _ALL:
        return f"{path_text(('view', *parts[1:]))} of all objects together"
    return "".join(f"[{part}]" if type(part) is int else f".{part}" for part in parts).lstrip(".")
