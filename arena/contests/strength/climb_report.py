"""What a climb has shown, as values: each rung, the loss to study on it, and the whole climb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arena.contests.ratings.sequential import games_left
from arena.contests.strength.climb import TEST, Climber, RungGame, RungResult
from arena.game import BuiltinBot, GameSpec
from arena.study.coach.causes import causes_of
from arena.text.printable import command_line
from arena_replays import Reader


@dataclass(frozen=True, slots=True)
class StudiedLoss:
    """A lost game to study, and the command that explains it.

    Attributes:
        cause: The kind of the `Cause` of the loss.
    """

    replay: str
    player: int
    cause: str
    message: str
    explain: str

    @classmethod
    def of(cls, game: RungGame) -> StudiedLoss:
        cause = causes_of(Reader(game.replay))[game.seat]
        explain = command_line("arena", "explain", game.replay, "--player", game.seat)
        return cls(str(game.replay), game.seat, cause.kind, cause.message, explain)


@dataclass(frozen=True, slots=True)
class RungReport:
    """The games of the bot against one boss.

    Attributes:
        decision: "promoted", "held" or "undecided".
        failures: How often the bot's program failed, by ending.
        doc: What the boss does.
        lesson: What a bot must learn to beat the boss.
        loss: None if no lost game has a replay.
        played: How the games were played, in words.
    """

    boss: str
    decision: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    score_interval: list[float]
    evidence: dict[str, float]
    games_left: int | None
    failures: dict[str, int]
    worst_turn: float
    doc: str
    lesson: str
    loss: StudiedLoss | None
    played: str

    @classmethod
    def of(cls, result: RungResult, boss: BuiltinBot | None) -> RungReport:
        """Report the games against one boss. `boss` is None if it is no built-in bot."""
        comparison = result.comparison
        pairs = comparison.pairs
        return cls(
            boss=result.boss,
            decision=comparison.decision or "undecided",
            games=comparison.games,
            wins=comparison.wins,
            draws=comparison.draws,
            losses=comparison.losses,
            score=round(pairs.score, 6),
            score_interval=[round(bound, 6) for bound in pairs.interval],
            evidence={decision: round(share, 4) for decision, share in TEST.progress(pairs).items()},
            games_left=None if comparison.decision else games_left(comparison.games, pairs, TEST.progress),
            failures=dict(sorted(comparison.endings[0].items())),
            worst_turn=round(result.worst_turn, 6),
            doc=boss.doc if boss else "",
            lesson=boss.lesson if boss else "",
            loss=None if result.loss is None else StudiedLoss.of(result.loss),
            played=comparison.how,
        )


@dataclass(frozen=True, slots=True)
class ClimbReport:
    """A climb: whom the bot has met on the ladder, and how far it came.

    Attributes:
        test: The numbers of the test that decides on promotions, with `most`, the limit of games on a rung.
        beaten: Number of rungs with a promotion.
        complete: Whether the bot has beaten all bosses.
    """

    game: str
    version: str
    bot: str
    hash: str
    players: int
    seed: str
    test: dict[str, float]
    folder: str
    bosses: list[str]
    beaten: int
    complete: bool
    rungs: list[RungReport]

    @classmethod
    def of(
        cls, spec: GameSpec, climber: Climber, most: int, bosses: list[str], rungs: Sequence[RungReport]
    ) -> ClimbReport:
        beaten = sum(rung.decision == "promoted" for rung in rungs)
        return cls(
            game=spec.name,
            version=spec.version,
            bot=climber.bot.name,
            hash=climber.bot.hash[1:],  # without the letter that tells it from a boss of the same program
            players=climber.players,
            seed=climber.secret,
            test=asdict(TEST) | {"most": most},
            folder=str(climber.folder),
            bosses=bosses,
            beaten=beaten,
            complete=beaten == len(bosses),
            rungs=list(rungs),
        )

    def to_document(self) -> dict[str, Any]:
        return asdict(self)
