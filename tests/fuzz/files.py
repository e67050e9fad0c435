"""The structural fuzzer of what users are sent as files: archives of bots, and replays.

    python tests/fuzz/files.py [CASES] [--seed N] [--only archives|replays]

Each case runs in a process of its own that may use 256 MB more than before and 5 s of processor time. It ends well or
with one of the documented errors; anything else ends the run with exit code 1, and the seed repeats it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))

from strange_archives import strange_archive
from strange_replays import Source, sources, strange_replay

from arena.bots.bot import load_bot
from arena.bots.folders import archive, child, child_process
from arena.bots.folders.child_process import ChildFailedError
from arena.bots.folders.files import MOST_BYTES, MOST_FILES
from arena.cli.replay import command
from arena.errors import ArenaError
from arena_replays import ReplayError

MEMORY = 256 * 1024 * 1024
SECONDS = 5
COMMANDS = (
    *(("info", "FILE"), ("info", "--json", "FILE"), ("verify", "FILE"), ("verify", "--json", "FILE"), ("log", "FILE")),
    *(
        ("log", "--json", "FILE"),
        ("export", "--html", "OUT", "FILE"),
    ),
)


class Finding(Exception):  # noqa: N818 - not an error of the fuzzer
    """Something that must not happen."""


def limited(work: Callable[[], str]) -> str:
    """Do work in a forked process with little memory and time; return what it returns.

    Raises:
        Finding: It failed, or died.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            limit_process()
            text = work()
        except BaseException:
            text = "!" + traceback.format_exc()
        os.write(writer, text.encode("utf-8", "replace")[-60_000:])
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as stream:
        text = stream.read().decode("utf-8", "replace")
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise Finding(f"the process ended with {signal.Signals(-code).name if code < 0 else code}")
    if text.startswith("!"):
        raise Finding(text[1:])
    return text


def limit_process() -> None:
    """Limit this process to what a case may use."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    addresses = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check_message(error: ArenaError | ReplayError) -> str:
    """Return the kind of an error whose message a user can read.

    Raises:
        Finding: They cannot.
    """
    if len(error.message) > 1_000 or "Traceback" in error.message:
        raise Finding(f"a message of {len(error.message)} characters: {error.message[:300]!r}")
    return re.sub(r"^.*?\.(?=\w+$)", "", type(error).__name__)


def try_archive(rng: Random, folder: Path, known: list[Source]) -> str:
    """Load a bot from a strange archive."""
    del known
    name, data = strange_archive(rng)
    path = folder / name
    path.write_bytes(data)
    before = {one for one in folder.iterdir() if one.name != "cache"}
    place = contextlib.nullcontext() if rng.random() < 0.05 else mock.patch.object(archive, "LimitedProcess", Unpacker)
    with place, mock.patch.object(child_process, "LimitedProcess", Unpacker):
        result = limited(lambda: _loaded(path, folder / "cache"))
    if {one for one in folder.iterdir() if one.name != "cache"} != before:
        raise Finding("a file was written beside the cache")
    found = list((folder / "cache").rglob("*"))
    links = [one for one in found if one.is_symlink()]
    size = sum(one.stat().st_size for one in found)
    if links or len(found) > 13 * MOST_FILES or size > MOST_BYTES or list(folder.glob("cache/.unpack*")):
        raise Finding(f"the cache holds {len(found)} files of {size} bytes, and the links {links[:3]}")
    return result


class Unpacker:
    """The place of `LimitedProcess`: starting a process takes longer than most cases, and this one has limits too."""

    def __init__(self, passed: Sequence[int] = ()) -> None:
        del passed
        self._frames: Iterator[tuple[bytes, bytes]] = iter(())

    def ask(self, kind: bytes, data: bytes) -> None:
        """Take a request."""
        self._frames = child.respond(kind, data if kind in (child.PYTHON, child.TOML) else b"%d" % os.dup(int(data)))

    def receive(self) -> tuple[bytes, bytes]:
        """Return the next frame of its answer."""
        kind, data = next(self._frames)
        if kind == child.FAILURE:
            raise ChildFailedError(data.decode("utf-8", "replace"))
        return kind, data

    def __enter__(self) -> Unpacker:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _loaded(path: Path, cache: Path) -> str:
    try:
        load_bot(path, cache=cache)
    except ArenaError as error:
        return check_message(error)
    return "loaded"


def try_replay(rng: Random, folder: Path, known: list[Source]) -> str:
    """Run some of the commands on a strange replay."""
    path = folder / "match.arena"
    path.write_bytes(strange_replay(rng, known))
    words = {"FILE": str(path), "OUT": str(folder / "out")}
    chosen = [[words.get(word, word) for word in line] for line in rng.sample(COMMANDS, 3)]
    return limited(lambda: ", ".join(sorted({_ran(line) for line in chosen})))


def _ran(arguments: list[str]) -> str:
    """Run `arena replay` in this process."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return f"exit {command.main(arguments, standalone_mode=False) or 0}"
        except (ArenaError, ReplayError) as error:
            return check_message(error)


TRIALS = {"archives": try_archive, "replays": try_replay}


def main(arguments: list[str]) -> int:
    """Try so many files of each kind; return the exit code."""
    options = argparse.ArgumentParser()
    options.add_argument("cases", type=int, nargs="?", default=20_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", choices=TRIALS)
    given = options.parse_args(arguments)
    known = sources()
    for name, trial in TRIALS.items():
        if given.only in (None, name):
            results: Counter[str] = Counter()
            for seed in range(given.seed, given.seed + given.cases):
                folder = Path(tempfile.mkdtemp(prefix="arena-fuzz-"))
                os.environ["XDG_CACHE_HOME"] = str(folder / "cache" / "xdg")
                try:
                    results[trial(Random(seed), folder, known)] += 1
                except Finding as finding:
                    print(f"{name}, seed {seed}: {finding}")
                    return 1
                finally:
                    shutil.rmtree(folder)
            print(f"{given.cases} {name}: {dict(sorted(results.items()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
