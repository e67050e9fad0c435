"""Build pages, files and errors. Only this module makes answers from templates."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Lifespan
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.errors import ArenaError, ExitCode
from arena.pages.render import render, served, style
from arena_replays import ReplayError
from arena_replays import page as viewer
from arena_replays.page import script_json, social, source_hash

Endpoint = Callable[[Request], Any]
Order = Callable[[Request, dict[str, Any]], dict[str, Any]]


class _Number(IntegerConvertor):
    """A number of at most 15 digits in a path: `int` would raise an exception for a very long one."""

    regex = "[0-9]{1,15}"


register_url_convertor("int", _Number())

_LEAST_COMPRESSED = 2000
"""The smallest size of a compressed answer, in bytes. Smaller ones and their header fit into two packets anyway."""
_VIEWER = viewer.served_modules("viewer")
_SERVED = {viewer.MAIN, *(address.removeprefix("viewer/") for address in _VIEWER.values())}
_NAME = re.compile(r"[a-z_]+(/[a-z_]+)?\.(js|css)")


def page(
    request: Request,
    template: str,
    status: int = 200,
    *,
    script: str = "",
    style: str = "",
    forms: bool = False,
    templates: str = "",
    frames: str = "'self'",
    **context: Any,
) -> Response:
    """Return a page. Everything in the context that is not `Markup` is shown as text.

    Args:
        templates: The package of another distribution that has the template; empty for one of our own.
        script: Scripts that the page is allowed to run: ``'self'``, and hashes of inline scripts; empty for none.
        frames: Which sites may show the page inside of theirs.
    """
    root = request.scope.get("root_path", "")
    text = render(template, templates, root=root, **context)
    return HTMLResponse(text, status, {"Content-Security-Policy": served(script, style, forms=forms, frames=frames)})


def _script_page(
    request: Request,
    title: str,
    main: str,
    config: Mapping[str, Any],
    imports: Mapping[str, str],
    *sheets: str,
    place: str = "viewer",
    image: str = "",
    frames: str = "'self'",
) -> Response:
    """Return a page that a script fills. Texts in its configuration are shown as text only."""
    script, import_map = _imports(request, imports)
    return page(
        request,
        "script.html",
        script=script,
        title=title,
        main=main,
        place=place,
        config=Markup(script_json(config)),
        import_map=import_map,
        sheets=sheets,
        social=Markup(social(title, image)),
        frames=frames,
    )


def stills_map(request: Request) -> tuple[str, Markup]:
    """Return the scripts that a page with pictures of positions is allowed to run, and its import map."""
    return _imports(request, _VIEWER | {"arena/renderer": "renderer/"})


def _imports(request: Request, imports: Mapping[str, str]) -> tuple[str, Markup]:
    """Return the scripts that a page with an import map is allowed to run, and the map."""
    root = request.scope["root_path"]
    import_map = script_json({"imports": {name: f"{root}/{file}" for name, file in imports.items()}})
    return f"'self' {source_hash(import_map)}", Markup(import_map)


def viewer_page(
    request: Request,
    title: str,
    config: Mapping[str, Any],
    renderer: str,
    main: str = f"viewer/{viewer.MAIN}",
    *sheets: str,
    image: str = "",
    frames: str = "'self'",
) -> Response:
    """Return a page with the viewer.

    Args:
        image: The whole address of a picture of the match, for programs that show links; empty for none.
        frames: Which sites may show the page inside of theirs.
    """
    imports = _VIEWER | {"arena/renderer": renderer}
    more = ("viewer/style.css", *sheets)
    return _script_page(request, title, main, config, imports, *more, image=image, frames=frames)


def download(text: str, name: str) -> Response:
    """Return a page that the browser saves under a name, and does not open."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/html", headers=headers)


def editor_page(request: Request, title: str, main: str, config: Mapping[str, Any]) -> Response:
    return _script_page(
        request, title, f"editor/{main}", config, _VIEWER, "viewer/style.css", "editor/editor.css", place="page"
    )


def script(text: str) -> Response:
    return Response(text, media_type="text/javascript")


def renderer_routes(address: str, find: Callable[[Request], viewer.Renderer]) -> dict[str, Endpoint]:
    """Return the endpoint of a renderer: its main module has the address of a folder, so it imports ``./NAME.js``."""

    def module(request: Request) -> Response:
        text = find(request).file(request.path_params["module"])
        if text is None:
            raise HTTPException(404)
        return script(text)

    return {f"{address}/{{module:path}}": module}


