"""The branches of a replay: matches that start from a position of the replay or of another branch.

The replays of the branches are in one folder.
"""

from __future__ import annotations

import contextlib
import json
import os.path
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from arena.errors import ArenaError, ExitCode
from arena.game import Document
from arena.match.position import Parent, ReplayPlace
from arena.replaying.course import course
from arena.replaying.parents import BRANCHES, check_parent
from arena.replaying.places import step_at
from arena.replaying.presentation import renderer_for, result_in_words
from arena.text.printable import command_line
from arena_replays import Reader, ReplayError
from arena_replays.export import title_of, write_page
from arena_replays.files import replace_file
from arena_replays.page import tree_page
from arena_replays.splice import splice

ROOT = ""
"""The id of the root. The root is the replay from which all branches start, directly or through other branches."""
NOTES = "tree.json"
LONGEST_NOTE = 4_000


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch, or the root.

    Attributes:
        id: The name of its file without the ending; `ROOT` for the root.
        parent: The id of the branch or root from which this branch starts. None for the root, or if the branch cannot
            be read, or if the parent is not in the tree.
        turn: The turn, from 1, in which the branch starts. 0 for the root, or if the file names no parent or cannot be
            read.
        action: The number of actions of this turn before the start of the branch.
        result: How the match ended, in words, or why the file cannot be read.
        changed: Whether the parent was changed after the branch was played.
    """

    id: str
    parent: str | None
    turn: int
    action: int
    players: tuple[str, ...]
    result: str
    name: str = ""
    note: str = ""
    changed: bool = False


class _Start(NamedTuple):
    """The start of a branch: the id of its parent, and a frame of the parent's file. The branch follows this frame."""

    parent: str
    frame: int


