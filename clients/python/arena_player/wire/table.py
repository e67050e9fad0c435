"""The message table: direction, fields, kinds, limits and place of every message.

Codec, fuzzers and `docs/protocol.md` are all driven by `MESSAGES`.
"""

from typing import NamedTuple

from . import limits
from .kinds import (
    Kind,
    anything,
    boolean,
    delta,
    document,
    events,
    integer,
    line,
    listing,
    nullable,
    number,
    record,
    text,
    tree,
    word,
    words,
)

PROTOCOL = 1
"""Version of everything in this package; `hello` names it."""

MANY = limits.REFEREE_BYTES


class Field(NamedTuple):
    """One field of a message."""

    name: str
    kind: Kind
    meaning: str
    optional: bool = False


class Message(NamedTuple):
    """One message.

    Attributes:
        name: Its `type`.
        sender: "client" or "referee".
        when: In which situation it may be sent, in one sentence.
        follows: Which messages it can come directly after (notes left aside).
        fields: All fields beside `type`.
    """

    name: str
    sender: str
    when: str
    follows: tuple[str, ...]
    fields: tuple[Field, ...]


class Part(NamedTuple):
    """A record inside a message: its fields, for the document and for the checker."""

    name: str
    fields: tuple[Field, ...]

    def kind(self) -> Kind:
        """The kind that tests values against this record."""
        return record(
            self.name,
            {field.name: field.kind for field in self.fields if not field.optional},
            {field.name: field.kind for field in self.fields if field.optional},
        )


SECONDS = nullable(number())
SEQUENCE = integer(0)

LIMITS = Part(
    "limits of the clock",
    (
        Field("startup", SECONDS, "seconds from the start of the process to `ready`"),
        Field("bank", SECONDS, "seconds for all turns together at the beginning"),
        Field("increment", SECONDS, "seconds added to the bank after each turn"),
        Field("turn", SECONDS, "most seconds for one turn"),
        Field("grace", SECONDS, "seconds over a limit that are forgiven"),
    ),
)
CLOCK = Part(
    "clock",
    (
        Field("bank", SECONDS, "seconds left in the bank when the message was sent"),
        Field("turn", SECONDS, "seconds left in this turn when the message was sent"),
    ),
)
REFUSAL = Part(
    "refusal",
    (
        Field("code", line(limits.NAME, 1), "the game's code for the reason"),
        Field("message", text(limits.LOG_TEXT), "the reason in one sentence"),
    ),
)
ENDING = Part(
    "ending",
    (
        Field("name", line(limits.NAME), "the player's name"),
        Field("ending", line(limits.NAME, 1), "how the match ended for this player"),
    ),
)
SHAPE = Part(
    "shape",
    (
        Field("kind", word("point", "line", "rectangle", "text"), "what to draw"),
        Field("x", number(), "first corner, in tiles"),
        Field("y", number(), "first corner, in tiles"),
        Field("x2", number(), "second corner, of lines and rectangles", optional=True),
        Field("y2", number(), "second corner, of lines and rectangles", optional=True),
        Field("text", line(limits.SHAPE_TEXT), "what to write, of texts", optional=True),
        Field("color", line(32), "a name of CSS or #rrggbb", optional=True),
    ),
)
PARTS = (LIMITS, CLOCK, REFUSAL, ENDING, SHAPE)

_ACTIONS = listing(document(), 1, limits.BATCH)
_LEGAL = Field(
    "legal_actions",
    listing(document(), 0, MANY),
    "all actions that would be accepted now; present when the client asked for it in `hello` and is to move",
    optional=True,
)
_DELTA = Field("delta", delta(), "all changes that this client can see since the last message to it")
_EVENTS = Field("events", events(), "what happened since then, as far as this client can see it")
_CLOCK = Field("clock", CLOCK.kind(), "this player's time")

