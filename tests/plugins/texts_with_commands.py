"""Finds every command of Arena in what users read: messages, help, pages, files that Arena writes, and documents."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from arena.cli import cli

ROOT = Path(__file__).parents[2]
HOLE = "{}"
"""What stands for a value that is known only when the text is printed."""
START = re.compile(r"(`?)(?<![\w./-])arena (?=[a-z{$@])")
END = re.compile(r" {2,}| #|\n|</|`| \.\.\.(?! -)| \(|(?<![ .])\.(?= |$)|[:;,](?= |$)")
COMMANDS = {HOLE, *cli.list_commands(click.Context(cli))}
VALUE = re.compile(r"\$\{[^}]*\}|\{\{[^}]*\}\}|\$[a-z]+|@[a-z]+@")


class Printed(NamedTuple):
    """A command in a text.

    Attributes:
        built: Whether the source builds it with `command_line`, which quotes its values.
    """

    file: str
    text: str
    line: int
    built: bool = False


def files(*patterns: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if "/tests/" not in f"/{name}" and "CHANGELOG" not in name]


@cache
def in_programs() -> list[Printed]:
    """Return the commands in what programs print, in pages, and in the files that they write for users."""
    python = files("arena/*.py", "extras/*.py", "clients/*.py", "replays/*.py", "games/*.py")
    others = files("arena/*.js", "arena/*.html", "arena/*.txt", "replays/*.js", "extras/*.js", "extras/*.html")
    kits = files("clients/cpp", "clients/java", "clients/javascript", "clients/typescript")
    return [
        *(one for name in python for one in _in_python(name)),
        *(one for name in (*others, *kits) for one in _in_text(name)),
    ]


def in_documents() -> list[Printed]:
    return [one for name in files("*.md") if "/new/" not in name for one in _in_text(name)]


def problem(text: str) -> str:
    """Return what is wrong with a command, without running it: a name, an option, or the number of arguments."""
    words = [word for word in shlex.split(re.sub(r"[\[\]]| >.*", "", text))[1:] if word != "..."]
    context = click.Context(cli, info_name="arena")
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not _is_open(words[0]):
        child = command.get_command(context, words[0])
        if child is None:
            return f"there is no command {words[0]}"
        command, context = child, click.Context(child, parent=context, info_name=words.pop(0))
    if isinstance(command, click.Group) or not words:
        return ""
    try:
        command.make_context(context.info_name, list(words), parent=context.parent)
    except click.MissingParameter as error:
        return "" if "..." in text or words[0].startswith("-") else error.format_message()
    except (click.BadParameter, click.BadOptionUsage):
        return ""  # a placeholder is no number, and an option can be named without a value
    except click.UsageError as error:
        return error.format_message()
    return ""


def _is_open(word: str) -> bool:
    """Return whether a word stands for any command: a hole, alternatives, or a name in capitals."""
    return word == HOLE or "|" in word or word.isupper()


def is_whole(text: str) -> bool:
    """Return whether a command has arguments. Otherwise a text only names it."""
    command: click.Command | None = cli
    for word in text.split()[1:]:
        if not isinstance(command, click.Group):
            return True
        command = command.get_command(click.Context(command), word)
        if command is None:
            return True
    return False


def _in_python(name: str) -> Iterator[Printed]:
    """Yield the commands in texts and in the help of commands; not those in other docstrings, which nobody prints."""
    source = (ROOT / name).read_text(encoding="utf-8")
    if not START.search(source) and "command_line(" not in source:
        return
    nodes = list(ast.walk(ast.parse(source)))
    help_texts = {id(node.body[0]) for node in nodes if isinstance(node, ast.FunctionDef) and _is_command(node)}
    skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and id(node) not in help_texts}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
            yield from _commands_in(name, node.lineno, text)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield from _commands_in(name, node.lineno, node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "command_line":
            words = (str(word.value) if isinstance(word, ast.Constant) else HOLE for word in node.args)
            yield Printed(name, " ".join(words), node.lineno, built=True)


def _is_command(node: ast.FunctionDef) -> bool:
    return any("command" in ast.unparse(one) or "group" in ast.unparse(one) for one in node.decorator_list)


def _in_text(name: str) -> Iterator[Printed]:
    for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
        if not line.lstrip().startswith(("//", "* ", "/*")):
            yield from _commands_in(name, number, line.replace("\\n", "` `"))


def _commands_in(name: str, line: int, text: str) -> Iterator[Printed]:
    text = VALUE.sub(HOLE, text)
    for start in START.finditer(text):
        rest = text[start.end() :]
        end = re.search("`", rest) if start[1] else END.search(rest)
        whole = rest[: end.start() if end else None]
        words = " ".join((whole if start[1] else re.sub(r"(?<! )[.,;:]+$", "", whole)).split())
        if words.count('"') % 2:  # the end of a text in JavaScript or JSON
            words = words[: words.rindex('"')].rstrip()
        if words.partition(" ")[0] in COMMANDS:
            yield Printed(name, f"arena {words}", line)
