"""Types of the data that a game and the framework exchange."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, TypedDict

Document: TypeAlias = dict[str, Any]
"""A JSON object whose keys and values a specification describes: an action, a state, a map."""

View: TypeAlias = list[Any]
"""Flat triples ``id, field, value``, as docs/protocol.md describes them: a view or a delta."""

Number: TypeAlias = int | float
"""The value of a draw: a whole number or a real number."""


def triples(view: View) -> Iterator[tuple[str, str, Any]]:
    """Yield id, field and value of each triple of a view or delta."""
    parts = iter(view)
    return zip(parts, parts, parts, strict=True)


class _DecidedDocument(TypedDict):
    winner: int | None
    reason: str


class OutcomeDocument(_DecidedDocument, total=False):
    """The JSON document of an outcome, in the form that the specifications of all games use."""

    ranks: list[int]
    teams: list[list[int]]
    payoffs: list[float]
    common: float
