"""Find out who sends a request and what they may do, and read the form of the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl, quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.contests.open_contest import LoadedContest, OpenContest
from arena.contests.people.accounts import DeniedError, Limiter, SignedIn, member_of_token, session_of
from arena.contests.people.uploads import DAY
from arena.errors import ArenaError
from arena.text.reading import is_same
from arena.web.pages import Endpoint, error_page

COOKIE: Final = "arena-contest"
LARGEST_FORM: Final = 200_000
"""The limit for the size of a form, in bytes: a list with the invitations of some thousand people fits."""
CHANGES_PER_DAY: Final = 200
"""How often a person may do in 24 hours what adds to the journal and has no other limit: 0.5 KiB each, and more than a
person does by hand."""
_FAILED_TRIES: Final = 10
"""How often an address may send an invalid token in a minute before it is told to wait. Many people can share it."""
Fields = dict[str, str]


@dataclass(frozen=True, slots=True)
class PostedForm:
    """A form that somebody who is signed in has sent from a page of ours."""

    request: Request
    session: SignedIn
    fields: Fields

    def text(self, name: str) -> str:
        """Return what was entered in a field; empty for a field that was not sent."""
        return self.fields.get(name, "")


Answer = Callable[[PostedForm], Response]


def takes_bots(contest: LoadedContest) -> bool:
    """Return whether people can hand in bots here, and not only where another process runs the contest."""
    return isinstance(contest, OpenContest) and contest.config.people is not None


class Visitors:
    """Finds out who sends a request."""

    def __init__(self, contest: LoadedContest) -> None:
        self._contest = contest
        self.tries = Limiter(_FAILED_TRIES, 60.0)
        self._changes = Limiter(CHANGES_PER_DAY, DAY)

    def session(self, request: Request) -> SignedIn | None:
        authorization = request.headers.get("authorization", "")
        if authorization:
            member, _ = member_of_token(self._contest, authorization.removeprefix("Bearer ").strip())
            return SignedIn(member, "", "")
        return session_of(self._contest, request.cookies.get(COOKIE, ""))

    def key(self, request: Request) -> str | None:
        """Return whose pages a request gets: "" for those of everybody, None with a token, whose pages are not kept.

        Cookies that are no session of the contest must not make a page to compute.
        """
        if "authorization" in request.headers:
            return None
        cookie = request.cookies.get(COOKIE, "")
        return cookie if cookie and session_of(self._contest, cookie) else ""

    def needed(self, request: Request) -> SignedIn:
        """Return the session of a request. The sender must be signed in."""
        session = self.session(request)
        if session is None:
            raise HTTPException(401, "Sign in first, with the link or token of your invitation.")
        return session

    def reader(self, request: Request) -> SignedIn | None:
        """Return the session of a request for a public page. If the contest is not public, require signing in."""
        return self.session(request) if self._contest.config.visible.public else self.needed(request)

    def organizer(self, request: Request) -> SignedIn:
        """Return the session of a request. The sender must be an organizer."""
        session = self.needed(request)
        if not session.member.is_organizer:
            raise HTTPException(403, "This page is for organizers.")
        return session

    def denied(self, request: Request, error: Exception) -> Response:
        """Answer a request whose token or invitation is not valid, and record it for the sender's address.

        After too many from one address, the status is 429. Valid tokens from this address are still accepted: many
        people can share an address, and nobody guesses 192 random bits.
        """
        assert isinstance(error, DeniedError)
        if not self.tries.take(request.client.host if request.client else ""):
            return error_page(request, 429, "Too many failed sign-ins. Wait a minute.")
        status = 401 if "authorization" in request.headers else 403
        return error_page(request, status, f"{error.message} {error.hint}".strip())

    def form(self, answer: Answer, find: Callable[[Request], SignedIn] | None = None) -> Endpoint:
        """Return an endpoint that checks sender and CSRF value, and passes the form to `answer`."""

        async def endpoint(request: Request) -> Response:
            fields = await fields_of(request)
            session = (find or self.needed)(request)
            check_csrf(session, fields.get("csrf", ""))
            return await run_in_threadpool(answer, PostedForm(request, session, fields))

        return endpoint

    def limited(self, answer: Answer) -> Endpoint:
        """Return an endpoint as `form` does. Refuse people who have sent too many such forms."""

        def counted(form: PostedForm) -> Response:
            if not self._changes.take(form.session.member.id):
                raise HTTPException(429, f"You have made {CHANGES_PER_DAY} changes in 24 hours. Try tomorrow.")
            return answer(form)

        return self.form(counted)


def check_csrf(session: SignedIn, value: str) -> None:
    """Refuse a form without the right CSRF value, since no page of ours has sent the form.

    Requests with a token need no such value.
    """
    if session.nonce and not is_same(session.csrf, value):
        raise HTTPException(403, "This form is too old. Load the page again.")


async def body_of(request: Request, largest: int, what: str) -> bytes:
    """Return the body of a request. Refuse one of more than `largest` bytes."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > largest:
            raise HTTPException(413, f"The {what} is larger than {largest} bytes.")
    return bytes(body)


async def fields_of(request: Request) -> Fields:
    """Return the fields of a form that a browser has sent.

    Raises:
        HTTPException: The form is too large, or cannot be read.
    """
    body = await body_of(request, LARGEST_FORM, "form")
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=bool(body), max_num_fields=50))
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None


def team_address(name: str) -> str:
    """Return the address of the page of a team or a bot."""
    return f"/team/{quote(name, safe='')}"


def picture_address(name: str, png: bytes) -> str:
    """Return the address of the picture of a team, which changes with the picture."""
    return f"{team_address(name)}/picture?{sha256(png).hexdigest()[:16]}"


def back(path: str) -> Response:
    return RedirectResponse(path, 303)


def set_cookie(request: Request, response: Response, value: str, seconds: int) -> Response:
    secure = request.url.scheme == "https"  # the browser uses TLS, as a reverse proxy reports
    response.set_cookie(COOKIE, value, max_age=seconds, path="/", httponly=True, samesite="lax", secure=secure)
    return response


def refused(error: ArenaError, status: int) -> HTTPException:
    return HTTPException(status, f"{error.message} {error.hint}".strip())
