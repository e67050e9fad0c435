"""There is one of each: one class folds the journal of a contest, and one module plays it."""

import re
from pathlib import Path

import arena
from arena.contests import entries
from arena.contests.state import Contest

HOUSE = Path(arena.__file__).parent


def modules(pattern, *folders):
    """The modules of the house in which a pattern occurs."""
    paths = sorted(path for folder in folders or (".",) for path in (HOUSE / folder).rglob("*.py"))
    return [str(path.relative_to(HOUSE)) for path in paths if re.search(pattern, path.read_text(), re.MULTILINE)]


def test_one_class_folds_the_journal():
    assert modules(r"^class \w+\(Fold\)") == ["contests/state.py"]


def test_one_module_plays_contests_and_one_comparisons():
    players = modules(r"\bMatchQueue\(", "contests", "web/contests", "cli/contest")
    assert players == ["contests/loop.py", "contests/queue/queue.py", "contests/strength/compare.py"]


def test_each_kind_of_entry_is_read_and_described():
    assert all(callable(getattr(Contest, f"_{kind}")) for kind in entries.KINDS)
    assert all(one.__doc__ and not one.__doc__.startswith(f"{one.__name__}(") for one in entries.KINDS.values())
