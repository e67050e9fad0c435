"""Check that what users read (messages, help, documents, pages) uses the words of the glossary in CONTRIBUTING.md."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
READ = re.compile(r"\.(py|hpp|md|jinja|html|js|mjs)$")
NOT_READ = re.compile(r"/vendor/|/traces/|(^|/)tests/|^conftest\.py$|^tools/|^CONTRIBUTING\.md$")
DOCUMENTED = re.compile(r"^(arena/(cli|game|memory|testing)|clients/python/arena_player|replays/arena_replays)/")
"""Where docstrings are help or reference, and so are read by users."""

WORDS = (
    # expression, what to write instead, files in which the expression has its ordinary meaning
    (r"class(es)? below", "a subclass of", ""),
    (r"(?<!one )(?<!short )(?<!first )(?<!few )sentences?", "message", r"\.js$"),
    (r"mend(s|ed|ing)?", "fix", ""),
    (r"what (came|comes|has come) of", "result, outcome", ""),
    (r"look(s|ed|ing)? on|onlookers?|watchers?", "spectate, spectator", "^games/|middle-bots"),
    (r"tells? whether", "return whether", ""),
    (r"(is|are|was|were|be|been) told", "is sent, is reported", ""),
    (r"asked for before", "checked first", ""),
    (r"strangers?", "untrusted", ""),
    (r"locked in", "isolated", ""),
    (r"(?<!your )(?<!their )own bots?", "built-in bot", ""),
    (r"chairs?", "seat connection", ""),
    (r"knock(s|ed|ing)?", "connection attempt", ""),
    (r"farewells?", "shutdown grace", ""),
    (r"head and (the )?foot|foot of (the|a|its)", "header and footer", ""),
    (r"room to write", "writable", ""),
    (r"truth values?", "booleans", ""),
    (r"whisper(s|ed|ing)?", "covert channel", ""),
    (r"the hall", "big screen", "^games/"),
    (r"hoard(s|ed|ing|ers?)?", "process over its limit", ""),
    (r"breach(es|ed)?|offen[cs]es?|offend(s|ed|ing|ers?)", "violation", ""),
    (r"what is said|said of", "documented", ""),
    (r"work(s|ed|ing)? out", "compute", ""),
    (r"sittings?", "session", ""),
    (r"he|him|his|himself", "they", "^games/saloon/|^clients/python/tests/test_sdk.py$"),
    (r"where there is (one|none)", "if the noun exists", ""),
)
PATTERNS = [(re.compile(rf"\b({words})\b", re.IGNORECASE), instead, re.compile(rest)) for words, instead, rest in WORDS]


def texts(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts in a file that users may read, with their line numbers.

    In Python these are the strings. A docstring counts where the help or the reference shows it.
    """
    if not path.endswith(".py"):
        yield 1, text
        return
    tree = ast.parse(text)
    private = (
        set() if DOCUMENTED.search(path) else {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    )
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in private:
            yield node.lineno, node.value


def problems(path: str, text: str) -> Iterator[str]:
    """Yield one message for each place with an expression that the glossary replaces."""
    for first, part in texts(path, text):
        for pattern, instead, rest in PATTERNS:
            if rest.pattern and rest.search(path):
                continue
            for found in pattern.finditer(part):
                line = first + part.count("\n", 0, found.start())
                yield f"{path}:{line}: Write {instead!r} instead of {found[0]!r}."


def sources() -> list[str]:
    """List the files of the repository to check."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    return [path for path in listed if READ.search(path) and not NOT_READ.search(path) and (ROOT / path).exists()]


def main() -> int:
    """Print all problems. Return 1 if there is a problem, else 0."""
    found = [message for path in sources() for message in problems(path, (ROOT / path).read_text())]
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
