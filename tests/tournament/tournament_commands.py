"""Runs the command ``arena`` for tests of tournaments."""

import contextlib
import subprocess
import sys
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

from click.testing import CliRunner

from arena.cli import cli

ARENA = str(Path(sys.executable).with_name("arena"))
PLAYS_NOTHING = {"bracket", "export", "init", "matches", "rebuild", "show", "standings", "tokens", "verify"}


def arena(*words, cwd):
    """Run ``arena WORDS...`` in a folder.

    A command that only reads and writes files runs in this process, which saves half a second. One that plays matches
    starts processes and catches signals, so it gets a process of its own.
    """
    if words[0] == "tournament" and words[1] in PLAYS_NOTHING:
        return _in_this_process(words, cwd)
    return subprocess.run([ARENA, *words], cwd=cwd, capture_output=True, text=True, timeout=280)


tournament = partial(arena, "tournament")


def _in_this_process(words, cwd):
    with contextlib.chdir(cwd):
        done = CliRunner().invoke(cli, words, prog_name="arena")
    return CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def refused(done, code, message):
    """Check that a command ended with this exit code and message."""
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
