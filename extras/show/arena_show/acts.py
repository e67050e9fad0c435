"""What organizers and presenters do: the desk, the remote, and their forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.web.contests.extending import PostedForm, json_page
from arena_show.displays import ROLES, Displays
from arena_show.evening import Evening, MovedError
from arena_show.scenes import Document, Scenes

_DESK: Final = "/show/desk"


class Acts:
    """The pages and forms of organizers and presenters."""

    def __init__(self, evening: Evening, displays: Displays) -> None:
        self._evening = evening
        self._contest = evening.contest
        self._displays = displays

    def routes(self) -> dict[str, Callable[[Request], Any]]:
        """Return the endpoints of pages by path."""
        return {"/show/desk": self._desk, "/remote/state.json": self._remote_state}

    def forms(self) -> dict[str, Callable[[Request], Any]]:
        """Return the endpoints of forms by path."""
        form = self._contest.form
        return {"/show/act": form(self._act), "/show/role": form(self._role)}

    def _desk(self, request: Request) -> Response:
        self._contest.organizer(request)
        document = self.presented()
        context = {"steps": document["steps"], "displays": document["displays"], "roles": list(ROLES), "link": ""}
        return self._contest.page(request, "arena_show", "desk.html", "The show", **context, lines=[])

    async def _remote_state(self, request: Request) -> Response:
        from arena_show.pages import news

        self._contest.organizer(request)
        return await news(request, self._contest, self.presented)

    def presented(self) -> Document:
        """Return what a presenter and organizers get."""
        document, steps = Scenes(self._evening).document(), self._evening.steps()
        at = self._evening.at(steps)
        listed = [
            {"id": step.id, "kind": step.kind, "title": step.title, "minutes": step.minutes}
            | {"done": index < at, "now": index == at}
            for index, step in enumerate(steps)
        ]
        roles = self._evening.show.roles
        displays = [
            {"code": self._displays.code(key), "role": roles.get(key), "seen": round(seconds)}
            for key, seconds in self._displays.listed()
        ]
        return document | {"steps": listed, "displays": displays, "notes": []}

    def _act(self, form: PostedForm) -> Response:
        self._contest.organizer(form.request)
        seen = form.text("step")
        try:
            if form.text("do") == "begin":
                self._evening.begin(lambda: self._contest.hold(form.session, "The show begins."))
            elif form.text("do") == "jump":
                self._evening.go(form.text("to"), int(seen) if seen else None)
            else:
                self._evening.act(form.text("do"), int(seen) if seen else None)
        except MovedError:
            raise HTTPException(409, "Another step is shown by now.") from None
        except (LookupError, ValueError) as error:
            raise HTTPException(400, str(error)) from None
        return self._done(form.request)

    def _role(self, form: PostedForm) -> Response:
        self._contest.organizer(form.request)
        key, role = self._displays.key_of(form.text("code")), form.text("role")
        if key is None or role not in ROLES:
            raise HTTPException(400, "There is no such display or role.")
        self._contest.write({"do": "role", "display": key, "role": role})
        return self._done(form.request)

    def _done(self, request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return RedirectResponse(_DESK, 303)
        return json_page({}, 200)
