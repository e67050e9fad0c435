"""Runs the command ``arena`` for tests of contests."""

import contextlib
import sys
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

from click.testing import CliRunner

from arena.cli import cli

ARENA = str(Path(sys.executable).with_name("arena"))
SHORT = """
[contest]
name = "Short"
game = "saloon"
isolation = "none"
[options]
max_turns = 6
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
"""A contest of a few seconds."""


def arena(*words, cwd, stdin=None, **environment):
    """Run ``arena WORDS...`` in a folder, in this process, which saves half a second.

    A test of signals or of a terminal starts `ARENA` itself.
    """
    with contextlib.chdir(cwd):
        done = CliRunner().invoke(cli, list(map(str, words)), prog_name="arena", input=stdin, env=environment)
    return CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


contest = partial(arena, "contest")


def refused(done, code, message):
    """Check that a command ended with this exit code and message."""
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
