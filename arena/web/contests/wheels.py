"""Wheels that the server of a contest offers, so that a room without internet can install from it.

``/wheels/`` is a page of links, as `pip install --find-links` reads it. It has the distributions with which this server
runs, packed again from their installed files, and the files of a folder ``wheels`` beside ``contest.toml``: there the
organizer can put wheels for other systems. A wheel is packed when it is first asked for, and kept in the contest's
folder. What is not installed from wheels, such as a working copy, cannot be packed.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from functools import cached_property
from importlib import metadata
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path, PurePosixPath
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from arena.web.contests.site import Site
from arena.web.pages import Endpoint
from arena_replays.files import replace_file

_WHOLE: Final = ("arena-all", "arena-player")
"""The distributions that students install; all that they need comes with them."""
_NOT_PACKED: Final = ("INSTALLER", "RECORD", "REQUESTED", "direct_url.json")
"""Files that an installer adds. RECORD is written anew."""


class WheelPages:
    def __init__(self, site: Site) -> None:
        self._site = site

    def routes(self) -> dict[str, Endpoint]:
        return {"/wheels/": self._list, "/wheels/{name}": self._wheel}

    @cached_property
    def _own(self) -> dict[str, Distribution]:
        return {name_of_wheel(one): one for one in needed() if is_packable(one)}

    @property
    def _brought(self) -> Path:
        return self._site.contest.folder.parent / "wheels"

    def _list(self, request: Request) -> Response:
        session = self._site.visitors.reader(request)
        names = sorted({*self._own, *(path.name for path in self._brought.glob("*.whl"))})
        # pip takes nothing from a host without TLS, unless it is named.
        trusted = "" if request.url.scheme == "https" else f" --trusted-host {request.url.hostname}"
        return self._site.page(
            request, session, "wheels", "Install", names=names, url=f"{request.url}", trusted=trusted
        )

    def _wheel(self, request: Request) -> Response:
        self._site.visitors.reader(request)
        name = request.path_params["name"]
        brought = {path.name: path for path in self._brought.glob("*.whl")}
        if name in brought:
            return FileResponse(brought[name])
        if name not in self._own:
            raise HTTPException(404)
        kept = self._site.contest.folder / "wheels" / name
        if not kept.exists():
            kept.parent.mkdir(mode=0o700, exist_ok=True)
            replace_file(kept, packed_wheel(self._own[name]), sync=False)
        return FileResponse(kept)


def needed() -> Iterator[Distribution]:
    """Yield the installed distributions that students need, with all that these name, also for other systems."""
    pending, seen = [*_WHOLE], set()
    while pending:
        name = _normal(pending.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = metadata.distribution(name)
        except PackageNotFoundError:
            continue
        yield distribution
        pending += [re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in distribution.requires or ()]


def is_packable(distribution: Distribution) -> bool:
    """Return whether the files of a distribution are here as they came in a wheel."""
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    return (
        not origin.get("dir_info", {}).get("editable")
        and bool(distribution.read_text("WHEEL"))
        and bool(distribution.files)
    )


def name_of_wheel(distribution: Distribution) -> str:
    """Return the file name of a distribution's wheel."""
    tags = re.findall(r"^Tag: (.+?)-(.+?)-(.+)$", distribution.read_text("WHEEL") or "", re.MULTILINE)
    parts = [".".join(dict.fromkeys(part)) for part in zip(*tags, strict=True)]
    name = _normal(distribution.metadata["Name"]).replace("-", "_")
    return "-".join([name, distribution.version, *parts]) + ".whl"


def packed_wheel(distribution: Distribution) -> bytes:
    """Return the wheel of an installed distribution. Programs outside of the packages are made by who installs it."""
    data, record, info = io.BytesIO(), [], ""
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in distribution.files or ():
            name = PurePosixPath(path).as_posix()
            in_info = path.parts[0].endswith(".dist-info")
            if ".." in path.parts or "__pycache__" in path.parts or (in_info and path.name in _NOT_PACKED):
                continue
            info = path.parts[0] if in_info else info
            content = path.locate().read_bytes()  # type: ignore[attr-defined]
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f'"{name}",sha256={digest},{len(content)}')
            archive.writestr(name, content)
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f'"{info}/RECORD",,', ""]))
    return data.getvalue()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
