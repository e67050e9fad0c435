"""Put the playground into the documentation site, and let links with the class ``try`` open it with a page's code.

A hook of MkDocs. Such a link is written before a whole bot, with the game's name:

    [Try it now](playground.md){ .try data-game=saloon }
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from arena.errors import ArenaError
from arena_playground import export, link

_LINK = re.compile(r'<a class="try" data-game="(\w+)" href="[^"]*">')
_CODE = re.compile(r"\{ \.try data-game=\w+ \}.*?```python\n(.*?)```", re.DOTALL)


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Let each link of the class open the playground with the code that follows it."""
    codes = iter(_CODE.findall(page.markdown or ""))
    place = get_relative_url("playground/index.html", page.url)
    return _LINK.sub(lambda found: f'<a class="md-button" href="{place}{escape(link(found[1], next(codes)))}">', html)


def on_post_build(config: MkDocsConfig) -> None:
    """Export the playground beside the pages."""
    try:
        export(Path(config.site_dir) / "playground")
    except ArenaError as error:
        raise PluginError(f"{error.message} {error.hint}") from None
