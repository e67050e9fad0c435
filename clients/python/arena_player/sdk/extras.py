"""The extras of a game: base classes that a game adds to the classes of its typed module."""

import ast

from arena_player.errors import PlayerError


class Extras:
    """The source of the extras in two parts: the imports, and the rest.

    Attributes:
        imports: The import statements, without those of `arena_player` and `__future__`.
        classes: The names of the classes.
        body: All other statements, with the comments directly above them.

    Raises:
        PlayerError: The source has a syntax error.
    """

    def __init__(self, source: str) -> None:
        try:
            tree = ast.parse(source)
        except SyntaxError as error:
            raise PlayerError(f"The extras of the game have a syntax error in line {error.lineno}.") from None
        lines = source.splitlines()
        self.imports: list[str] = []
        self.classes: set[str] = set()
        parts: list[str] = []
        end = 0
        for index, node in enumerate(tree.body):
            first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
            comments = _comments_above(lines, end, first - 1)
            end = node.end_lineno or first
            if (_is_docstring(node) and not index) or _is_type_checking(node):
                continue
            text = "\n".join([*comments, *lines[first - 1 : end]])
            if isinstance(node, ast.Import | ast.ImportFrom):
                if not (isinstance(node, ast.ImportFrom) and node.module in ("__future__", "arena_player")):
                    self.imports.append(ast.unparse(node))
                continue
            if isinstance(node, ast.ClassDef):
                self.classes.add(node.name)
            if _is_docstring(node) and parts:
                parts[-1] += f"\n{text}"
            else:
                parts.append(text)
        self.body = "\n\n\n".join(parts)


def _comments_above(lines: list[str], start: int, stop: int) -> list[str]:
    """Return the comment lines directly above a statement."""
    comments: list[str] = []
    for line in reversed(lines[start:stop]):
        if not line.startswith("#"):
            break
        comments.insert(0, line)
    return comments


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
