"""Write the playground into a folder: the page, Pyodide, and the rules and pictures of the installed games."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import importlib.util
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from arena.bots.builtin import GROUP as BOTS
from arena.bots.builtin import bots_for_all_games, module_source
from arena.cli.extending import install_command, template_files
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.lookup import find_game, installed_games
from arena.web.rulebook import rules_file
from arena_playground import pyodide
from arena_replays import page as viewer
from arena_replays.page import read_renderer, script_json, source_hash

PAGE: Final = Path(__file__).parent / "page"
VENDORED: Final = Path(__file__).parent / "vendor"
CORE: Final = ("arena", "arena_player", "arena_replays", "msgpack")
"""The packages that a match needs. Of the rest, only the game's own package is taken."""
LEFT_OUT: Final = ("cli/", "clients/", "contests/", "pages/", "sdk/", "study/checks/", "web/")
"""The folders of arena that neither a match nor its explanation needs."""
HELPER: Final = ("jedi", "parso")
FOREIGN: Final = ("third_party/django-stubs", "third_party/typeshed/stubs")
"""What the completions know about packages that are not there."""
SUFFIXES: Final = (".py", ".json", ".toml", ".txt", ".md", ".map", ".pyi", ".typed")
THINKING: Final = {"search": "?playouts=16"}
"""The settings of bots that would think for too long in a browser. Equal seeds still give equal matches."""
POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; "


def export(folder: Path, games: Sequence[str] = ()) -> None:
    """Write the playground into a folder. Files of an earlier export are replaced.

    Args:
        folder: The folder; it is made if it does not exist.
        games: The names of the games, the first one first; by default all installed games.

    Raises:
        ArenaError: There is no such game, Pyodide is missing, or the folder cannot be written.
    """
    parts = contents([find_game(name) for name in games] or installed_games())
    try:
        for name, data in parts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be written: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE) from None


def contents(games: Sequence[GameSpec], contest: str = "") -> dict[str, bytes]:
    """Return all files of the playground by their paths.

    Args:
        contest: The name of the contest whose server has these pages; empty for a folder of its own.

    Raises:
        ArenaError: Pyodide is missing, or there is no game.
    """
    if not pyodide.is_there():
        raise ArenaError(
            "Pyodide, the Python of the browser, is missing in this installation of arena-playground.",
            hint="With a network, `python -m arena_playground.fetch` gets it.",
            exit_code=ExitCode.CANNOT_WRITE,
        )
    if not games:
        raise ArenaError(
            "No game is installed, so there is nothing to play.",
            hint=f"Install one: {install_command('arena-saloon')}",
            exit_code=ExitCode.UNKNOWN_GAME,
        )
    without = {game.title: needed for game in games if (needed := missing(game))}
    games = [game for game in games if game.title not in without]
    if not games:
        title, needed = next(iter(without.items()))
        raise ArenaError(
            f"{title} cannot be played in the browser: it needs {', '.join(needed)}.",
            hint=f"Add it to the playground, if it exists for Pyodide: python -m arena_playground.fetch {needed[0]}",
            exit_code=ExitCode.NOT_INSTALLED,
        )
    parts: dict[str, bytes] = {
        "python/arena.bin": archive(
            [*CORE, "arena_playground.inside", *map(package_of, games), *further_bots().values()], entry_points(games)
        ),
        "python/jedi.bin": archive(HELPER),
        "editor/codemirror.js": (VENDORED / "codemirror.js").read_bytes(),
        "editor/LICENSE.txt": (VENDORED / "codemirror.LICENSE").read_bytes(),
    }
    for name in pyodide.FILES:
        parts[f"python/{pyodide.packed(name)}"] = (pyodide.FOLDER / pyodide.packed(name)).read_bytes()
    for name, wheel in pyodide.wheels().items():
        parts[f"python/{name}.bin"] = wheel.read_bytes()
    for address in {*viewer.served_modules("viewer").values(), f"viewer/{viewer.MAIN}"}:
        parts[address] = viewer.served_file(address.removeprefix("viewer/"))
    for name in ("panel.js", "actions.js", "playing.css"):
        parts[f"playing/{name}"] = files("arena.web").joinpath("playing", name).read_bytes()
    parts["viewer/style.css"] = viewer.style().encode()
    for game in games:
        renderer = read_renderer(game.viewer)
        for name, text in renderer.modules().items():
            parts[f"board/{board_file(game, name)}"] = text.encode()
        parts[f"board/{game.name}.html"] = board_page(game, renderer)
        parts[f"rules/{game.name}.html"] = rules_file(game)[0].encode()
        parts[f"typed/{game.name}.py"] = module_source(game).encode()
    for path in sorted(PAGE.iterdir()):
        if path.suffix in (".js", ".css") and path.name != "offline.js":
            parts[path.name] = path.read_bytes()
    parts["playground.css"] = colors() + parts["playground.css"]
    parts["sandbox.html"] = sandbox_page()
    config = {
        "games": [describe(game) for game in games],
        "version": metadata.version("arena-referee"),
        "contest": contest,
        "without": [f"{title} (needs {', '.join(needed)})" for title, needed in without.items()],
        "wheels": list(pyodide.wheels()),
    }
    cache = f"arena-playground {digest_of(parts | {'config': script_json(config).encode()})}"
    parts["index.html"] = page("index.html", config | {"cache": cache})
    parts["coach.html"] = page("coach.html", {"wheels": config["wheels"], "cache": cache})
    parts["offline.js"] = offline(cache, ["./", *sorted(parts)])
    return parts


