"""The toy game on the workers of a scheduler."""

import contextlib
import functools
import shutil
import tempfile
from pathlib import Path

from cluster import client_of
from contests_toys import Toys, new_servers, toys

from arena.contests.journal.files import temporary_replay_path
from arena.contests.loop import Loop
from arena.match.lookup import find_game
from arena_cluster.engine import DaskEngine
from arena_cluster.playing import programs_of

PROGRAMS = programs_of(find_game("saloon"))
"""What each worker has; the toy game is not installed."""
servers = functools.cache(new_servers)
"""What a worker keeps."""


def play(spec, bots, replay):
    for path in bots.values():  # the hashes of toys begin alike, and so do the names of their folders
        assert (Path(path) / "bot.txt").read_text() in bots
    with tempfile.TemporaryDirectory() as folder:
        result = Toys(Path(folder), 0.02, servers()).start(spec, 0).wait()
        shutil.copy(result.replay, replay)
        return result


def engine_of(client, folder):
    def bot_of(content):
        place = folder / "bots" / content
        place.mkdir(parents=True, exist_ok=True)
        (place / "bot.txt").write_text(content)
        return place, "."

    return DaskEngine(client, PROGRAMS, play, bot_of, lambda match_id: temporary_replay_path(folder, match_id))


def run_on(address, path):
    """Play the contest of a file with eight toys."""
    with toys(path, 8) as opened, contextlib.closing(engine_of(client_of(address), opened.folder)) as engine:
        return Loop(opened, engine).run()
