"""The Python that bots run in: started without `site`, with all on its path that `site` would have found."""

from __future__ import annotations

import json
import os
import site
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots.sandbox.visible import visible_python
from arena.match.job import Job, SeatAssignment
from arena.play.referee.match_process import play_in_process

pytestmark = pytest.mark.sandbox

BOT = """
import json, sys, importlib.util
from arena_player import AI

class Bot(AI):
    def run_turn(self):
        known = {name: importlib.util.find_spec(name) is not None for name in %r}
        print(json.dumps({"no_site": sys.flags.no_site, "path": sys.path, "known": known}))
        %s
"""


def played(folder: Path, names: list[str], last: str, **settings: Any) -> tuple[dict[str, Any], str]:
    """Return what a bot sees in its first turn, and how the match ends for it."""
    (folder / "bot.py").write_text(BOT % (names, last))
    seats = (SeatAssignment(str(folder / "bot.py")), SeatAssignment("builtin:rowdy"))
    player = play_in_process(Job("saloon", seats, {"max_turns": 2}, seed=1, **settings)).players[0]
    return json.loads(player.stdout.splitlines()[0]), f"{player.ending}: {player.exit}"


@pytest.mark.parametrize("level", [0, 2])
def test_site_is_left_out_and_nothing_is_missing(tmp_path: Path, level: int) -> None:
    """Packages of the virtual environment, those of the Python below it, our editable ones and the game's."""
    names = ["arena_player", "arena.game", "arena_saloon", "msgpack", "numpy", "pip"]
    seen, ending = played(tmp_path, names, "pass", max_isolation=level, sandbox="auto" if level else "none")
    assert seen["no_site"] == 1
    assert seen["known"] == dict.fromkeys(names, True)
    assert ending.startswith(("won", "lost", "drawn"))
    for folder in filter(os.path.isdir, site.getsitepackages([sys.base_prefix])):
        assert folder in seen["path"]


@pytest.mark.parametrize("call", ["exit(3)", "quit(3)"])
def test_exit_is_there_without_site(tmp_path: Path, call: str) -> None:
    assert played(tmp_path, [], call)[1] == "crashed: exit code 3"


def test_folders_that_pth_files_add_are_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = Path(site.getsitepackages()[0]).resolve() / "msgpack"
    monkeypatch.setattr(sys, "path", [*sys.path, str(below), str(tmp_path)])
    visible_python.cache_clear()
    python = visible_python()
    visible_python.cache_clear()
    assert str(below) in python.inside
    assert str(below) in python.outside
    assert str(tmp_path) not in (*python.inside, *python.outside), "it is not there inside the sandbox"
    assert len(set(python.inside)) == len(python.inside)


@pytest.mark.parametrize("level", [0, 2, 3])
def test_a_bot_in_another_language_has_the_rules_beside_it(tmp_path: Path, level: int) -> None:
    # \x91\x92\xa7to_move\x00 is [["to_move", 0]] in msgpack.
    request = r"printf '\221\222\247to_move\000'"
    service = '"$ARENA_PYTHON" -B -P -s -S -m arena_player.rules'
    (tmp_path / "run.sh").write_text(f"{request} | {service}\n")
    for rules in ("rules = true\n", ""):
        (tmp_path / "bot.toml").write_text('name = "sh"\ncommand = ["sh", "run.sh"]\n' + rules)
        seats = (SeatAssignment(str(tmp_path)), SeatAssignment("builtin:rowdy"))
        options = {"max_isolation": level, "sandbox": "auto" if level else "none"}
        player = play_in_process(Job("saloon", seats, {"max_turns": 2}, seed=1, **options)).players[0]
        assert ("There is no state 0." in player.stdout) is bool(rules), player
