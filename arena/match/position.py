"""Where a match starts, other than at the game's own set-up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from arena.game.data import Document, Number

_PLACE = re.compile(r"(?P<replay>.+)@(?:(?P<leg>[12]):)?(?P<turn>\d{1,9})(?:\.(?P<action>\d{1,9}))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a replay, written ``REPLAY@TURN``, ``REPLAY@TURN.ACTION`` or ``REPLAY@LEG:TURN``.

    Attributes:
        replay: The path of the file.
        turn: The number of the turn, from 1 for the first turn of the game.
        action: How many actions of this turn come before the place; 0 is the start of the turn.
        leg: 1 or 2, for a replay that lies beside that of the other leg; None for the file itself.
    """

    replay: str
    turn: int
    action: int = 0
    leg: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read a place; None if the text has another form."""
        found = _PLACE.fullmatch(text)
        if found is None:
            return None
        leg = found["leg"]
        return cls(found["replay"], int(found["turn"]), int(found["action"] or 0), int(leg) if leg else None)


@dataclass(frozen=True, slots=True)
class Parent:
    """The replay that a position comes from, and the place there.

    Attributes:
        chain: The head of its hash chain; empty if the replay has no end.
        turn: The number of the turn, from 1.
        action: How many actions of this turn come before the position.
        file: Its path; in the header of a replay relative to the folder of that replay.
    """

    chain: str
    turn: int
    action: int
    file: str = ""

    @classmethod
    def from_document(cls, document: object) -> Self | None:
        """Read what a header or a file says; None if it is not usable."""
        match document:
            case {"chain": str(chain), "turn": int(turn), "action": int(action), **more}:
                file = more.get("file", "")
                return cls(chain, turn, action, file if isinstance(file, str) else "")
        return None


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a game, complete with what is hidden from players.

    Attributes:
        game: The game's name.
        version: The version of its rules.
        options: The resolved options.
        state: The neutral JSON state.
        turn: The number of the turn, from 1.
        first: The game's own number of its first turn.
        parent: The replay that it comes from; None for a state document.
        dice: Draws to use again before new ones are drawn.
        moves: What the players of the parent did from here on: player, the game's own number of the turn, action.
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
        """Return plain JSON values."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read back what `to_document` returned.

        Raises:
            TypeError: The document has other keys.
        """
        lists = {name: tuple(document.get(name, ())) for name in ("dice", "moves")}
        return cls(**{**document, **lists, "parent": Parent.from_document(document.get("parent"))})
