"""What a match leaves behind, as a value."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

TAIL = 4_000
"""Characters of a bot's output that a result carries; the replay has more."""


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """One player's part.

    Attributes:
        name: The bot's name.
        bot: The reference by which it was entered.
        bot_hash: Hash of its files.
        ending: One of `arena.referee.endings.MEANINGS`.
        detail: What is known about that ending, in one sentence; often empty.
        score: The game's score.
        points: 1 for a win, 0.5 for a draw, 0 for a loss.
        refusals: Refused actions by code.
        strikes: Time-outs that were forgiven.
        clock: Seconds: ``wall``, ``cpu`` and ``idle_cpu`` (used in the opponent's time; None where not
            measured), ``worst_turn``, ``bank`` left; and the number of ``turns`` that it was asked for.
        isolation: Level, layers, and what was missing.
        stdout: The end of what it printed, printable; ``stdout_cut`` where there was more.
        stderr: The same of its error output.
        exit: How its process ended, in a few words.
    """

    name: str
    bot: str
    bot_hash: str
    ending: str
    detail: str
    score: float
    points: float
    refusals: dict[str, int]
    strikes: int
    clock: dict[str, float | None]
    isolation: dict[str, Any]
    stdout: str
    stdout_cut: bool
    stderr: str
    stderr_cut: bool
    exit: str


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one match.

    Attributes:
        game: The game's name.
        version: Of the rules.
        seed: The seed of the match.
        outcome: ``winner`` (a player's number or None) and ``reason``.
        players: In the order of seats.
        turns: How many turns were completed.
        actions: How many actions were accepted.
        digest: Of the final state.
        replay: The replay's path; empty without one.
        replay_hash: SHA-256 of the replay file, hexadecimal.
        seconds: ``start`` (to the first turn), ``total``, ``referee_cpu``, ``playing_cpu`` (after the first turn).
        memory_growth: Bytes by which the referee's peak memory rose while the match was played.
        lateness: The worst delay of the referee's own wake-ups, in seconds.
        pressure: The share of the playing time in which something waited for a processor; None if unknown.
        fault: What failed that is no bot's fault (the rules, the referee, a sandbox), and whose bot was being served;
            such a match is void, and its replay goes as far as the match.
    """

    game: str
    version: str
    seed: int | str
    outcome: dict[str, Any]
    players: tuple[PlayerResult, ...]
    turns: int
    actions: int
    digest: str
    replay: str
    replay_hash: str
    seconds: dict[str, float]
    memory_growth: int = 0
    lateness: float = 0.0
    pressure: float | None = None
    fault: str = ""

    def to_document(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> MatchResult:
        """Read a result back."""
        values = dict(document)
        values["players"] = tuple(PlayerResult(**player) for player in values["players"])
        return cls(**values)


@dataclass(slots=True)
class Tail:
    """The end of a text, and whether it is all of it."""

    text: str
    cut: bool = field(default=False)

    @classmethod
    def of(cls, text: str, *, cut: bool) -> Tail:
        """Keep the last `TAIL` characters."""
        return cls(text[-TAIL:], cut or len(text) > TAIL)
