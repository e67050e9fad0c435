"""Fit words and tables into the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

NARROWEST = 9
"""The characters to which a column of words may shrink, if no word is longer: two short words. Chosen, not measured."""


def columns(rows: Sequence[Sequence[str]], width: int | None, right: Collection[int] = ()) -> Iterator[str]:
    """Yield the lines of a table. If it is wider than `width`, cells of several words are wrapped, the widest first.

    Args:
        right: The columns whose cells are at the right.
    """
    by_column = list(zip(*rows, strict=True))
    widths = [max(map(len, cells)) for cells in by_column]
    least = [max([NARROWEST, *(len(word) for cell in cells for word in cell.split())]) for cells in by_column]
    while width is not None:
        excess = sum(widths) + 2 * (len(widths) - 1) - width
        shrinkable = [column for column, size in enumerate(widths) if size > least[column]]
        if excess <= 0 or not shrinkable:
            break
        widest = max(shrinkable, key=widths.__getitem__)
        widths[widest] = max(least[widest], widths[widest] - excess)
    for row in rows:
        cells = [textwrap.wrap(cell, size) or [""] for cell, size in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            sized = enumerate(zip(parts, widths, strict=True))
            padded = [part.rjust(size) if column in right else part.ljust(size) for column, (part, size) in sized]
            yield "  ".join(padded).rstrip()


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return lines or [indent]


# Markdown as plain text for a terminal.

Lines = Iterator[tuple[str, bool]]
"""Lines of text. The second value is true for a heading."""


def plain_lines(text: str, width: int) -> Lines:
    """Yield Markdown as lines of text that fit a width: paragraphs, lists, tables, code and headings."""
    tree = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text))
    for number, node in enumerate(tree.children):
        if number:
            yield "", False
        yield from _block(node, width, "")


def _block(node: SyntaxTreeNode, width: int, indent: str) -> Lines:
    if node.type == "heading":
        yield _inline(node), True
    elif node.type in ("bullet_list", "ordered_list"):
        first = int(node.attrs.get("start", 1))
        for number, item in enumerate(node.children, first):
            yield from _item(item, f"{number}. " if node.type == "ordered_list" else "- ", width, indent)
    elif node.type == "table":
        rows = [[_inline(cell) for cell in row.children] for part in node.children for row in part.children]
        yield from ((indent + line, False) for line in columns(rows, width - len(indent)))
    elif node.type in ("fence", "code_block"):
        yield from ((f"{indent}    {line}", False) for line in node.content.rstrip().split("\n"))
    elif node.type == "paragraph":
        yield from ((line, False) for line in wrapped(_inline(node), width, indent))
    else:
        for child in node.children:
            yield from _block(child, width, indent)


def _item(item: SyntaxTreeNode, sign: str, width: int, indent: str) -> Lines:
    inside = indent + " " * len(sign)
    is_first = True
    for child in item.children:
        for line, is_heading in _block(child, width, inside):
            yield (indent + sign + line[len(inside) :] if is_first else line), is_heading
            is_first = False


def _inline(node: SyntaxTreeNode) -> str:
    """Return the text of a node in one line. A picture becomes its caption."""
    parts = []
    for child in node.walk():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts)
