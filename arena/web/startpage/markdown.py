"""The part of Markdown that rules are written in, as HTML; everything else is shown as it stands."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_SPAN = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*|\*([^*\s][^*]*)\*|_([^_\s][^_]*)_(?!\w)")
_ITEM = re.compile(r"(\s*)(?:[-*]|\d+\.)\s+(.*)")


def render(text: str) -> str:
    """Return HTML; whatever looks like HTML in the text is shown, never obeyed."""
    return "\n".join(_blocks(text.splitlines()))


def _blocks(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = _find(lines, at + 1, lambda other: other.startswith("```"))
            yield f"<pre>{html.escape(chr(10).join(lines[at + 1 : end]))}</pre>"
            at = end + 1
        elif match := re.match(r"(#{1,6})\s+(.*)", line):
            level = min(6, len(match[1]) + 1)
            yield f"<h{level}>{_spans(match[2])}</h{level}>"
            at += 1
        elif line.lstrip().startswith("|"):
            end = _find(lines, at, lambda other: not other.lstrip().startswith("|"))
            yield _table(lines[at:end])
            at = end
        elif _ITEM.match(line):
            end = _find(
                lines, at + 1, lambda other: bool(other) and not other.startswith(" ") and not _ITEM.match(other)
            )
            yield _list(lines[at:end])
            at = end
        else:
            end = _find(lines, at + 1, _is_break)
            yield f"<p>{_spans(' '.join(lines[at:end]))}</p>"
            at = end


def _is_break(line: str) -> bool:
    return not line.strip() or line.startswith(("#", "```", "|")) or bool(_ITEM.match(line))


def _find(lines: list[str], start: int, wanted: object) -> int:
    assert callable(wanted)
    return next((at for at in range(start, len(lines)) if wanted(lines[at])), len(lines))


def _list(lines: list[str]) -> str:
    """Items may go on in the following lines; lists inside lists are shown as one."""
    items: list[str] = []
    tag = "ol" if re.match(r"\s*\d", lines[0]) else "ul"
    for line in lines:
        match = _ITEM.match(line)
        if match:
            items.append(match[2])
        elif line.strip() and items:
            items[-1] += f" {line.strip()}"
    return f"<{tag}>" + "".join(f"<li>{_spans(item)}</li>" for item in items) + f"</{tag}>"


def _table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    body = [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
    head = len(rows) > 1 and len(body) < len(rows)
    parts = []
    for number, row in enumerate(body):
        tag = "th" if head and number == 0 else "td"
        parts.append("<tr>" + "".join(f"<{tag}>{_spans(cell)}</{tag}>" for cell in row) + "</tr>")
    return f'<div class="wide"><table>{"".join(parts)}</table></div>'


def _spans(text: str) -> str:
    result = []
    at = 0
    for match in _SPAN.finditer(text):
        result.append(html.escape(text[at : match.start()]))
        code, bold, *slanted = match.groups()
        if code is not None:
            result.append(f"<code>{html.escape(code)}</code>")
        elif bold is not None:
            result.append(f"<strong>{_spans(bold)}</strong>")
        else:
            result.append(f"<em>{html.escape(slanted[0] or slanted[1])}</em>")
        at = match.end()
    return "".join(result) + html.escape(text[at:])
