"""Check a picture from outside, and write it again.

Nothing of the file is kept but its pixels, so no text, program or damage in it reaches anybody. One form is accepted:
that of a canvas of a browser, which reads the other formats.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final

from arena.errors import ArenaError

SIDE: Final = 64
"""The width and the height of a picture, in pixels."""
LARGEST: Final = 64 * 1024
"""The limit for the bytes of a file from outside. The pixels need 16 KiB; the rest is for what is dropped."""
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEADER: Final = struct.Struct(">IIBBBBB")
_START: Final = struct.Struct(">I4s")
_CHANNELS: Final = {2: 3, 6: 4}
"""The number of bytes of a pixel, by the type of colour: with and without alpha."""
_FILTERS: Final = 5


class BadPictureError(ArenaError, ValueError):
    """A file is not a picture of the accepted form."""


def rewritten(data: bytes) -> bytes:
    """Return a PNG file with the pixels of another one, and nothing else of it.

    Raises:
        BadPictureError: It is damaged, or not a PNG file of `SIDE` x `SIDE` pixels in RGB or RGBA with 8 bits each,
            without interlacing.
    """
    try:
        chunks = list(_critical(data))
        header, *pixels, end = chunks
        if [kind for kind, _ in chunks] != [b"IHDR", *[b"IDAT"] * len(pixels), b"IEND"] or end[1]:
            raise BadPictureError("It has parts that a picture does not have.")
        width, height, depth, color, *ways = _HEADER.unpack(header[1])
        if (width, height, depth, ways) != (SIDE, SIDE, 8, [0, 0, 0]) or color not in _CHANNELS:
            raise BadPictureError(f"It must have {SIDE} x {SIDE} pixels in RGB or RGBA, with 8 bits each.")
        rows = _unpacked(b"".join(content for _, content in pixels), 1 + SIDE * _CHANNELS[color])
    except (ValueError, struct.error, zlib.error) as error:
        reason = error.message if isinstance(error, BadPictureError) else "It is not a whole PNG file."
        raise BadPictureError(f"The picture cannot be used. {reason}") from None
    kept = ((b"IHDR", header[1]), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, content) for kind, content in kept)


def _critical(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and content of the chunks of a file that a reader cannot skip. Check all of them."""
    if len(data) > LARGEST or not data.startswith(_SIGNATURE):
        raise ValueError("no PNG file")
    at = len(_SIGNATURE)
    while at < len(data):
        size, kind = _START.unpack_from(data, at)
        content = data[at + 8 : at + 8 + size]
        if _chunk(kind, content) != data[at : at + 12 + size]:
            raise ValueError("damaged")
        at += 12 + size
        if kind[0] < ord("a"):
            yield kind, content


def _chunk(kind: bytes, content: bytes) -> bytes:
    return _START.pack(len(content), kind) + content + struct.pack(">I", zlib.crc32(kind + content))


def _unpacked(packed: bytes, row: int) -> bytes:
    """Return the rows of pixels. Each begins with the number of its filter."""
    stream = zlib.decompressobj()
    rows = stream.decompress(packed, SIDE * row + 1)
    if len(rows) != SIDE * row or not stream.eof or stream.unused_data or max(rows[::row]) >= _FILTERS:
        raise ValueError("wrong pixels")
    return rows
