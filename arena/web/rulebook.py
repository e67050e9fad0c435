"""Show the rules of a game as HTML, with pictures of their examples that the game's own renderer draws.

The rules are Markdown of the game. An image `example:NAME` in it becomes a figure: the example is played with the rules
(`arena.study.checks.rulebook`), the page contains the positions as data, and the renderer draws them in the browser.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

import msgpack
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.game import GameSpec, names
from arena.game.sources import parse_docstring
from arena.match.lookup import find_game
from arena.pages.render import alone, part, render
from arena.study.checks.rulebook import Example, PlayedExample, examples, play
from arena.web.pages import Endpoint
from arena_player.world import ROOT_ID
from arena_replays.page import DRAW_RULES, read_renderer, source_hash, stills_imports, style
from arena_replays.state import State as View
from arena_replays.state import fold

__all__ = ["rules_file"]
_LEAST = 6, 4
"""The least columns and rows of a picture: a single tile says nothing of where it is."""
_EDGE = 0.3
"""How much is seen beyond the edge of the board, in tiles: numbers of rows, and heads of people in the first row."""
_WORTH = 0.75
"""A larger share of the board than this is the whole board."""
_HEADING = re.compile(r"<h([23])>(.*?)</h\1>", re.DOTALL)
_FIGURE = re.compile(r'<p><img src="example:([\w-]+)" alt="([^"]*)" /></p>')


def rules_html(game: GameSpec) -> Markup:
    """Return the rules with a figure for each example. `stills_block` has the data of the figures."""
    by_name = examples(game)
    text = markdown(game.rules_text())
    return Markup(_FIGURE.sub(lambda image: _figure(game, by_name[image[1]], image[2]), text))


def _figure(game: GameSpec, example: Example, caption: str) -> Markup:
    """Return the figure of an example. The caption is HTML already."""
    moved = any(not step.refused for step in example.steps)
    pictures = [("start", "before"), ("end", "after")] if moved else [("start", "the position")]
    return part("parts/rules.html", "figure", example.name, pictures, Markup(caption), example.lines(game))


def stills_block(game: GameSpec) -> Markup:
    """Return the data of all figures as an inert block for a page; an empty text if there are none."""
    stills: dict[str, Any] = {}
    for example in examples(game).values():
        played = play(game, example)
        shared = _shared(game, example) | {"focus": focus(game, example, played)}
        stills[f"{example.name}/start"] = shared | {"before": played.start, "after": played.start, "events": []}
        stills[f"{example.name}/end"] = shared | _end(played)
    if not stills:
        return Markup()
    header = {"game": game.name, "title": game.title, "version": game.version, "schema": game.schema()}
    data = base64.b64encode(msgpack.packb({"header": header, "stills": stills})).decode()
    return part("parts/rules.html", "stills", data)


def _shared(game: GameSpec, example: Example) -> dict[str, Any]:
    options = game.resolve_options(example.options)
    names = [f"Player {number}" for number in range(game.players_in(options))]
    return {"options": options.to_document(), "names": names, "leg": 0}


def focus(game: GameSpec, example: Example, played: PlayedExample) -> list[float] | None:
    """Return the part of the board that an example is about: left, top, width and height, in tiles.

    It has the tiles of the actions, of the events, and of all things that an action names or that change. None stands
    for the whole board.
    """
    states: tuple[View, View] = {}, {}
    for state, triples in zip(states, (played.start, played.end), strict=True):
        fold(state, triples)
    schema = game.schema()
    if not schema.get("grid"):
        return None
    size = tuple(states[0][ROOT_ID][schema["grid"][side]] for side in ("width", "height"))
    fields = chain.from_iterable(kind["fields"].items() for kind in schema["classes"].values())
    with_tiles = {"tile", *(name for name, about in fields if "tile" in about["type"])}
    values = [value for step in example.steps for value in step.action.values()]
    ids = {key for key in states[0].keys() | states[1].keys() if states[0].get(key) != states[1].get(key)}
    ids |= {value for value in values if isinstance(value, str) and any(value in state for state in states)}
    things = [state[key] for state in states for key in ids - {ROOT_ID} if key in state]
    said = [*(step.action for step in example.steps), *played.events, *things]
    tiles = chain.from_iterable(_tiles(values, with_tiles) for values in said)
    inside = [tile for tile in tiles if 0 <= tile[0] < size[0] and 0 <= tile[1] < size[1]]
    if not inside:
        return None
    across, down = (_stretch([tile[axis] for tile in inside], size[axis], _LEAST[axis]) for axis in (0, 1))
    if across[1] * down[1] > _WORTH * size[0] * size[1]:
        return None
    return [across[0], down[0], across[1], down[1]]


def _tiles(values: Mapping[str, Any], names: set[str]) -> Iterator[Sequence[int]]:
    """Yield the tiles of an action, an event or a thing: its place, and those in the fields with these names."""
    if isinstance(values.get("x"), int) and isinstance(values.get("y"), int):
        yield values["x"], values["y"]
    for name in names & values.keys():
        value = values[name] if isinstance(values[name], list | tuple) else ()
        pairs = [value] if value and isinstance(value[0], int) else value
        yield from (pair for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2)


def _stretch(places: Sequence[int], size: int, least: int) -> tuple[float, float]:
    """Return the beginning and the length of a stretch of the board with a tile on both sides of all places."""
    first, end = max(0, min(places) - 1), min(size, max(places) + 2)
    while end - first < min(least, size):
        first, end = (first, end + 1) if (end < size and (end + first) % 2) or first == 0 else (first - 1, end)
    left, right = (first or -_EDGE), (end + _EDGE if end == size else end)
    return left, right - left


def _end(played: PlayedExample) -> dict[str, Any]:
    return {"before": played.before, "after": played.end, "events": played.events}


def with_contents(text: Markup) -> tuple[Markup, list[tuple[str, str]]]:
    """Return HTML whose chapters can be linked to, and the address and the title of each chapter after the first."""
    chapters: list[tuple[str, str]] = []

    def name(heading: re.Match[str]) -> str:
        title = Markup(heading[2]).striptags()
        words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "chapter"
        address = f"{words}-{len(chapters)}"  # two chapters can have the same title
        chapters.append((address, title))
        level = heading[1] if len(chapters) > 1 else "1"  # the first one is the title of the page
        return f'<h{level} id="{address}">{heading[2]}</h{level}>'

    return Markup(_HEADING.sub(name, text)), chapters[1:]


def rules_context(game: GameSpec) -> dict[str, Any]:
    """Return what the template of a game's rules needs, besides scripts and style sheets."""
    text, contents = with_contents(rules_html(game))
    return {
        "title": f"{game.title}: rules",
        "game": game,
        "text": text,
        "contents": contents,
        "stills": stills_block(game),
        "classes": game.schema()["classes"],
        "lower": _lower,
        "paragraphs": _paragraphs,
        "summary": summary,
        "wire": _wire,
    }


