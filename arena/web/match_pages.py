"""The pages of the matches of a contest: the viewer, the replay, and the log of a bot.

Who may see which match is decided by the caller (`VisibleMatch`), what of a replay by `arena.web.public_replays`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.match.result import MatchResult
from arena.study.coach.page import advantage
from arena.study.replaying.presentation import renderer_for
from arena.text.reading import whole_number
from arena.web.computing import computed
from arena.web.growing import patiently, replay_bytes
from arena.web.pages import download, json_page, viewer_page
from arena.web.public_replays import check_public, public_copy
from arena.web.stills import cached_picture, cached_still
from arena_replays import Reader, ReplayError, header_of
from arena_replays import page as viewer
from arena_replays.page import Renderer

T = TypeVar("T")
PAGE_LINES: Final = 1000
PAGE_SIZE: Final = 128 * 1024
"""The limits of one page of a log: lines, and characters of all lines. A bot can write thousands of such pages; as one
page, two million lines took half a minute and 230 MiB."""
PATIENCE: Final = 2.0
"""Seconds for which the replay of a running match can be missing while it is moved to its final path. It is moved at
once; the rest is for a slow disk."""


@dataclass(frozen=True, slots=True)
class VisibleMatch:
    """A match that the sender of a request is allowed to watch.

    Attributes:
        legs: Returns the replays for the viewer, and the number of the one to begin with. It can take a while.
        programs: What the replay says instead of the content hashes of the bots; empty to keep the hashes.
        place: Returns where the match belongs, for the viewer: the pages above it, and the matches beside it.
        title: Returns the names, and who won.
        copies: Returns what everybody may see of the replays of all legs.
        image: The whole address of the picture for links to the match.
        is_anyones: Whether visitors who have not signed in can watch it: then pages of other sites may show it.
    """

    names: Sequence[str]
    replay: Path | None
    live: bool
    is_over: Callable[[], bool]
    legs: Callable[[], tuple[list[dict[str, Any]], int]]
    programs: tuple[str, ...] = ()
    place: Callable[[], dict[str, Any]] = dict
    title: Callable[[], str] = str
    copies: Callable[[], list[bytes]] = list
    image: str = ""
    is_anyones: bool = False

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
        coach: The path of the page that explains replays in the reader's browser; empty if there is none.
    """

    def __init__(self, find: Callable[[Request], VisibleMatch], patience: float = 0.0, coach: str = "") -> None:
        self._find = find
        self._patience = patience
        self._coach = coach

    async def watch(self, request: Request) -> Response:
        match, config = await self._patiently(request, self._viewed)
        frames = "*" if match.is_anyones else "'self'"
        return viewer_page(request, match.title(), config, "renderer/", image=match.image, frames=frames)

    async def page(self, request: Request) -> Response:
        """Return a finished match as one page that needs no network, to save it."""
        title, copies, renderer = await self._patiently(request, self._saved)
        text = await run_in_threadpool(viewer.page, copies, renderer, title)
        return download(text, f"{request.path_params['match_id']}.html")

    async def picture(self, request: Request) -> Response:
        """Return a picture for links to a match; of an empty board, if there is nothing that the reader may see."""
        try:
            drawn = await self._patiently(request, self._mapped)
        except HTTPException:
            drawn = None
        return Response(drawn or cached_picture(), media_type="image/png")

    async def replay(self, request: Request) -> Response:
        """Return what everybody may see of a replay; while the match is being played, its new bytes."""
        match, over = await self._patiently(request, self._found_and_over)
        read = partial(public_copy, programs=match.programs, over=over)
        if match.live:
            return await replay_bytes(request, lambda: self._find(request).path(), read, PATIENCE)
        return await replay_bytes(request, match.path, read)

    async def still(self, request: Request) -> Response:
        """Return the last position of a finished match, which the page draws; see `arena.web.stills`."""
        still = await self._patiently(request, self._drawn)
        if still is None:
            raise HTTPException(404, "The match is not over.")
        return Response(still, media_type="application/octet-stream")

    async def advantage(self, request: Request) -> Response:
        """Return the game's estimates of a finished match; see `arena.study.coach.page`."""
        return json_page(await self._patiently(request, self._estimated))

    def _viewed(self, request: Request) -> tuple[VisibleMatch, dict[str, Any]]:
        match = self._find(request)
        _check_public(match)
        legs, number = match.legs()
        return match, {"legs": legs, "leg": number, "place": match.place(), "coach": self._coach}

    def _saved(self, request: Request) -> tuple[str, list[bytes], Renderer]:
        match = self._find(request)
        _check_public(match)
        if match.live:
            raise HTTPException(404, "The match is not over.")
        return match.title(), match.copies(), renderer_for(header_of(match.path()))

    def _mapped(self, request: Request) -> bytes | None:
        match = self._find(request)
        _check_public(match)
        return None if match.live else cached_picture(match.path(), match.path().stat().st_mtime_ns)

    def _found_and_over(self, request: Request) -> tuple[VisibleMatch, bool]:
        match = self._find(request)
        return match, match.is_over()

    def _estimated(self, request: Request) -> list[list[float]] | None:
        match = self._find(request)
        _check_public(match)
        return None if match.live else advantage(match.path())

    def _drawn(self, request: Request) -> bytes | None:
        match = self._find(request)
        _check_public(match)
        return None if match.live else cached_still(match.path())

    async def _patiently(self, request: Request, call: Callable[[Request], T]) -> T:
        return await patiently(lambda: computed(request, call, request), self._patience)


def _check_public(match: VisibleMatch) -> None:
    with suppress(OSError, ReplayError):  # without a readable replay, the viewer shows nothing
        if match.replay is not None:
            check_public(match.replay, over=match.is_over())


def log_of(request: Request, path: Path, seat: int, result: MatchResult | None) -> dict[str, Any]:
    """Return a page of the logs and output of one bot in one match, and why it failed, for ``parts/log.html``."""
    wanted_page = whole_number(request.query_params.get("page", "")) or 1
    try:
        lines, number, count = page_of(own_notes(path, seat), wanted_page)
    except (OSError, ReplayError):
        raise HTTPException(410, "The replay does not exist any more.") from None
    steps = {"first": 1, "previous": number - 1, "next": number + 1, "last": count}
    links = {
        name: "?" + request.url.include_query_params(page=target).query
        for name, target in steps.items()
        if 1 <= target <= count and target != number
    }
    detail = result.players[seat].explained if result else ""
    return {"lines": lines, "detail": detail, "page": number, "pages": count, "links": links}


def own_notes(path: Path, seat: int) -> Iterator[str]:
    """Yield the lines that a bot logged or printed in a match. Few of them are in memory at the same time."""
    reader = Reader(path)
    for note in reader.notes:
        if note.player == seat and note.kind != "draw":
            origin = f"turn {reader.number_of(note.turn)}, {note.kind}: "
            text = note.payload if isinstance(note.payload, str) else str(note.payload)
            yield from (origin + line for line in text.splitlines() or [""])


def page_of(lines: Iterable[str], number: int) -> tuple[list[str], int, int]:
    """Return a page of a text, its number, and the number of pages. After the last page comes the last one again."""
    pages, size = 1, 0
    page: list[str] = []
    wanted_page: list[str] | None = None
    for line in lines:
        if page and (len(page) == PAGE_LINES or size + len(line) > PAGE_SIZE):
            if pages == number:
                wanted_page = page
            page, size, pages = [], 0, pages + 1
        page.append(line[:PAGE_SIZE])
        size += len(line)
    return (page, pages, pages) if wanted_page is None else (wanted_page, number, pages)
