"""Set up the game and the state machine of a match, and begin its replay. It needs no bots and no processes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import ArenaError, ExitCode
from arena.game import Chance, Clock, Draw, GameSpec, OptionValues, Seeded, State
from arena.game.chance import Repeated
from arena.match.isolation import Isolation
from arena.match.job import Job
from arena.match.position import Parent
from arena_player.version import __version__

if TYPE_CHECKING:
    from arena.play.referee.match import Match
    from arena.play.referee.recording import Recording
    from arena_replays.documents import Header, HeaderPlayer

_NO_ISOLATION = Isolation()


@dataclass(frozen=True, slots=True)
class MatchPlayer:
    """A player as the match sees them.

    Attributes:
        hash: The hash of the bot's files, or the identity of a remote bot; empty if there is none.
        settings: All settings of the bot, also those that are not in the header of the replay.
    """

    name: str
    hash: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    isolation: Isolation = _NO_ISOLATION


@dataclass(frozen=True, slots=True)
class Opening:
    """A match that can begin.

    Attributes:
        clock: The time settings for seats without settings of their own.
    """

    job: Job
    game: GameSpec
    options: OptionValues
    clock: Clock
    players: Sequence[MatchPlayer]

    def open(self) -> tuple[Match, Recording | None]:
        """Set up the game, and write the header of the replay if the job has one."""
        # Imported here, because commands that only check a match do not need them.
        from arena.play.referee.match import Match
        from arena.play.referee.recording import Recording

        job = self.job
        state, dice, draws = self._start()
        recording = Recording(job.replay, self.header(), job.seed, state, draws, sync=job.sync) if job.replay else None
        match = Match(
            self.game,
            state,
            [
                replace(seat, name=player.name, settings=player.settings)
                for seat, player in zip(job.seats, self.players, strict=True)
            ],
            dice,
            self.clock,
            job.policy,
            recorded=recording is not None,
            bot_seeds=[job.bot_seed(player) for player in range(len(job.seats))],
        )
        return match, recording

    def _start(self) -> tuple[State, Chance, list[Draw] | None]:
        """Return the starting position, the dice, and the draws of the set-up; None if there was no set-up."""
        job = self.job
        dice = Seeded(job.play_seed)
        if job.start is None:
            chance = Seeded(job.setup_seed)
            return self.game.start(self.options, chance), dice, chance.take()
        state = self.game.load(job.start.state, self.options)
        if job.start.dice:
            return state, Repeated(job.start.dice, dice), None
        return state, dice, None

    def header(self) -> Header:
        """Return the header of the replay, as docs/replay-format.md describes it."""
        game, job = self.game, self.job
        players: list[HeaderPlayer] = [
            {
                "name": player.name,
                "bot": seat.bot,
                "hash": player.hash,
                "settings": seat.settings,
                "isolation": player.isolation.to_document(),
            }
            for seat, player in zip(job.seats, self.players, strict=True)
        ]
        header: Header = {
            "arena": __version__,
            "game": game.name,
            "title": game.title,
            "version": game.version,
            "options": self.options.to_document(),
            "players": players,
            "leg": job.leg,
            "clock": self.clock.to_document(),
            "policy": job.policy.to_document(),
            "schema": game.schema(),
            "renderer": game.viewer is not None,
            "streams": 1,
        }
        if job.slot:
            header["tournament"] = job.slot
        if job.start is not None:
            header["start"] = {"turn": job.start.turn, "first": job.start.first}
            if job.start.parent is not None:
                header["parent"] = _parent_document(job.start.parent, job.replay) | {"same_dice": bool(job.start.dice)}
        return header


def _parent_document(parent: Parent, replay: str) -> dict[str, Any]:
    """Return what the header of a replay says about its parent replay.

    The parent's path is relative, so that both files can be moved together.
    """
    file = parent.file
    if file:
        with contextlib.suppress(ValueError):  # the files are on different drives
            file = os.path.relpath(file, Path(replay).resolve().parent)
    return asdict(replace(parent, file=file))


def check_folder(replay: str) -> None:
    folder = Path(replay).resolve().parent
    if not folder.is_dir():
        raise ArenaError(
            f"The folder {folder} for the replay does not exist.",
            hint="Create the folder or use another path.",
            exit_code=ExitCode.CANNOT_WRITE,
        )
