"""What the editor's sources must not contain."""

from __future__ import annotations

from pathlib import Path

import arena_replays

EDITOR = Path(arena_replays.__file__).parent / "editor"


def test_text_never_becomes_markup() -> None:
    for module in EDITOR.glob("*.js"):
        source = module.read_text()
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert way not in source, f"{module.name}: {way}"


def test_the_shell_knows_no_game() -> None:
    words = ("laser", "derelict", "saloon", "marine", "alien", "grunt", "sniper")
    for module in EDITOR.glob("*.*"):
        assert not [word for word in words if word in module.read_text().lower()], module.name
