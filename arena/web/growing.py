"""Answer requests for a replay that is perhaps still growing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.text.numbers import whole_number
from arena_replays import ReplayError

T = TypeVar("T")
Stamp = tuple[int, int, int]
"""The version of a file: inode, size, time of the last change."""

WAIT: Final = 20.0
"""Time limit for new bytes, in seconds. After it, the answer is empty."""
_INTERVAL: Final = 0.03


async def replay_bytes(
    request: Request, find: Callable[[], Path], read: Callable[[Path], bytes] = Path.read_bytes, patience: float = 0.0
) -> Response:
    """Return a replay, or its new bytes as soon as there are some.

    If the query has an offset (``from``) and the current ``generation``, the answer has the bytes from this offset on.
    Otherwise it has the whole file. A finished replay that replaces the growing one has a new generation.

    Args:
        request: The request.
        find: Returns the current path of the replay.
        read: Returns the bytes to send for a file.
        patience: Seconds for which the file can be missing while it is moved.

    Raises:
        HTTPException: The offset is not a number, or the replay does not exist or cannot be read.
    """
    text, known = request.query_params.get("from", ""), request.query_params.get("generation", "")
    have = whole_number(text)
    if text and have is None:
        raise HTTPException(400, "The offset in the address is not a number.")
    end = time.monotonic() + WAIT
    stamp, data = await patiently(lambda: _look(find, read, None, b""), patience)
    while have is not None and str(stamp[0]) == known and len(data) <= have:
        if time.monotonic() > end or request.app.state.stopping():
            break
        await asyncio.sleep(_INTERVAL)
        stamp, data = await patiently(lambda: _look(find, read, stamp, data), patience)  # noqa: B023 - called at once
    whole = have is None or str(stamp[0]) != known
    headers = {"X-Arena-Generation": str(stamp[0]), "X-Arena-Whole": str(int(whole))}
    body = data if whole else data[have:]
    return Response(body, media_type="application/octet-stream", headers=headers)


def _look(
    find: Callable[[], Path], read: Callable[[Path], bytes], stamp: Stamp | None, data: bytes
) -> tuple[Stamp, bytes]:
    """Return the version of the file and its bytes. Do not read the file again if its version is still `stamp`."""
    path = find()
    status = path.stat()
    new = (status.st_ino, status.st_size, status.st_mtime_ns)
    return new, data if new == stamp else read(path)


async def patiently(look: Callable[[], T], patience: float) -> T:
    """Call a function until it succeeds, for at most `patience` seconds. Return its result.

    Only HTTPException, OSError and ReplayError count as a failure.

    Raises:
        HTTPException: The function still fails after this time.
    """
    end = time.monotonic() + patience
    while True:
        try:
            return await run_in_threadpool(look)
        except (HTTPException, OSError, ReplayError) as error:
            if time.monotonic() >= end:
                if isinstance(error, HTTPException):
                    raise
                raise HTTPException(410, "The replay does not exist any more.") from None
        await asyncio.sleep(_INTERVAL)
