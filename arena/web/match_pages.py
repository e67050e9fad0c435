"""The pages of the matches of a contest: the viewer, the replay, and the log of a bot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.match.result import MatchResult
from arena.text.reading import whole_number
from arena.web.computing import computed
from arena.web.growing import patiently, replay_bytes
from arena.web.pages import Endpoint, script, viewer_page
from arena.web.public_replays import check_public, public_copy
from arena.web.stills import cached_still
from arena_replays import Reader, ReplayError
from arena_replays.page import renderer_or_default

T = TypeVar("T")
PAGE_LINES: Final = 1000
PAGE_SIZE: Final = 128 * 1024
"""The limits of one page of a log: lines, and characters of all lines. A bot can write thousands of such pages."""
PATIENCE: Final = 2.0
"""Seconds for which the replay of a running match can be missing while it is moved to its final path."""


@dataclass(frozen=True, slots=True)
class VisibleMatch:
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

    def __init__(self, find: Callable[[Request], VisibleMatch], patience: float = 0.0) -> None:
        self._find = find
        self._patience = patience

    async def watch(self, request: Request) -> Response:
        shown, config = await self._patiently(request, self._viewed)
        name = config["place"].get("name")
        return viewer_page(request, (f"{name}: " if name else "") + " – ".join(shown.names), config, "renderer.js")

    async def replay(self, request: Request) -> Response:
        """Return what everybody may see of a replay; while the match is being played, its new bytes."""
        shown, over = await self._patiently(request, self._ended)
        read = partial(public_copy, programs=shown.programs, over=over)
        if shown.live:
            return await replay_bytes(request, lambda: self._find(request).path(), read, PATIENCE)
        return await replay_bytes(request, shown.path, read)

    async def still(self, request: Request) -> Response:
        """Return the last position of a finished match, which the page draws; see `arena.web.stills`."""
        still = await self._patiently(request, self._drawn)
        if still is None:
            raise HTTPException(404, "The match is not over.")
        return Response(still, media_type="application/octet-stream")

    def _viewed(self, request: Request) -> tuple[VisibleMatch, dict[str, Any]]:
        shown = self._find(request)
        _check_public(shown)
        legs, at = shown.legs()
        return shown, {"legs": legs, "leg": at, "place": shown.place()}

    def _ended(self, request: Request) -> tuple[VisibleMatch, bool]:
        shown = self._find(request)
        return shown, shown.is_over()

    def _drawn(self, request: Request) -> bytes | None:
        shown = self._find(request)
        _check_public(shown)
        return None if shown.live else cached_still(shown.path())

    async def _patiently(self, request: Request, look: Callable[[Request], T]) -> T:
        return await patiently(lambda: computed(request, look, request), self._patience)


def _check_public(shown: VisibleMatch) -> None:
    with suppress(OSError, ReplayError):  # without a readable replay, the viewer shows nothing
        if shown.replay is not None:
            check_public(shown.replay, over=shown.is_over())


def renderer_route(source: str | None) -> dict[str, Endpoint]:
    """Return the endpoint for the renderer of the viewer's boards; None stands for the default renderer."""
    return {"/renderer.js": lambda _request: script(renderer_or_default(source))}


def log_of(request: Request, path: Path, seat: int, result: MatchResult | None) -> dict[str, Any]:
    """Return a page of the logs and output of one bot in one match, and why it failed, for ``parts/log.html``."""
    asked = whole_number(request.query_params.get("page", "")) or 1
    try:
        lines, number, count = page_of(own_notes(path, seat), asked)
    except (OSError, ReplayError):
        raise HTTPException(410, "The replay does not exist any more.") from None
    steps = {"first": 1, "previous": number - 1, "next": number + 1, "last": count}
    links = {
        name: "?" + request.url.include_query_params(page=other).query
        for name, other in steps.items()
        if 1 <= other <= count and other != number
    }
    detail = result.players[seat].explained if result else ""
    return {"lines": lines, "detail": detail, "page": number, "pages": count, "links": links}


def own_notes(path: Path, seat: int) -> Iterator[str]:
    """Yield the lines that a bot logged or printed in a match. Few of them are in memory at the same time."""
    reader = Reader(path)
    for note in reader.notes:
        if note.player == seat and note.kind != "draw":
            place = f"turn {reader.number_of(note.turn)}, {note.kind}: "
            text = note.payload if isinstance(note.payload, str) else str(note.payload)
            yield from (place + line for line in text.splitlines() or [""])


def page_of(lines: Iterable[str], number: int) -> tuple[list[str], int, int]:
    """Return a page of a text, its number, and the number of pages. After the last page comes the last one again."""
    pages, size = 1, 0
    page: list[str] = []
    asked: list[str] | None = None
    for line in lines:
        if page and (len(page) == PAGE_LINES or size + len(line) > PAGE_SIZE):
            asked = page if pages == number else asked
            page, size, pages = [], 0, pages + 1
        page.append(line[:PAGE_SIZE])
        size += len(line)
    return (page, pages, pages) if asked is None else (asked, number, pages)
