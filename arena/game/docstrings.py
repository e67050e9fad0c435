"""Read Google-style docstrings."""

from __future__ import annotations

from typing import NamedTuple

SECTIONS = ("Args:", "Returns:", "Raises:", "Attributes:")


class Docstring(NamedTuple):
    """The parts of a docstring: the text before the first section, and the explanation of each argument."""

    text: str
    arguments: dict[str, str]


def parse_docstring(docstring: str) -> Docstring:
    """Divide a docstring into its parts."""
    lines = docstring.splitlines()
    end = next((at for at, line in enumerate(lines) if line.strip() in SECTIONS), len(lines))
    return Docstring("\n".join(lines[:end]).strip(), _arguments(lines[end:]))


def _arguments(lines: list[str]) -> dict[str, str]:
    docs: dict[str, str] = {}
    current = ""
    inside = False
    for text in map(str.strip, lines):
        if text == "Args:":
            inside = True
        elif inside and (not text or (text.endswith(":") and " " not in text)):
            break
        elif inside:
            head, colon, rest = text.partition(":")
            if colon and head.isidentifier():
                current = head
                docs[current] = rest.strip()
            elif current:
                docs[current] += " " + text
    return docs
