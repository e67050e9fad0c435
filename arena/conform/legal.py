"""Comparing lists of legal actions: their order has no meaning, their number has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

from arena.conform.difference import canonical, show
from arena.conform.report import Disagreement

_SHOWN = 3


def compare_legal(expected: list[Any], found: list[Any]) -> None:
    """Compare two lists of documents as multisets.

    Raises:
        Disagreement: It says which actions the rules lack and which they have too many.
    """
    wanted, given = Counter(map(_key, expected)), Counter(map(_key, found))
    if wanted == given:
        return
    missing = _pick(wanted - given, expected)
    surplus = _pick(given - wanted, found)
    told = []
    if missing:
        told.append(f"lack {_list(missing)}")
    if surplus:
        told.append(f"have {_list(surplus)} too many")
    raise Disagreement("legal_actions", f"{len(expected)} actions", f"{len(found)}, which {' and '.join(told)}")


def _key(document: Any) -> Hashable:
    """Make a key that is equal for equal documents; truth values are not numbers."""
    try:
        return frozenset(
            [
                (key, value, "bool") if value is True or value is False else (key, value)
                for key, value in document.items()
            ]
        )
    except (TypeError, AttributeError):
        return canonical(document)


def _pick(keys: Counter[Hashable], documents: list[Any]) -> list[Any]:
    left = Counter(keys)
    picked = []
    for document in documents:
        key = _key(document)
        if left[key] > 0:
            left[key] -= 1
            picked.append(document)
    return picked


def _list(documents: list[Any]) -> str:
    shown = ", ".join(show(one) for one in documents[:_SHOWN])
    return shown + (f" and {len(documents) - _SHOWN} more" if len(documents) > _SHOWN else "")
