"""The addresses of a show: pages, their documents, and the bytes of the match that is shown."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections.abc import Callable
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from arena.web.contests.extending import Limiter, ServedContest, ServedPages, address_for_others, assets, fields_of
from arena_show.acts import Acts
from arena_show.displays import Displays
from arena_show.evening import Evening, hash_of
from arena_show.news import Document, News
from arena_show.playhead import Playhead, moments_of
from arena_show.predictions import FORECASTER, outcomes, place_of, scores
from arena_show.scenes import LOGOS, Scenes

PACKAGE: Final = "arena_show"
_PHONE: Final = "arena-phone"
_GUESSES: Final = 120
"""How many guesses an address may send in a minute: the phones of a hall can share one."""
_LOOK: Final = 0.05
"""Seconds between two looks how far the match is that is shown. Nobody sees a shorter delay."""
_TURNS, _CUTS = 0.5, 1.0
"""Seconds between two documents of a match that is shown, in which the lead changes, and of the director's."""
_BEFORE: Final = 12
"""The turns of a stretch before the turn that changed most."""
_STRETCH: Final = 0.5
"""The minutes that a whole match would take at the pace of the director's stretches."""


def pages(contest: ServedContest) -> ServedPages:
    """Return the pages of the show of a contest."""
    evening = Evening(contest)
    evening.resume()
    shown = _Pages(evening)
    acts = Acts(evening, shown.displays, shown.news, shown.scenes)
    routes = {**shown.routes(), **acts.routes(), **assets(PACKAGE, "static")}
    forms = {**acts.forms(), **shown.forms()} if contest.writable else {}
    free = ("/display", "/display/state.json", "/show/state.json", "/show/logo", "/static/")
    return ServedPages(routes, forms, {"/show": "Show"}, free)