def rules_file(game: GameSpec, home: str = "") -> tuple[str, str]:
    """Return the rules as one page that needs no network, and its policy. The game's renderer draws the pictures.

    Args:
        game: The game.
        home: The address of the start page; empty for a page without a way back.
    """
    import_map = stills_imports(read_renderer(game.viewer))
    sheet = style() + files("arena.web").joinpath("editor", "editor.css").read_text(encoding="utf-8")
    policy = alone(f"{source_hash(import_map)} {source_hash(DRAW_RULES)} data:", source_hash(sheet))
    safe = {"sheet": Markup(sheet), "import_map": Markup(import_map), "start": Markup(DRAW_RULES)}
    return render("rules.html", root="", sheets=[], policy=policy, home=home, **safe, **rules_context(game)), policy


def _wire(name: str, action: Mapping[str, Any]) -> str:
    keys = [f'"{action["receiver"]}": …'] if action["receiver"] else []
    keys += [f'"{key}": …' for parameter in action["parameters"] for key in parameter["keys"]]
    return "{" + ", ".join([f'"type": "{name}"', *keys]) + "}"


def _paragraphs(doc: str) -> list[str]:
    """Return the paragraphs of a docstring before its first section, such as ``Args:``."""
    return [" ".join(part.split()) for part in parse_docstring(doc).text.split("\n\n") if part.strip()]


def summary(doc: str) -> str:
    """Return the first sentence of a docstring, without its period."""
    return " ".join(doc.split()).partition(". ")[0].removesuffix(".")


def _lower(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def markdown(text: str) -> Markup:
    """Convert Markdown to HTML. HTML tags in the Markdown are shown as text. Headings become one level lower."""
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    return Markup(parser.renderer.render(tokens, parser.options, {}))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", lambda *_: '<div class="wide"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def has_rules(game: str) -> bool:
    """Return whether a game is installed and has rules in words."""
    return game in names() and bool(find_game(game).rules_text())


def rules_routes(*, home: bool = False) -> dict[str, Endpoint]:
    """Return the routes of the rules. With `home`, the pages lead back to the start page."""

    def page(request: Request) -> Response:
        root = f"{request.scope['root_path']}/" if home else ""
        text, policy = rules_file(find_game(request.path_params["game"]), root)
        return HTMLResponse(text, headers={"Content-Security-Policy": f"{policy}; frame-ancestors 'self'"})

    return {"/rules/{game}": page}
