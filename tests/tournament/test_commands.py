"""The commands as an organizer meets them, mistakes first."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import arena_saloon
from arena.bots.orphans import descendants
from arena.tournament.league import scratch_folder

ARENA = str(Path(sys.executable).with_name("arena"))
LEAGUE = """
[tournament]
name = "Short"
game = "saloon"
isolation = "none"
[options]
max_turns = 20
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "builtin:pianist"
[[bots]]
path = "builtin:sheriff"
[[stages]]
format = "round_robin"
rounds = 3
"""


def arena(*words, cwd):
    return subprocess.run(
        [ARENA, "tournament", *words], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


def refused(done, code, sentence):
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "league.toml").write_text(LEAGUE)
    return tmp_path


def test_mistakes_before_there_is_a_tournament(tmp_path):
    refused(arena("run", cwd=tmp_path), 2, "There is no league.toml")
    refused(arena("standings", cwd=tmp_path), 2, "There is no tournament in league")
    refused(arena("init", "salon", "x", cwd=tmp_path), 3, "there is no game salon")
    refused(arena("run", "--engine", "dask", cwd=tmp_path), 2, "belong together")
    assert arena("init", "saloon", "builtin:rowdy", cwd=tmp_path).returncode == 0
    refused(arena("init", "saloon", "builtin:rowdy", cwd=tmp_path), 2, "is there already")
    refused(arena("run", cwd=tmp_path), 2, "A tournament needs two bots at least, and there is one.")
    refused(arena("init", "saloon", "x", "--file", "nowhere/x.toml", cwd=tmp_path), 6, "cannot be used")


@pytest.mark.parametrize(
    ("change", "code", "sentence"),
    [
        (("saloon", "salon"), 3, "there is no game salon; did you mean saloon?"),
        (("max_turns = 20", "max_turns = 0"), 4, "max_turns"),
        (("round_robin", "robin"), 2, "league.toml:15: stages[0].format must be one of round_robin"),
        (("builtin:sheriff", "builtin:marshal"), 0, "has no bot builtin:marshal"),
        (('isolation = "none"', 'isolation = "none"\nbroken_bots = "refuse"\n#builtin'), 0, ""),
        (("rounds = 3", "rounds = 3\nchampions = ['x']"), 2, "stages[0].champions is not known here"),
    ],
)
def test_mistakes_in_the_file(folder, change, code, sentence):
    (folder / "league.toml").write_text(LEAGUE.replace(*change))
    done = arena("check", cwd=folder)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert sentence in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_check_run_and_look(folder):
    checked = arena("check", cwd=folder)
    assert checked.returncode == 0, checked.stderr
    assert "3 bots are ready" in checked.stdout
    assert not (folder / "league" / "journal.db").exists()
    first = arena("run", "--limit", "5", cwd=folder)
    assert first.returncode == 0, first.stderr
    assert "The tournament is not over yet." in first.stdout
    second = arena("run", "--plain", cwd=folder)
    assert "Going on after 5 results." in second.stdout
    assert "plays" not in second.stdout.split("Going on")[0], "bots are tried before the first match only"
    assert "The tournament is over." in second.stdout
    games = json.loads(arena("matches", "--format", "json", cwd=folder).stdout)
    assert len(games) == 18
    assert (
        len(json.loads(arena("matches", "--format", "json", "--bot", "rowdy", "--last", "4", cwd=folder).stdout)) == 4
    )
    assert json.loads(arena("matches", "--format", "json", "--ending", "crashed", cwd=folder).stdout) == []
    for form, sign in (("csv", "#,Name,Points"), ("markdown", "| --: | :-- |"), ("table", "round_robin")):
        assert sign in arena("standings", "--format", form, cwd=folder).stdout
        assert arena("bracket", "--format", form, cwd=folder).returncode == 0
        assert arena("matches", "--format", form, cwd=folder).returncode == 0
    assert len(json.loads(arena("bracket", "--format", "json", cwd=folder).stdout)["round_robin"]) == 9
    shown = arena("show", games[3]["match_id"][:10], cwd=folder)
    assert games[3]["match_id"] in shown.stdout
    assert "Replay: league/replays/" in shown.stdout
    refused(arena("show", "zzzz", cwd=folder), 2, "There is no match zzzz")
    refused(arena("show", "", cwd=folder), 2, "There is no match")


def test_the_display_in_a_terminal(folder):
    import pty

    parent, child = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    process = subprocess.Popen([ARENA, "tournament", "run"], cwd=folder, stdout=child, stderr=child, env=environment)
    os.close(child)
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(parent, 65536):
            shown += piece
    os.close(parent)
    assert process.wait(60) == 0, shown.decode()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"\d+ matches done, about \d+ left, \d+ a minute, over at about \d\d:\d\d", text)
    assert "now: " in text
    assert "wins" in text
    assert "The tournament is over." in text
    assert "Traceback" not in text


def test_ctrl_c_finishes_and_the_next_run_goes_on(folder):
    (folder / "league.toml").write_text(LEAGUE.replace("rounds = 3", "rounds = 300"))
    process = subprocess.Popen(
        [ARENA, "tournament", "run", "--plain", "--no-check"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for _ in range(3):
        process.stdout.readline()
    refused(arena("run", cwd=folder), 15, "is running the tournament")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Stopping after" in out
    games = json.loads(arena("matches", "--format", "json", cwd=folder).stdout)
    assert len(games) >= 3
    for game in games:
        assert (folder / "league" / game["outcome"]["replay"]).is_file()
    assert not list(folder.glob("league/replays/*/*.tmp.*"))
    done = arena("run", "--plain", "--limit", "2", cwd=folder)
    assert f"Going on after {len(games)} results." in done.stdout


@pytest.fixture
def sleepers(tmp_path):
    """A running tournament whose first match sleeps, and everything that it has started."""
    bot = tmp_path / "sleeper"
    bot.mkdir()
    shutil.copy(Path(arena_saloon.__file__).parent / "bots" / "saloon.py", bot / "saloon.py")
    (bot / "main.py").write_text(
        "import time\nfrom saloon import AI\nclass S(AI):\n    def run_turn(self):\n        time.sleep(30)\n"
    )
    text = LEAGUE.replace("builtin:rowdy", "sleeper")
    (tmp_path / "league.toml").write_text(text.replace("[options]", '[clock]\nbank = "none"\nturn = 60\n[options]'))
    process = subprocess.Popen(
        [ARENA, "tournament", "run", "--plain", "--no-check"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not list(tmp_path.glob("league/replays/*/*.tmp.*")):
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(1.0)
    family = set(descendants(process.pid)) - {process.pid}
    assert len(family) >= 3, "a match process, and the programs of two bots"
    yield process, family
    process.kill()
    process.communicate()


def gone(family, seconds=10.0):
    end = time.monotonic() + seconds
    while alive := [pid for pid in family if is_alive(pid)]:
        assert time.monotonic() < end, alive
        time.sleep(0.05)
    return True


def test_a_second_ctrl_c_stops_at_once_and_takes_the_bots_away(sleepers):
    process, family = sleepers
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 20.0
    assert process.returncode == 130, (out, err)
    assert "Stopping at once." in out
    assert gone(family)


def test_nothing_outlives_a_killed_organizer(sleepers, tmp_path):
    process, family = sleepers
    process.kill()
    process.wait()
    assert gone(family)
    refused(arena("show", "no-such-match", cwd=tmp_path), 2, "There is no match")
    scratch = scratch_folder(tmp_path / "league")
    assert list(scratch.iterdir()), "a killed match leaves its temporary folder behind"
    (tmp_path / "league.toml").write_text(LEAGUE)
    assert arena("run", "--no-check", "--amend", "--limit", "1", cwd=tmp_path).returncode == 0
    assert list(scratch.iterdir()) == []
    assert not list(tmp_path.glob("league/replays/*/*.tmp.*"))


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_unrated_oversubscription_needs_to_be_asked_for(folder):
    refused(arena("run", "--at-once", "64", cwd=folder), 2, "would take time from each other")
    assert arena("run", "--at-once", "4", "--unrated", "--no-check", "--limit", "6", cwd=folder).returncode == 0
