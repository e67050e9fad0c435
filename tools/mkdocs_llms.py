"""Write `llms.txt` and `llms-full.txt` into the documentation site: what authors of bots need, for language models.

A hook of MkDocs. `llms.txt` lists the pages of the section for students, each with its first sentence, as
https://llmstxt.org describes. `llms-full.txt` has the text of those that a bot's author needs (`PAGES`), as Markdown,
with the code that they include. It is short enough to be read as a whole.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

PAGES = (
    "coding-agents.md", "tutorial.md", "next-steps.md", "searching.md", "many-units.md", "climbing.md",
    "explaining-a-loss.md", "rerunning-a-match.md", "positions.md", "matches-in-memory.md", "other-languages.md",
    "bot-toml.md", "packages.md", "json.md", "exit-codes.md",
)  # fmt: skip
"""The pages of `llms-full.txt`, in the order of reading."""
MOST_CHARACTERS = 90_000
"""The limit for `llms-full.txt`. Measured: a token of these pages has 3.8 characters (cl100k), so these are 24,000."""
_SECTION = "Students"
_SNIPPET = re.compile(r'^( *)--8<-- "([^"]+)"$', re.MULTILINE)
_CODE = re.compile(r"^```.*?^```\n", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)(?:\{[^}]*\})?")
_TRY = re.compile(r"^[^\n]*\{ \.try .*?(?=\n\n)\n+", re.DOTALL | re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add both files to the site."""
    docs = Path(config.docs_dir)
    files.append(File.generated(config, "llms.txt", content=index(docs, config.nav or [])))
    files.append(File.generated(config, "llms-full.txt", content=whole(docs)))
    return files


def index(docs: Path, nav: list[dict[str, object]]) -> str:
    """Return the list of pages for authors of bots, with their addresses in the site."""
    (section,) = [entry[_SECTION] for entry in nav if _SECTION in entry]
    assert isinstance(section, list)
    lines = [
        "# Arena",
        "",
        "> Competitions between programs that play games. `arena new GAME DIR` writes a bot with an AGENTS.md.",
        "",
        "[llms-full.txt](llms-full.txt) has the pages that an author of a bot needs, in one file.",
        "",
        "## Pages",
        "",
    ]
    for name in section:
        text = (docs / name).read_text(encoding="utf-8")
        line = f"- [{_title(text)}]({Path(name).with_suffix('.html')}): {_first_sentence(text)}"
        lines.append(line if line.endswith(".") else f"{line.removesuffix(': ')}.")
    return "\n".join(lines) + "\n"


def whole(docs: Path) -> str:
    """Return the pages in one text.

    Raises:
        PluginError: It is too long to be read as a whole.
    """
    text = "\n\n".join(plain((docs / name).read_text(encoding="utf-8"), docs / "examples").strip() for name in PAGES)
    if len(text) > MOST_CHARACTERS:
        raise PluginError(f"llms-full.txt has {len(text)} characters; at most {MOST_CHARACTERS} fit. Leave a page out.")
    return text + "\n"


def plain(text: str, examples: Path) -> str:
    """Return a page as one reads it without the site: with the code that it includes, links as their words."""
    text = _SNIPPET.sub(lambda found: _indented((examples / found[2]).read_text(encoding="utf-8"), found[1]), text)
    return _LINK.sub(r"\1", _TRY.sub("", text))


def _indented(code: str, indent: str) -> str:
    return "\n".join(f"{indent}{line}".rstrip() for line in code.rstrip().split("\n"))


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _first_sentence(text: str) -> str:
    """Return the first sentence of a page that is no heading, code or table; empty if it has none."""
    prose = _LINK.sub(r"\1", _TRY.sub("", _CODE.sub("", text)))
    parts = [part.strip() for part in prose.partition("\n## ")[0].split("\n\n")[1:]]
    words = " ".join(next((part for part in parts if re.match(r"[\w`*]", part)), "").split())
    return re.split(r"(?<=[.])\s|:(?:\s|$)", words)[0]
