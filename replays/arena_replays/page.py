"""Build the viewer's page: an import map with modules, inert blocks with data, a strict content security policy."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import TopologicalSorter
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from arena_replays import compact, records

MODULES = {
    "arena/app": "app.js",
    "arena/arrows": "drawing/arrows.js",
    "arena/beliefs": "beliefs.js",
    "arena/believed": "drawing/believed.js",
    "arena/board": "board.js",
    "arena/caption": "caption.js",
    "arena/cards": "drawing/cards.js",
    "arena/chances": "chances.js",
    "arena/charts": "charts.js",
    "arena/coach": "what_if/coach.js",
    "arena/compare": "compare.js",
    "arena/controls": "controls.js",
    "arena/cues": "drawing/cues.js",
    "arena/dom": "dom.js",
    "arena/effects": "drawing/effects.js",
    "arena/ending": "ending.js",
    "arena/film": "share/film.js",
    "arena/following": "following.js",
    "arena/gif": "share/gif.js",
    "arena/grid": "drawing/grid.js",
    "arena/inflate": "reading/inflate.js",
    "arena/input": "input.js",
    "arena/inspector": "inspector.js",
    "arena/labels": "drawing/labels.js",
    "arena/lazy": "reading/lazy.js",
    "arena/legs": "model/legs.js",
    "arena/limits": "reading/limits.js",
    "arena/links": "links.js",
    "arena/live": "live.js",
    "arena/look": "look.js",
    "arena/marks": "marks.js",
    "arena/match": "match.js",
    "arena/match_card": "match_card.js",
    "arena/meeting": "reading/meeting.js",
    "arena/notice": "notice.js",
    "arena/opening": "reading/opening.js",
    "arena/outcome": "reading/outcome.js",
    "arena/painter": "drawing/painter.js",
    "arena/playback": "model/playback.js",
    "arena/player_colors": "drawing/player_colors.js",
    "arena/position": "model/position.js",
    "arena/practice": "what_if/practice.js",
    "arena/reader": "reading/reader.js",
    "arena/replay": "model/replay.js",
    "arena/result": "result.js",
    "arena/rolls": "drawing/rolls.js",
    "arena/rulers": "drawing/rulers.js",
    "arena/scores": "scores.js",
    "arena/shapes": "drawing/shapes.js",
    "arena/share": "share/panel.js",
    "arena/sounds": "sounds.js",
    "arena/states": "model/states.js",
    "arena/stills": "drawing/stills.js",
    "arena/synth": "synth.js",
    "arena/tabs": "tabs.js",
    "arena/thoughts": "model/thoughts.js",
    "arena/timeline": "timeline.js",
    "arena/turn_panel": "turn_panel.js",
    "arena/what_if": "what_if/panel.js",
    "arena/why": "why.js",
    "arena/wording": "reading/wording.js",
    "arena/zoom": "zoom.js",
    "msgpack": "vendor/msgpack.js",
    "uplot": "vendor/uplot.js",
}
FOR_SERVERS = ("arena/practice", "arena/what_if")
"""The modules that a page loads only if its server plays on from positions. A page from a file has none of them."""
FOR_FILES = "arena/opening"
"""The module that only the page has which opens replays from a disk (`opening_page`)."""
APART = ("arena/stills", "arena/share", "arena/film", "arena/gif", FOR_FILES, "msgpack", "uplot", *FOR_SERVERS)
"""The modules that are no part of `joined`: not every page loads them, or they come from others."""
JOINED = "joined.js"
"""The file of `joined` on a server."""
MAIN = "main.js"
DRAW_RULES = 'import { drawRules } from "arena/stills"; drawRules();'
"""The script that draws the positions in a page of rules, with `stills_imports`."""
DEFAULT_RENDERER = "drawing/default_renderer.js"
ICON = "data:image/svg+xml," + quote(
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='8' fill='#221d18'/>"
    "<circle cx='11' cy='16' r='5.5' fill='#3d8bf2'/><path d='M22 9.5l6.5 6.5-6.5 6.5-6.5-6.5z' fill='#e8791c'/></svg>"
)
"""The icon of all pages: the marks of the first two players."""
_IMPORT_LINES = re.compile(r'^import [^;]+ from "([a-z_/]+)";\n', re.MULTILINE)
_IMPORTED = re.compile(r"""\b(?:from|import) ?\(?["']([a-z_/]+)["']""")
_BESIDE = re.compile(r"""(\b(?:from|import) ?\(?["'])\./([\w-]+)\.js(?=["'])""")
_CONFIG = re.compile(r'<script type="application/json" id="arena-config">(.*?)</script>')
_TYPE = re.compile(r"/\*\* @type [^*]*\*/ ?")
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CSS_SPACE = re.compile(r"\s*([{};,])\s*")
_OPERATOR = re.compile(r" (=>|===|!==|&&|\|\||\?\?) ")
_BEHIND = re.compile(r'([;,{}]) // [^"`]*$')
_WINDOW = 1 << 15  # deflate refers to at most this many bytes back


@lru_cache(maxsize=64)
def asset(name: str) -> str:
    """Return the text of one of the viewer's own files."""
    return files("arena_replays").joinpath("viewer", name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def joined() -> str:
    """Return the viewer's modules as one, so that a browser loads them with one request.

    No two of them have the same name at their top level.
    """
    sources = {name: without_comments(asset(file)) for name, file in MODULES.items() if name not in APART}
    imported = {name: set(_IMPORT_LINES.findall(source)) for name, source in sources.items()}
    lines = [line for source in sources.values() for line in _IMPORT_LINES.finditer(source)]
    others = dict.fromkeys(line[0] for line in lines if line[1] in APART)  # each once, in order
    order = [name for name in TopologicalSorter(imported).static_order() if name in sources]
    return "".join([*others, *(_IMPORT_LINES.sub("", f"{sources[name]}\n") for name in order)])


def served_modules(folder: str) -> dict[str, str]:
    """Return the addresses of the viewer's modules on a server, by the names that renderers and pages import."""
    return {name: f"{folder}/{file if name in APART else JOINED}" for name, file in MODULES.items()}


def served_file(name: str) -> bytes:
    """Return one of the files that `served_modules` names."""
    if name == JOINED:
        return joined().encode()
    return (asset(name) if name.startswith("vendor/") else without_comments(asset(name))).encode()


@dataclass(frozen=True, slots=True)
class Renderer:
    """The JavaScript that draws a game.

    Attributes:
        source: The module with ``createRenderer``.
        parts: The modules beside it that it or another part imports as ``./NAME.js``: name and source of each.
    """

    source: str
    parts: tuple[tuple[str, str], ...] = ()

    def file(self, path: str) -> str | None:
        """Return the module at a path below the renderer's address: "" for the main one. None if there is none."""
        return dict(self.parts).get(path.removesuffix(".js")) if path else self.source

    def modules(self, main: str = "arena/renderer") -> dict[str, str]:
        """Return the modules by their names in an import map.

        They import each other by these names too: from a ``data:`` address, relative addresses lead nowhere.

        Args:
            main: The name of the main module. The other names begin with it.
        """
        named = {main: self.source, **{f"{main}/{name}": source for name, source in self.parts}}
        return {name: _BESIDE.sub(rf"\1{main}/\2", source) for name, source in named.items()}


def read_renderer(path: Path | None) -> Renderer:
    """Read a renderer and the modules beside it that it needs; the default renderer if the path is None."""
    if path is None:
        return _as_renderer(None)
    source = path.read_text(encoding="utf-8")
    parts: dict[str, str] = {}
    imported = _parts_of(source)
    while imported:
        name = imported.pop()
        part = path.with_name(f"{name}.js")
        if name not in parts and part.is_file():  # if there is no such file, the browser names it
            parts[name] = part.read_text(encoding="utf-8")
            imported += _parts_of(parts[name])
    return Renderer(source, tuple(sorted(parts.items())))


def _parts_of(source: str) -> list[str]:
    return [name for _, name in _BESIDE.findall(source)]


def _as_renderer(renderer: Renderer | str | None) -> Renderer:
    """Return the renderer that is meant by the source of a single module, or by None."""
    if isinstance(renderer, Renderer):
        return renderer
    return Renderer(asset(DEFAULT_RENDERER) if renderer is None else renderer)


def style() -> str:
    """Return all style sheets, without comments and without space that means nothing."""
    sheet = asset("vendor/uplot.css") + asset("viewer.css") + asset("what_if/panel.css") + asset("share/panel.css")
    return _CSS_SPACE.sub(r"\1", _CSS_COMMENT.sub("", sheet))


def data_url(source: str) -> str:
    """Return a module as a data URL."""
    return "data:text/javascript;charset=utf-8," + quote(source, safe=" !$&'()*+,/:;=?@[]{}|^`~<>\"\\")


def without_comments(source: str) -> str:
    """Return one of the viewer's own modules without comments, indentation, and space that means nothing.

    The viewer's modules have no multi-line strings, and no operators in strings. A comment over several lines must
    start with ``/**``.
    """
    kept = ""
    inside = False
    for line in (_BEHIND.sub(r"\1", _TYPE.sub("", line.strip())) for line in source.splitlines()):
        inside = inside or (line.startswith("/**") and "*/" not in line[:-2])
        if line and not inside and not line.startswith("//") and not (line.startswith("/**") and line.endswith("*/")):
            # Imports stay lines of their own. So do ends of comments and addresses.
            joined = line.endswith(("{", ";", ",", "(", "[")) and "//" not in line and not line.startswith("import ")
            kept += line if joined else f"{line}\n"
        inside = inside and not line.endswith("*/")
    return _OPERATOR.sub(r"\1", kept.rstrip())


def source_hash(text: str) -> str:
    """Return the hash of an inline text for a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@lru_cache(maxsize=8)
def _import_map(renderer: Renderer | str | None) -> str:
    return _imports(_as_renderer(renderer).modules(), (*FOR_SERVERS, FOR_FILES))


def _imports(renderers: Mapping[str, str], left_out: Sequence[str]) -> str:
    """Return an import map of a page with the viewer."""
    main = {"arena/main": without_comments(asset(MAIN))}
    return _mapped(_with_imported(main | dict(renderers), left_out))


@lru_cache(maxsize=8)
def stills_imports(renderer: Renderer | str | None) -> str:
    """Return the import map of a page that draws positions: of rules, or beside the names of matches."""
    stills = {"arena/stills": without_comments(asset(MODULES["arena/stills"]))}
    return _mapped(_with_imported(stills | _as_renderer(renderer).modules()))


def _with_imported(sources: Mapping[str, str], left_out: Sequence[str] = ()) -> dict[str, str]:
    """Return modules by name, with those of the viewer's modules that they import at once or later."""
    found = dict(sources)
    imported = [name for source in sources.values() for name in _IMPORTED.findall(source)]
    while imported:
        name = imported.pop()
        if name in MODULES and name not in found and name not in left_out:
            found[name] = without_comments(asset(MODULES[name]))
            imported += _IMPORTED.findall(found[name])
    return found


def _mapped(sources: Mapping[str, str]) -> str:
    return script_json({"imports": {name: data_url(source) for name, source in sources.items()}})


def inert_script(name: str, text: str) -> str:
    """Return a script that adds an inert block with a text to a page, which reads it by the block's id.

    Pages from a disk can load scripts, and no other data.
    """
    return (
        '{const e=document.createElement("script");e.type="text/plain";'
        f"e.id={script_json(name)};e.textContent={script_json(text)};document.head.append(e)}}\n"
    )


@lru_cache(maxsize=8)
def viewer_script(renderer: Renderer | str | None) -> tuple[str, str]:
    """Return the name and the text of a script that several pages share. It has the viewer's modules and styles.

    It is a classic script, because browsers do not load modules from local files.
    """
    parts = ("style", "", style()), ("script", 'e.type="importmap";', _import_map(renderer))
    text = "".join(
        f'{{const e=document.createElement("{kind}");{more}e.textContent={script_json(content)};'
        "document.head.append(e)}\n"
        for kind, more, content in parts
    )
    return f"viewer-{hashlib.sha256(text.encode()).hexdigest()[:12]}.js", text


class Common:
    """Makes the pages of a tournament smaller: one script has the data that the replays of these pages share.

    The data in the script and the data in a page form one deflate stream: first the bytes in the script, then those in
    the page.

    Args:
        replay: One of the replays, used as the dictionary for the others.
    """

    def __init__(self, replay: bytes) -> None:
        whole = compact.unpacked(replay)
        first = next(records.scan(whole, len(records.PREAMBLE)))
        header = whole[: first.offset + first.size] if isinstance(first, records.Record) else b""
        # The header comes last, next to the header of the other replay: deflate looks back to the window only.
        text = whole[len(header) :][: _WINDOW - len(header)] + header[-_WINDOW:]
        self.size = len(text)
        self._packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        start = base64.b64encode(self._packer.compress(text) + self._packer.flush(zlib.Z_SYNC_FLUSH)).decode()
        self.text = inert_script("arena-common", start)
        self.name = f"common-{hashlib.sha256(self.text.encode()).hexdigest()[:12]}.js"

    def pack(self, replay: bytes) -> bytes:
        """Return the compressed bytes of a replay: the part of the deflate stream that follows the script's part."""
        packer = self._packer.copy()
        return packer.compress(compact.unpacked(replay)) + packer.flush()


def page(
    replays: Sequence[bytes],
    renderer: Renderer | str | None,
    title: str,
    viewer: str = "",
    common: Common | None = None,
    explained: Sequence[dict[str, Any]] = (),
    place: Mapping[str, Any] = MappingProxyType({}),
    coach: str = "",
    image: str = "",
) -> str:
    """Return a page that opens from a file, without a network.

    Args:
        replays: The bytes of the replay, or of the replays of both legs.
        renderer: The game's renderer, or the source of its single module; None for the default one.
        title: Title of the page.
        viewer: Address of the `viewer_script` that the page shares with others; "" for a page with a viewer inside.
        common: The data that replays of several pages share; only together with `viewer`.
        explained: The result of `arena explain` for each replay; empty if no replay was explained.
        place: Where the match belongs (see `Place` in the viewer's ``ending.js``); empty if nowhere.
        coach: The address of the page that explains replays in the reader's browser, on the same server; empty if
            there is none.
        image: The address of a picture of the match, for programs that show links to the page; empty if there is none.
    """
    # With `study`, the page opens with the explanation of a loss. Pages that share a viewer open with the match.
    more: dict[str, Any] = {"common": common.size} if common else {"study": not viewer}
    legs = [{"inline": f"arena-replay-{number}", **more} for number in range(1, len(replays) + 1)]
    for leg, found in zip(legs, explained, strict=False):
        leg["found"] = found
    packed = [common.pack(replay) for replay in replays] if common else replays
    config = {"legs": legs} | ({"place": place} if place else {}) | ({"coach": coach} if coach else {})
    return _page(config, packed, _import_map(renderer), title, viewer, common, image)


def opening_page(renderers: Mapping[str, Renderer], title: str) -> str:
    """Return a page that opens replays from the reader's disk. It needs no network, and sends nothing.

    Args:
        renderers: The renderers of games, by the name of the game. Other games have the default renderer.
        title: The title of the page.
    """
    sources = _as_renderer(None).modules()
    for game, renderer in renderers.items():
        sources |= renderer.modules(f"arena/game/{game}")
    return _page({"opens": True}, (), _imports(sources, FOR_SERVERS), title)


def placed(text: str, place: Mapping[str, Any]) -> str:
    """Return the text of a `page` with another place of the match."""
    found = _CONFIG.search(text)
    if found is None:
        return text
    config = json.loads(found[1]) | {"place": place}
    return text[: found.start(1)] + script_json(config) + text[found.end(1) :]


def _page(
    config: dict[str, Any],
    replays: Sequence[bytes],
    import_map: str,
    title: str,
    viewer: str = "",
    common: Common | None = None,
    image: str = "",
) -> str:
    start = 'import "arena/main";'
    sheet = style()
    scripts = " ".join([source_hash(import_map), source_hash(start), "data:", *(["'self' file:"] if viewer else [])])
    policy = (
        f"default-src 'none'; script-src {scripts}; "
        f"style-src {source_hash(sheet)}; img-src data: blob:; base-uri 'none'; form-action 'none'"
        + ("; frame-src 'self'" if "coach" in config else "")
    )
    parts = f'<style>{sheet}</style>\n<script type="importmap">{import_map}</script>\n'
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">\n'
        f"<title>{html.escape(title)}</title>\n{social(title, image)}"
        + (f'<script src="{html.escape(viewer)}"></script>\n' if viewer else parts)
        + (f'<script src="{common.name}"></script>\n' if common else "")
    )
    blocks = "".join(
        f'<script type="text/plain" id="arena-replay-{number}">{base64.b64encode(replay).decode()}</script>\n'
        for number, replay in enumerate(replays, 1)
    )
    data = (
        f'<script type="application/json" id="arena-config">{script_json(config)}</script>\n{blocks}'
        f'<script type="module">{start}</script>\n'
    )
    return _template(head, data)


def social(title: str, image: str = "") -> str:
    """Return what programs that show links to a page read of it (https://ogp.me): title, and address of a picture."""
    named = {"og:title": title, "og:type": "website", "og:site_name": "Arena"}
    if image:
        named |= {"og:image": image, "twitter:card": "summary_large_image"}
    return "".join(f'<meta property="{name}" content="{html.escape(text)}">\n' for name, text in named.items())


def _template(head: str, data: str) -> str:
    return asset("index.html").replace("ICON", ICON).replace("<!-- head -->", head).replace("<!-- data -->", data)


def script_json(value: Any) -> str:
    """Return JSON that cannot end the script element around it."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
