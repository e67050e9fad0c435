"""Pages that other installed distributions add to a contest, such as the playground."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.game import GameSpec
from arena.pages.policy import WORKER
from arena.web.pages import Endpoint, reads_gzip

GROUP: Final = "arena.contest_pages"
"""The entry points of further pages. Each names a function that gets the game and the name of the contest, and returns
the files of a folder by their paths. The folder is served under the name of the entry point, with the page
``index.html``. A function that cannot make its files raises an `ArenaError`."""
TYPES: Final = {"html": "text/html", "js": "text/javascript", "css": "text/css", "txt": "text/plain"}
POLICIES: Final = {
    "html": "base-uri 'none'; frame-ancestors 'self'",  # the pages themselves contain the rest
    "js": WORKER,
}


def further_pages(game: GameSpec, contest: str, complain: Callable[[str], None]) -> dict[str, Mapping[str, bytes]]:
    """Return the folders of all installed distributions, by their names.

    Args:
        complain: Called with a message if a distribution cannot make its folder, which is then left out.
    """
    found = {}
    for point in metadata.entry_points(group=GROUP):
        try:
            found[point.name] = point.load()(game, contest)
        except ArenaError as error:
            complain(f"The contest has no {point.name}: {error.message} {error.hint}".strip())
    return found


def folder(files: Mapping[str, bytes], allow: Callable[[Request], object]) -> Endpoint:
    """Return an endpoint that serves files by their ``name`` in the path.

    Args:
        allow: Called with each request; raises an exception for visitors who must not read.
    """
    tags = {name: f'"{hashlib.sha256(data).hexdigest()[:32]}"' for name, data in files.items()}
    packed = {name: gzip.compress(data, 6, mtime=0) for name, data in files.items() if _kind(name) in TYPES}

    def endpoint(request: Request) -> Response:
        allow(request)
        name = request.path_params["name"] or "index.html"
        if name not in files:
            raise HTTPException(404)
        kind = _kind(name)
        headers = {"ETag": tags[name], "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if kind in POLICIES:
            headers["Content-Security-Policy"] = POLICIES[kind]
        if request.headers.get("if-none-match") == tags[name]:
            return Response(status_code=304, headers=headers)
        data = files[name]
        if name in packed and reads_gzip(request):
            data, headers["Content-Encoding"] = packed[name], "gzip"
        return Response(data, headers=headers, media_type=TYPES.get(kind, "application/octet-stream"))

    return endpoint


def _kind(name: str) -> str:
    return name.rpartition(".")[2]
