"""builtin:search: a bot that plays any game from its rules, and the same search as a policy in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.game import BuiltinBot

if TYPE_CHECKING:
    from arena_learn.search.policy import SearchPolicy

SEARCH = BuiltinBot(
    "search",
    Path(__file__).parent / "bot",
    "Plays any game by search, from its rules and its built-in bots: ?playouts=200 or ?seconds=1 for a turn.",
    "Know more than the rules: what a position is worth, and which actions are not worth a look.",
)
"""The entry point of the group ``arena.bots``."""

__all__ = ["SEARCH", "SearchPolicy"]


def __getattr__(name: str) -> Any:
    """Import the policy only where it is used: commands load `SEARCH` to list the bots."""
    if name == "SearchPolicy":
        from arena_learn.search.policy import SearchPolicy

        return SearchPolicy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
