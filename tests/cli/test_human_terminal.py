"""``human:terminal``: whole matches of every game through a pipe, and each command once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def play(folder: Path, lines: str, *words: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``arena play`` with lines on its standard input."""
    program = "import sys; from arena.__main__ import main; sys.argv[0] = 'arena'; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "play", *words, "--seed", "1"],
        input=lines,
        env=os.environ | {"PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize(
    ("game", "others"),
    [
        ("saloon", ["builtin:rowdy", "-o", "max_turns=12"]),
        ("laser_flag", ["builtin:rookie", "--no-swap"]),
        ("derelict", ["builtin:castaway", "--no-swap", "-o", "turn_limit=2"]),
        ("snakes", ["builtin:hatchling", "builtin:hatchling", "-o", "size=7"]),
    ],
)
def test_a_match_of_each_game_is_played_through_a_pipe(tmp_path: Path, game: str, others: list[str]) -> None:
    # A file from Windows that is piped begins with a byte order mark.
    done = play(tmp_path, "\ufeff" + "1\n" * 3000, game, "human:terminal", *others, "--json", "--replay", "m.arena")
    result = json.loads(done.stdout)
    assert {player["ending"] for player in result["players"]} <= {"won", "lost", "drawn"}
    assert result["actions"] > 3
    assert result["players"][0]["isolation"]["level"] == 0
    assert "Legal actions:" in done.stderr
    assert "is no command here" not in done.stderr
    verified = subprocess.run([sys.executable, "-m", "arena", "replay", "verify", "m.arena"], cwd=tmp_path, timeout=60)
    assert verified.returncode == 0


@pytest.mark.parametrize("name", ["kuhn_poker", "liars_dice", "lowest_bid"])
def test_games_of_other_authors_need_no_code(tmp_path: Path, name: str) -> None:
    site = tmp_path / "site"
    (site / "game-1.dist-info").mkdir(parents=True)
    (site / "game-1.dist-info" / "entry_points.txt").write_text(f"[arena.games]\n{name} = installed:GAME\n")
    (site / f"{name}_game.py").write_text((EXAMPLES / f"{name}_game.py").read_text())
    (site / "installed.py").write_text(f"from {name}_game import spec\nGAME = spec()\n")
    people = ["human:terminal"] * (4 if name == "lowest_bid" else 2)
    done = play(tmp_path, "1\n" * 3000, name, *people, "--json", "--replay", "none", path=str(site))
    result = json.loads(done.stdout)
    assert {player["ending"] for player in result["players"]} <= {"won", "lost", "drawn"}
    assert [player["name"] for player in result["players"]][:2] == ["human (1)", "human (2)"]


def test_the_commands_and_what_the_opponent_did(tmp_path: Path) -> None:
    lines = [
        "help",
        "nonsense",
        "9" * 5000,
        "list sharp",
        "show g0",
        '{"type": "move", "cowboy": "c9", "x": 1, "y": 1}',
        '{"type": ',
        '{"no": "type"}',
        "2",
        "end",
        "show",
        "resign",
    ]
    done = play(tmp_path, "\n".join(lines), "saloon", "human:terminal", "builtin:pianist", "--replay", "none")
    text = done.stdout
    assert done.returncode == 0
    assert "YoungGun.call_in: Call a cowboy in, once per turn." in text
    assert "'nonsense' is no command here. Type a number from 1 to 4, or help." in text
    assert "  g0 call_in: 2 Sharpshooter\n" in text
    assert "g0 is of the class YoungGun." in text
    assert "Refused, " in text
    assert "This is not JSON." in text
    assert "This action cannot be sent" in text
    assert "c1 (Cowboy) is new: owner 0, job Sharpshooter" in text
    assert "== Turn 3: player 0, it is your move. ==" in text
    assert "c2 (Cowboy) is new: owner 1" in text  # what the opponent did
    assert "human resigned: gave the match up" in text
    assert "sandbox" not in done.stderr  # a person needs none


def test_the_end_of_the_input_resigns(tmp_path: Path) -> None:
    done = play(tmp_path, "1\n", "saloon", "builtin:rowdy", "human:terminal", "--replay", "none", "--json")
    result = json.loads(done.stdout)
    assert [player["ending"] for player in result["players"]] == ["won", "resigned"]


def test_people_have_no_clock_unless_one_is_given(tmp_path: Path) -> None:
    words = ("saloon", "human:terminal", "builtin:rowdy", "--replay", "none", "-o", "max_turns=2")
    assert "You have" not in play(tmp_path, "1\n" * 9, *words).stdout
    (tmp_path / "settings.toml").write_text("[human_clock]\nbank = 90\n")
    assert "You have 90 s." in play(tmp_path, "1\n" * 9, *words, "--settings", "settings.toml").stdout


def test_a_remote_seat_needs_a_ticket(tmp_path: Path) -> None:
    done = play(tmp_path, "", "saloon", "remote", "builtin:rowdy")
    assert done.returncode == 2
    assert "A remote bot needs --listen: arena play" in done.stderr