def colors() -> bytes:
    """Return the viewer's colours and font: the first rule of its style sheet."""
    text = viewer.asset("viewer.css")
    return text[: text.index("\n}") + 3].encode()


def package_of(game: GameSpec) -> str:
    return game.state.__module__.partition(".")[0]


def missing(game: GameSpec) -> list[str]:
    """Return the packages that a game needs, and that the browser's Python does not have."""
    (point, *_) = metadata.entry_points(group="arena.games", name=game.name)
    requirements = (point.dist.requires or ()) if point.dist else ()
    names = [
        canonical(re.split(r"[\s<>=!~;\[(]", requirement)[0])
        for requirement in requirements
        if "extra ==" not in requirement
    ]
    return sorted(name for name in names if not name.startswith("arena-") and name not in pyodide.wheels())


def canonical(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def describe(game: GameSpec) -> dict[str, Any]:
    template = template_files(game, "my_bot", "python")
    return {
        "name": game.name,
        "title": game.title,
        "players": [game.player_counts[0], game.player_counts[-1]],
        "maps": list(game.maps),
        "bots": [{"name": bot.name, "doc": bot.doc, "lesson": bot.lesson} for bot in game.bots],
        "further": [
            {"name": bot.name, "doc": bot.doc, "reference": bot.name + THINKING.get(bot.name, "")}
            for bot in bots_for_all_games()
        ],
        "files": {name: text for name, text in template.items() if name in ("main.py", "bot.toml", "README.md")},
    }


# -- Python ------------------------------------------------------------------------------------------


def further_bots() -> dict[str, str]:
    """Return the packages of the bots that play any game, by the entry points that name them."""
    points = metadata.entry_points(group=BOTS)
    return {f"{point.name} = {point.value}": point.module for point in sorted(points)}


def entry_points(games: Iterable[GameSpec]) -> dict[str, str]:
    """Return the files by which Python finds the games and bots, as an installed distribution has them."""
    objects = {point.name: point.value for point in metadata.entry_points(group="arena.games")}
    lines = "".join(f"{game.name} = {objects[game.name]}\n" for game in games)
    lines += f"[{BOTS}]\n" + "".join(f"{line}\n" for line in further_bots())
    folder = "arena_games-0.dist-info"
    return {
        f"{folder}/METADATA": "Metadata-Version: 2.1\nName: arena-games\nVersion: 0\n",
        f"{folder}/entry_points.txt": f"[arena.games]\n{lines}",
    }


def archive(modules: Iterable[str], texts: Mapping[str, str] = MappingProxyType({})) -> bytes:
    """Return the files of packages, as they are installed here, and further files: a packed JSON document."""
    paths = dict(source for module in modules for source in sources(module))
    files = {name: path.read_bytes().decode() for name, path in sorted(paths.items())} | dict(texts)
    return gzip.compress(json.dumps(files).encode(), 9, mtime=0)


def sources(module: str) -> Iterator[tuple[str, Path]]:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ArenaError(f"The package {module} is not installed.", exit_code=ExitCode.CANNOT_WRITE)
    package, is_inside, _ = module.partition(".")
    if is_inside:  # nothing else of the outer package is taken
        yield f"{package}/__init__.py", PAGE / "empty.py"
    if spec.submodule_search_locations is None:
        yield f"{module.replace('.', '/')}.py", Path(spec.origin)
        return
    root = Path(spec.origin).parent
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).as_posix()
        if inside.startswith(LEFT_OUT if module == "arena" else FOREIGN):
            continue
        if path.suffix in SUFFIXES and "__pycache__" not in path.parts:
            yield f"{module.replace('.', '/')}/{inside}", path


