"""The program that checks one version of a bot. It reads its job, and prints one JSON document per line.

It must not outlive the server, nor run longer than its time: the first is watched by a thread that waits for the end of
standard input, the second by an alarm.

`version_checks.UploadCheck` starts it, and removes its temporary files.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from msgspec import convert

from arena.bots.bot import Bot, load_bot
from arena.bots.build import NoBuildError
from arena.bots.folders.files import NO_ROOM
from arena.contests.queue.copies import store_build
from arena.errors import ArenaError, ExitCode
from arena.match.limits import changed_limits
from arena.match.lookup import find_game
from arena.study.checks.client import check_client
from arena.text.printable import excerpt

LONGEST_END = 20
"""The time that an ended check has to remove its temporary files and control groups, in seconds. Chosen, not measured:
processes of a bot that do not end at once are killed within seconds."""


class TooLong(BaseException):
    """The time for the check is over. It is no `Exception`, so that no handler on the way takes it for a defect."""


def main(job: dict[str, Any]) -> None:
    """Build the bot and check that it follows the protocol."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(job["seconds"])
    try:
        _check(job)
    except TooLong:
        say(problem=f"its check took longer than {job['seconds']} seconds")
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        say(disk="A check needs more free disk space.")


def _check(job: dict[str, Any]) -> None:
    try:
        if job["loaded"]:  # the server has read the bot already
            stored = convert(job["loaded"], Bot, dec_hook=lambda type_, value: type_(value))
        else:
            stored = load_bot(job["bot"])
        bot = store_build(stored, job["require"], Path(job["cache"]))
        say(name="can be read" if stored.build is None else "builds", passed=True, problem_text="")
        game = find_game(job["game"])
        limits = changed_limits(job["limits"])
        report = check_client(bot, game, game.resolve_options(job["options"]), limits=limits, progress=_progress)
    except NoBuildError as error:
        say(name="builds", passed=False, problem_text=error.explained)
        say(problem=f"does not build: {error.reason}")
        return
    except ArenaError as error:
        say(**{"disk" if error.exit_code == ExitCode.CANNOT_WRITE else "problem": error.message})
        return
    for line in report.lines:
        say(name=line.name, passed=line.passed, problem_text=line.problem)
    # A bot is allowed to play if it passes the first check, an ordinary match. The report lists all failures.
    say(problem=next((line.problem for line in report.lines[:1] if not line.passed), ""))


def say(**document: Any) -> None:
    """Print one JSON document on one line. Its texts can be those of bots, so they are cut."""
    short = {key: excerpt(value) if isinstance(value, str) else value for key, value in document.items()}
    try:
        sys.stdout.write(f"{json.dumps(short)}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # the server was killed
        os._exit(1)


def _progress(name: str) -> None:
    say(running=name)


def _end_with_parent() -> None:
    sys.stdin.read()
    os.killpg(0, signal.SIGKILL)  # the process group contains only this process and its children


def _too_long(*_: object) -> None:
    signal.signal(signal.SIGALRM, lambda *_: os._exit(1))
    signal.alarm(LONGEST_END)
    raise TooLong


if __name__ == "__main__":
    if line := sys.stdin.readline():  # empty if the server was killed
        main(json.loads(line))