class _Pages:
    def __init__(self, evening: Evening) -> None:
        self._evening = evening
        self._contest = evening.contest
        self.displays = Displays(evening.contest, lambda key: bool(evening.show.roles.get(key)))
        self._guessing = Limiter(_GUESSES, 60.0)
        self.news = News(evening.contest, lambda: evening.version, self._period)
        self._scores: dict[str, tuple[float, int]] = {}

    def routes(self) -> dict[str, Callable[[Request], Any]]:
        """Return the endpoints by path."""
        return {
            "/show": self._phone,
            "/show/state.json": self._state,
            "/show/logo": self._logo,
            "/display": self._display,
            "/display/state.json": self._display_state,
            "/show/match/{match_id}/watch": self._watch,
            "/show/match/{match_id}/replay": self._replay,
            "/show/stretch/{match_id}/{number}/watch": self._watch,
            "/show/stretch/{match_id}/{number}/replay": self._replay,
        }

    def forms(self) -> dict[str, Callable[[Request], Any]]:
        """Return the endpoints of forms by path."""
        return {"/show/guess": self._guess}

    def scenes(self, request: Request) -> Scenes:
        """Return what makes the documents of this moment."""
        address = address_for_others(self._contest.link(request, "show", "").partition("?")[0])
        return Scenes(self._evening, time.time(), address)

    def _period(self, key: str) -> float | None:
        places = self._evening.show.places
        if key == "director" or (key.startswith("display") and not places):
            return _CUTS
        return _TURNS if places and places[-1].startswith("match:") else None

    # -- pages and their documents ---------------------------------------------------------------------

    def _phone(self, request: Request) -> Response:
        session = self._contest.reader(request)
        team = session.member.entrant if session else ""
        said = self._evening.show.lines.get(self._contest.whole().id_of(team)) if team else None
        context = {"team": team, "lines": said.text if said else "", "checked": bool(said and said.checked)}
        response = self._contest.page(request, PACKAGE, "phone.html", self._contest.name, **context)
        if self._evening.show.predicts and not self._guesser(request):
            secret, secure = secrets.token_urlsafe(18), request.url.scheme == "https"
            cookie = f"{secret}.{self._contest.signature(_PHONE, secret)}"
            response.set_cookie(_PHONE, cookie, max_age=30 * 24 * 3600, httponly=True, secure=secure)
        return response

    def _display(self, request: Request) -> Response:
        """Return the page of a display, for anybody: what it shows is decided at the desk."""
        return self._contest.page(request, PACKAGE, "display.html", self._contest.name)

    def _logo(self, _request: Request) -> Response:
        """Return the logo, for anybody, as the page of a display."""
        file = self._contest.beside(*LOGOS)
        if file is None:
            raise HTTPException(404, "This contest has no logo.")
        return FileResponse(file, headers={"Content-Security-Policy": "sandbox"})

    async def _state(self, request: Request) -> Response:
        if self._contest.has_opened:
            self._contest.reader(request)
        guesser = self._guesser(request)
        return await self.news.answer(
            request, "show", lambda: self._of_phones(request), lambda document: self._own(document, guesser)
        )

    async def _display_state(self, request: Request) -> Response:
        key = self.displays.seen(request.query_params.get("id", ""), _address(request))

        def role(_document: Document) -> Document:
            return {"role": self._evening.show.roles.get(key), "code": self.displays.code(key)}

        given = role({})["role"]
        kind = f"display {given}" if given != "director" else "director"
        response = await self.news.answer(request, kind, lambda: self._of_display(request, given), role)
        if given:
            self.displays.remember(request, response)
        return response

    def _of_display(self, request: Request, role: str | None) -> Document:
        """Return what displays with a role get; without one, only the name of the contest."""
        if not role:
            return {
                "contest": self._contest.name,
                "scene": {"id": "waiting", "kind": "waiting", "title": "", "text": ""},
            }
        return self.scenes(request).document(role)

    # -- predictions -----------------------------------------------------------------------------------

    def _of_phones(self, request: Request) -> Document:
        """Return what all spectators get, and what they may guess now."""
        return self.scenes(request).document() | {"predictions": self._predictions()}

    def _predictions(self) -> Document | None:
        show, step = self._evening.show, self._evening.step()
        if not show.predicts or not self._contest.has_opened:
            return None
        known = outcomes(self._contest.public())
        self._scores = scores(dict(show.guesses), known)
        about = step if step and step.kind in ("intro", "match", "result") and len(step.players) == 2 else None
        ours = self._scores.get(FORECASTER)
        return {
            "open": about is not None and about.kind == "intro" and about.encounter not in known,
            "match": about and about.encounter,
            "players": [{"name": name, "colour": seat} for seat, name in enumerate(about.players if about else ())],
            "of": len(self._scores),
            "forecaster": round(ours[0], 3) if ours else None,
        }

    def _own(self, document: Document, guesser: str) -> Document:
        """Return the predictions of a document with what one spectator has guessed, and how well."""
        shared, score = document["predictions"], self._scores.get(guesser)
        if not shared:
            return {}
        guess = self._evening.show.guesses.get(shared["match"] or "", {}).get(guesser)
        own = {"own": guess, "brier": score and round(score[0], 3), "place": place_of(guesser, self._scores) or None}
        return {"predictions": shared | own}

    async def _guess(self, request: Request) -> Response:
        fields, guesser = await fields_of(request), self._guesser(request)
        self._contest.reader(request)
        if not guesser:
            raise HTTPException(403, "Guesses come from the page of the show.")
        if not self._guessing.take(_address(request)):
            raise HTTPException(429, "Very many guess at the moment. Wait a minute.")
        await run_in_threadpool(self._lock_guess, fields, guesser)
        return Response(status_code=204)

    def _guesser(self, request: Request) -> str:
        """Return the key of a phone, which has its cookie from here; empty for others."""
        secret, _, signature = request.cookies.get(_PHONE, "").partition(".")
        wanted = self._contest.signature(_PHONE, secret)
        return hash_of(secret) if hmac.compare_digest(signature.encode(), wanted.encode()) else ""

    def _lock_guess(self, fields: dict[str, str], guesser: str) -> None:
        open_now, match = self._predictions() or {}, fields.get("match", "")
        try:
            win = float(fields.get("win", ""))
        except ValueError:
            win = -1.0
        if not 0.0 <= win <= 1.0:
            raise HTTPException(400, "A guess is a number from 0 to 1.")
        if not open_now.get("open") or open_now.get("match") != match:
            raise HTTPException(409, "The guesses about this match are closed.")
        try:
            self._evening.guess(match, guesser, round(win, 3))
        except LookupError as error:
            raise HTTPException(409, str(error.args[0])) from None

    # -- the match that is shown -----------------------------------------------------------------------

    def _watch(self, request: Request) -> Response:
        self.displays.reader(request)
        match_id = request.path_params["match_id"]
        row = self._contest.whole().match(match_id)
        if row is None or not (self._evening.shown(match_id) or self._contest.public().may_be_watched(match_id)):
            raise HTTPException(404, "This match is not shown.")
        replay = request.url.path.removesuffix("watch") + "replay"
        return self._contest.viewer(request, row.title, replay, "static/stage.css")

    async def _replay(self, request: Request) -> Response:
        """Return the bytes of the match that is shown, up to its playhead; new ones as soon as there are some."""
        self.displays.reader(request)
        match_id, query = request.path_params["match_id"], request.query_params
        offset, end = _number(query.get("from", "")), time.monotonic() + self._contest.wait
        begun = _number(request.path_params.get("number", ""))
        while True:
            found = await run_in_threadpool(self._bytes, match_id, begun)
            if found is None:
                raise HTTPException(404, "This match is not shown.")
            generation, data = found
            start = offset if query.get("generation", "") == generation else 0
            if not start or len(data) > start or time.monotonic() > end or self._contest.is_stopping(request):
                break
            await asyncio.sleep(_LOOK)
        headers = {"X-Arena-Generation": generation, "X-Arena-Whole": str(int(not start))}
        return Response(data[start:], headers=headers, media_type="application/octet-stream")

    def _bytes(self, match_id: str, begun: int) -> tuple[str, bytes] | None:
        """Return what there is of a match that is shown, and the number of its showing.

        Args:
            begun: When the director began with the stretch of the match in which most changed; 0 for a whole match.
        """
        shown, public, now = self._evening.shown(match_id), self._contest.public(), time.time()
        if shown is not None:
            number, film = shown
            self._evening.note(film, now)
            return str(number), film.replay.source.read(0, film.playhead.size_at(self._evening.elapsed(film, now)))
        if not public.may_be_watched(match_id):
            return None
        if not begun:
            return "whole", public.copy(match_id)
        replay, moments = public.growing(match_id), moments_of(public.advantage(match_id))
        playhead, first = Playhead(replay, _STRETCH), max((moment.turn for moment in moments), default=0) - _BEFORE
        size = playhead.size_at(playhead.time_of(first) + max(0.0, now - begun))
        return str(begun), replay.source.read(0, size)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _number(text: str) -> int:
    if not text:
        return 0
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise HTTPException(400, "A number in the address is wrong.")
    return int(text)
