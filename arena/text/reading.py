"""Read what people write, within limits: files, numbers, addresses, tokens."""

from __future__ import annotations

import codecs
import errno
import hashlib
import hmac
import re
import secrets
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

__all__ = ["address_parts"]
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


# Numbers in texts from outside, and numbers for people.

_DIGITS = re.compile(r"[0-9]{1,15}")


def whole_number(text: str) -> int | None:
    """Return the number that a text writes with 1 to 15 decimal digits in ASCII; None for all other texts.

    `int` is less strict: it also accepts signs, underscores, spaces and the digits of other scripts.
    """
    return int(text) if _DIGITS.fullmatch(text) else None


def rounded(value: float, digits: int) -> float:
    """Return a rounded number. A small negative number becomes 0.0, and not -0.0 as with `round`.

    In an f-string, the option z does the same: ``f"{value:+z.0f}"``.
    """
    return round(value, digits) + 0.0


# Addresses of servers.


def address_parts(text: str) -> SplitResult | None:
    """Return the parts of an address such as ``https://arena.example.org`` or ``tcp://[::1]:8786``.

    Return None if the text has no host, or if the host, the port or the path is invalid.
    """
    try:
        parts = urlsplit(text)
        _ = parts.port  # an invalid port raises a ValueError
        (parts.hostname or "").encode("idna")  # an invalid host raises a UnicodeError, which is a ValueError
        parts.path.encode("ascii")
    except ValueError:
        return None
    return parts if parts.hostname and text.isprintable() and " " not in text else None


# Tokens: random texts that prove who somebody is. They are shown once, and only their hashes are stored.


def new_token(kind: str = "arena") -> str:
    """Return a random token that begins with its kind. It has 192 random bits, which nobody guesses."""
    return f"{kind}-{secrets.token_urlsafe(24)}"


def hash_of(token: str) -> str:
    """Return the hash to store for a token. With so many random bits, a fast hash is safe."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_same(secret: str, text: str) -> bool:
    """Return whether two texts are equal. The time that it takes does not tell where they differ."""
    return hmac.compare_digest(secret.encode(), text.encode())
