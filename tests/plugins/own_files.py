"""A bot that imports its own files in every way. It raises an exception if it does not get what it should."""

HIDDEN = (
    *("arena", "arena_player", "collections", "copy", "datetime", "enum", "faulthandler", "functools", "heapq", "json"),
    *("logging", "math", "msgpack", "pdb", "pickle", "random", "re", "socket", "struct", "threading", "traceback"),
    *("types", "typing", "zmq"),
)
"""Names of files of the bot: modules of Python, of the kit, and what these import."""

BRAIN = """\
from __future__ import annotations

import dataclasses
import importlib
import pickle
import random
import sys
import threading
import typing
from pathlib import Path

import tools
from arena_player import AI
from helpers.paths import NAME  # a folder without __init__.py
from helpers.deep.inner import DEPTH


@dataclasses.dataclass
class Plan:
    name: str
    steps: typing.ClassVar[int] = 3


def relative():
    try:
        from . import late
    except ImportError as error:
        return str(error)


def in_method():
    import late

    late.calls.append(1)
    return len(late.calls)


def in_a_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(importlib.import_module("of_a_thread").NAME))
    try:
        thread.start()
    except RuntimeError:  # a browser has no threads
        return "thread"
    thread.join()
    return found[0]


def from_another_folder():
    sys.path.insert(0, str(Path(__file__).parent / "library"))
    import of_library

    return of_library.NAME


class Brain(AI):
    wants_legal_actions = True

    def run_turn(self):
        import late

        calls = len(getattr(late, "calls"))
        found = {
            "class": type(self).__module__,
            "folder": (NAME, DEPTH),
            "package": tools.NAME,
            "relative": relative(),
            "method": in_method() - calls,
            "module": importlib.import_module("of_importlib").NAME,
            "data": Path(__file__).with_name("data.txt").read_text(),
            "pickle": pickle.loads(pickle.dumps(Plan("x"))),
            "fields": [field.name for field in dataclasses.fields(Plan)],
            "hints": typing.get_type_hints(Plan)["name"],
            "thread": in_a_thread(),
            "library": from_another_folder(),
            "standard": random.randint(3, 3),
            "itself": isinstance(self, sys.modules["brain"].Brain),
            "turns": calls == self.turns,
        }
        self.turns += 1
        assert found == EXPECTED, found
        self.log("everything is there")
        self.act(self.random_action())

    turns = 0


EXPECTED = {
    "class": "brain", "folder": ("paths", "inner"), "package": "relative", "method": 1, "module": "importlib",
    "relative": "attempted relative import with no known parent package", "data": "data", "pickle": Plan("x"),
    "fields": ["name"], "hints": str, "thread": "thread", "library": "library", "standard": 3, "itself": True,
    "turns": True,
}
"""

FILES = {
    "brain.py": BRAIN,
    "data.txt": "data",
    "helpers/paths.py": 'NAME = "paths"\n',
    "helpers/deep/inner.py": 'DEPTH = "inner"\n',
    "late.py": "calls = []\n",
    "library/of_library.py": 'NAME = "library"\n',
    "main.py": 'from brain import Brain\n\nif __name__ == "__main__":\n    raise RuntimeError("not a program")\n',
    "of_importlib.py": 'NAME = "importlib"\n',
    "of_a_thread.py": 'NAME = "thread"\n',
    "tools/__init__.py": "from .inner import NAME\n",
    "tools/inner.py": "from . import names\n\nNAME = names.NAME\n",
    "tools/names.py": 'NAME = "relative"\n',
    **{f"{name}.py": 'raise ImportError("This file of the bot hides another module.")\n' for name in HIDDEN},
}
