"""Check that names, comments, docstrings, messages and documents use the words of the glossary in CONTRIBUTING.md."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUFFIXES = (
    ".py",
    ".hpp",
    ".cpp",
    ".jinja",
    ".md",
    ".js",
    ".mjs",
    ".sh",
    ".toml",
    ".css",
    ".html",
    ".yml",
    ".yaml",
    "Makefile",
)
NOT_OURS = re.compile(
    r"/vendor/|^tests/landed/|/traces/|^tools/check_words\.py$|^tests/docs/test_tools\.py$|^CONTRIBUTING\.md$"
)

WORDS = (
    # expression, what to write instead, files in which the expression has its ordinary meaning
    (r"class(es)? below", "a subclass of", ""),
    (r"(?<!one )(?<!short )(?<!first )(?<!few )sentences?", "message", r"\.js$"),
    (r"mend(s|ed|ing)?", "fix", ""),
    (r"what (came|comes|has come) of", "result, outcome", ""),
    (r"look(s|ed|ing)? on|onlookers?|watchers?", "spectate, spectator", "^games/"),
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


def problems(path: str, text: str) -> Iterator[str]:
    """Yield one message for each place with an expression that the glossary replaces."""
    plain = text.replace("_", " ")  # a name is words joined by underscores
    for pattern, instead, rest in PATTERNS:
        if rest.pattern and rest.search(path):
            continue
        for found in pattern.finditer(plain):
            line = plain.count("\n", 0, found.start()) + 1
            yield f"{path}:{line}: Write {instead!r} instead of {found[0]!r}."


def sources() -> list[str]:
    """List the files of the repository to check: text files that people write."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    return [path for path in listed if path.endswith(SUFFIXES) and not NOT_OURS.search(path) and (ROOT / path).exists()]


def main() -> int:
    """Print all problems. Return 1 if there is a problem, else 0."""
    found = [message for path in sources() for message in problems(path, (ROOT / path).read_text())]
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
