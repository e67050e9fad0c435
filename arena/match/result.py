"""The result of a match: one value from the match process to the tables and pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arena.game import Outcome
from arena.game.leaving import FORFEIT, forfeit
from arena.match.ending import CAUSES, REGULAR, Ending
from arena.match.isolation import Isolation

LONGEST_LINE = 300
"""Characters of a line that a tournament keeps."""


@dataclass(frozen=True, slots=True)
class TimeUsed:
    """The time that one player used, in seconds.

    Attributes:
        wall: Wall time of all turns.
        cpu: CPU time of all turns; None where it was not measured.
        idle_cpu: CPU time used while the opponent was to move; None where it was not measured.
        turns: How many turns the player was asked for.
        worst_turn: The longest turn, by the clock that decides.
        bank: What was left of the bank; None without one.
    """

    wall: float = 0.0
    cpu: float | None = None
    idle_cpu: float | None = None
    turns: int = 0
    worst_turn: float = 0.0
    bank: float | None = None


@dataclass(frozen=True, slots=True)
class Seconds:
    """Where the time of a match went, in seconds.

    Attributes:
        start: From the start to the first turn; 0 where no turn was reached.
        total: Of the whole match.
        referee_cpu: CPU time of the match process.
        playing_cpu: The part of it after the first turn.
    """

    start: float = 0.0
    total: float = 0.0
    referee_cpu: float = 0.0
    playing_cpu: float = 0.0


_NO_TIME, _NO_SECONDS, _NO_ISOLATION = TimeUsed(), Seconds(), Isolation()


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """One player's part of a result.

    Attributes:
        ending: How the match ended for the player.
        name: The name in results.
        bot: The reference by which the bot was entered.
        bot_hash: Hash of its files.
        detail: The reason for the ending, in one sentence; often empty.
        score: The game's own score.
        refusals: Refused actions by code.
        strikes: Time-outs that were forgiven.
        clock: The time used.
        isolation: Level, layers, and what was missing.
        stdout: The end of what the bot printed, printable; `stdout_cut` where there was more.
        stderr: The same of its error output.
        exit: How its process ended, in a few words.
    """

    ending: Ending
    name: str = ""
    bot: str = ""
    bot_hash: str = ""
    detail: str = ""
    score: float = 0.0
    refusals: dict[str, int] = field(default_factory=dict)
    strikes: int = 0
    clock: TimeUsed = _NO_TIME
    isolation: Isolation = _NO_ISOLATION
    stdout: str = ""
    stdout_cut: bool = False
    stderr: str = ""
    stderr_cut: bool = False
    exit: str = ""

    @property
    def failed(self) -> bool:
        """Whether the bot did not play to the end."""
        return self.ending not in REGULAR and self.ending != "void"

    @property
    def explanation(self) -> str:
        """What is known about a bad ending: its detail and how the process ended."""
        parts = [self.detail, "" if self.exit in self.detail else self.exit]
        return "; ".join(filter(None, parts)) if self.failed else ""

    @property
    def explained(self) -> str:
        """The explanation and the bot's last line, for those who may read both."""
        return "; ".join(part for part in (self.explanation, self.last_words) if part)

    @property
    def last_words(self) -> str:
        """The last line of the error output before a bad ending; for the owner and the organizer."""
        lines = self.stderr.split("\n") if self.failed else []
        return next((line for line in reversed(lines) if line.strip()), "")

    def brief(self) -> PlayerResult:
        """Return the player's part without what the bot printed, but for its last line before a bad ending."""
        return replace(
            self,
            detail=self.explanation[:LONGEST_LINE],
            exit="",
            isolation=replace(self.isolation, missing=()),
            stdout="",
            stderr=self.last_words[:LONGEST_LINE],
        )

    def to_document(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self) | {"isolation": self.isolation.to_document()}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> PlayerResult:
        """Read back what `to_document` wrote."""
        values = {name: document[name] for name in cls.__dataclass_fields__}
        values["clock"] = TimeUsed(**document["clock"])
        values["isolation"] = Isolation.from_document(document["isolation"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one match.

    Attributes:
        players: In the order of seats.
        outcome: Who won, and the game's words for why.
        game: The game's name.
        version: Of the rules.
        seed: The seed of the match.
        turns: How many turns were completed.
        actions: How many actions were accepted.
        digest: Of the final state.
        course: Hash of the starting position and of all actions and draws. Two games that went the same way have the
            same one; empty in results of earlier versions.
        replay: The replay's path; empty without one.
        replay_hash: SHA-256 of the replay file, hexadecimal.
        chain: Head of the replay's hash chain; known in tournaments.
        arena: Version of the referee; known in tournaments.
        seconds: Where the time went.
        memory_growth: Bytes by which the referee's peak memory rose while the match was played.
        lateness: The worst delay of the referee's own wake-ups, in seconds.
        pressure: The share of the playing time in which something waited for a processor; None if unknown.
        fault: What failed that is no bot's fault (the rules, the referee, a sandbox), and whose bot was being served;
            such a match is void, and its replay goes as far as the match.
        void: Why the match must not count; empty where it counts.
        host: The name of the machine that played it.
        clock_factor: By how much the clocks were stretched, since the machine is slower than the organizer's.
    """

    players: tuple[PlayerResult, ...]
    outcome: Outcome
    game: str = ""
    version: str = ""
    seed: int | str = 0
    turns: int = 0
    actions: int = 0
    digest: str = ""
    course: str = ""
    replay: str = ""
    replay_hash: str = ""
    chain: str = ""
    arena: str = ""
    seconds: Seconds = _NO_SECONDS
    memory_growth: int = 0
    lateness: float = 0.0
    pressure: float | None = None
    fault: str = ""
    void: str = ""
    host: str = ""
    clock_factor: float = 1.0

    @property
    def has_verdict(self) -> bool:
        """Whether the match was played to an end that says who won."""
        return all(player.ending != "void" for player in self.players)

    @property
    def winner(self) -> int | None:
        """The player who won; None for a draw."""
        return self.outcome.winner

    @property
    def isolation(self) -> Isolation:
        """The weakest isolation among the seats."""
        return min((player.isolation for player in self.players), key=lambda isolation: isolation.level)

    def points(self, player: int) -> float:
        """Return a player's share of the points: 1 for a win, 0 for a loss; 0 for everybody without a verdict."""
        return self.outcome.points(player) if self.has_verdict else 0.0

    def place(self, player: int) -> str:
        """Return a player's place in words (see `Outcome.place`); empty for two players and without a verdict."""
        return self.outcome.place(player) if self.has_verdict else ""

    def margin(self, player: int) -> float:
        """Return a player's score less the best score of the others."""
        return self.players[player].score - max(
            other.score for seat, other in enumerate(self.players) if seat != player
        )

    def agrees_with(self, other: MatchResult) -> bool:
        """Return whether what must not differ when a deterministic match is played again is the same."""
        return self._verdict() == other._verdict()

    def _verdict(self) -> tuple[int | None, list[tuple[Ending, float]]]:
        return self.outcome.winner, [(player.ending, player.score) for player in self.players]

    def without_void(self) -> MatchResult:
        """Return a void match that is not played again as it stood: the player that caused the void loses.

        Its time had run out, its sandbox was killed, or its program failed. Otherwise a bot that can make its matches
        void would gain half a point each time. In a match of more than two, those who had left before lose as well.
        """
        cause = CAUSES.get(self.outcome.reason)
        lost = [seat for seat, player in enumerate(self.players) if player.failed or player.detail]
        if self.has_verdict or cause is None or not 0 < len(lost) < len(self.players):
            return self
        if len(self.players) > 2:
            outcome = forfeit(dict.fromkeys(lost, 0), [(seat,) for seat in range(len(self.players))])
        else:
            outcome = Outcome(1 - lost[0], FORFEIT)
        endings = [cause if seat in lost else outcome.verdict(seat) for seat in range(len(self.players))]
        players = tuple(
            player if player.failed else replace(player, ending=ending)
            for player, ending in zip(self.players, endings, strict=True)
        )
        return replace(self, players=players, outcome=outcome, void="")

    def brief(self) -> MatchResult:
        """Return the result as a tournament keeps it: without what the bots printed."""
        return replace(self, players=tuple(player.brief() for player in self.players))

    def to_document(self) -> dict[str, Any]:
        """Return plain JSON values."""
        document = asdict(self) | {"outcome": self.outcome.to_document()}
        document["players"] = [
            player.to_document()
            | {"points": self.points(seat)}
            | ({"place": self.place(seat)} if self.place(seat) else {})
            for seat, player in enumerate(self.players)
        ]
        return document

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> MatchResult:
        """Read back what `to_document` wrote."""
        values = {name: document[name] for name in cls.__dataclass_fields__ if name in document}
        values["players"] = tuple(PlayerResult.from_document(player) for player in document["players"])
        values["outcome"] = Outcome.from_document(document["outcome"])
        values["seconds"] = Seconds(**document["seconds"])
        return cls(**values)
