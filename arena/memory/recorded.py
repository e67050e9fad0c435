"""A player that repeats what was recorded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from arena.memory.choices import Turn

if TYPE_CHECKING:
    from arena.game import Document
    from arena_replays.documents import Entry


class RecordedPlayer:
    """A policy that submits a player's actions of a replay again, in their order, also the refused ones.

    With the same seed and the other players recorded as well, the match is the same. After the last action, the policy
    submits the game's fallback actions.

    Args:
        truth: The entries of the replay (`Reader.truth`).
        player: The player's number.
    """

    def __init__(self, truth: Iterable[Entry], player: int) -> None:
        own = (entry for entry in truth if entry[0] in ("do", "refuse") and entry[1] == player)
        # Of a refused action that was too large, only a text was recorded.
        self._actions: deque[Document] = deque(entry[2] for entry in own if isinstance(entry[2], dict))

    def __call__(self, turn: Turn) -> Document:
        """Return the next action."""
        if self._actions:
            return self._actions.popleft()
        return turn.state.fallback_action(turn.player)
