"""The losses of one bot in a contest that was really played, explained together."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.bots.builtin import module_source
from arena.cli import cli
from arena.errors import ExitCode
from arena.match.lookup import find_game
from arena.study.coach.stored import save, stored

CONFIG = """
[contest]
name = "Small league"
game = "saloon"
isolation = "none"
seed = "1"
suspend_after = 0

[options]
width = 12
height = 8
max_turns = 40

[[bots]]
path = "bots"
many = true

[[stages]]
name = "all"
format = "round_robin"
games = 4
"""
CRASHES_AS_SECOND = """
from arena_player import AI
class Bot(AI):
    def run_turn(self):
        if self.index and self.turn > 8:
            raise RuntimeError("no idea")
"""

pytestmark = [pytest.mark.process, pytest.mark.slow]


def arena(*words: object) -> str:
    run = CliRunner().invoke(cli, [str(word) for word in words])
    assert run.exit_code == 0, run.output
    return run.stdout


def test_the_losses_in_a_league_are_grouped_by_their_causes(tmp_path: Path) -> None:
    game = find_game("saloon")
    pianist = next(bot.path for bot in game.bots if bot.name == "pianist")
    sources = {"mine": CRASHES_AS_SECOND, "pianist": pianist.read_text(encoding="utf-8")}
    for name, source in sources.items():
        folder = tmp_path / "bots" / name
        folder.mkdir(parents=True)
        (folder / "main.py").write_text(source, encoding="utf-8")
        (folder / "saloon.py").write_text(module_source(game), encoding="utf-8")
    league = tmp_path / "contest.toml"
    league.write_text(CONFIG, encoding="utf-8")
    arena("contest", "run", league)
    page = tmp_path / "losses.html"
    call = ["explain", "losses", league, "--bot", "mine", "--budget", 2]
    found = json.loads(arena(*call, "--html", page, "--json"))
    assert (found["bot"], found["matches"], found["losses"]) == ("mine", 4, 4)
    assert found["by_cause"]["crashed"] == 2
    assert sum(found["by_cause"].values()) == 4
    assert found["by_opponent"] == {"pianist": 4}
    assert sum(found["by_phase"].values()) == 4
    for loss in found["each"]:
        assert Path(loss["replay"]).exists()
        assert 1 <= loss["turn"] <= loss["turns"]
    assert {loss["turn"] for loss in found["each"] if loss["cause"] == "crashed"} == {10}
    text = arena(*call)
    assert "mine lost 4 of 4 matches" in text
    assert all(f"{loss['replay']}@{loss['turn']}" in text for loss in found["each"])
    html = page.read_text(encoding="utf-8")
    assert html.count("<pre>") == 2, "a match that was lost by a crash has no explanation"
    assert "Lost (" in html


def test_a_long_explanation_says_how_far_it_is_and_keeps_what_it_has_after_ctrl_c(
    explained_replay: Path, tmp_path: Path
) -> None:
    """The first match is explained already. The second one takes long: the budget is two hours."""
    shutil.copy(explained_replay, tmp_path / "suicide2.arena")
    save(stored(explained_replay) | {"budget": 7200.0, "player": 0}, explained_replay)
    source = "from arena.cli import output; output.Progress.EVERY = 0.5; from arena.__main__ import main; main()"
    words = ["explain", "losses", str(tmp_path), "--bot", "Suicide", "--budget", "7200"]
    command = [sys.executable, "-c", source, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        while not re.search(r"\d+ playouts, [\d.]+ a second \(match 2 of 2, 3600 s each: \d+% of the", said):
            line = process.stderr.readline()
            assert line, said
            said += line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == ExitCode.INTERRUPTED, err
    assert "Interrupted: 1 of 2 matches are explained." in err
    assert "Suicide lost 2 of 2 matches" in out
