"""Twelve bots, some of them hostile, from `init` to the final page: Swiss into double elimination, over Saloon."""

import json
import re
import subprocess

import pytest
from contest_commands import contest as run_contest

from arena.bots.builtin import module_source
from arena.match.lookup import find_game

CLASS = """
import os, sys, time
from saloon import AI
{before}
class Bot(AI):
    turns = 0
    def run_turn(self):
        self.turns += 1
        {turn}
"""
HOSTILE = {
    "breaks-at-once": ("raise RuntimeError('no idea')", "pass"),
    "exits-at-once": ("sys.exit(0)", "pass"),
    "crashes-later": ("", "1 / (5 - self.turns)"),
    "hangs": ("", "time.sleep(3600) if self.turns == 3 else None"),
    "spins": ("", "while self.turns == 4: pass"),
    "cheats": ("", "[self.act({'type': 'move', 'cowboy': 'nobody', 'x': -1, 'y': 'z'}) for _ in range(9999)]"),
    "leaves": ("", "os._exit(3) if self.turns == 2 else None"),
    "writes": ("", "open('/bot/main.py', 'a').write('me') if self.turns == 2 else None"),
}


def contest(*words, cwd, code=0):
    done = run_contest(*words, cwd=cwd)
    assert done.returncode == code, (done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def write_bots(folder):
    for name, (before, turn) in HOSTILE.items():
        bot = folder / name
        bot.mkdir(parents=True)
        (bot / "main.py").write_text(CLASS.format(before=before, turn=turn))
        (bot / "saloon.py").write_text(module_source(find_game("saloon")))
    (folder / "cannot-be-read.py").write_text("def broken(:\n")


pytestmark = [pytest.mark.slow, pytest.mark.sandbox]


BUILT_IN = ("rowdy-1", "pianist-1", "sheriff-1", "sheriff-2")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saloon")
    write_bots(folder / "bots")
    contest("init", "saloon", "bots", cwd=folder)
    path = folder / "contest.toml"
    text = path.read_text()
    text = re.sub(r"(?m)^(startup|bank|increment|turn) = .*\n", "", text)
    text = text.replace("[clock] ", "[clock]\nstartup = 3\nbank = 2\nturn = 0.5\n# ")
    text = text.replace("suspend_after = 5", 'seed = "sixteen"\nsuspend_after = 2')
    text = text.replace("rounds = 5", "rounds = 2").replace("advance = 8", "advance = 3")
    text += "[options]\nmax_turns = 60\n"
    for own in BUILT_IN:
        text += f'\n[[bots]]\npath = "builtin:{own[:-2]}"\nname = "{own}"\n'
    path.write_text(text)
    return folder, contest("run", cwd=folder)


@pytest.mark.kill  # `test_commands.py` leaves one out
def test_who_cannot_start_is_named_and_left_out(place):
    _, output = place
    assert re.search(r"out\s+.*cannot-be-read\.py.*line 1", output)
    assert re.search(r"out\s+breaks-at-once: does not start.*no idea", output)
    assert re.search(r"out\s+exits-at-once: does not start", output)
    assert re.search(r"ok\s+sheriff-1: plays", output)


def test_honest_bots_are_ahead_and_hostile_ones_are_named(place):
    folder, output = place
    assert "The contest is over." in output
    document = json.loads(contest("standings", "--all", "--format", "json", cwd=folder))
    assert document["contest"][0]["finished"]
    order = [row["name"] for row in document["entrants"]]
    assert len(order) == len(BUILT_IN) + 6
    assert order[0].startswith(("sheriff", "pianist"))
    assert {name.rpartition("-")[0] for name in order[:3]} == {"sheriff", "pianist"}
    behaviour = {row["name"]: row for row in document["behaviour"]}
    # "writes" crashes since its own files are read-only in the sandbox.
    for name, ending in {"crashes-later": "crashed", "leaves": "crashed", "writes": "crashed", "hangs": "timed_out",
                         "spins": "timed_out", "cheats": "refused_too_often"}.items():  # fmt: skip
        assert ending in behaviour[name]["failures"], name
    assert "ZeroDivisionError" in behaviour["crashes-later"]["last_failure"]
    assert {"crashes-later", "leaves"} <= {row["name"] for row in document["entrants"] if row["suspended"]}
    for name, one in behaviour.items():
        if name.startswith(("sheriff", "pianist", "rowdy")):
            assert one["failures"] == "", (name, one)


def test_each_match_can_be_shown_and_its_replay_read(place):
    folder, _ = place
    games = json.loads(contest("matches", "--format", "json", cwd=folder))
    assert len(games) > 20
    crashed = next(g for g in games if any(s["ending"] == "crashed" for s in g["seats"]))
    shown = contest("show", crashed["match_id"][:8], cwd=folder)
    assert "crashed" in shown
    from arena_replays import Reader

    for game in games[::9]:
        reader = Reader(folder / "contest" / game["replay"])
        assert [player["name"] for player in reader.header["players"]] == [seat["name"] for seat in game["seats"]]


def test_it_ends_in_a_page_with_everything(place):
    folder, _ = place
    contest("export", cwd=folder)
    page = (folder / "contest-results" / "index.html").read_text()
    assert "sheriff-1" in page
    assert "Grand final" in page
    kinds = re.findall(r"<script type=\"(\w+)\">", page)
    assert kinds == ["importmap", "module", "module"], "pictures of matches, and paths of the bracket"
    assert page.count("data-still=") == len(set(re.findall(r"data-still=\"([^\"]+)\"", page))) > 20
    links = set(re.findall(r'href="(matches/[0-9a-f]+\.html)"', page))
    assert len(links) > 20
    assert all((folder / "contest-results" / link).exists() for link in links)
    for file in (folder / "contest-results").glob("*.*"):
        assert "ZeroDivisionError" not in file.read_text(), "what a bot said is not for the public"
    contest("export", "--no-replays", "--logs", cwd=folder)
    assert "ZeroDivisionError" in (folder / "contest-results-with-logs" / "index.html").read_text()


def test_nothing_is_left_behind_and_running_it_again_changes_nothing(place):
    folder, _ = place
    before = (folder / "contest" / "journal.db").stat().st_size, contest("standings", cwd=folder)
    assert "The contest is over." in contest("run", cwd=folder)
    assert before == ((folder / "contest" / "journal.db").stat().st_size, contest("standings", cwd=folder))
    assert not list(folder.glob("contest/replays/*/*.tmp.*"))
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(folder / "contest" / "bots") not in running
