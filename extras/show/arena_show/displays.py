"""Displays: browsers that nobody has signed in, with a role that an organizer has given them at the desk."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.web.contests.extending import Limiter, ServedContest

ROLES: Final = ("board", "bracket", "table", "next", "clock", "queue", "break", "notes", "overlay", "director")
COOKIE: Final = "arena-display"
_GONE, _NEW = 60.0, 20
"""The seconds after which a display without a role is gone, and how many new ones an address may open in them."""
_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_MOST: Final = 200
"""The limit for the displays without a role: anybody can open the page."""
_SECRET: Final = re.compile(r"[0-9a-f]{32}")


class Displays:
    """The displays that have asked for their document: those with a role, and those that are there.

    Args:
        has_role: Returns whether the display with a key has a role.
    """

    def __init__(self, contest: ServedContest, has_role: Callable[[str], bool]) -> None:
        self._contest = contest
        self._has_role = has_role
        self._seen: dict[str, float] = {}
        self._new = Limiter(_NEW, _GONE)

    def seen(self, secret: str, address: str) -> str:
        """Return the key of a display that asks with its secret from an address."""
        key = _key_of(secret)
        if not key:
            raise HTTPException(404, "This display does not exist: its id has 32 hexadecimal digits.")
        if key not in self._seen and not self._has_role(key):
            strangers = sum(not self._has_role(other) for other, _ in self.listed())
            if strangers >= _MOST or not self._new.take(address):
                raise HTTPException(429, "Too many new displays. Try again in a minute.")
        self._seen[key] = time.monotonic()
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
        return next((key for key, _ in self.listed() if self.code(key) == code.strip().upper()), None)

    def listed(self) -> list[tuple[str, float]]:
        """Return the key of each display, and how many seconds ago it has asked. Forget those that are gone."""
        now = time.monotonic()
        for key, at in list(self._seen.items()):
            if now - at > _GONE and not self._has_role(key):
                self._seen.pop(key, None)
        return [(key, now - at) for key, at in list(self._seen.items())]

    def remember(self, request: Request, response: Response) -> None:
        """Let the frames of a display be read with its secret, also where readers must sign in."""
        secure = request.url.scheme == "https"
        secret = request.query_params.get("id", "")
        response.set_cookie(COOKIE, secret, path="/show", httponly=True, samesite="lax", secure=secure)

    def reader(self, request: Request) -> None:
        """Check that somebody may read what the show shows: a reader of the contest, or a display with a role."""
        if not self._has_role(_key_of(request.cookies.get(COOKIE, ""))):
            self._contest.reader(request)


def _key_of(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()[:32] if _SECRET.fullmatch(secret) else ""
