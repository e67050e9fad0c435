"""Every limit of the wire in one place."""

CLIENT_BYTES = 256 * 1024
"""The longest message of a client, in bytes."""

REFEREE_BYTES = 16 * 1024 * 1024
"""The longest message of the referee, in bytes."""

DEPTH = 16
"""The largest number of nested levels of maps and arrays. The message itself is level 1."""

CLIENT_PARTS = 8192
"""The largest number of maps and arrays in one message of a client, with the message itself."""

CLIENT_ARRAY = 1024
"""The largest number of entries of an array in a message of a client."""

CLIENT_MAP = 64
"""The largest number of entries of a map in a message of a client."""

INTEGER_LOW = -(2**63)
INTEGER_HIGH = 2**63 - 1

NAME = 100
"""The longest name of a client, a type, a field or a code, in characters (code points)."""

DOCUMENT_TEXT = 1000
"""The longest string inside an action document, in characters."""

BATCH = 1000
"""The largest number of actions in one `act`."""

LOG_TEXT = 2000
"""The longest text of one `log`, in characters."""

SHAPES = 100
"""The largest number of shapes in one `draw`."""

SHAPE_TEXT = 200
"""The longest text of a shape, in characters."""

NOTES_PER_REPLY = 32
"""The largest number of `log` and `draw` messages that a client should send before one reply."""