# -- pages -------------------------------------------------------------------------------------------


def page(template: str, config: Mapping[str, Any]) -> bytes:
    """Return a page with Python. Its policy contains that of the sandbox, since a frame inherits the page's policy."""
    policy = (
        POLICY + f"script-src 'self' {sandbox_scripts()}; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data: blob:; frame-src 'self'; worker-src 'self' blob:"
    )
    return filled(template, policy, config=script_json(config))


def board_file(game: GameSpec, module: str) -> str:
    """Return the file of a module of a game's renderer: ``saloon.js``, ``saloon/figures.js``."""
    return f"{module.replace('arena/renderer', game.name, 1)}.js"


def board_page(game: GameSpec, renderer: viewer.Renderer) -> bytes:
    imports = viewer.served_modules("../viewer")
    imports |= {name: f"./{board_file(game, name)}" for name in renderer.modules()}
    text = script_json({"imports": imports})
    policy = (
        POLICY + f"script-src 'self' {source_hash(text)}; style-src 'self'; connect-src 'self'; img-src data: blob:; "
        "frame-src 'self'"
    )
    return filled("board.html", policy, imports=text)


def sandbox_page() -> bytes:
    """Return the page in which code of users runs: without an origin of its own, and without any network."""
    policy = POLICY + f"script-src {sandbox_scripts()}; worker-src blob:"
    return filled("sandbox.html", policy, start=sandbox_start())


def sandbox_start() -> str:
    return (PAGE / "sandbox.mjs").read_text(encoding="utf-8")


def sandbox_scripts() -> str:
    return f"{source_hash(sandbox_start())} blob: 'wasm-unsafe-eval'"


def filled(template: str, policy: str, **parts: str) -> bytes:
    text = (PAGE / template).read_text(encoding="utf-8").replace("{{policy}}", html.escape(policy))
    for name, part in parts.items():
        text = text.replace("{{" + name + "}}", part)
    return text.encode()


def digest_of(parts: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(parts.items()):
        digest.update(name.encode() + hashlib.sha256(data).digest())
    return digest.hexdigest()[:16]


def offline(cache: str, listed: Sequence[str]) -> bytes:
    """Return the service worker, which keeps this version of the files."""
    source = (PAGE / "offline.js").read_text(encoding="utf-8")
    return source.replace("CACHE", cache).replace('"FILES"', json.dumps(listed)).encode()


def link(game: str, code: str) -> str:
    """Return the end of an address of the playground that opens it with this code."""
    packer = zlib.compressobj(9, wbits=-15)
    text = base64.urlsafe_b64encode(packer.compress(code.encode()) + packer.flush()).decode().rstrip("=")
    return f"#game={game}&code={text}"


def contents_size(folder: Path) -> int:
    """Return the bytes that a server with compression sends on a first visit."""
    found = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    return sum(len(data if name.endswith(".bin") else gzip.compress(data, 6)) for name, data in found.items())
