"""A contest of twelve snakes, three of them hostile, played through the command line and killed again and again.

Run it as a program: it prints what happened, and leaves both contests and their pages in the folder that it is given.
"""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

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


def arena(folder, *words, check=True):
    """Run a command in a folder, and return what it printed."""
    command = [sys.executable, "-m", "arena", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise SystemExit(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def write(folder, **settings):
    """Write bots, and the file that `init` makes for them, with a fixed seed; `settings` replace values in it."""
    module = module_source(find_game("snakes"))
    for salt, name in enumerate((*PEACEFUL, *FAILURES)):
        text = SOURCE.replace("SALT", str(salt)).replace("FAILURE", FAILURES.get(name, "pass"))
        bot = folder / "bots" / name
        bot.mkdir(parents=True)
        (bot / "main.py").write_text(text, encoding="utf-8")
        (bot / "snakes.py").write_text(module, encoding="utf-8")
    arena(folder, "contest", "init", "snakes", "bots", "builtin:constrictor", "builtin:forager")
    path = folder / "contest.toml"
    text = path.read_text(encoding="utf-8")
    text = text.replace('game = "snakes"', 'game = "snakes"\nseed = "kill"\nid = "kill"', 1)
    for name, value in {"turn": 0.5, "bank": '"none"', **settings}.items():
        line = next(line for line in text.splitlines() if line.startswith(f"{name} = "))
        text = text.replace(line, f"{name} = {value}", 1)
    path.write_text(text, encoding="utf-8")
    assert [stage.format for stage in read_config(text).stages] == ["free_for_all", "elimination_tables"]


def start(folder):
    """Start the organizer."""
    command = [sys.executable, "-m", "arena", "contest", "run"]
    log = (folder / "log").open("a", encoding="utf-8")
    return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)


def results(folder):
    """How many results the journal has."""
    with contextlib.suppress(sqlite3.Error):
        uri = f"file:{folder}/contest/journal.db?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as journal:
            return journal.execute("select count(*) from entries where kind = 'result'").fetchone()[0]
    return 0


def play_with_kills(folder, kills, expected, seed=1):
    """Play the contest, and kill its organizer with SIGKILL at random moments. Return how often it was killed."""
    rng = random.Random(seed)
    done = 0
    process = start(folder)
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
    if process.wait(timeout=900):
        raise SystemExit(f"the organizer ended with {process.returncode}: {(folder / 'log').read_text()[-2000:]}")
    return done


def facts(folder):
    """What must be the same whatever happened: standings to the byte, and the course and endings of each match."""
    matches = json.loads(arena(folder, "contest", "matches", "--json"))
    endings = {one["match_id"]: [seat["ending"] for seat in one["outcome"]["seats"]] for one in matches}
    return arena(folder, "contest", "standings", "--json"), endings


def check(folder, kills, **settings):
    """Play the contest without and with kills. Return the kills, the standings and the endings.

    Raises:
        SystemExit: something is different.
    """
    quiet, loud = folder / "quiet", folder / "loud"
    for one in (quiet, loud):
        write(one, **settings)
    if start(quiet).wait(timeout=900):
        raise SystemExit((quiet / "log").read_text())
    standings, endings = facts(quiet)
    done = play_with_kills(loud, kills, len(endings))
    if facts(loud) != (standings, endings):
        raise SystemExit(f"another result after {done} kills")
    return done, standings, endings


def main(folder, kills):
    """Play, compare, verify, export."""
    began = time.monotonic()
    done, standings, endings = check(folder, kills)
    print(f"{done} kills, {len(endings)} matches, the same {len(standings)} bytes of standings, "
          f"{time.monotonic() - began:.0f} s")  # fmt: skip
    for words in (("verify", "--rules"), ("standings",), ("bracket",), ("export",)):
        print(arena(folder / "loud", "contest", *words))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
