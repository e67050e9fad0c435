"""The pages of the matches of a tournament, a season and its finals: the viewer, the replay, and the log of a bot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.match.result import MatchResult
from arena.web.growing import patiently, replay_bytes
from arena.web.pages import Endpoint, script, viewer_page
from arena.web.public_replays import check_public, own_notes, public_copy
from arena.web.stills import cached_still
from arena_replays import ReplayError
from arena_replays.page import renderer_or_default

PATIENCE: Final = 2.0
"""Seconds for which the replay of a running match can be missing while it is moved to its final path."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A match that the sender of a request is allowed to watch.

    Attributes:
        legs: Returns the replays for the viewer, and the number of the one to begin with. It can take a while.
        programs: What the replay says instead of the content hashes of the bots; empty to keep the hashes.
        place: Returns where the match belongs, for the viewer: the pages above it, and the matches beside it.
    """

    names: Sequence[str]
    replay: Path | None
    live: bool
    is_over: Callable[[], bool]
    legs: Callable[[], tuple[list[dict[str, Any]], int]]
    programs: tuple[str, ...] = ()
    place: Callable[[], dict[str, Any]] = dict

    def path(self) -> Path:
        """Return the path of the replay. Without a replay, raise HTTPException."""
        if self.replay is None:
            raise HTTPException(404, "This replay does not exist.")
        return self.replay


class MatchPages:
    """The viewer and the replays of matches.

    Args:
        find: Returns the match of a request. It raises HTTPException for a match that does not exist, or that the
            sender is not allowed to watch.
    """

    def __init__(self, find: Callable[[Request], Shown], patience: float = 0.0) -> None:
        self._find = find
        self._patience = patience

    async def watch(self, request: Request) -> Response:
        shown = await self._look(request)
        await run_in_threadpool(_check_public, shown)
        legs, at = await run_in_threadpool(shown.legs)
        place = await run_in_threadpool(shown.place)
        title = f"{place['name']}: " if place.get("name") else ""
        config = {"legs": legs, "leg": at, "place": place}
        return viewer_page(request, title + " – ".join(shown.names), config, "renderer.js")

    async def replay(self, request: Request) -> Response:
        """Return what everybody may see of a replay; while the match is being played, its new bytes."""
        shown = await self._look(request)
        read = partial(public_copy, programs=shown.programs, over=await run_in_threadpool(shown.is_over))
        if shown.live:
            return await replay_bytes(request, lambda: self._find(request).path(), read, PATIENCE)
        return await replay_bytes(request, shown.path, read)

    async def still(self, request: Request) -> Response:
        """Return the last position of a finished match, which the page draws; see `arena.web.stills`."""
        shown = await self._look(request)
        await run_in_threadpool(_check_public, shown)
        if shown.live:
            raise HTTPException(404, "The match is not over.")
        try:
            still = await run_in_threadpool(cached_still, shown.path())
        except (OSError, ReplayError):
            raise HTTPException(410, "The replay does not exist any more.") from None
        return Response(still, media_type="application/octet-stream")

    async def _look(self, request: Request) -> Shown:
        return await patiently(lambda: run_in_threadpool(self._find, request), self._patience)


def _check_public(shown: Shown) -> None:
    with suppress(OSError, ReplayError):  # without a readable replay, the viewer shows nothing
        if shown.replay is not None:
            check_public(shown.replay, over=shown.is_over())


def renderer_route(source: str | None) -> dict[str, Endpoint]:
    """Return the endpoint for the renderer of the viewer's boards; None stands for the default renderer."""
    return {"/renderer.js": lambda _request: script(renderer_or_default(source))}


def log_of(path: Path, seat: int, result: MatchResult | None) -> dict[str, Any]:
    """Return the logs and output of one bot in one match, and why it failed, for the template ``parts/log.html``."""
    try:
        lines = own_notes(path, seat)
    except (OSError, ReplayError):
        raise HTTPException(410, "The replay does not exist any more.") from None
    return {"lines": lines, "detail": result.players[seat].explained if result else ""}
