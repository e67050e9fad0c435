"""Write the pages of the games into the documentation site: rules with pictures, actions, objects, options, bots.

A hook of MkDocs. The pages come from the installed games, so they cannot differ from them.
"""

from __future__ import annotations

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from arena.game import GameSpec, names
from arena.match.lookup import find_game
from arena.pages.render import part
from arena.web.rulebook import rules_context
from arena_replays.page import DRAW_RULES, read_renderer, stills_imports

_HEADING = re.compile(r"<h(\d)(?: id=\"(?P<id>[^\"]*)\")?>(?P<text>.*?)</h\1>", re.DOTALL)
_WORDS = ("lower", "paragraphs", "summary", "wire")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add one page for each game, `games/NAME.md`."""
    for name in names():
        files.append(File.generated(config, f"games/{name}.md", content=page_of(find_game(name))))
    return files


def page_of(game: GameSpec) -> str:
    """Return the page of a game: Markdown for the headings, so that they are in the table of contents, else HTML."""
    context = rules_context(game)
    reference = part("parts/rules.html", "reference", game, context["classes"], *(context[word] for word in _WORDS))
    import_map = stills_imports(read_renderer(game.viewer))
    bots = "".join(f"| `builtin:{bot.name}` | {bot.doc} | {bot.lesson} |\n" for bot in game.bots)
    return "\n\n".join(
        [
            *_sections(str(context["text"]), 1),
            f"## Built-in bots\n\nWeakest first.\n\n| bot | what it does | what beats it |\n|---|---|---|\n{bots}",
            f"## First steps\n\n{_commands(game)}",
            *_sections(str(reference)),
            f'{context["stills"]}\n<script type="importmap">{import_map}</script>',
            f'<script type="module">{DRAW_RULES}</script>',
        ]
    )


def _sections(html: str, up: int = 0) -> list[str]:
    """Return HTML with its headings of level 2 and 3 as Markdown. `up` is taken from their levels."""
    parts: list[str] = []
    at = 0
    for found in _HEADING.finditer(html):
        level = int(found[1])
        if level > 3 or "<code>" in found["text"]:
            continue
        parts += [_raw(html[at : found.start()]), f"{'#' * max(1, level - up)} {found['text']}"]
        at = found.end()
    return [one for one in [*parts, _raw(html[at:])] if one]


def _raw(html: str) -> str:
    """Return HTML as one block without empty lines, which MkDocs takes as it is."""
    text = "\n".join(line for line in html.splitlines() if line.strip())
    return f'<div class="rules">\n{text}\n</div>' if text else ""


def _commands(game: GameSpec) -> str:
    other = f"builtin:{game.bots[0].name}" if game.bots else "my_bot"
    opponents = " ".join([other] * (game.player_counts[0] - 1))
    return (
        f"```sh\narena new {game.name} my_bot\narena play {game.name} my_bot {opponents}\n"
        f"arena rules {game.name} --open\n```"
    )
