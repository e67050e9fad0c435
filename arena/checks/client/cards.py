"""What the referee does in the matches of the check. Each card is one thing that the protocol allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from arena.checks.client.conversation import Conversation

Message = dict[str, Any]
QUIET = 0.1
"""Seconds in which a client must not send anything."""
NOISE = 4 * 1024 * 1024
"""Characters in a big message."""
SHORT = 8
"""Turns of the bot in a match that is not played to its end."""


class Card:
    """A match as usual. Subclasses change what the client is sent.

    Attributes:
        name: What the client is good for if it passes, for people.
        turns: After so many turns of the bot the match is ended; None to play it to its end.
        must_succeed: Whether the program must end with exit code 0.
        player: The player that the bot is.
    """

    name: ClassVar[str] = "plays a whole match"
    turns: ClassVar[int | None] = None
    must_succeed: ClassVar[bool] = True

    def __init__(self, player: int = 0) -> None:
        self.player = player
        self._asked = 0
        self._ended = False

    def outgoing(self, conversation: Conversation, message: Message) -> list[Message]:
        """Return the messages to send to the bot instead of a message of the referee."""
        if message["type"] == "turn":
            self._asked += 1
            if self.turns is not None and self._asked > self.turns:
                return self.end(conversation)
        return [] if self._ended and message["type"] != "over" else self.change(conversation, message)

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - as usual
        """Return what is sent instead of a message."""
        return [message]

    def end(self, conversation: Conversation) -> list[Message]:
        """End the match: nothing but ``over`` is sent any more."""
        self._ended = True
        conversation.match.void("check")
        return []

    def incoming(self, conversation: Conversation, message: Message) -> Message:  # noqa: ARG002 - as usual
        """Return what the referee takes instead of a message of the bot."""
        return message


class LastSeat(Card):
    """The bot is the last player."""

    name = "plays a whole match on the last seat"


class Quiet(Card):
    """After its move, the client must wait."""

    name = "sends nothing while others move"
    turns = SHORT

    def change(self, conversation: Conversation, message: Message) -> list[Message]:
        """Listen for a moment where the client must be silent."""
        if message["type"] == "turn" and self._asked > 1:
            conversation.listen(QUIET)
        return [message]


class Refusing(Card):
    """The first action of each turn is refused."""

    name = "goes on after a refused action"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._refused = 0

    def incoming(self, conversation: Conversation, message: Message) -> Message:  # noqa: ARG002 - a hook
        """Replace the first actions of a turn by one that no game has."""
        if message["type"] != "act" or self._refused == self._asked:
            return message
        self._refused = self._asked
        return {**message, "actions": [{"type": "an action that no game has"}]}


class Late(Card):
    """Every third answer comes too late: the referee has finished the turn."""

    name = "goes on after an answer that came too late"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._late = False

    def incoming(self, conversation: Conversation, message: Message) -> Message:
        """Replace an answer by the game's own for a player whose time has run out."""
        self._late = message["type"] == "act" and self._asked % 3 == 1
        if not self._late:
            return message
        return {**message, "actions": [conversation.match.state.fallback_action(self.player)]}

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Send that none of the client's actions was carried out."""
        if message["type"] == "result" and self._late:
            error = {"code": "too_late", "message": "the time for this turn had run out"}
            message = {**message, "accepted": 0, "value": None, "error": error}
        return [message]


class Returning(Card):
    """In each message an object goes and comes back as it was."""

    name = "understands objects that go and come back"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._next = 0

    def change(self, conversation: Conversation, message: Message) -> list[Message]:
        """Add the triples of an object's removal and return."""
        if not message.get("delta") or message["type"] == "over":
            return [message]
        objects = _objects(conversation.match.state.view(self.player))
        objects.pop("game", None)
        if not objects:
            return [message]
        self._next += 1
        name = list(objects)[self._next % len(objects)]
        return [{**message, "delta": [*message["delta"], name, "-", None, *objects[name]]}]


class Repeating(Card):
    """Fields are set more than once in one message. The last value counts."""

    name = "takes the last value of a field that is set twice"
    turns = SHORT

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Set each number of a delta to another value first."""
        if message["type"] not in ("turn", "result"):
            return [message]
        delta = message["delta"]
        first: list[Any] = []
        made = {name for name, field, _ in zip(delta[::3], delta[1::3], delta[2::3], strict=True) if field in "+-"}
        for name, field, value in zip(delta[::3], delta[1::3], delta[2::3], strict=True):
            if name not in made and type(value) is int and field not in ("x", "y"):
                first += [name, field, value + 1]
        return [{**message, "delta": [*first, *delta]}]


class Big(Card):
    """A message of several megabytes."""

    name = f"reads a message of {NOISE // 1024 // 1024} MB"
    turns = 2

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Add events that the client does not know."""
        if message["type"] != "turn":
            return [message]
        noise = [{"kind": "an event that no game has", "text": "x" * 4096}] * (NOISE // 4096)
        return [{**message, "events": [*message["events"], *noise]}]


class UnknownKeys(Card):
    """The schema has keys that the client does not know."""

    name = "ignores unknown keys in the schema"
    turns = 2

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Add a key to all parts of the schema."""
        if message["type"] != "welcome":
            return [message]
        new = {"a key of a later version": [1, {"a": None}]}
        schema = message["schema"]
        classes = {name: {**one, **new} for name, one in schema["classes"].items()}
        return [{**message, "schema": {**schema, **new, "classes": classes}}]


class OverInstead(Card):
    """The match is over before the message with this type would be sent."""

    instead: ClassVar[str]

    def change(self, conversation: Conversation, message: Message) -> list[Message]:
        """End the match."""
        if message["type"] != self.instead:
            return [message]
        return self.end(conversation)


class OverAtStart(OverInstead):
    """The match is over before it is shown."""

    name = "exits when the match is over before it starts"
    instead = "start"


class OverBeforeTurn(OverInstead):
    """The match is over before the first turn."""

    name = "exits when the match is over before its first turn"
    instead = "turn"


class OverInTurn(OverInstead):
    """The match is over after the first action."""

    name = "exits when the match is over after its first action"
    instead = "result"


class Refused(Card):
    """The referee refuses the client."""

    name = "exits when it is refused"
    must_succeed = False

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Answer ``hello`` with ``refused``."""
        if message["type"] != "welcome":
            return [message]
        return [{"type": "refused", "code": "check", "message": "This referee refuses every client."}]


class RefereeGone(Card):
    """The referee closes the connection in the first turn."""

    name = "exits when the connection is closed"
    must_succeed = False

    def change(self, conversation: Conversation, message: Message) -> list[Message]:
        """Close the connection instead of sending a result."""
        if message["type"] != "result":
            return [message]
        conversation.hang_up()
        return []


def _objects(view: list[Any]) -> dict[str, list[Any]]:
    """Return the triples of each object of a view, its ``+`` first."""
    objects: dict[str, list[Any]] = {}
    for name, field, value in zip(view[::3], view[1::3], view[2::3], strict=True):
        objects.setdefault(name, []).extend((name, field, value))
    return objects


CARDS: tuple[type[Card], ...] = (
    Card,
    LastSeat,
    Quiet,
    Refusing,
    Late,
    Returning,
    Repeating,
    Big,
    UnknownKeys,
    OverAtStart,
    OverBeforeTurn,
    OverInTurn,
    Refused,
    RefereeGone,
)
"""All cards, in the order in which they are played."""
