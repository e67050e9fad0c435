"""Text by untrusted authors, made safe for a terminal and a page."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Return the text with everything escaped that a terminal or a page could obey.

    Line ends and tabs stay. Carriage returns, escape sequences, other control characters, and the invisible
    characters that turn the writing direction become `\x1b` and the like.
    """
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else _escape(c) for c in text)


def one_line(text: str) -> str:
    r"""Return the text as `printable` does, on one line: a line end becomes `\x0a`, and cannot begin a forged line."""
    if text.isprintable():
        return text
    return "".join(c if c == "\t" or c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
