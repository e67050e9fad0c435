"""Read what the author of a game has written: Google-style docstrings, and the lines of declarations for messages."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

SECTIONS = ("Args:", "Returns:", "Raises:", "Attributes:")


class Docstring(NamedTuple):
    """The parts of a docstring: the text before the first section, and the explanation of each argument."""

    text: str
    arguments: dict[str, str]


def parse_docstring(docstring: str) -> Docstring:
    """Divide a docstring into its parts."""
    lines = docstring.splitlines()
    end = next((number for number, line in enumerate(lines) if line.strip() in SECTIONS), len(lines))
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


def own_annotations(cls: type) -> dict[str, Any]:
    """Return what a class itself declares. From Python 3.14 on, `cls.__annotations__` can be those of a base class."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return dict(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return inspect.get_annotations(cls)


def line_of(cls: type, name: str) -> str:
    """Return file and line of an attribute's declaration in a class, as ``(file.py, line 7)``; "" if unknown."""
    import ast

    for parent in cls.__mro__:
        if name not in own_annotations(parent) and name not in vars(parent):
            continue
        path = getattr(sys.modules.get(parent.__module__), "__file__", None) or ""
        try:
            with open(path, encoding="utf-8-sig") as file:
                tree = ast.parse(file.read())
        except (OSError, SyntaxError, ValueError):
            return ""
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == parent.__name__:
                lines = [statement.lineno for statement in node.body if name in _names(statement)]
                if lines:
                    return f"({path}, line {lines[0]})"
        return ""
    return ""


def _names(statement: Any) -> list[str]:
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [target.id for target in targets if hasattr(target, "id")]


def line_of_function(function: Callable[..., Any]) -> str:
    """Return file and line of a function, as ``(file.py, line 7)``."""
    code: Any = getattr(function, "__code__", None)
    return f"({code.co_filename}, line {code.co_firstlineno})" if code else ""
