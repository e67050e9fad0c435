"""The code in documents, with the files that they include."""

import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def blocks(document: Path, language: str) -> list[str]:
    """Return the blocks of a language. A line `--8<-- "NAME"` stands for the file in docs/examples."""
    text = document.read_text(encoding="utf-8")
    return [included(block) for block in re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)]


def included(block: str) -> str:
    return re.sub(r'--8<-- "(.*)"\n', lambda name: (EXAMPLES / name[1]).read_text(encoding="utf-8"), block)
