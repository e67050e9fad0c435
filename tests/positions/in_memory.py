"""Matches in memory of random legal actions, into replays."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from arena.game import Document, load
from arena.match.position import Position
from arena.play.memory import MatchInMemory, Turn
from arena_replays import Reader
from arena_replays.compact import assemble

SHORT: dict[str, dict[str, Any]] = {"saloon": {"max_turns": 60}}
"""Options for shorter matches."""
LONGEST = 400
"""Actions after which players only finish their turns, so that a random match ends soon."""


class Randomly:
    """All players of a match: they choose random legal actions; after many, those that finish the turn."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.actions = 0

    def __call__(self, turn: Turn) -> Document:
        self.actions += 1
        if self.actions > LONGEST or self.rng.random() < 0.1:
            return turn.state.fallback_action(turn.player)
        return self.rng.choice(turn.legal_actions)


def play(
    path: Path,
    game: str,
    seed: int,
    start: Position | None = None,
    players: int | None = None,
    options: dict[str, Any] | None = None,
) -> MatchInMemory:
    """Play a match of random actions into a replay."""
    policies = [Randomly(Random(seed))] * (players or load(game).players)
    given = {} if start is not None else options or SHORT.get(game, {})
    match = MatchInMemory(game, policies, seed=seed, options=given, start=start, replay=path, raises=True)
    match.play()
    return match


def name_parent(path: Path, file: str) -> None:
    """Change the path of the parent in the header of a replay."""
    reader = Reader(path)
    header = {**reader.header, "parent": {**reader.header["parent"], "file": file}}
    views = [list(reader.frames(stream)) for stream in range(reader.streams)]
    path.write_bytes(assemble(header, reader.truth, views, reader.notes, reader.footer))
