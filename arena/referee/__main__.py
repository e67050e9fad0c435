"""One match in a process of its own: a job as JSON on stdin, progress and result as JSON lines on stdout.

With two numbers as arguments, the job is read from the first and the lines go to the second of these descriptors.

Every line is an object with the key ``event``: ``turn`` while playing, and in the end ``result`` (with the result under
``result``) or ``error`` (with ``sentence``, ``hint``, ``exit_code``).
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from arena.errors import ArenaError
from arena.match.job import Job
from arena.referee.play import play
from arena_replays import ReplayError


def main() -> int:
    """Play the match described on stdin."""
    descriptors = [int(number) for number in sys.argv[1:3]]
    source = os.fdopen(descriptors[0], encoding="utf-8") if descriptors else sys.stdin
    lines = os.fdopen(descriptors[1], "w", encoding="utf-8") if descriptors else sys.stdout

    def report(document: dict[str, Any]) -> None:
        lines.write(json.dumps(document, separators=(",", ":")) + "\n")
        lines.flush()

    def failed(sentence: str, hint: str, exit_code: int) -> int:
        report({"event": "error", "sentence": sentence, "hint": hint, "exit_code": exit_code})
        return exit_code

    try:
        job = Job.from_document(json.load(source))
        result = play(job, report if job.progress else None)
    except ArenaError as error:
        return failed(error.sentence, error.hint, error.exit_code)
    except ReplayError as error:
        return failed(str(error), error.hint, error.exit_code)
    except ValueError as error:
        return failed(f"the job is not JSON: {error}", "", 2)
    report({"event": "result", "result": result.to_document()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
