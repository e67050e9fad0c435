"""Read what people write: a file can be of any size, or a device without end, and its text in any encoding."""

import codecs
import errno
from pathlib import Path

MIB = 1024 * 1024


def read_limited(path: Path, most: int) -> bytes:
    """Return the content of a file or pipe.

    Raises:
        OSError: It cannot be read, or has more than `most` bytes.
    """
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"It is larger than {most:,} bytes", str(path))
    return data


def text_of(data: bytes) -> str:
    """Return a text that a person wrote, in UTF-8. A byte order mark, with which editors of Windows begin, is left out.

    Raises:
        ValueError: It is not UTF-8. The message can follow "it is".
    """
    refuse_utf16(data)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8; save it as UTF-8") from None


def refuse_utf16(data: bytes) -> None:
    """Raise `ValueError` for a text with the mark of UTF-16, as `>` of Windows PowerShell writes it."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError("UTF-16; save it as UTF-8")
