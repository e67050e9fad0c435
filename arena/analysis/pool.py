"""Answer the questions of an analysis in several processes, one for each core."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from time import monotonic
from typing import Any

from arena.analysis import worker
from arena.bots.system.surroundings import socket_folder
from arena.referee.affinity import usable_processors

Question = tuple[Any, ...]
"""A function that takes an `arena.analysis.worker.Worker`, for example one of its methods; and further arguments."""


class Pool:
    """Answers questions about a replay on all cores.

    Args:
        processes: The number of processes; one for each available core if None.
    """

    def __init__(self, path: Path, processes: int | None = None) -> None:
        self.processes = processes or len(usable_processors())
        # A fork server has a socket in the folder for temporary files, which must have a short path.
        forks = "forkserver" in multiprocessing.get_all_start_methods() and socket_folder() == tempfile.gettempdir()
        context = multiprocessing.get_context("forkserver" if forks else "spawn")
        if forks:
            context.set_forkserver_preload(["arena.analysis.worker"])
        self._executor = ProcessPoolExecutor(self.processes, context, worker.begin, (str(path),))

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes. Answers that are not finished are lost."""
        processes = list((self._executor._processes or {}).values())
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()

    def ask(self, questions: Sequence[Question], deadline: float = float("inf")) -> Iterator[tuple[int, Any]]:
        """Yield the index of each question with its answer, in the order in which the answers are ready.

        Questions that were not submitted before the deadline are left out.

        Args:
            deadline: The time of `time.monotonic` after which no question is submitted to the processes.
        """
        waiting = iter(enumerate(questions))
        running: dict[Future[Any], int] = {}
        while True:
            while len(running) < 2 * self.processes and monotonic() < deadline and (following := next(waiting, None)):
                running[self._executor.submit(worker.answer, *following[1])] = following[0]
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()


def split(seeds: Sequence[int], size: int) -> Iterator[list[int]]:
    for at in range(0, len(seeds), size):
        yield list(seeds[at : at + size])
