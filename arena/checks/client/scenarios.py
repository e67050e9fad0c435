"""The scenarios of the client check: ordinary matches, and matches with unusual events that the protocol allows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from arena_replays.state import triples

if TYPE_CHECKING:
    from arena.checks.client.conversation import Conversation

Message = dict[str, Any]
QUIET = 0.1
"""Seconds for which the check waits for messages while the client must be silent."""
NOISE = 4 * 1024 * 1024
"""Characters in a big message."""
SHORT = 8
"""Turns of the bot after which a shortened match ends."""


class Scenario:
    """One match of the check. This base class plays an ordinary match; subclasses change the messages.

    Attributes:
        name: What the client must do, as shown in the report.
        turns: Number of turns of the bot after which the match ends; None to play it to the end.
        must_succeed: Whether the bot's program must end with exit code 0.
    """

    name: ClassVar[str] = "plays a whole match"
    turns: ClassVar[int | None] = None
    must_succeed: ClassVar[bool] = True

    def __init__(self, player: int = 0) -> None:
        self.player = player
        self._asked = 0
        self._ended = False

    def outgoing(self, conversation: Conversation, message: Message) -> list[Message]:
        """Return the messages to send to the bot in place of a referee's message."""
        if message["type"] == "turn":
            self._asked += 1
            if self.turns is not None and self._asked > self.turns:
                return self.end(conversation)
        return [] if self._ended and message["type"] != "over" else self.change(conversation, message)

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Return the messages to send in place of a message; subclasses override this."""
        return [message]

    def end(self, conversation: Conversation) -> list[Message]:
        """End the match. Return no message, since the referee sends ``over`` next."""
        self._ended = True
        conversation.match.void("check")
        return []

    def incoming(self, conversation: Conversation, message: Message) -> Message:  # noqa: ARG002 - a hook
        return message


class LastSeat(Scenario):
    name = "plays a whole match on the last seat"


class Quiet(Scenario):
    """A match in which the client must send nothing between its turns."""

    name = "sends nothing while others move"
    turns = SHORT

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Before each turn except the first, wait for a moment. A message of this time answers no open request."""
        if message["type"] == "turn" and self._asked > 1:
            time.sleep(QUIET)
        return [message]


class Refusing(Scenario):
    name = "continues after a refused action"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._refused = 0

    def incoming(self, conversation: Conversation, message: Message) -> Message:  # noqa: ARG002 - a hook
        """Replace the actions of the first answer in a turn with an unknown action."""
        if message["type"] != "act" or self._refused == self._asked:
            return message
        self._refused = self._asked
        return {**message, "actions": [{"type": "an action that no game has"}]}


class Late(Scenario):
    """A match in which the answers of every third turn count as too late: the referee has already played the turn."""

    name = "continues after an answer that came too late"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._late = False

    def incoming(self, conversation: Conversation, message: Message) -> Message:
        """Replace a late answer with the game's fallback action, as for a player who is out of time."""
        self._late = message["type"] == "act" and self._asked % 3 == 1
        if not self._late:
            return message
        return {**message, "actions": [conversation.match.state.fallback_action(self.player)]}

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Report to the client that none of its actions was carried out."""
        if message["type"] == "result" and self._late:
            error = {"code": "too_late", "message": "the time for this turn had run out"}
            message = {**message, "results": [error]}
        return [message]


class Returning(Scenario):
    """A match in which messages remove an object and create it again."""

    name = "accepts objects that are removed and created again"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._next = 0

    def change(self, conversation: Conversation, message: Message) -> list[Message]:
        """Add the triples that remove an object and create it again."""
        if not message.get("delta") or message["type"] == "over":
            return [message]
        objects = _objects(conversation.match.state.view(self.player))
        objects.pop("game", None)
        if not objects:
            return [message]
        self._next += 1
        name = list(objects)[self._next % len(objects)]
        return [{**message, "delta": [*message["delta"], name, "-", None, *objects[name]]}]


class Repeating(Scenario):
    """A match in which messages set a field twice. The last value counts."""

    name = "takes the last value of a field that is set twice"
    turns = SHORT

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        """Set each changed whole number twice in a delta: to a wrong value, then to the right one. Skip coordinates."""
        if message["type"] not in ("turn", "result"):
            return [message]
        delta = message["delta"]
        first: list[Any] = []
        made = {name for name, field, _ in triples(delta) if field in "+-"}
        for name, field, value in triples(delta):
            if name not in made and type(value) is int and field not in ("x", "y"):
                first += [name, field, value + 1]
        return [{**message, "delta": [*first, *delta]}]


class Big(Scenario):
    name = f"reads a message of {NOISE // 1024 // 1024} MB"
    turns = 2

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        if message["type"] != "turn":
            return [message]
        noise = [{"kind": "an event that no game has", "text": "x" * 4096}] * (NOISE // 4096)
        return [{**message, "events": [*message["events"], *noise]}]


class UnknownKeys(Scenario):
    name = "ignores unknown keys in the schema"
    turns = 2

    def change(self, conversation: Conversation, message: Message) -> list[Message]:  # noqa: ARG002 - a hook
        if message["type"] != "welcome":
            return [message]
        new = {"a key of a later version": [1, {"a": None}]}
        schema = message["schema"]
        classes = {name: {**one, **new} for name, one in schema["classes"].items()}
        return [{**message, "schema": {**schema, **new, "classes": classes}}]


class OverInstead(Scenario):
    """A match that ends when the referee would send the first message of the type `instead`."""

    instead: ClassVar[str]

    def change(self, conversation: Conversation, message: Message) -> list[Message]:
        if message["type"] != self.instead:
            return [message]
        return self.end(conversation)


class OverAtStart(OverInstead):
    name = "exits when the match is over before it starts"
    instead = "start"


class OverBeforeTurn(OverInstead):
    name = "exits when the match is over before its first turn"
    instead = "turn"


class OverInTurn(OverInstead):
    name = "exits when the match is over after its first action"
    instead = "result"


class RefusedAction(Scenario):
    name = "exits when it is refused"
    must_succeed = False

    def change(self, conversation: Conversation, message: Message) -> list[Message]:
        """Refuse the client. From then on, the end of its program is no mistake, and no message follows."""
        if message["type"] != "welcome":
            return [message] if not self._ended else []
        self.end(conversation)
        return [{"type": "refused", "code": "check", "message": "This referee refuses every client."}]


class RefereeGone(Scenario):
    """A match in which the referee closes the connection in the first turn."""

    name = "exits when the connection is closed"
    must_succeed = False

    def change(self, conversation: Conversation, message: Message) -> list[Message]:
        if message["type"] != "result":
            return [message]
        conversation.hang_up()
        return []


def _objects(view: list[Any]) -> dict[str, list[Any]]:
    objects: dict[str, list[Any]] = {}
    for name, field, value in triples(view):
        objects.setdefault(name, []).extend((name, field, value))
    return objects


SCENARIOS: tuple[type[Scenario], ...] = (
    Scenario,
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
    RefusedAction,
    RefereeGone,
)
"""All scenarios, in the order of the check."""
