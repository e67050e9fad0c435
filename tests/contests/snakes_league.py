"""A contest of twelve snakes, three of them hostile, played through the command line and killed again and again."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import time

from contest_commands import ARENA, contest

from arena.bots.game_files import module_source
from arena.contests.config import read_config
from arena.match.lookup import find_game

SOURCE = """
from random import Random
from snakes import AI

class Bot(AI):
    def start(self):
        self.random = Random(f"{self.index} {self.snake.head} SALT")

    def run_turn(self):
        FAILURE
        moves = self.snake.safe_moves
        self.snake.move(self.random.choice(moves) if moves else "up")
"""
FAILURES = {
    "crasher": "if self.turn == 5: raise RuntimeError('lost my way')",
    "spinner": "while self.turn == 9: pass",
    "babbler": "if self.turn == 7: self._session.link.send({'type': 'ready', 'seq': 0})",
}
PEACEFUL = ("ann", "bob", "cid", "dee", "eve", "fay", "gus")


def write(folder):
    """Write bots, and the file that `init` makes for them, with a fixed seed."""
    module = module_source(find_game("snakes"))
    for salt, name in enumerate((*PEACEFUL, *FAILURES)):
        text = SOURCE.replace("SALT", str(salt)).replace("FAILURE", FAILURES.get(name, "pass"))
        bot = folder / "bots" / name
        bot.mkdir(parents=True)
        (bot / "main.py").write_text(text, encoding="utf-8")
        (bot / "snakes.py").write_text(module, encoding="utf-8")
    done = contest("init", "snakes", "bots", "builtin:constrictor", "builtin:forager", cwd=folder)
    assert done.returncode == 0, done.stderr
    path = folder / "contest.toml"
    text = path.read_text(encoding="utf-8").replace('game = "snakes"', 'game = "snakes"\nseed = "kill"\nid = "kill"', 1)
    for name, value in {"turn": 0.5, "bank": '"none"'}.items():
        line = next(line for line in text.splitlines() if line.startswith(f"{name} = "))
        text = text.replace(line, f"{name} = {value}", 1)
    path.write_text(text, encoding="utf-8")
    assert [stage.format for stage in read_config(text).stages] == ["free_for_all", "elimination_tables"]


def start(folder):
    with (folder / "log").open("a", encoding="utf-8") as log:
        return subprocess.Popen([ARENA, "contest", "run"], cwd=folder, stdout=log, stderr=log)


def results(folder):
    """How many results the journal has."""
    with contextlib.suppress(sqlite3.Error):
        uri = f"file:{folder}/contest/journal.db?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as journal:
            return journal.execute("select count(*) from entries where kind = 'result'").fetchone()[0]
    return 0


def play_with_kills(folder, kills, expected):
    """Play the contest, and kill its process with SIGKILL at random moments. Return how often it was killed."""
    rng, done, process = random.Random(1), 0, start(folder)
    for number in range(kills):
        due = expected * number // (kills + 1)
        while process.poll() is None and results(folder) < due:
            time.sleep(0.02)
        time.sleep(rng.random() * 1.5)
        if process.poll() is not None:
            break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        done += 1
        process = start(folder)
    assert process.wait(timeout=900) == 0, (folder / "log").read_text()[-2000:]
    return done


def facts(folder):
    """What must be the same whatever happened: standings to the byte, and the endings of each match."""
    matches = json.loads(contest("matches", "--json", cwd=folder).stdout)
    endings = {one["match_id"]: [seat["ending"] for seat in one["seats"]] for one in matches}
    return contest("standings", "--json", cwd=folder).stdout, endings


def check(folder, kills):
    """Play the contest without and with kills, and compare. Return the kills, the standings and the endings."""
    quiet, loud = folder / "quiet", folder / "loud"
    for one in (quiet, loud):
        write(one)
    assert start(quiet).wait(timeout=900) == 0, (quiet / "log").read_text()
    standings, endings = facts(quiet)
    done = play_with_kills(loud, kills, len(endings))
    assert facts(loud) == (standings, endings)
    return done, standings, endings
