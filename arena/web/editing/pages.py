"""The page of the editor, and the files that belong to it."""

from __future__ import annotations

import html
import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import Any

from arena.game import GameSpec
from arena.web.editing.files import editor_of
from arena_replays.page import source_hash

ASSET = re.compile(r"[a-z_]+\.(js|css)")


@lru_cache(maxsize=64)
def asset(name: str) -> str | None:
    """Return the text of one of the editor's files; None where there is none of this name."""
    if not ASSET.fullmatch(name):
        return None
    try:
        return files("arena.web").joinpath("editor", name).read_text(encoding="utf-8")
    except OSError:
        return None


def editor_page(game: GameSpec, document: dict[str, Any], target: str) -> tuple[str, str]:
    """Return the page of the editor and its policy.

    Args:
        game: Whose map it is.
        document: The map to begin with.
        target: The name of the file that is saved to; empty where there is none yet.
    """
    config = {
        "game": game.name,
        "gameTitle": game.title,
        "players": game.players,
        "document": document,
        "target": target,
        "maps": list(game.maps),
        "bots": [{"name": bot.name, "doc": bot.doc} for bot in game.bots],
        "editor": editor_of(game).describe(),
    }
    return page(f"{game.title}: {editor_of(game).describe()['noun']}", "main.js", config)


def page(title: str, script: str, config: dict[str, Any]) -> tuple[str, str]:
    """Return a page that one of the editor's scripts fills, and its policy.

    Args:
        title: Of the page.
        script: The file that is run.
        config: What it reads; text in it is only ever shown as text.
    """
    import_map = script_json({"imports": {"arena/dom": "/viewer/dom.js"}})
    text = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="dark light">\n<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(title)}</title>\n"
        '<link rel="stylesheet" href="/viewer/style.css">\n<link rel="stylesheet" href="/editor/editor.css">\n'
        f'<script type="importmap">{import_map}</script>\n</head>\n<body>\n<div id="page"></div>\n'
        f'<script type="application/json" id="arena-config">{script_json(config)}</script>\n'
        f'<script type="module" src="/editor/{script}"></script>\n</body>\n</html>\n'
    )
    policy = (
        f"default-src 'none'; script-src 'self' {source_hash(import_map)}; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data: blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return text, policy


def script_json(value: Any) -> str:
    """Return JSON that cannot end the script element around it."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
