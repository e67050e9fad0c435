"""Matches of real bots that are recorded once, and rerun in many ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.bot import Bot, load_bot
from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.play.referee.match_process import ForkServer, MatchProcess
from arena.study.replaying.rerun import MatchRecord
from arena_replays import Reader

CLOCK = Clock(startup=5.0, bank=None, increment=0.0, turn=2.0, grace=0.1)


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., MatchRecord]:
    """Play a match, and return its record."""
    servers: dict[str, ForkServer] = {}

    def play(game: str, *bots: str, **values: object) -> MatchRecord:
        replay = tmp_path_factory.mktemp("replays") / "match.arena"
        server = servers.setdefault(game, ForkServer(game))
        job = Job(
            game,
            tuple(SeatAssignment(bot) for bot in bots),
            **{"seed": 5, "clock": CLOCK, "replay": str(replay)} | values,  # type: ignore[arg-type]
        )
        with MatchProcess(job, server) as process:
            process.wait()
        return MatchRecord.of(Reader(replay))

    yield play
    for server in servers.values():
        server.close()


@pytest.fixture
def load() -> Callable[[MatchRecord, str], Bot]:
    """Load a bot for the game of a record."""

    def load(recorded: MatchRecord, bot: str | Path) -> Bot:
        return load_bot(bot, recorded.game)

    return load
