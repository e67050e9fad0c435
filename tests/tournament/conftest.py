"""Makes the helpers beside the tests importable, and leaves out the long tests."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "game"), str(HERE.parent / "referee")]


def pytest_configure(config):
    config.addinivalue_line("markers", "kill: kill tests and other tests in their long form; only with `-m kill`")


def pytest_collection_modifyitems(config, items):
    if "kill" in config.option.markexpr:
        return
    dropped = [item for item in items if item.get_closest_marker("kill")]
    items[:] = [item for item in items if not item.get_closest_marker("kill")]
    config.hook.pytest_deselected(items=dropped)
