"""Answer the questions of an explanation in several processes, one for each core. Each process loads bots."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from math import inf
from multiprocessing import parent_process
from pathlib import Path
from time import monotonic
from typing import Any

from arena.bots.system.surroundings import socket_folder
from arena.play.referee.cores import usable_processors
from arena.study.coach.questions import Question, Questions


class ProcessPool:
    """A `Pool` that answers questions on all cores.

    Args:
        processes: The number of processes; one for each available core if None.
    """

    def __init__(self, path: Path, processes: int | None = None) -> None:
        self.processes = processes or len(usable_processors())
        # A fork server has a socket in the folder for temporary files, which must have a short path.
        forks = "forkserver" in multiprocessing.get_all_start_methods() and socket_folder() == tempfile.gettempdir()
        context = multiprocessing.get_context("forkserver" if forks else "spawn")
        if forks:
            context.set_forkserver_preload(["arena.study.coach.process_pool"])
        self._executor = ProcessPoolExecutor(self.processes, context, begin, (str(path),))

    def __enter__(self) -> ProcessPool:
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

    def ask(self, questions: Sequence[Question], deadline: float = inf) -> Iterator[tuple[int, Any]]:
        """Answer questions; see `Pool`."""
        waiting = iter(enumerate(questions))
        running: dict[Future[Any], int] = {}
        while True:
            while len(running) < 2 * self.processes and monotonic() < deadline and (following := next(waiting, None)):
                running[self._executor.submit(answer, *following[1])] = following[0]
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()


_QUESTIONS: Questions | None = None


def begin(path: str) -> None:
    global _QUESTIONS
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # after Ctrl-C, the parent process ends this process
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - discards what bots print
    _QUESTIONS = Questions(path)


def _end_with_parent() -> None:
    """Exit when the parent process has ended. A killed parent process cannot end its child processes."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def answer(question: Callable[..., Any], *arguments: object) -> object:
    """Answer one question in a process of an explanation."""
    assert _QUESTIONS is not None
    return question(_QUESTIONS, *arguments)
