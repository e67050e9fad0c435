"""The position in which a match starts, if it does not start with the game's own set-up; and how users name one.

A `ReplayPosition` is what a user writes, a `Position` is all that a match needs: the state with its secrets, the dice
to repeat, and what was played afterwards. `Parent` leads back, so that a match from a position can be traced and
verified.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from arena.game.kinds import Document, Number

__all__ = ["Position", "ReplayPosition"]
_PLACE = re.compile(r"(?P<replay>.+)@(?:(?P<leg>[12]):)?(?P<turn>\d{1,9})(?:\.(?P<action>\d{1,9}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReplayPosition:
    """A moment of a replay: ``REPLAY@TURN``, optionally with a leg or an action, as in ``REPLAY@LEG:TURN.ACTION``.

    Attributes:
        action: The number of actions of this turn before it; 0 is the start of the turn.
        leg: The leg, 1 or 2, which can be recorded in another file of the same folder; None for the leg in `replay`.
    """

    replay: str
    turn: int
    action: int = 0
    leg: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read the text of a position; None if it is none."""
        match = _PLACE.fullmatch(text)
        if match is None:
            return None
        leg = int(match["leg"]) if match["leg"] else None
        return cls(match["replay"], int(match["turn"]), int(match["action"] or 0), leg)


@dataclass(frozen=True, slots=True)
class Parent:
    """The replay that a position comes from, and the moment of this replay.

    Attributes:
        chain: The last hash of the replay's hash chain; empty if the replay is incomplete.
        action: The number of actions of this turn before the position.
        file: The path of the replay. In the header of another replay, the path is relative to that replay's folder.
    """

    chain: str
    turn: int
    action: int
    file: str = ""

    @classmethod
    def from_document(cls, document: object) -> Self | None:
        """Make the value from a document in a header or a file. Return None if the document is invalid."""
        match document:
            case {"chain": str(chain), "turn": int(turn), "action": int(action), **more}:
                file = more.get("file", "")
                return cls(chain, turn, action, file if isinstance(file, str) else "")
        return None


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a game, including all information that is hidden from players.

    Attributes:
        parent: The replay that the position comes from; None for a state document.
        dice: Recorded draws to repeat before new values are drawn.
        moves: The actions in the parent after this position. Each is a tuple of the player, the number that the game
            gives to the turn, and the action.
    """

    game: str
    version: str
    options: Document
    state: Document
    turn: int = 1
    first: int = 0
    parent: Parent | None = None
    dice: tuple[Number, ...] = ()
    moves: tuple[tuple[int, int, Document], ...] = ()

    def to_document(self) -> dict[str, Any]:
        """Return the position as JSON has it."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the position of a document of `to_document`."""
        lists = {name: tuple(document.get(name, ())) for name in ("dice", "moves")}
        return cls(**{**document, **lists, "parent": Parent.from_document(document.get("parent"))})
