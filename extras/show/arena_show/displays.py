"""Displays: browsers that nobody has signed in, with a role that an organizer has given them at the desk."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Container
from hashlib import sha256
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.web.contests.extending import ServedContest

ROLES: Final = ("board", "bracket", "table", "next", "clock", "queue", "break", "notes", "overlay", "director")
COOKIE: Final = "arena-display"
_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_MOST: Final = 200
"""The displays that are remembered without a role: anybody can open the page."""
_SECRET: Final = re.compile(r"[0-9a-f]{32}")


class Displays:
    """The displays that have asked for their document, the newest last.

    Args:
        known: Returns the keys of the displays that have a role.
    """

    def __init__(self, contest: ServedContest, known: Callable[[], Container[str]]) -> None:
        self._contest = contest
        self._known = known
        self._seen: OrderedDict[str, float] = OrderedDict()

    def seen(self, secret: str) -> str:
        """Return the key of a display that asks with its secret."""
        key = _key_of(secret)
        if not key:
            raise HTTPException(404, "This display does not exist: its id has 32 hexadecimal digits.")
        self._seen[key] = time.monotonic()
        self._seen.move_to_end(key)
        while len(self._seen) > _MOST:
            self._seen.popitem(last=False)
        return key

    def code(self, key: str) -> str:
        """Return the four letters of a display, which stay the same."""
        number = int(self._contest.signature("display", key)[:12], 16)
        letters = []
        for _ in range(4):
            number, letter = divmod(number, len(_LETTERS))
            letters.append(_LETTERS[letter])
        return "".join(letters)

    def key_of(self, code: str) -> str | None:
        """Return the display with a code; None if it was not seen lately."""
        return next((key for key in reversed(self._seen) if self.code(key) == code.strip().upper()), None)

    def listed(self) -> list[tuple[str, float]]:
        """Return the key of each display, and how many seconds ago it has asked."""
        now = time.monotonic()
        return [(key, now - at) for key, at in list(self._seen.items())]

    def remember(self, request: Request, response: Response) -> None:
        """Let the frames of a display be read with its secret, also where readers must sign in."""
        secure = request.url.scheme == "https"
        secret = request.query_params.get("id", "")
        response.set_cookie(COOKIE, secret, path="/show", httponly=True, samesite="lax", secure=secure)

    def reader(self, request: Request) -> None:
        """Check that somebody may read what the show shows: a reader of the contest, or a display with a role."""
        if _key_of(request.cookies.get(COOKIE, "")) not in self._known():
            self._contest.reader(request)


def _key_of(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()[:32] if _SECRET.fullmatch(secret) else ""
