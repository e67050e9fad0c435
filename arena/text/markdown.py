"""Show Markdown as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from arena.text.columns import columns, wrapped

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
        yield from ((indent + line, False) for line in _table(node, width - len(indent)))
    elif node.type in ("fence", "code_block"):
        yield from ((f"{indent}    {line}", False) for line in node.content.rstrip().split("\n"))
    elif node.type == "paragraph":
        yield from ((line, False) for line in wrapped(_inline(node), width, indent))
    else:
        for child in node.children:
            yield from _block(child, width, indent)


def _item(item: SyntaxTreeNode, sign: str, width: int, indent: str) -> Lines:
    inside = indent + " " * len(sign)
    for number, child in enumerate(item.children):
        for at, (line, heading) in enumerate(_block(child, width, inside)):
            first = number == at == 0
            yield (indent + sign + line[len(inside) :] if first else line), heading


def _inline(node: SyntaxTreeNode) -> str:
    """Return the text of a node in one line. A picture becomes its caption."""
    parts = []
    for child in node.walk():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts)


def _table(node: SyntaxTreeNode, width: int) -> Iterator[str]:
    rows = [[_inline(cell) for cell in row.children] for part in node.children for row in part.children]
    yield from columns(rows, width)
