"""The program that checks one version of a bot. It prints one JSON document per line.

`handing_in.UploadCheck` starts it.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from arena.bots.bot import load_bot
from arena.bots.build import NoBuildError
from arena.bots.folders.files import BUILT
from arena.checks.client import check_client
from arena.errors import ArenaError
from arena.match.limits import changed_limits
from arena.match.lookup import find_game
from arena.season.handing_in import LONGEST_CHECK
from arena.tournament.run.bots import store_build


def main(job: dict[str, Any]) -> None:
    """Build the bot and check that it follows the protocol."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(int(LONGEST_CHECK))
    copy = Path(job["copy"])
    try:
        store_build(copy, job["require"])
        bot = load_bot(built if (built := copy / BUILT).is_dir() else job["bot"])
        say(name="builds" if built.is_dir() else "can be read", passed=True, problem_text="")
        game = find_game(job["game"])
        limits = changed_limits(job["limits"])
        report = check_client(bot, game, game.resolve_options(job["options"]), limits=limits, progress=_progress)
    except NoBuildError as error:
        say(name="builds", passed=False, problem_text=error.explained)
        return say(problem=f"does not build: {error.reason}")
    except ArenaError as error:
        return say(problem=error.message)
    for line in report.lines:
        say(name=line.name, passed=line.passed, problem_text=line.problem)
    failed = [line for line in report.lines if not line.passed]
    # A bot is allowed to play if it passes the first check, an ordinary match. The report lists all failures.
    say(problem=failed[0].problem if failed and failed[0] is report.lines[0] else "")
    return None


def say(**document: Any) -> None:
    """Print one JSON document on one line."""
    try:
        print(json.dumps(document), flush=True)  # noqa: T201 - the server reads it
    except BrokenPipeError:  # the server was killed
        os._exit(1)


def _progress(name: str) -> None:
    say(running=name)


def _end_with_parent() -> None:
    sys.stdin.read()
    os.killpg(0, signal.SIGKILL)  # the process group contains only this process and its children


def _too_long(*_: object) -> None:
    say(problem=f"its check took longer than {LONGEST_CHECK:g} seconds")
    os._exit(1)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
