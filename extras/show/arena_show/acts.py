"""What organizers and presenters do: the desk, the remote, and what each form writes."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.web.contests.extending import PostedForm, fields_of
from arena_show.displays import ROLES, Displays
from arena_show.evening import Evening, MovedError
from arena_show.news import Document, News
from arena_show.scenes import Scenes

Endpoint = Callable[[Request], Any]
Fields = Mapping[str, str]
_REMOTE: Final = "arena-remote"
_DESK: Final = "/show/desk"
_SECONDS: Final = 14 * 24 * 3600
"""How long the remote of a presenter works: longer than any event."""
EDITS: Final = ("up", "down", "drop", "skip", "keep", "time", "note", "add")
_LONGEST, _MOST_LINES = 80, 3
"""The limits of what a team says of itself."""
_LONGEST_TEXT: Final = 500
_MOST_MINUTES: Final = 600


class Acts:
    """The pages and forms of organizers and presenters."""

    def __init__(self, evening: Evening, displays: Displays, news: News, scenes: Callable[[Request], Scenes]) -> None:
        self._evening = evening
        self._contest = evening.contest
        self._displays = displays
        self._news = news
        self._scenes = scenes

    def routes(self) -> dict[str, Endpoint]:
        """Return the endpoints of pages by path."""
        return {_DESK: self._desk, "/remote": self._remote, "/remote/state.json": self._remote_state}

    def forms(self) -> dict[str, Endpoint]:
        """Return the endpoints of forms by path."""
        return {
            "/remote": self._take_link,
            "/show/act": self._for_presenters(self._act),
            "/show/playlist": self._for_organizers(self._edit),
            "/show/role": self._for_organizers(self._role),
            "/show/link": self._for_organizers(self._link),
            "/show/lines": self._contest.form(self._lines, limited=True),
            "/show/check": self._for_organizers(self._check),
        }

    # -- who sends -------------------------------------------------------------------------------------

    def _is_presenter(self, request: Request) -> bool:
        return self._evening.presents(request.cookies.get(_REMOTE, ""))

    def _for_organizers(self, answer: Callable[[Request, Fields], None]) -> Endpoint:
        def checked(form: PostedForm) -> Response:
            self._contest.organizer(form.request)
            return self._done(form.request, answer, form.fields)

        return self._contest.form(checked)

    def _for_presenters(self, answer: Callable[[Request, Fields], None]) -> Endpoint:
        of_organizer: Callable[[Request], Awaitable[Response]] = self._for_organizers(answer)

        async def endpoint(request: Request) -> Response:
            if not self._is_presenter(request):
                return await of_organizer(request)
            return await run_in_threadpool(self._done, request, answer, await fields_of(request))

        return endpoint

    def _done(self, request: Request, answer: Callable[[Request, Fields], None], fields: Fields) -> Response:
        try:
            answer(request, fields)
        except MovedError:
            raise HTTPException(409, "Another step is shown by now.") from None
        except (LookupError, ValueError) as error:
            raise HTTPException(400, str(error.args[0]) if error.args else "The form is wrong.") from None
        is_page = "text/html" in request.headers.get("accept", "")
        return RedirectResponse(_DESK, 303) if is_page else Response(status_code=204)

    # -- pages -----------------------------------------------------------------------------------------

    def _desk(self, request: Request) -> Response:
        self._contest.organizer(request)
        token = self._evening.waiting_link
        link = self._contest.link(request, "remote", token) if token else ""
        document, whole = self._presented(request), self._contest.whole()
        lines = [
            {"team": whole.name_of(key), "text": said.text, "checked": said.checked, "number": said.number}
            for key, said in self._evening.show.lines.items()
        ]
        context = {name: document[name] for name in ("steps", "displays", "ends", "predicts")}
        context["dropped"] = self._evening.dropped
        context |= {"roles": list(ROLES), "link": link, "lines": lines, "begun": self._evening.show.first is not None}
        finish = self._evening.show.finish
        context["finish"] = f"{datetime.fromtimestamp(finish):%H:%M}" if finish else ""
        return self._contest.page(request, "arena_show", "desk.html", "The show", **context)

    def _remote(self, request: Request) -> Response:
        """Return the page of the remote; with a link, a page whose button makes this browser the remote."""
        token = request.query_params.get("token", "")
        is_known = self._is_presenter(request)
        if not (is_known or token):
            self._contest.organizer(request)
        context = {"token": "" if is_known else token}
        return self._contest.page(request, "arena_show", "remote.html", "Remote control", **context)

    async def _take_link(self, request: Request) -> Response:
        fields = await fields_of(request)
        session = await run_in_threadpool(self._evening.take_link, fields.get("token", ""))
        if not session:
            raise HTTPException(403, "This link was used, or is too old. The desk makes a new one.")
        response, secure = RedirectResponse("/remote", 303), request.url.scheme == "https"
        response.set_cookie(_REMOTE, session, max_age=_SECONDS, httponly=True, samesite="lax", secure=secure)
        return response

    async def _remote_state(self, request: Request) -> Response:
        if not self._is_presenter(request):
            self._contest.organizer(request)
        return await self._news.answer(
            request, "remote", lambda: self._presented(request), lambda _: self._with_displays()
        )

    def _presented(self, request: Request) -> Document:
        """Return what a presenter and organizers get."""
        scenes = self._scenes(request)
        steps = [
            {"id": step.id, "kind": step.kind, "title": step.title, "minutes": round(step.minutes, 1)}
            | {"note": step.note, "done": index < scenes.at, "now": index == scenes.at}
            for index, step in enumerate(scenes.steps)
        ]
        ends = datetime.fromtimestamp(60 * (self._evening.ends(time.time()) // 60)).astimezone().isoformat()
        more = {"steps": steps, "notes": scenes.notes(), "ends": ends, "predicts": scenes.show.predicts}
        more["moment"] = self._evening.has_moment()
        return scenes.document() | more | self._with_displays()

    def _with_displays(self) -> Document:
        roles = self._evening.show.roles
        listed = [
            {"code": self._displays.code(key), "role": roles.get(key), "seen": int(seconds // 30) * 30}
            for key, seconds in self._displays.listed()
        ]
        return {"displays": listed}

    # -- what is written -------------------------------------------------------------------------------

    def _act(self, request: Request, fields: Fields) -> None:
        seen, what = fields.get("step", ""), fields.get("do", "")
        at = int(seen) if seen else None
        if what == "begin":
            session = self._contest.session(request)
            self._evening.begin(lambda: self._contest.hold(session, "A show begins: its steps release the results."))
        elif what == "jump":
            self._evening.go(fields.get("to", ""), at)
        else:
            self._evening.act(what, at)

    def _edit(self, _request: Request, fields: Fields) -> None:
        what, text = fields.get("do", ""), fields.get("text", "").strip()[:_LONGEST_TEXT]
        if what == "finish":
            self._contest.write({"do": "finish", "at": _next_time(fields.get("at", ""))})
            return
        known = (*self._evening.steps(), *self._evening.dropped)
        if what not in EDITS or fields.get("id") not in {step.id for step in known}:
            raise LookupError("There is no such step or change.")
        minutes = _minutes(fields["minutes"]) if what in ("time", "add") else 0.0
        document = {"do": "edit", "what": what, "id": fields["id"], "minutes": minutes}
        self._contest.write(document, text=text)

    def _role(self, _request: Request, fields: Fields) -> None:
        key, role = self._displays.key_of(fields.get("code", "")), fields.get("role", "")
        if key is None or role not in ("", *ROLES):
            raise LookupError("There is no such display or role.")
        self._contest.write({"do": "role", "display": key, "role": role})

    def _link(self, _request: Request, _fields: Fields) -> None:
        self._evening.new_link()

    def _lines(self, form: PostedForm) -> Response:
        """Take what a team says of itself. It is shown when somebody has checked it at the desk."""
        team = form.session.member.entrant
        lines = [re.sub(r"\s+", " ", line).strip() for line in form.text("text").splitlines() if line.strip()]
        if not team:
            raise HTTPException(403, "Members of a team write its lines.")
        if len(lines) > _MOST_LINES or any(len(line) > _LONGEST for line in lines):
            raise HTTPException(400, f"Write at most {_MOST_LINES} lines of {_LONGEST} characters.")
        key = self._contest.whole().id_of(team)
        self._contest.write({"do": "lines"}, about=key, text="\n".join(lines))
        return RedirectResponse("/show", 303)

    def _check(self, _request: Request, fields: Fields) -> None:
        key = self._contest.whole().id_of(fields.get("team", ""))
        ok = fields.get("ok", "") == "yes"
        self._contest.write({"do": "checked", "lines": int(fields.get("number", "0")), "ok": ok}, about=key)


def _minutes(text: str) -> float:
    if not re.fullmatch(r"\s*\d{1,3}([.,]\d*)?\s*", text, re.ASCII) or float(text.replace(",", ".")) > _MOST_MINUTES:
        raise ValueError(f"The minutes of a step are a number from 0 to {_MOST_MINUTES}, such as 2.5.")
    return float(text.replace(",", "."))


def _next_time(text: str) -> str:
    """Return when this machine's clock shows hours and minutes for the next time, in ISO 8601; empty for no text."""
    if not text:
        return ""
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text, re.ASCII):
        raise ValueError("Write the time as hours and minutes, such as 21:40.")
    now = datetime.now()
    at = now.replace(hour=int(text[:2]), minute=int(text[3:]), second=0, microsecond=0)
    return (at if at > now else at + timedelta(days=1)).astimezone().isoformat()
