"""Play a match of each game, and explain one of them, where all is missing that a browser's Python lacks.

Called by test_anywhere.py:
python anywhere.py FOLDER
"""

import importlib.abc
import json
import os
import sys

HIDDEN = {
    *("zmq", "_posixsubprocess", "_multiprocessing", "_socket", "select", "_ssl"),
    *("resource", "fcntl", "pwd", "grp", "termios", "mmap", "_ctypes", "_sqlite3", "_curses", "readline"),
    "msgpack._cmsgpack",
}


class Hider(importlib.abc.MetaPathFinder):
    """Hides modules."""

    def find_spec(self, name, path, target=None):
        if name in HIDDEN or name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


for name in HIDDEN:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Hider())
for name in ("fork", "forkpty", "posix_spawn", "posix_spawnp", "pidfd_open", "memfd_create", "kill", "waitpid"):
    if hasattr(os, name):
        delattr(os, name)

import threading  # noqa: E402

from same import LINEUPS  # noqa: E402

from arena.play.memory import MatchInMemory, play_in_memory  # noqa: E402
from arena.study.coach.explaining import Explainer, Explanation  # noqa: E402
from arena.study.coach.questions import InProcessPool  # noqa: E402
from arena.study.coach.report import document_of  # noqa: E402


def no_thread(*_):
    raise RuntimeError("can't start new thread")


threading.Thread.start = no_thread
folder = sys.argv[1]
for game, bots in LINEUPS.items():
    result = play_in_memory(game, bots, seed=5, replay=os.path.join(folder, f"{game}.arena"))
    print(json.dumps([game, result.course, sorted(HIDDEN & set(sys.modules))]))


def failing(turn):
    print("in turn", turn.number)
    return {}["nothing"]


match = MatchInMemory("snakes", [failing, *[lambda turn: turn.legal_actions[0]] * 3], seed=5, captures=True)
turns = list(match.turns())
failure = match.failures[0]
said = [[note.turn, note.kind, note.payload] for note in match.notes if note.kind != "stderr"]
print(json.dumps([len(turns) > 1, said, os.path.basename(failure.file), failure.line, failure.turn]))

pool = InProcessPool(os.path.join(folder, "snakes.arena"))
explanation = Explanation(pool.questions.match)
for _ in Explainer(explanation, pool, 2.0).run():
    pass
print(json.dumps([document_of(explanation, 2.0)["playouts"]["count"] > 0, sorted(HIDDEN & set(sys.modules))]))
