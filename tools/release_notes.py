"""Print the changelog entries of the version that a tag names. Fail if tag, version and changelog disagree."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from arena_player.version import __version__

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def entries(changelog: str, tag: str) -> str:
    """Return the changelog entries of the current version.

    Raises:
        SystemExit: The tag names another version, or the changelog has no heading with a date for the current version.
    """
    if tag != f"v{__version__}":
        raise SystemExit(
            f"The tag {tag} does not name version {__version__}. Change arena_player/version.py or the tag."
        )
    found = re.search(rf"^## {re.escape(__version__)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if not found:
        raise SystemExit(f"CHANGELOG.md has no heading '## {__version__} - YEAR-MONTH-DAY'. Put the date there.")
    return found[1].strip()


if __name__ == "__main__":
    print(entries(CHANGELOG.read_text(), sys.argv[1]))
