"""The program that runs a fork server, and the function that the server's match processes run."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from typing import TYPE_CHECKING, Any

from arena.bots.system.reaping import die_with_parent
from arena.errors import ArenaError, ExitCode
from arena.match.job import Job
from arena.play.referee.forkserver import serve
from arena.play.referee.host import Host, HostedMatch, Progress
from arena.play.referee.prepared import PreparedMatch
from arena.text.printable import print_traceback

if TYPE_CHECKING:
    from arena.match.result import MatchResult


# Play one match in this process.


def play(job: Job, report: Progress | None = None) -> MatchResult:
    """Play one match to its end.

    Call it only once in a process, and from the main thread: it changes signal handlers and the processor affinity, and
    reaps all child processes. `MatchProcess` plays a match in a process of its own.
    """
    host = Host(hosted(PreparedMatch(job)), report)
    host.run()
    from arena.play.referee.played import result_of  # the import is slow, and nothing before needs it

    return result_of(host)


def hosted(prepared: PreparedMatch) -> HostedMatch:
    return HostedMatch(prepared.job, prepared.bots, prepared.open_match, prepared.packages, prepared.no_build)


def play_match(channel: socket.socket) -> None:
    """Receive a job through a channel, play the match, and send progress and result back as lines of JSON.

    The key ``event`` of each line has one of these values:

    * ``turn``: progress.
    * ``result``: the last line; the key ``result`` contains the result.
    * ``error``: the last line; with the keys ``message``, ``hint`` and ``exit_code``.
    """
    stream = channel.makefile("rw", encoding="utf-8")

    def report(document: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the client is gone; the server ends this process
            stream.write(json.dumps(document, separators=(",", ":")) + "\n")
            stream.flush()

    if line := stream.readline():
        report(_play(json.loads(line), report))


def _play(document: dict[str, Any], report: Any) -> dict[str, Any]:
    from arena_replays import ReplayError

    try:
        job = Job.from_document(document)
        if not job.debug:
            _leave_terminal()
        return {"event": "result", "result": play(job, report if job.progress else None).to_document()}
    except ArenaError as error:
        return _error(error.message, error.hint, error.exit_code)
    except ReplayError as error:
        return _error(str(error), error.hint, error.exit_code)
    except Exception as error:
        print_traceback(error)
        return _error(f"The match process failed: {type(error).__name__}: {error}.", "", ExitCode.FAULT)


def _error(message: str, hint: str, exit_code: int) -> dict[str, Any]:
    return {"event": "error", "message": message, "hint": hint, "exit_code": exit_code}


def _leave_terminal() -> None:
    """Start a new session without standard input. Ctrl-C then reaches only the program that started the match."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def warm_up(game: str) -> None:
    """Import what match processes need, and find out how well this machine isolates bots."""
    from arena.bots.probe import examine
    from arena.bots.sandbox.visible import visible_python
    from arena.game import Seeded
    from arena.match.lookup import find_game
    from arena.play.referee.prepared import packages_of

    examine(3)
    with contextlib.suppress(Exception):  # a game that cannot be loaded: each match reports the error
        rules = find_game(game)
        rules.start(chance=Seeded(0)).view()  # compiles accessors and views, which match processes inherit
        rules.schema()
        visible_python(packages_of(rules))


def main() -> None:
    """Serve the program that started this one until that program closes the connection or ends."""
    descriptor, parent, game = sys.argv[1:4]
    die_with_parent(int(parent))
    warm_up(game)
    serve(socket.socket(fileno=int(descriptor)), play_match)


if __name__ == "__main__":
    main()