class BranchTree:
    """The branches of one replay. Any thread can call the methods."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root.with_suffix(BRANCHES)
        self._lock = threading.RLock()
        self._readers: dict[Path, tuple[tuple[int, int], Reader]] = {}
        self._starts: dict[str, tuple[tuple[Reader, Reader], _Start]] = {}
        self._last = 0

    def branches(self) -> list[Branch]:
        """Return the root, then all branches that are not being played now, the oldest first.

        Files whose names cannot be ids of branches are left out, for example ``b1 (copy).arena``.
        """
        with self._lock:
            notes = self._notes()
            return [self._branch(id_, notes.get(id_, {})) for id_ in self._ids()]

    def new(self) -> tuple[str, Path]:
        with self._lock:
            try:
                self.folder.mkdir(exist_ok=True)
                used = [int(path.stem[1:]) for path in self.folder.glob("b*.arena") if path.stem[1:].isdecimal()]
            except OSError as error:
                raise ArenaError(
                    f"The folder {self.folder} for branches cannot be used: {error.strerror}.",
                    exit_code=ExitCode.CANNOT_WRITE,
                ) from None
            self._last = max(self._last, *used, 0) + 1
            return f"b{self._last}", self.folder / f"b{self._last}.arena"

    def describe(self, id_: str, *, name: str, note: str) -> None:
        if len(name) > 200 or len(note) > LONGEST_NOTE:
            raise ArenaError(f"A name has at most 200 characters, and a note at most {LONGEST_NOTE}.")
        with self._lock:
            notes = self._notes() | {id_: {"name": name, "note": note}}
            try:
                self.folder.mkdir(exist_ok=True)
                replace_file(self.folder / NOTES, json.dumps({"branches": notes}, indent=1).encode())
            except OSError as error:
                raise ArenaError(
                    f"{self.folder / NOTES} cannot be written: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE
                ) from None

    def path(self, id_: str) -> Path:
        if id_ == ROOT:
            return self.root
        if not self._has(id_):
            raise ArenaError(f"There is no branch {id_}.")
        return self.folder / f"{id_}.arena"

    def reader(self, id_: str) -> Reader:
        path = self.path(id_)
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        with self._lock:
            known = self._readers.get(path)
            if known is None or known[0] != stamp:
                known = self._readers[path] = (stamp, Reader(path))
            return known[1]

    def place(self, id_: str, frame: int) -> ReplayPlace:
        while id_ != ROOT and frame <= self._offset(id_):
            id_ = self._start(id_).parent
        frame -= self._offset(id_)
        for step in course(self.reader(id_)):
            if step.frame == frame:
                return ReplayPlace(str(self.path(id_)), step.turn, step.action)
        raise ArenaError(f"The replay has no position after {frame} actions.", exit_code=ExitCode.BAD_OPTION)

    def course(self, id_: str) -> bytes:
        """Return the whole replay of a branch: from the root's start, through all ancestors, to its own end."""
        data, frame = self.root.read_bytes(), 0
        for one in self._line(id_)[1:]:
            frame += self._start(one).frame
            data = splice(Reader(data), self.reader(one), frame)
        return data

    def parent_of(self, id_: str) -> str:
        return self._start(id_).parent

    def page(self) -> str:
        """Return one page with the root and all branches, for a browser without a network.

        Branches that cannot be joined with their parents are left out.
        """
        nodes, replays = [], []
        for branch in self.branches():
            with contextlib.suppress(ArenaError, ReplayError):  # leave out a branch whose parent is missing
                replays.append(self.course(branch.id))
                nodes.append(asdict(branch))
        root = self.reader(ROOT)
        return tree_page(replays, renderer_for(root.header), f"{title_of(root)}, with branches", nodes)

    def export(self, out: Path) -> None:
        write_page(self.page(), out)

    def _ids(self) -> Iterator[str]:
        yield ROOT
        numbered = (path.stem for path in self.folder.glob("*.arena"))
        yield from sorted(filter(self._has, numbered), key=lambda stem: (len(stem), stem))

    def _has(self, id_: str) -> bool:
        """Return whether there is a branch with this id. Ids with a dot or slash are refused: they could be paths."""
        name = id_.replace("-", "").replace("_", "")
        return name.isalnum() and os.path.isfile(self.folder / f"{id_}.arena")

    def _branch(self, id_: str, notes: Document) -> Branch:
        texts = {key: notes[key] for key in ("name", "note") if isinstance(notes.get(key), str)}
        try:
            reader = self.reader(id_)
        except ReplayError as error:
            return Branch(id_, None, 0, 0, (), f"cannot be read: {error}", **texts)
        named = Parent.from_document(reader.header.get("parent")) if id_ != ROOT else None
        parent = self._id_of(named) if named else None
        changed = bool(named and parent is not None and self._was_changed(parent, named.chain))
        players = tuple(player["name"] for player in reader.header.get("players", ()))
        place = (named.turn, named.action) if named else (0, 0)
        return Branch(id_, parent, *place, players, result_in_words(reader), **texts, changed=changed)

    def _was_changed(self, parent: str, chain: str) -> bool:
        """Return whether a parent cannot be read, or has another hash chain. An empty `chain` allows any."""
        try:
            return self.reader(parent).chain != chain != ""
        except ReplayError:
            return True

    def _id_of(self, parent: Parent) -> str | None:
        """Return the id of a parent; None if the parent is not in the tree. Only the name in its path counts."""
        name = os.path.basename(parent.file)
        stem, ending = os.path.splitext(name)
        if ending == ".arena" and self._has(stem) and (name == parent.file or name != self.root.name):
            return stem
        return ROOT if name == self.root.name else None

    def _start(self, id_: str) -> _Start:
        reader = self.reader(id_)
        named = Parent.from_document(reader.header.get("parent"))
        parent = self._id_of(named) if named else None
        if named is None or parent is None:
            raise ArenaError(f"The replay that the branch {id_} starts from is missing.")
        readers = (reader, self.reader(parent))
        known = self._starts.get(id_)
        if known is None or known[0] != readers:
            check = check_parent(reader, self.path(parent))
            if check.known != "verified":
                raise ArenaError(
                    f"The branch {id_} cannot be joined with its parent: {check.problem or 'it has no position'}.",
                    hint=f"`{command_line('arena', 'view', self.path(id_))}` shows the branch without its parent.",
                )
            step = step_at(readers[1], named.turn, named.action)
            known = self._starts[id_] = (readers, _Start(parent, step.frame))
        return known[1]

    def _line(self, id_: str) -> list[str]:
        line = [id_]
        while line[0] != ROOT:
            parent = self._start(line[0]).parent
            if parent in line:
                raise ArenaError(f"The branches {parent} and {line[0]} start from each other.")
            line.insert(0, parent)
        return line

    def _offset(self, id_: str) -> int:
        """Return the number of frames in the branch's complete replay that come before the branch's own file."""
        return sum(self._start(one).frame for one in self._line(id_)[1:])

    def _notes(self) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / NOTES).read_bytes())["branches"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}
        return (
            {key: value for key, value in found.items() if isinstance(value, dict)} if isinstance(found, dict) else {}
        )
