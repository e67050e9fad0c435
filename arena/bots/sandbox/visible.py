"""The parts of the host that a Python bot needs: interpreter, libraries, and packages in development."""

from __future__ import annotations

import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGES_INSIDE = "/arena/packages"
NEEDED = ("zmq", "msgpack", "arena_player", "arena", "arena_replays")
FLAGS = ("-B", "-P", "-s", "-S")
"""The flags of an interpreter that begins with code of Arena.

-P: do not search the working folder, where a bot could put modules with the same names as Arena's modules.
-S: skip `site` and .pth files, which take 20 ms or more. PYTHONPATH lists the folders that they would add.
"""


@dataclass(frozen=True, slots=True)
class Visible:
    """The Python interpreter and packages that bots see.

    Attributes:
        binds: Pairs of outside and inside paths that must be visible.
        inside: The folders of PYTHONPATH in a sandbox.
        outside: The folders of PYTHONPATH without a sandbox.
    """

    python: str
    binds: tuple[tuple[str, str], ...]
    inside: tuple[str, ...]
    outside: tuple[str, ...]

    def command(self, *what: str) -> list[str]:
        """Return a command that starts the interpreter with code of Arena."""
        return [self.python, *FLAGS, *what]


@cache
def visible_python(packages: tuple[str, ...] = ()) -> Visible:
    """Return the running interpreter with its libraries, the packages that every bot needs, and the given packages.

    Library folders are visible as a whole, at their own path, so that bots find all packages that the organizer has
    installed. An editable package is in a developer's working copy. Of this copy, bots see only the package's folder.
    """
    libraries = _library_folders()
    editable: dict[str, str] = {}
    for name in dict.fromkeys((*NEEDED, *packages)):
        path = _package_path(name)
        if path is None:
            continue
        parent = os.path.dirname(path)
        if os.path.basename(parent) in {"site-packages", "dist-packages"}:
            libraries.setdefault(parent)
        elif parent not in libraries:
            editable[path] = f"{PACKAGES_INSIDE}/{os.path.basename(path)}"
    prefixes = dict.fromkeys(os.path.realpath(path) for path in (sys.base_prefix, sys.base_exec_prefix))
    folders = [path for path in (*prefixes, *libraries) if not _below(path, "/usr")]  # /usr is always visible
    outermost = [path for path in folders if not any(_below(path, other) for other in folders if other != path)]
    site_folders = _site_folders(libraries)
    editable_inside = [PACKAGES_INSIDE] if editable else []
    editable_outside = dict.fromkeys(os.path.dirname(path) for path in editable)
    return Visible(
        python=os.path.realpath(getattr(sys, "_base_executable", sys.executable)),
        binds=(*((path, path) for path in outermost), *editable.items()),
        inside=(*libraries, *editable_inside, *site_folders),
        outside=(*libraries, *editable_outside, *site_folders),
    )


def _library_folders() -> dict[str, None]:
    paths = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    if site.ENABLE_USER_SITE and sys.prefix == sys.base_prefix:
        paths.append(site.getusersitepackages())
    return dict.fromkeys(os.path.realpath(path) for path in paths if path and os.path.isdir(path))


def _site_folders(libraries: Iterable[str]) -> list[str]:
    """Return the folders that the module `site` adds to the search path, without the given libraries.

    They are the library folders of the base Python of our virtual environment, and folders that .pth files name. A
    named folder outside of all library folders is left out, since it does not exist inside the sandbox.
    """
    own = [os.path.realpath(path) for path in site.getsitepackages([sys.base_prefix, sys.base_exec_prefix])]
    visible = [*libraries, *filter(os.path.isdir, own)]
    named = [path for path in map(os.path.realpath, sys.path) if any(_below(path, folder) for folder in visible)]
    return [path for path in dict.fromkeys((*visible, *named)) if path not in libraries]


def _package_path(name: str) -> str | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return os.path.realpath(next(iter(spec.submodule_search_locations)))
    return os.path.realpath(spec.origin) if spec.origin and os.path.isfile(spec.origin) else None


def _below(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
