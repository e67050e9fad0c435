"""``human:terminal``: whole matches of every game through a pipe, and each command once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest

from arena.game import GameSpec, load
from arena_player.schema import parse_schema
from arena_replays import info

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


def play_what_is_listed(folder: Path, spec: GameSpec, *words: str, path: str = "") -> str:
    """Play with the first legal action that the terminal lists, as it is written there. Return what it has said."""
    counts = {
        action.name: len(action.parameters)
        for entry in parse_schema(spec.schema()).classes.values()
        for action in entry.actions
    }
    program = "import sys; from arena.__main__ import main; sys.argv[0] = 'arena'; main()"
    command = [sys.executable, "-c", program, "play", *words, "--seed", "1", "--replay", "m.arena"]
    said = b"\xef\xbb\xbf"  # a file from Windows that is piped begins with a byte order mark
    with subprocess.Popen(
        command, stdin=PIPE, stdout=PIPE, stderr=STDOUT, cwd=folder, env=os.environ | {"PYTHONPATH": path}
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        text = ""
        answered = 0
        while data := os.read(process.stdout.fileno(), 65_536):
            text += data.decode()
            for prompt in list(re.finditer(r"player \d+> ", text))[answered:]:
                listed = text[: prompt.start()].rpartition("Legal actions:\n")[2].splitlines()[0].split()
                place = next(index for index, word in enumerate(listed) if word in counts)
                values = listed[place + 1 : place + 1 + counts[listed[place]]]
                chosen = [value.partition("|")[0].partition("..")[0] for value in values]
                process.stdin.write(said + " ".join([*listed[: place + 1], *chosen]).encode() + b"\n")
                said, answered = b"", answered + 1
            process.stdin.flush()
    assert process.returncode == 0, text
    return text


@pytest.mark.parametrize(
    ("game", "others"),
    [
        ("saloon", ["builtin:rowdy", "-o", "max_turns=12"]),
        ("laser_flag", ["builtin:rookie", "--no-swap"]),
        ("derelict", ["builtin:castaway", "--no-swap", "-o", "turn_limit=2"]),
        ("snakes", ["builtin:hatchling", "builtin:hatchling", "-o", "size=7"]),
    ],
)
def test_a_match_of_each_game_is_played_with_the_words_that_are_listed(
    tmp_path: Path, game: str, others: list[str]
) -> None:
    text = play_what_is_listed(tmp_path, load(game), game, "human:terminal", *others)
    document = info(tmp_path / "m.arena")
    assert {player["ending"] for player in document["players"]} <= {"won", "lost", "drawn"}
    assert document["actions"] > 3
    assert document["refusals"] == 0
    assert "Legal and nearest" not in text
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
    play_what_is_listed(tmp_path, import_module(f"{name}_game").spec(), name, *people, path=str(site))
    document = info(tmp_path / "m.arena")
    assert {player["ending"] for player in document["players"]} <= {"won", "lost", "drawn"}
    assert document["refusals"] == 0
    assert [player["name"] for player in document["players"]][:2] == ["human (1)", "human (2)"]


def test_the_commands_and_what_the_opponent_did(tmp_path: Path) -> None:
    lines = [
        "help",
        "nonsense",
        "9" * 5000,
        "list sharp",
        "show g0",
        '{"type": "move", "cowboy": "c9", "x": 1, "y": 1}',
        '{"type": ',
        "I call in a Sharpshooter; c1 move 2,1",
        "end turn",
        "show",
        "resign",
    ]
    done = play(tmp_path, "\n".join(lines), "saloon", "human:terminal", "builtin:pianist", "--replay", "none")
    text = done.stdout
    assert done.returncode == 0
    assert "  > YOUNG_GUN call_in Sharpshooter|Bartender|Brawler: Call a cowboy in, once per turn.\n" in text
    assert text.count("The answer names no action: one of end_turn, call_in. Legal and nearest: ") == 2
    assert f'"{"9" * 40}" does not fit. Legal and nearest: ' in text
    assert "  g0 call_in Sharpshooter\n" in text
    assert "g0 YoungGun: " in text
    assert "c9 move 1,1 is not legal now. Legal and nearest: " in text
    assert "Refused, " in text
    assert "new c1 Cowboy: @2,1, owner 0, job Sharpshooter" in text
    assert "== Turn 3: player 0, it is your move. ==" in text
    assert "new c2 Cowboy: @20,10, owner 1" in text  # what the opponent did
    assert "human resigned: gave the match up" in text
    assert "sandbox" not in done.stderr  # a person needs none


def test_the_end_of_the_input_resigns(tmp_path: Path) -> None:
    done = play(tmp_path, "end turn\n", "saloon", "builtin:rowdy", "human:terminal", "--replay", "none", "--json")
    result = json.loads(done.stdout)
    assert [player["ending"] for player in result["players"]] == ["won", "resigned"]


def test_people_have_no_clock_unless_one_is_given(tmp_path: Path) -> None:
    words = ("saloon", "human:terminal", "builtin:rowdy", "--replay", "none", "-o", "max_turns=2")
    assert "You have" not in play(tmp_path, "end turn\n" * 9, *words).stdout
    (tmp_path / "settings.toml").write_text("[human_clock]\nbank = 90\n")
    assert "You have 90 s." in play(tmp_path, "end turn\n" * 9, *words, "--settings", "settings.toml").stdout


def test_a_remote_seat_needs_a_ticket(tmp_path: Path) -> None:
    done = play(tmp_path, "", "saloon", "remote", "builtin:rowdy")
    assert done.returncode == 2
    assert "A remote bot needs --listen: arena play" in done.stderr
