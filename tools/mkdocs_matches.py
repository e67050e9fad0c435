"""Put matches into the documentation site: one of each game to watch, and a page that opens replays from a disk.

A hook of MkDocs. The matches are played while the site is built, by built-in bots with a seed: so the site always shows
the installed games, and the repository has no films.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from arena.game import names
from arena.match.lookup import find_game
from arena.play.memory import play_in_memory
from arena_replays.export import html_of
from arena_replays.page import ICON, opening_page, read_renderer

BOTS: Final = {
    "saloon": ("pianist", "sheriff"),
    "laser_flag": ("commander", "sergeant"),
    "derelict": ("veteran", "castaway"),
    "snakes": ("constrictor", "forager", "constrictor", "forager"),
}
"""Who plays; other games are played by their strongest bots."""
SEED: Final = 7


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add `matches/GAME.html` for each game, `viewer.html`, and the icon of all pages."""
    games = [find_game(name) for name in names()]
    with tempfile.TemporaryDirectory() as folder:
        for game in games:
            replay = Path(folder) / f"{game.name}.arena"
            strongest = [bot.name for bot in game.bots][-2:]
            bots = BOTS.get(game.name, tuple(strongest * game.player_counts[0])[: game.player_counts[0]])
            play_in_memory(game.name, [f"builtin:{bot}" for bot in bots], seed=SEED, replay=replay)
            page = html_of(replay, read_renderer(game.viewer))
            files.append(File.generated(config, f"matches/{game.name}.html", content=page))
    renderers = {game.name: read_renderer(game.viewer) for game in games}
    files.append(File.generated(config, "viewer.html", content=opening_page(renderers, "Watch a match")))
    files.append(File.generated(config, "images/icon.svg", content=unquote(ICON.partition(",")[2])))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Begin the page of a game with its match: only the board, which plays when it is seen."""
    folder, _, game = page.file.src_uri.removesuffix(".md").rpartition("/")
    if folder != "games":
        return markdown
    heading, _, rest = markdown.partition("\n")
    title = find_game(game).title
    clip = f'<iframe class="match" title="A match of {title}" src="../matches/{game}.html#clip"></iframe>'
    return f"{heading}\n\n{clip}\n{rest}"