MESSAGES = {
    message.name: message
    for message in (
        Message(
            "hello",
            "client",
            "The first message of a connection; never again.",
            (),
            (
                Field("protocol", integer(0, 1_000_000), f"version of the protocol, {PROTOCOL}"),
                Field("client", line(limits.NAME), "name and version of the client's software, for logs"),
                Field(
                    "schema",
                    nullable(line(limits.NAME)),
                    "hash of the schema that the client was made from; null for one that reads `welcome`",
                ),
                Field("legal_actions", boolean(), "true to get `legal_actions` with every request to move"),
            ),
        ),
        Message(
            "ready",
            "client",
            "The reply to `start`.",
            ("start",),
            (Field("seq", SEQUENCE, "that of the `start`"),),
        ),
        Message(
            "act",
            "client",
            "The reply to `turn`, and to a `result` whose `your_move` is true.",
            ("turn", "result"),
            (
                Field("seq", SEQUENCE, "that of the message replied to"),
                Field("actions", _ACTIONS, "what to do, in this order, up to the first that is refused"),
            ),
        ),
        Message(
            "log",
            "client",
            "Before an `act`.",
            ("turn", "result", "log", "draw"),
            (
                Field("seq", SEQUENCE, "that of the `act` that will follow"),
                Field("text", text(limits.LOG_TEXT), "for the bot's author, kept in the replay"),
            ),
        ),
        Message(
            "draw",
            "client",
            "Before an `act`.",
            ("turn", "result", "log", "draw"),
            (
                Field("seq", SEQUENCE, "that of the `act` that will follow"),
                Field(
                    "shapes",
                    listing(SHAPE.kind(), 0, limits.SHAPES),
                    "shown on the board at this point of the replay",
                ),
            ),
        ),
        Message(
            "welcome",
            "referee",
            "The answer to a `hello` that fits.",
            ("hello",),
            (
                Field("protocol", integer(0, 1_000_000), f"version of the protocol, {PROTOCOL}"),
                Field("game", line(limits.NAME, 1), "name of the game"),
                Field("version", line(limits.NAME), "version of the game's rules"),
                Field("schema", tree("schema"), "classes, fields and actions of the game"),
                Field("player", integer(0, 1000), "your number, from 0"),
                Field("players", integer(1, 1000), "how many there are"),
                Field("options", tree(), "the game's options as played"),
                Field("settings", words(MANY), "what the user gave this bot with `--bot-option`"),
                Field("clock", LIMITS.kind(), "the limits; null = none"),
            ),
        ),
        Message(
            "start",
            "referee",
            "After `welcome`. To be answered by `ready`.",
            ("welcome",),
            (
                Field("seq", SEQUENCE, "number of the request"),
                Field("view", delta(), "everything that this client can see: a delta from nothing"),
            ),
        ),
        Message(
            "turn",
            "referee",
            "When the client is to move, and was not before. To be answered by `act`.",
            ("ready", "result"),
            (
                Field("seq", SEQUENCE, "number of the request"),
                Field("turn", integer(0), "number of the turn being played"),
                _DELTA,
                _EVENTS,
                _CLOCK,
                _LEGAL,
            ),
        ),
        Message(
            "result",
            "referee",
            "The answer to an `act`. To be answered by `act` when `your_move` is true; else the client waits.",
            ("act",),
            (
                Field("seq", SEQUENCE, "number of the request; that of the `act` again when `your_move` is false"),
                Field("accepted", integer(0, limits.BATCH), "how many of the actions were carried out"),
                Field("error", nullable(REFUSAL.kind()), "why the next action was refused; null when none was"),
                Field(
                    "value",
                    nullable(line(limits.NAME)),
                    "id of the object that the last accepted action returned; null when it returns none",
                ),
                _DELTA,
                _EVENTS,
                Field(
                    "draws", anything("array of values"), "dice that these actions made public, each as [name, value]"
                ),
                Field("your_move", boolean(), "whether the client is to act again"),
                _CLOCK,
                _LEGAL,
            ),
        ),
        Message(
            "over",
            "referee",
            "The last message of a match that began. The client's process ends by itself.",
            ("hello", "welcome", "start", "ready", "turn", "act", "result"),
            (
                Field("outcome", tree(), "the game's own words for how it ended"),
                _DELTA,
                _EVENTS,
                Field("players", listing(ENDING.kind(), 0, 1000), "one entry per player, in order"),
            ),
        ),
        Message(
            "refused",
            "referee",
            "At any time instead of an answer; the referee hangs up.",
            ("hello", "ready", "act", "log", "draw"),
            (
                Field("code", line(limits.NAME, 1), "a word for programs"),
                Field("message", text(limits.LOG_TEXT), "one sentence for the bot's author"),
            ),
        ),
    )
}
"""Every message by its `type`."""
