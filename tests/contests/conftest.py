"""Makes the helpers beside the tests importable, and opens a contest."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "game"), str(HERE.parent / "referee")]


@pytest.fixture
def contest(tmp_path):
    """An open contest of Saloon with people, which nobody has joined."""
    from contests_toys import opened, write_config

    with opened(write_config(tmp_path)) as contest:
        yield contest
