"""The pages of one tournament. They read the journal and the replays, and change nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError
from arena.journal.store import has_traces
from arena.matches.data import to_csv, to_json
from arena.web.computing import SharedPages, in_daemon, unshared
from arena.web.match_pages import PATIENCE, MatchPages, Shown, log_of, renderer_route
from arena.web.pages import application, assets, compressed, json_page, page, reads_gzip, stills_map
from arena.web.server import short_switches
from arena.web.tournament import fragments
from arena.web.contests.following import Spectator
from arena.web.tournament.tokens import is_owner

_REFRESH = 0.5
_SHEETS = ("page.css",)
_NOT_BEGUN = "The tournament has not begun. This page shows it as soon as it does."


class TournamentPages:
    """The pages of one tournament.

    Args:
        renderer: The source of the game's renderer, or None for the default one.
        name: The name of the tournament, for the page before it begins.
    """

    def __init__(self, folder: Path, renderer: str | None, name: str = "") -> None:
        self._folder = folder
        self._name = name
        self._spectator = Spectator(folder, versus=fragments.versus_address)
        if has_traces(folder):
            self._spectator.refresh()
        self._renderer = renderer
        self._matches = MatchPages(self._shown, PATIENCE)

    def application(self) -> Starlette:
        # The first page waits for no other: who looks at the standings does not care about tables and bots.
        first, pages = SharedPages(lambda: 0).shared, SharedPages(lambda: 0).shared
        routes = {
            "/": first(self._front, lambda request: f"{'screen' in request.query_params} {reads_gzip(request)}"),
            "/state": first(self._state, lambda request: f"{self._known(request)} {reads_gzip(request)}"),
            "/match/{match_id}": self._matches.watch,
            "/still/{match_id}": self._matches.still,
            "/data/{name}": pages(self._data, lambda request: str(reads_gzip(request)), self._version),
            "/replay/{match_id}": self._matches.replay,
            "/bot/{name}": pages(self._bot, self._token, self._version),
            "/bot/{name}/log/{match_id}": unshared(self._log),
            "/bot/{name}/against/{other}": pages(self._versus),
            **renderer_route(self._renderer),
            **assets("arena.web", "tournament"),
        }
        return application(routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:  # noqa: ARG002 - the signature is Starlette's
        task = asyncio.create_task(self._follow())
        try:
            with short_switches():
                yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _follow(self) -> None:
        while True:
            with suppress(ArenaError):  # if the journal cannot be read now, try again later
                await in_daemon(self._spectator.refresh)
            await asyncio.sleep(_REFRESH)

    @property
    def _title(self) -> str:
        return self._spectator.tournament.config.name if self._spectator.has_begun else self._name

    def _front(self, request: Request) -> Response:
        screen = "screen" in request.query_params
        script, import_map = ("'self'", "") if screen else stills_map(request)
        data = "" if screen else f"{request.scope['root_path']}/data/"
        shown = self._spectator.state("", _NOT_BEGUN)
        answer = page(request, "tournament/front.html", script=script, shown=shown, title=self._title, sheets=_SHEETS,
                      screen=screen, import_map=import_map, data=data, state="/state", watch="/match/")  # fmt: skip
        return compressed(request, answer)

    def _version(self) -> int:
        return self._spectator.version

    def _known(self, request: Request) -> str:
        """Return the version that the page has, if it is the current one. Others must not make an answer to compute."""
        known = request.query_params.get("version", "")
        return known if self._spectator.is_current(known) else ""

    def _state(self, request: Request) -> Response:
        return compressed(request, json_page(self._spectator.state(self._known(request), _NOT_BEGUN)))

    def _shown(self, request: Request) -> Shown:
        match_id = request.path_params["match_id"]
        found = self._spectator.match(match_id)
        names, replay = (found[0].names, found[1].replay) if found else self._running(match_id)
        return Shown(
            names,
            self._folder / replay if replay else None,
            not found,
            partial(self._spectator.is_over, match_id),
            partial(self._legs, match_id, live=not found),
            place=partial(self._place, request.scope["root_path"], match_id),
        )

    def _place(self, root: str, match_id: str) -> dict[str, Any]:
        name, before, after = self._spectator.neighbours(match_id)
        found = {"previous": before, "next": after}
        beside = {
            key: {"title": one[1], "url": f"{root}{fragments.match_address(one[0])}"} if one else None
            for key, one in found.items()
        }
        return {"crumbs": [{"title": self._title, "url": f"{root}/"}], "name": name, **beside}

    def _running(self, match_id: str) -> tuple[tuple[str, ...], str]:
        for one in self._spectator.running():
            if one["match_id"] == match_id:
                return tuple(one["names"]), one["replay"]
        raise HTTPException(404, "This match does not exist.")

    def _legs(self, match_id: str, *, live: bool) -> tuple[list[dict[str, Any]], int]:
        legs = self._spectator.legs(match_id)
        listed = [{"url": f"/replay/{leg}", "live": live and leg == match_id} for leg in legs]
        return listed, legs.index(match_id)

    def _bot(self, request: Request) -> Response:
        name = self._bot_name(request)
        record = fragments.bot_record(
            name,
            self._spectator.document,
            self._spectator.statistics(),
            self._spectator.of_bot(name),
            self._spectator.course,
        )
        title = f"{name} – {self._title}"
        return page(
            request,
            "tournament/bot.html",
            title=title,
            sheets=_SHEETS,
            name=name,
            tournament=self._title,
            token=self._token(request),
            **self._links(request),
            **self._scripts(request),
            **record,
        )

    def _data(self, request: Request) -> Response:
        """Return a table for programs, as ``NAME.csv`` or ``NAME.json``."""
        name, _, form = request.path_params["name"].rpartition(".")
        table = next((one for one in self._spectator.tables() if one.kind.name == name), None)
        if table is None or form not in ("csv", "json"):
            raise HTTPException(404, "This table does not exist.")
        if form == "json":
            return compressed(request, Response(to_json(table), media_type="application/json"))
        return compressed(request, Response(to_csv(table), media_type="text/csv"))

    def _versus(self, request: Request) -> Response:
        one, other = self._bot_name(request), request.path_params["other"]
        if other not in self._spectator.tournament.names:
            raise HTTPException(404, "This bot does not exist.")
        record = fragments.versus_record(
            one, other, self._spectator.document, self._spectator.of_bot(one), self._spectator.decision,
            f"{self._folder.name}.toml",
        )  # fmt: skip
        title = f"{one} against {other} – {self._title}"
        return page(request, "tournament/versus.html", title=title, sheets=_SHEETS, tournament=self._title,
                    bot_page=self._links(request)["opponent_page"], **self._links(request),
                    **self._scripts(request), **record)  # fmt: skip

    @staticmethod
    def _links(request: Request) -> dict[str, Any]:
        """Return the functions with which a template makes addresses."""
        root = request.scope["root_path"]
        return {
            "match_page": lambda match_id: f"{root}{fragments.match_address(match_id)}",
            "opponent_page": lambda name: f"{root}{fragments.bot_address(name)}",
            "still_page": lambda match_id: f"{root}{fragments.still_address(match_id)}",
            "versus": lambda one, other: f"{root}{fragments.versus_address(one, other)}",
        }

    @staticmethod
    def _scripts(request: Request) -> dict[str, Any]:
        script, import_map = stills_map(request)
        return {"script": script, "import_map": import_map}

    def _log(self, request: Request) -> Response:
        """Return the logs and output of one bot in one match, for its owner."""
        name, match_id = self._bot_name(request), request.path_params["match_id"]
        if not self._is_owner(name, request.query_params.get("token", "")):
            raise HTTPException(403, "These logs are for the bot's owner.")
        found = self._spectator.match(match_id)
        if found is None or name not in found[0].names:
            raise HTTPException(404, "This match does not exist.")
        log = log_of(request, self._shown(request).path(), found[0].names.index(name), found[1])
        context = {"name": name, "match_id": match_id, "tournament": self._title}
        context |= {"match_title": self._spectator.title(match_id), "match_page": self._links(request)["match_page"]}
        return page(request, "tournament/log.html", title=name, sheets=_SHEETS, **log, **context)

    def _bot_name(self, request: Request) -> str:
        name: str = request.path_params["name"]
        if not self._spectator.has_begun or name not in self._spectator.tournament.names:
            raise HTTPException(404, "This bot does not exist.")
        return name

    def _token(self, request: Request) -> str:
        """Return the token of a request for the page of a bot; empty if it is not that of the bot's owner."""
        token = request.query_params.get("token", "")
        return token if self._is_owner(request.path_params["name"], token) else ""

    def _is_owner(self, name: str, token: str) -> bool:
        return is_owner(self._spectator.folder, name, token)
