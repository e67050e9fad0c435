"""The modules of a bot: the files beside its own, which only its code finds.

A bot's process has the bot's modules in place from the beginning to the end. In memory, several bots share the modules
of one process with their host. Each bot's modules are in place while its code runs: then `sys.modules` has them, and
`sys.path` begins with the bot's folder. Afterwards both are the host's again. So a bot finds its files in any method,
and does not see another bot's files of the same name.

The names in `RESERVED` always mean the modules of Python and of the kit, whatever the bot's files are called: the kit
imports some of its own modules late, and what is loaded already is not the same everywhere.
"""

import os
import sys
from _frozen_importlib_external import PathFinder  # `importlib.machinery` takes longer

from .errors import PlayerError
from .light import TYPE_CHECKING, Any, ModuleType, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.machinery import ModuleSpec

MAIN = "main.py"
KIT = ("__main__", "arena", "arena_player", "arena_replays", "msgpack", "zmq")
RESERVED = (sys.stdlib_module_names - {"test"}) | set(KIT)
"""The names of modules that no file of a bot replaces. (`test` is a part of Python that many installations lack.)"""
ENDINGS = ("py", "pyc", "so", "pyd")


class BotModules:
    """The modules of one bot. In a `with` block they are in place. Blocks can be inside of each other.

    Args:
        path: The bot's Python file, or a folder with a main.py.
        given: Modules that the bot finds even if its folder does not have them, by name.
    """

    def __init__(self, path: str, given: "Mapping[str, ModuleType] | None" = None) -> None:
        path = os.path.abspath(path)
        self._file = os.path.join(path, MAIN) if os.path.isdir(path) else path
        self._folder = os.path.dirname(self._file)
        name = os.path.splitext(os.path.basename(self._file))[0]
        self._name = name if name.isidentifier() and name not in RESERVED else "bot"
        self._loaded: dict[str, ModuleType] = dict(given or {})
        self._names, self._folders = _names(self._folder)
        self._names.update(self._loaded, (self._name,))
        self._path: list[str] | None = None
        self._outer: list[_Outer] = []
        for place in list(sys.path_importer_cache):  # the folder can have other files than the last time
            if _is_in(place, self._folder):
                del sys.path_importer_cache[place]

    def load(self) -> ModuleType:
        """Run the bot's file as a module, and return it. The bot's modules must be in place.

        Raises:
            PlayerError: The file does not exist or cannot be read.
            Exception: Any exception of the bot's own code.
        """
        try:
            with open(self._file, "rb") as file:
                source = file.read()
        except OSError as error:
            raise PlayerError(f"Cannot read the bot {self._file}: {error.strerror}.") from None
        module = ModuleType(self._name)
        module.__file__ = self._file
        sys.modules[self._name] = module
        exec(compile(source, self._file, "exec"), module.__dict__)
        return module

    def __enter__(self) -> "BotModules":
        """Put the bot's modules in place."""
        modules = sys.modules
        hidden = {name: modules[name] for name in (*self._names, *self._folders) if self._hides(name)}
        if any(hasattr(module, "__path__") for module in hidden.values()):
            hidden = {name: module for name, module in modules.copy().items() if _root(name) in hidden}
        for name in hidden:
            del modules[name]
        modules.update(self._loaded)
        self._outer.append(_Outer(hidden, sys.path[:], len(modules)))
        if self._path is None:
            # `python -m` puts the working folder there, which a bot does not search.
            host = sys.path[1:] if sys.path[:1] in ([""], [os.getcwd()]) else sys.path
            self._path = [self._folder, *host]
        sys.path[:] = self._path
        sys.meta_path.insert(sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0, self)
        return self

    def __exit__(self, *_error: object) -> None:
        """Take the bot's modules away, and put back what they replaced."""
        modules = sys.modules
        outer = self._outer.pop()
        if len(modules) != outer.size:  # the bot's code has imported something
            own = [folder for folder in sys.path if folder not in outer.path and _is_in(folder, self._folder)]
            roots = {root for root in map(_root, modules.copy()) if self._has(root, own)}
            self._loaded.update((name, module) for name, module in modules.copy().items() if _root(name) in roots)
        for name in self._loaded:
            modules.pop(name, None)
        modules.update(outer.hidden)
        self._path, sys.path[:] = sys.path[:], outer.path
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Any = None, _target: Any = None) -> "ModuleSpec | None":
        """Find a reserved module, not in the bot's folder. Python calls this when it imports a module."""
        if path is None and name in RESERVED:
            return PathFinder.find_spec(name, [folder for folder in sys.path if folder != self._folder])
        return None

    def _hides(self, name: str) -> bool:
        """Return whether a loaded module of the host is not what the bot's code gets when it imports this name."""
        module = sys.modules.get(name)
        # An installed module goes before a folder without `__init__.py`.
        return module is not None and (name in self._names or getattr(module, "__file__", None) is None)

    def _has(self, root: str, own_path: list[str]) -> bool:
        """Return whether a loaded module is from the bot's folder, or from a folder in it that the bot searches."""
        place = _place(sys.modules.get(root))
        if root in self._names or root in self._folders:
            return _is_in(place, self._folder)
        return any(_is_in(place, folder) for folder in own_path)


class _Outer(NamedTuple):
    """What was there before the bot's modules were."""

    hidden: dict[str, ModuleType]
    path: list[str]
    size: int


def _names(folder: str) -> tuple[set[str], set[str]]:
    """Return the names of the modules and packages in a folder, and those of folders without `__init__.py`."""
    names: set[str] = set()
    folders: set[str] = set()
    try:
        entries = os.listdir(folder)
    except OSError:
        entries = []  # `load` says why
    for entry in entries:
        root, _, ending = entry.partition(".")
        if ending.endswith(ENDINGS):
            names.add(root)
        elif root.isidentifier() and not ending:
            (names if os.path.isfile(os.path.join(folder, root, "__init__.py")) else folders).add(root)
    return names - RESERVED, folders - RESERVED


def _root(name: str) -> str:
    return name.partition(".")[0]


def _place(module: ModuleType | None) -> str:
    """Return the file of a module, or the folder of a package without `__init__.py`; empty if it has none."""
    return getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")


def _is_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder + os.sep)
