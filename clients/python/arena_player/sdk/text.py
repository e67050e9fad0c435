"""Pieces of Python source: literals, docstrings, action documents."""

import re
import textwrap
from collections.abc import Iterable
from typing import Any

from arena_player.schema import Action, Parameter

WIDTH = 110
SUMMARY = 120
"""The length of the longest first line of a docstring. It is more than `WIDTH`, so that few first lines are wrapped."""


def quoted(value: Any) -> str:
    """Return a Python literal, with double quotes around strings."""
    if isinstance(value, str):
        text = repr(value)
        if text[0] == "'" and '"' not in text:
            return f'"{text[1:-1]}"'
        return text
    return repr(value)


def literal(choices: Iterable[Any]) -> str:
    """Return the source of the type `Literal[...]` with these choices."""
    return f"Literal[{', '.join(quoted(choice) for choice in choices)}]"


def definition(name: str, choices: tuple[Any, ...]) -> str:
    """Return the source that defines a type alias for `Literal[...]` with these choices."""
    line = f"{name} = {literal(choices)}"
    if len(line) <= SUMMARY:
        return line
    return f"{name} = Literal[\n{''.join(f'    {quoted(choice)},{chr(10)}' for choice in choices)}]"


def escaped(text: str) -> str:
    """Escape text for use inside a docstring."""
    return text.replace("\\", "\\\\").replace('"""', "'''").rstrip('"')


def docstring(text: str, indent: int) -> str:
    """Return the source of a docstring: one line of summary, then wrapped paragraphs."""
    margin = " " * indent
    paragraphs = _paragraphs(escaped(text.strip()))
    first = paragraphs[0]
    if len(first) > SUMMARY - indent - 6 and ". " in first:
        summary, _, rest = first.partition(". ")
        paragraphs[:1] = [f"{summary}.", rest]
    lines: list[str] = []
    for paragraph in paragraphs:
        wrapped = _wrapped(paragraph, (WIDTH if lines else SUMMARY) - indent - 6)
        lines += ["", *wrapped] if lines else wrapped
    body = "\n".join(f"{margin}{line}" if line else "" for line in lines).lstrip()
    end = f"\n{margin}" if len(lines) > 1 else ""
    return f'{margin}"""{body}{end}"""'


def _paragraphs(text: str) -> list[str]:
    """Join the lines of running text. Keep the lines of lists, examples and sections."""
    found = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        running = not any(re.match(r"\s|[-*]|\d+[.)]|\w+:$", line) for line in lines)
        found.append(" ".join(lines) if running else block)
    return found


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text: wrapped paragraphs with empty lines between them."""
    lines: list[str] = []
    for paragraph in _paragraphs(text.strip()):
        lines += ["", *_wrapped(paragraph, width)] if lines else _wrapped(paragraph, width)
    return lines


def _wrapped(paragraph: str, width: int) -> list[str]:
    lines: list[str] = []
    for line in paragraph.splitlines():
        inner = line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(line, width, subsequent_indent=f"{inner}    " if inner else "", break_long_words=False)
    return lines


def action_doc(action: Action, result: str) -> str:
    """Return the text of an action's docstring."""
    parts = [action.doc.strip() or f"{action.name.replace('_', ' ').capitalize()}."]
    about = [
        f"    {item.name}: {_message(item)}"
        for item in action.parameters
        if item.doc or item.choices or item.has_default
    ]
    if about and "Args:" not in action.doc:
        parts.append("Args:\n" + "\n".join(about))
    if result != "None" and "Returns:" not in action.doc:
        parts.append(f"Returns:\n    A true result if the action is carried out. Its `value` is the {result}.")
    return "\n\n".join(parts)


def _message(item: Parameter) -> str:
    parts = [item.doc.strip().rstrip(".")] if item.doc else []
    if item.choices:
        parts.append("one of " + ", ".join(quoted(choice) for choice in item.choices))
    if item.has_default:
        parts.append(f"{quoted(item.default)} unless given")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:] + "."


def return_document(entries: list[str]) -> str:
    """Return the line that sends an action."""
    line = f"        return self.world.act({{{', '.join(entries)}}})"
    if len(line) <= WIDTH:
        return line
    listed = "".join(f"                {entry},\n" for entry in entries)
    return f"        return self.world.act(\n            {{\n{listed}            }}\n        )"