def compressed(request: Request, response: Response) -> Response:
    """Compress an answer for a browser that can read it.

    Only for pages without secrets: from the lengths of compressed answers, secrets in them can be guessed.
    """
    if reads_gzip(request) and len(response.body) > _LEAST_COMPRESSED:
        response.body = gzip.compress(response.body, 5)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.body))
    return response


def reads_gzip(request: Request) -> bool:
    """Return whether a browser accepts compressed answers."""
    return "gzip" in request.headers.get("accept-encoding", "")


def json_page(document: Any, status: int = 200) -> Response:
    """Return JSON in ASCII, since text from outside can contain characters that UTF-8 cannot encode."""
    return Response(json.dumps(document), status, media_type="application/json")


def assets(package: str, folder: str) -> dict[str, Endpoint]:
    """Return the endpoint of the scripts and style sheets in a folder of a package. No other file is sent."""

    def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if (folder, name) == ("viewer", "style.css"):
            return Response(viewer.style(), media_type="text/css")
        if folder == "viewer" and name in _SERVED:
            return script(viewer.served_file(name).decode())
        file = files(package).joinpath(folder, name)
        if not _NAME.fullmatch(name) or not file.is_file():
            raise HTTPException(404)
        media_type = "text/css" if name.endswith(".css") else "text/javascript"
        return Response(file.read_bytes(), media_type=media_type)

    return {f"/{folder}/{{name:path}}": asset}


def _sheet(_request: Request) -> Response:
    return Response(style(), media_type="text/css")


def application(
    routes: Mapping[str, Endpoint],
    orders: Mapping[str, Order] = MappingProxyType({}),
    lifespan: Lifespan[Any] | None = None,
    sockets: Mapping[str, Callable[[WebSocket], Any]] = MappingProxyType({}),
    forms: Mapping[str, Endpoint] = MappingProxyType({}),
) -> Starlette:
    """Return an application that also serves the shared files, and answers errors with a page or JSON.

    Args:
        orders: Functions for POST, by path. They get the request and its JSON, and return JSON.
        lifespan: Runs code before the first and after the last request.
    """
    shared = assets("arena_replays", "viewer") | assets("arena.pages", "scripts") | {"/page.css": _sheet}
    return Starlette(
        routes=[
            *(Route(path, endpoint) for path, endpoint in (shared | dict(routes)).items()),
            *(Route(path, _posted(order), methods=["POST"]) for path, order in orders.items()),
            *(Route(path, endpoint, methods=["POST"]) for path, endpoint in forms.items()),
            *(WebSocketRoute(path, endpoint) for path, endpoint in sockets.items()),
        ],
        exception_handlers={
            HTTPException: _on_http,
            ArenaError: _on_mistake,
            ReplayError: _on_mistake,
            ClientDisconnect: _on_cut_off,
            WebSocketDisconnect: _on_cut_off,
        },
        lifespan=lifespan,
    )


def _posted(order: Order) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            body = json.loads(await request.body())
        except (ValueError, RecursionError):
            raise ArenaError("The request is not JSON.") from None
        if not isinstance(body, dict):
            raise ArenaError("The request is not a JSON object.")
        return json_page(await run_in_threadpool(order, request, body))

    return endpoint


def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    has_no_text = error.detail == HTTPStatus(error.status_code).phrase
    return error_page(request, error.status_code, "This page does not exist." if has_no_text else error.detail)


def _on_cut_off(_request: Request | WebSocket, _error: Exception) -> Response:
    return Response("The request was cut off.", 400)  # the client has disconnected


def _on_mistake(request: Request, error: Exception) -> Response:
    assert isinstance(error, ArenaError | ReplayError)
    if isinstance(error, ReplayError):
        return error_page(request, 410, str(error), error.hint)
    status = 404 if error.exit_code == ExitCode.UNKNOWN_GAME else 409
    return error_page(request, status, str(error), error.hint)


def error_page(request: Request, status: int, message: str, hint: str = "", *, inside: bool = True) -> Response:
    if "text/html" not in request.headers.get("accept", ""):
        return json_page({"message": message, "hint": hint}, status)
    return plain_page(request, "error.html", status, title=message, hint=hint, inside=inside)


def plain_page(request: Request, template: str, status: int = 200, **context: Any) -> Response:
    sheet = style()
    return page(request, template, status, style=source_hash(sheet), sheet=Markup(sheet), sheets=(), **context)
