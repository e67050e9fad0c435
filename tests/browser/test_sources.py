"""What the sources of viewer and editor must not contain, and how large they may be."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import arena.web
import arena_replays
from arena_replays.page import APART, MODULES, asset

HERE = Path(arena_replays.__file__).parent
SHELL = sorted((HERE / "viewer").glob("*.js"))
WHAT_IF = sorted((HERE / "viewer" / "what_if").glob("*.js"))
DRAWING = sorted((HERE / "viewer" / "drawing").glob("*.js"))
MODEL = sorted((HERE / "viewer" / "model").glob("*.js"))
READING = sorted((HERE / "viewer" / "reading").glob("*.js"))
SHARE = sorted((HERE / "viewer" / "share").glob("*.js"))
EDITOR = sorted((Path(arena.web.__file__).parent / "editor").glob("*.js"))
PLAYING = sorted((Path(arena.web.__file__).parent / "playing").glob("*.js"))
SHOW = sorted((Path(__file__).parents[2] / "extras" / "show" / "arena_show" / "static").glob("*.js"))
RENDERERS = sorted((Path(__file__).parents[2] / "games").glob("*/arena_*/viewer/*.js"))
GAMES = ("laser", "derelict", "saloon", "marine", "alien", "grunt", "sniper", "cowboy", "piano")


@pytest.mark.parametrize(
    "module",
    [*SHELL, *WHAT_IF, *DRAWING, *MODEL, *READING, *SHARE, *EDITOR, *PLAYING, *SHOW],
    ids=lambda module: f"{module.parent.name}/{module.name}",
)
def test_text_never_becomes_markup(module: Path) -> None:
    source = module.read_text()
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert way not in source, way


@pytest.mark.parametrize(
    "module",
    [*SHELL, *WHAT_IF, *DRAWING, *MODEL, *READING, *SHARE, *EDITOR, *PLAYING, *SHOW],
    ids=lambda module: f"{module.parent.name}/{module.name}",
)
def test_the_shell_knows_no_game(module: Path) -> None:
    source = module.read_text().lower()
    assert [word for word in GAMES if word in source] == []


def test_modules_that_are_served_as_one_share_no_name() -> None:
    sources = [asset(file) for name, file in MODULES.items() if name not in APART]
    declared = re.compile(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", re.MULTILINE)
    names = [name for source in sources for name in declared.findall(source)]
    assert {"App", "turnPlace"} <= set(names)
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_the_shell_stays_small() -> None:
    lines = [sum(len(module.read_text().splitlines()) for module in room) for room in (SHELL, MODEL)]
    assert lines[0] <= 4290
    assert lines[1] <= 725


@pytest.mark.parametrize("module", MODEL, ids=lambda module: module.name)
def test_the_model_does_not_draw(module: Path) -> None:
    source = module.read_text()
    for way in ("document", "querySelector", "createElement", " el("):
        assert way not in source, way


@pytest.mark.parametrize("module", RENDERERS, ids=lambda module: f"{module.parents[1].name}/{module.name}")
def test_the_modules_of_a_renderer_stay_small(module: Path) -> None:
    assert len(module.read_text().splitlines()) <= 280
