"""Every limit of the wire in one place."""

CLIENT_BYTES = 64 * 1024
"""Longest message of a client."""

REFEREE_BYTES = 16 * 1024 * 1024
"""Longest message of the referee."""

DEPTH = 16
"""Deepest nesting: the message's own map is level 1."""

CLIENT_PARTS = 1024
"""Most maps and arrays in one message of a client, the message itself included."""

CLIENT_ARRAY = 256
"""Longest array in a message of a client."""

CLIENT_MAP = 64
"""Most entries of a map in a message of a client."""

INTEGER_LOW = -(2**63)
INTEGER_HIGH = 2**63 - 1

NAME = 100
"""Longest name of a client, a type, a field, a code; in characters (code points)."""

DOCUMENT_TEXT = 1000
"""Longest string inside an action document."""

BATCH = 64
"""Most actions in one `act`."""

LOG_TEXT = 2000
"""Longest text of one `log`."""

SHAPES = 100
"""Most shapes in one `draw`."""

SHAPE_TEXT = 200
"""Longest text of a shape."""

NOTES_PER_REPLY = 32
"""Most `log` and `draw` messages before one reply."""
