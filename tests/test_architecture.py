"""Imports between packages run one way; the contracts are in pyproject.toml."""

import ast
import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import networkx
import pytest

from arena_replays.page import DEFAULT_RENDERER, MAIN, MODULES

ROOT = Path(__file__).parents[1]
GAMES = ("arena_saloon", "arena_laser_flag", "arena_derelict", "arena_snakes")
PACKAGES = ("arena", "arena_player", "arena_replays", *GAMES)


def lint_imports(cwd, path=""):
    command = Path(sys.executable).with_name("lint-imports")
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run(
        [command, "--no-cache"], cwd=cwd, capture_output=True, text=True, timeout=120, env=environment
    )


@pytest.mark.process
def test_imports_run_one_way():
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.process
@pytest.mark.parametrize("line", ["import arena.cli.play", "def f():\n    from arena.cli import play\n    return play"])
def test_an_import_that_runs_the_wrong_way_is_found(tmp_path, line):
    for package in ("arena", "arena/cli", "arena/match"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "arena" / "cli" / "play.py").write_text("")
    (tmp_path / "arena" / "match" / "job.py").write_text(line + "\n")
    text = (ROOT / "pyproject.toml").read_text()
    contract = text[text.index("[[tool.importlinter.contracts]]") :].split("\n\n")[0]
    layers = contract.replace('"arena.', '"(arena.').replace('",', ')",').replace(" : arena", ") : (arena")
    (tmp_path / "pyproject.toml").write_text(f'[tool.importlinter]\nroot_package = "arena"\n\n{layers}\n')
    done = lint_imports(tmp_path, str(tmp_path))
    assert done.returncode == 1
    assert "arena.match.job -> arena.cli.play" in done.stdout


def circles(*packages, type_checking=False):
    """Return the groups of modules that import each other, also inside of functions.

    Args:
        packages: The packages.
        type_checking: Count imports that only type checkers see, too.
    """
    found = grimp.build_graph(*packages, exclude_type_checking_imports=not type_checking, cache_dir=None)
    graph = networkx.DiGraph(
        (module, imported) for module in found.modules for imported in found.find_modules_directly_imported_by(module)
    )
    return [group for group in networkx.strongly_connected_components(graph) if len(group) > 1]


@pytest.mark.parametrize("game", GAMES)
def test_no_modules_of_a_game_know_each_other(game):
    assert circles(game, type_checking=True) == []


def test_no_modules_know_each_other():
    assert circles("arena", "arena_replays", type_checking=True) == []


def test_no_modules_of_the_kit_import_each_other():
    """For type checkers only, an object knows its world and an AI its session: editors follow these attributes."""
    assert circles("arena_player") == []


@pytest.mark.parametrize("line", ["import circling.two", "if TYPE_CHECKING:\n    from circling.two import f"])
def test_a_circle_is_found(tmp_path, monkeypatch, line):
    package = tmp_path / "circling"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text(f"from typing import TYPE_CHECKING\n{line}\n")
    (package / "two.py").write_text("def f():\n    from circling import one\n    return one\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert circles("circling", type_checking=True) == [{"circling.one", "circling.two"}]
    assert bool(circles("circling")) == ("TYPE_CHECKING" not in line)


def test_extras_use_public_names_only():
    private = set()
    for script in (ROOT / "extras").glob("*/arena_*/**/*.py"):
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("arena."):
                public = importlib.import_module(node.module).__all__
                private |= {f"{node.module}.{alias.name}" for alias in node.names if alias.name not in public}
    assert private == set()


def test_what_extras_use_is_documented_and_listed():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = (contract for contract in contracts if contract["id"] == "extras")
    modules = {line.partition(" -> ")[2] for line in contract["ignore_imports"]}
    page = (ROOT / "docs" / "other-distributions.md").read_text(encoding="utf-8")
    listed = (ROOT / "tests" / "api" / "arena-referee.txt").read_text()
    assert [module for module in sorted(modules) if f"`{module}`" not in page] == []
    assert [module for module in sorted(modules) if f"{module}." not in listed] == []


VIEWER = ROOT / "replays" / "arena_replays" / "viewer"
SHARED = ROOT / "arena" / "pages" / "scripts"
PAGES = [*(ROOT / "arena" / "web" / page for page in ("editor", "playing", "contests")), SHARED]
RENDERERS = sorted((ROOT / "games").glob("*/arena_*/viewer"))
NAMED = MODULES | {"arena/main": MAIN, "arena/renderer": DEFAULT_RENDERER}
IMPORT = re.compile(r'\b(?:from|import) ?\(?"([^"]+)"')


def script_circles(folder, names):
    """Return the groups of JavaScript modules that import each other, also if only their comments import types.

    Args:
        folder: Where the modules are.
        names: The files of the modules that have a bare name, by name.
    """
    graph = networkx.DiGraph()
    scripts = [script for script in folder.rglob("*.js") if script.parent.name != "vendor"]
    assert scripts
    for script in scripts:
        for name in IMPORT.findall(script.read_text(encoding="utf-8")):
            relative = script.parent / name if name.startswith(".") else None
            if name.startswith("../scripts/"):  # a server has them beside the folder of each page
                relative = SHARED / Path(name).name
            imported = relative.resolve() if relative else names[name]
            assert imported.is_file(), f"{script} imports {name}"
            graph.add_edge(script, imported)
    groups = [group for group in networkx.strongly_connected_components(graph) if len(group) > 1]
    return [{script.name for script in group} for group in groups]


@pytest.mark.parametrize("folder", [VIEWER, *PAGES, *RENDERERS], ids=lambda folder: str(folder.relative_to(ROOT)))
def test_no_scripts_of_a_page_know_each_other(folder):
    assert script_circles(folder, {name: VIEWER / file for name, file in NAMED.items()}) == []


@pytest.mark.parametrize(
    "line",
    [
        'import { two } from "arena/two";',
        'import {\n  two,\n} from "./two.js";',
        '/** @param {import("arena/two").Two} two */',
        'const { two } = await import("./two.js");',
    ],
)
def test_a_circle_of_scripts_is_found(tmp_path, line):
    one, two = tmp_path / "one.js", tmp_path / "two.js"
    one.write_text(f"{line}\n")
    two.write_text('/** @typedef {import("arena/one").One} One */\n')
    names = {"arena/one": one, "arena/two": two}
    assert script_circles(tmp_path, names) == [{"one.js", "two.js"}]
    two.write_text("")
    assert script_circles(tmp_path, names) == []


def test_a_class_name_means_one_thing():
    """A reader need not look at the imports to know which class a line means."""
    homes: dict[str, list[str]] = {}
    for path in sorted((ROOT / "arena").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_modules_in_texts_exist():
    """A docstring or comment that names a module of Arena leads somewhere."""
    named = re.compile(r"(?<!`)`(arena(?:\.[a-z_]+)+)")  # groups of entry points have two backticks
    lost = {}
    for path in sorted((ROOT / "arena").rglob("*.py")):
        for name in named.findall(path.read_text(encoding="utf-8")):
            parts = name.split(".")
            homes = [ROOT.joinpath(*parts[:depth]) for depth in (len(parts), len(parts) - 1)]
            if not any(home.is_dir() or home.with_suffix(".py").is_file() for home in homes if home != ROOT / "arena"):
                lost.setdefault(name, str(path.relative_to(ROOT)))
    assert lost == {}
