"""The message table: sender, fields, kinds, limits and order of all messages.

The codec and the fuzzers use `MESSAGES`, and a tool writes the tables of `docs/protocol.md` from it.
"""

from arena_player.light import NamedTuple

from . import limits
from .kinds import (
    WireType,
    anything,
    boolean,
    choice,
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
"""The version of the protocol; `hello` and `welcome` contain it."""

MANY = limits.REFEREE_BYTES


class WireField(NamedTuple):
    """One field of a message."""

    name: str
    kind: WireType
    meaning: str
    optional: bool = False


class Message(NamedTuple):
    """One message.

    Attributes:
        name: The `type` of the message.
        sender: "client" or "referee".
        when: The situation in which the sender sends the message.
        follows: The messages that can come directly before this one, ignoring `log` and `draw`.
        fields: All fields except `type`.
    """

    name: str
    sender: str
    when: str
    follows: tuple[str, ...]
    fields: tuple[WireField, ...]


class WireRecord(NamedTuple):
    """A record inside a message: the fields of the record, for the protocol document and for the checker."""

    name: str
    fields: tuple[WireField, ...]

    def kind(self) -> WireType:
        """Return the wire type of maps with the fields of this record."""
        return record(
            self.name,
            {field.name: field.kind for field in self.fields if not field.optional},
            {field.name: field.kind for field in self.fields if field.optional},
        )


SECONDS = nullable(number())
SEQUENCE = integer(0)

LIMITS = WireRecord(
    "limits of the clock",
    (
        WireField("startup", SECONDS, "seconds from the start of the process to `ready`"),
        WireField("bank", SECONDS, "seconds for all turns together at the beginning"),
        WireField("increment", SECONDS, "seconds added to the bank at the beginning of each turn, the first one too"),
        WireField("turn", SECONDS, "time limit of one turn, in seconds"),
        WireField("grace", SECONDS, "seconds by which a limit may be exceeded"),
        WireField("turn_wall", SECONDS, "limit of one turn in wall time, even where CPU time decides", optional=True),
    ),
)
CLOCK = WireRecord(
    "clock",
    (
        WireField("bank", SECONDS, "seconds left in the bank when the message was sent"),
        WireField("turn", SECONDS, "seconds left in this turn when the message was sent"),
    ),
)
REFUSAL = WireRecord(
    "refusal",
    (
        WireField("code", line(limits.NAME, 1), "the game's code for the reason"),
        WireField("message", text(limits.LOG_TEXT), "the reason, for people"),
    ),
)
ENDING = WireRecord(
    "ending",
    (
        WireField("name", line(limits.NAME), "the player's name"),
        WireField("ending", line(limits.NAME, 1), "how the match ended for this player"),
    ),
)
SHAPE = WireRecord(
    "shape",
    (
        WireField("kind", word("point", "line", "rectangle", "text"), "what to draw"),
        WireField("x", number(), "first corner, in tiles"),
        WireField("y", number(), "first corner, in tiles"),
        WireField("x2", number(), "second corner of a line or rectangle", optional=True),
        WireField("y2", number(), "second corner of a line or rectangle", optional=True),
        WireField("text", line(limits.SHAPE_TEXT), "the text to write", optional=True),
        WireField("color", line(32), "a CSS colour name or #rrggbb", optional=True),
    ),
)
PARTS = (LIMITS, CLOCK, REFUSAL, ENDING, SHAPE)

_ACTIONS = listing(document(), 1, limits.BATCH)
_RESULT = choice("(null, line 1..100 or refusal)", nullable(line(limits.NAME, 1)), REFUSAL.kind())
_LEGAL = WireField(
    "legal_actions",
    listing(document(), 0, MANY),
    "all legal actions; present when the client asked for it in `hello` and is to move",
    optional=True,
)
_DELTA = WireField("delta", delta(), "all changes that this client can see since the last message to it")
_EVENTS = WireField("events", events(), "the events since then that this client can see")
_CLOCK = WireField("clock", CLOCK.kind(), "this player's time")

MESSAGES = {
    message.name: message
    for message in (
        Message(
            "hello",
            "client",
            "The first message of a connection; never sent again.",
            (),
            (
                WireField("protocol", integer(0, 1_000_000), f"version of the protocol, {PROTOCOL}"),
                WireField("client", line(limits.NAME), "name and version of the client's software, for logs"),
                WireField(
                    "schema",
                    nullable(line(limits.NAME)),
                    "hash of the schema that the client was made from; null if it uses the schema in `welcome`",
                ),
                WireField("legal_actions", boolean(), "true to get `legal_actions` with every request to move"),
            ),
        ),
        Message(
            "ready",
            "client",
            "The reply to `start`.",
            ("start",),
            (WireField("seq", SEQUENCE, "`seq` of the `start`"),),
        ),
        Message(
            "act",
            "client",
            "The reply to `turn`, and to a `result` whose `your_move` is true.",
            ("turn", "result"),
            (
                WireField("seq", SEQUENCE, "`seq` of the message replied to"),
                WireField("actions", _ACTIONS, "actions to carry out in this order, up to the first refused one"),
                WireField(
                    "keep_going", boolean(), "true to carry out the actions after a refused one as well", optional=True
                ),
            ),
        ),
        Message(
            "log",
            "client",
            "Before an `act`.",
            ("turn", "result", "log", "draw"),
            (
                WireField("seq", SEQUENCE, "`seq` of the `act` that will follow"),
                WireField("text", text(limits.LOG_TEXT), "for the bot's author, kept in the replay"),
            ),
        ),
        Message(
            "draw",
            "client",
            "Before an `act`.",
            ("turn", "result", "log", "draw"),
            (
                WireField("seq", SEQUENCE, "`seq` of the `act` that will follow"),
                WireField(
                    "shapes",
                    listing(SHAPE.kind(), 0, limits.SHAPES),
                    "shown on the board at this point of the replay",
                ),
            ),
        ),
        Message(
            "welcome",
            "referee",
            "The answer to a valid `hello`.",
            ("hello",),
            (
                WireField("protocol", integer(0, 1_000_000), f"version of the protocol, {PROTOCOL}"),
                WireField("game", line(limits.NAME, 1), "name of the game"),
                WireField("version", line(limits.NAME), "version of the game's rules"),
                WireField("schema", tree("schema"), "classes, fields and actions of the game"),
                WireField("player", integer(0, 1000), "your number, from 0"),
                WireField("players", integer(1, 1000), "number of players"),
                WireField("options", tree(), "the game's options in this match"),
                WireField("settings", words(MANY), "the values given to this bot with `--bot-option`"),
                WireField("clock", LIMITS.kind(), "the time limits; null = none"),
                WireField(
                    "seed",
                    line(limits.NAME),
                    "seed for random numbers of your own, in hexadecimal digits; only you get it",
                    optional=True,
                ),
            ),
        ),
        Message(
            "start",
            "referee",
            "After `welcome`. The client answers with `ready`.",
            ("welcome",),
            (
                WireField("seq", SEQUENCE, "number of the request"),
                WireField("view", delta(), "everything that this client can see, as a delta from nothing"),
            ),
        ),
        Message(
            "turn",
            "referee",
            "When it becomes the client's move. The client answers with `act`.",
            ("ready", "result"),
            (
                WireField("seq", SEQUENCE, "number of the request"),
                WireField("turn", integer(0), "number of the turn being played"),
                _DELTA,
                _EVENTS,
                _CLOCK,
                _LEGAL,
                WireField(
                    "out",
                    listing(integer(0, 1000), 1, 1000),
                    "the players who are out: eliminated by the rules, or failed; absent while there are none",
                    optional=True,
                ),
            ),
        ),
        Message(
            "result",
            "referee",
            "The answer to an `act`. If `your_move` is true, the client answers with `act`; else it waits.",
            ("act",),
            (
                WireField("seq", SEQUENCE, "number of the request; `seq` of the `act` when `your_move` is false"),
                WireField(
                    "results",
                    listing(_RESULT, 1, limits.BATCH),
                    "one entry for each action that was tried, in order: null if it was carried out, the id of the "
                    "object if it returned one, or why it was refused",
                ),
                _DELTA,
                _EVENTS,
                WireField(
                    "draws", anything("array of values"), "dice that these actions made public, each as [name, value]"
                ),
                WireField("your_move", boolean(), "whether the client is to act again"),
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
                WireField("outcome", tree(), "the outcome in the game's own terms"),
                _DELTA,
                _EVENTS,
                WireField("players", listing(ENDING.kind(), 0, 1000), "one entry per player, in order"),
            ),
        ),
        Message(
            "refused",
            "referee",
            "Instead of any answer. Then the referee closes the connection.",
            ("hello", "ready", "act", "log", "draw"),
            (
                WireField("code", line(limits.NAME, 1), "the error's code, for programs"),
                WireField("message", text(limits.LOG_TEXT), "what is wrong, for the bot's author"),
            ),
        ),
    )
}
"""Every message by its `type`."""
