"""Answer requests for a replay that is perhaps still growing.

The viewer of a running match asks for the bytes after those that it has, and the answer waits until there are some. A
replay has many visitors at the same time. So each version of a file is read once, and one task looks for its next
version, however many requests wait for it (`_Files`): before that, 400 requests for one replay took most of a core.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from arena.text.reading import whole_number
from arena.web.computing import computed, of_loop
from arena_replays import ReplayError
from arena_replays.source import Source, open_source

T = TypeVar("T")
Stamp = tuple[int, int, int]
"""The version of a file: inode, size, time of the last change."""
Read = Callable[[Path], Source]

WAIT: Final = 20.0
"""Time limit for new bytes, in seconds. After it, the answer is empty. Proxies cut off what is silent for a minute."""
_INTERVAL: Final = 0.03
"""Seconds between two looks at a file. One task looks for all visitors, and a person sees no shorter delay."""
_MOST_KEPT: Final = 32
"""The number of read versions that are kept. Each can hold an open file; few matches run at the same time."""
_BLOCK: Final = 256 * 1024
"""The number of bytes that are sent at once: a replay can be longer than the memory."""


def whole_file(path: Path) -> Source:
    """Return a file as it is."""
    return open_source(path)[0]


async def replay_bytes(
    request: Request, find: Callable[[], Path], read: Read = whole_file, patience: float = 0.0
) -> Response:
    """Return a replay, or its new bytes as soon as there are some.

    If the query has an offset (``from``) and the current ``generation``, the answer has the bytes from this offset on.
    Otherwise it has the whole file. A finished replay that replaces the growing one has a new generation.
    """
    text, generation = request.query_params.get("from", ""), request.query_params.get("generation", "")
    offset = whole_number(text)
    if text and offset is None:
        raise HTTPException(400, "The offset in the address is not a number.")
    end = time.monotonic() + WAIT
    files = _files(request)
    while True:
        path, stamp, source = await patiently(lambda: files.read(request, find, read), patience)
        continues = offset is not None and str(stamp[0]) == generation
        has_new_bytes = not continues or source.size > (offset or 0)
        if has_new_bytes or not await files.changed(path, stamp, end):
            break
    start, size = (offset or 0) if continues else 0, source.size
    headers = {
        "X-Arena-Generation": str(stamp[0]),
        "X-Arena-Whole": str(int(not continues)),
        "Content-Length": str(max(0, size - start)),
    }
    return StreamingResponse(_blocks(source, start, size), media_type="application/octet-stream", headers=headers)


def _blocks(source: Source, start: int, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file from `start` to `size`."""
    while start < size:
        block = source.read(start, min(_BLOCK, size - start))
        if not block:
            return
        yield block
        start += len(block)


class _Files:
    """Reads each version of a file once, and waits for the next one once, however many requests want it.

    Args:
        stopping: Returns whether the server stops. Then nobody waits any longer.
    """

    def __init__(self, stopping: Callable[[], bool]) -> None:
        self._stopping = stopping
        self._reads: dict[Any, asyncio.Task[Source]] = {}
        self._changes: dict[tuple[Path, Stamp], asyncio.Task[None]] = {}

    async def read(self, request: Request, find: Callable[[], Path], read: Read) -> tuple[Path, Stamp, Source]:
        """Return the path of a file, its version, and what to send."""
        path, stamp = await computed(request, _locate, find)
        key = (path, stamp, _key(read))
        task = self._reads.get(key)
        if task is None:
            if len(self._reads) >= _MOST_KEPT:
                del self._reads[next(iter(self._reads))]
            task = self._reads[key] = asyncio.create_task(computed(request, read, path))
        try:
            return path, stamp, await asyncio.shield(task)
        except BaseException:
            if task.done():
                self._reads.pop(key, None)
            raise

    async def changed(self, path: Path, stamp: Stamp, end: float) -> bool:
        """Wait until a file has another version than `stamp`, or does not exist.

        Returns:
            False if the monotonic time `end` is reached before, or if the server stops.
        """
        key = (path, stamp)
        task = self._changes.get(key)
        if task is None:
            task = self._changes[key] = asyncio.create_task(self._await_change(*key))
            task.add_done_callback(lambda _: self._changes.pop(key))
        # If the time is over, `asyncio.wait` does not cancel the task, for which others may wait.
        await asyncio.wait([task], timeout=max(0.0, end - time.monotonic()))
        return task.done() and not self._stopping()

    async def _await_change(self, path: Path, stamp: Stamp) -> None:
        end = time.monotonic() + WAIT  # perhaps nobody waits any longer
        while time.monotonic() < end and not self._stopping():
            if await run_in_threadpool(version_of, path) != stamp:
                return
            await asyncio.sleep(_INTERVAL)


def _files(request: Request) -> _Files:
    """Return the files of the application."""
    return of_loop(request, "files", lambda: _Files(lambda: bool(request.app.state.stopping())))


def _key(read: Read) -> Any:
    """Return what is equal for two functions that read the same bytes of a file."""
    if isinstance(read, partial):
        return read.func, read.args, tuple(sorted(read.keywords.items()))
    return read


def _locate(find: Callable[[], Path]) -> tuple[Path, Stamp]:
    path = find()
    stamp = version_of(path)
    if stamp is None:
        raise FileNotFoundError(path)
    return path, stamp


def version_of(path: Path) -> Stamp | None:
    """Return what changes whenever a file is replaced or grows; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


async def patiently(call: Callable[[], Awaitable[T]], patience: float) -> T:
    """Call a function until it succeeds, for at most `patience` seconds. Return its result.

    Only HTTPException, OSError and ReplayError count as a failure.
    """
    end, pause = time.monotonic() + patience, _INTERVAL
    while True:
        try:
            return await call()
        except (HTTPException, OSError, ReplayError) as error:
            if time.monotonic() >= end:
                if isinstance(error, HTTPException):
                    raise
                raise HTTPException(410, "The replay does not exist any more.") from None
        await asyncio.sleep(pause)
        pause *= 1.5  # anybody can ask for what never exists
