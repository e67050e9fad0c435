"""The result of a match: what the referee reports, and what contests keep of it.

A result says who won in the words of the rules (`outcome`), how it ended for each player (`PlayerResult.ending`), and
whether it counts (`has_verdict`; see `arena.match.void`). Of a bot's output only the last words go into a contest, and
only to the bot's owner (`brief`, `explained`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arena.game import Outcome
from arena.game.outcome import FORFEIT, forfeit
from arena.match.ending import FAILURES, Ending
from arena.match.isolation import Isolation
from arena.match.spec import MatchSpec
from arena.match.stack import last_words
from arena.match.void import CHARGED, VOID, is_void

__all__ = ["MatchResult"]
LONGEST_LINE = 300
"""The number of characters that a contest keeps of `PlayerResult.explanation` and of `PlayerResult.last_words`."""
LONGEST_FAULT = 2000
"""The number of characters that a contest keeps of `MatchResult.fault` and of `MatchResult.void`."""


@dataclass(frozen=True, slots=True)
class TimeUsed:
    """The time that one player used, in seconds.

    Attributes:
        idle_cpu: CPU time used during the opponents' turns; None if it was not measured.
    """

    wall: float = 0.0
    cpu: float | None = None
    idle_cpu: float | None = None
    turns: int = 0
    worst_turn: float = 0.0
    bank: float | None = None


@dataclass(frozen=True, slots=True)
class Seconds:
    """The time that the parts of a match took, in seconds.

    Attributes:
        start: Wall time from the start to the first turn; 0 if no turn was reached.
        playing_cpu: CPU time of the match process since the first turn; if no turn was reached, of the whole match.
    """

    start: float = 0.0
    total: float = 0.0
    referee_cpu: float = 0.0
    playing_cpu: float = 0.0


_NO_TIME, _NO_SECONDS, _NO_ISOLATION = TimeUsed(), Seconds(), Isolation()


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The result of one player.

    Attributes:
        detail: The reason for the ending, in a few words; often empty.
        stdout: The end of the bot's standard output, made printable.
        stderr: The end of the bot's standard error, made printable.
        exit: How the bot's process ended, in a few words.
        counts: What the program of a player of another distribution has counted, such as answers without an action.
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
    counts: dict[str, float] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        return self.ending in FAILURES

    @property
    def explanation(self) -> str:
        """The cause of a failure: the detail, and how the process ended. Empty if the player did not fail."""
        parts = [self.detail, "" if self.exit in self.detail else self.exit]
        return "; ".join(filter(None, parts)) if self.failed else ""

    @property
    def failed_after_the_match(self) -> bool:
        """Whether the program failed when the match was over, for example by an exception in its method `end`."""
        killed = self.exit in ("", "exit code 0", "killed by SIGKILL", "killed by SIGTERM")
        return not self.failed and not killed and bool(self.stderr.strip())

    @property
    def explained(self) -> str:
        """The `explanation`, followed by the `last_words`.

        Show this text only to the bot's owner and the organizer.
        """
        return "; ".join(part for part in (self.explanation, self.last_words) if part)

    @property
    def last_words(self) -> str:
        """The last line of standard error before a failure, or the place in the code where the bot's time ran out.

        Empty if the player did not fail. Show this text only to the bot's owner and the organizer.
        """
        return last_words(self.stderr) if self.failed else ""

    def brief(self) -> PlayerResult:
        """Return the result without the bot's output, except the `last_words`. The `explanation` replaces `detail`.

        Of its isolation, it keeps what says how the match was played, and not why this machine has no more.
        """
        return replace(
            self,
            detail=self.explanation[:LONGEST_LINE],
            exit="",
            isolation=self.isolation.brief(),
            stdout="",
            stderr=self.last_words[:LONGEST_LINE],
        )

    def to_document(self) -> dict[str, Any]:
        return asdict(self) | {"isolation": self.isolation.to_document()}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> PlayerResult:
        values = {name: document[name] for name in cls.__dataclass_fields__}
        values["clock"] = TimeUsed(**document["clock"])
        values["isolation"] = Isolation.from_document(document["isolation"])
        return cls(**values)


def counts_in_words(counts: Mapping[str, float]) -> str:
    """Return what a program has counted, such as ``requests 40, unreadable 2``, without what it counted never."""
    return ", ".join(f"{name.replace('_', ' ')} {round(count, 4):g}" for name, count in counts.items() if count)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one match.

    Attributes:
        course: The hash of the starting position and of all actions and draws. It is equal for two identical games.
        chain: The last hash of the replay's hash chain. Only in contests.
        memory_growth: The growth of the referee's peak memory during the match, in bytes.
        lateness: The longest delay, in seconds, between the end of a time limit and the referee's check of this limit.
        pressure: The share of the playing time in which at least one process waited for a processor; None if unknown.
        fault: A failure of the rules, the referee or a sandbox, in words; empty if there was none. A match with a
            failure is void.
        void: Why the match does not count; empty if it counts.
        left_out: What the replay lacks because of a limit, in words; empty if it is whole.
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
    left_out: str = ""

    @property
    def has_verdict(self) -> bool:
        """Whether the match counts, that is, is not void (see `arena.match.void`)."""
        return not is_void(player.ending for player in self.players)

    @property
    def winner(self) -> int | None:
        """The only player who won; None if nobody won, or if several players won."""
        return self.outcome.winner

    @property
    def isolation(self) -> Isolation:
        """The weakest isolation of a bot. Players outside of the match count only if there is no bot."""
        isolations = [player.isolation for player in self.players]
        of_bots = [isolation for isolation in isolations if not isolation.is_of_player_outside]
        return min(of_bots or isolations, key=lambda isolation: isolation.level)

    def headline(self, names: Sequence[str]) -> str:
        """Return who won, in words (see `Outcome.headline`). In a void match: ``No result``."""
        return self.outcome.headline(names) if self.has_verdict else "No result"

    def points(self, player: int) -> float:
        """Return a player's points, from 0 to 1 (see `Outcome.points`). In a void match: 0."""
        return self.outcome.points(player) if self.has_verdict else 0.0

    def place(self, player: int) -> str:
        """Return a player's place in words (see `Outcome.place`). For two players or a void match: an empty text."""
        return self.outcome.place(player) if self.has_verdict else ""

    def margin(self, player: int) -> float:
        """Return a player's score minus the best score of the others. In a void match: 0."""
        if not self.has_verdict:
            return 0.0
        return self.players[player].score - max(
            other.score for seat, other in enumerate(self.players) if seat != player
        )

    def agrees_with(self, other: MatchResult) -> bool:
        """Return whether another result has the same winner, endings and scores.

        If all bots are deterministic, the results of a repeated match must agree.
        """
        return self._verdict() == other._verdict()

    def _verdict(self) -> tuple[int | None, list[tuple[Ending, float]]]:
        return self.outcome.winner, [(player.ending, player.score) for player in self.players]

    def why_void(self) -> str:
        """Return why the match does not count, and what happened to players; empty if it counts."""
        if self.has_verdict:
            return ""
        details = [f"{player.name}: {player.detail}" for player in self.players if player.detail and not player.failed]
        return "; ".join([self.outcome.reason, *details])

    def without_void(self) -> MatchResult:
        """Return the result. If the match is void because of a player, this player loses instead.

        Use this method for a match that is not played again. Otherwise a bot could prevent the win of its opponent by
        making the match void. With more than two players, all who failed earlier also lose. If all players would lose,
        the match stays void. In a cooperative game, the score that was reached counts.
        """
        charged = CHARGED.get(self.outcome.reason)
        lost = [seat for seat, player in enumerate(self.players) if player.failed or player.detail]
        if self.has_verdict or charged is None or not 0 < len(lost) < len(self.players):
            return self
        if self.outcome.common is not None:
            outcome = replace(self.outcome, reason=FORFEIT)
        elif len(self.players) > 2:
            outcome = forfeit(dict.fromkeys(lost, 0), [(seat,) for seat in range(len(self.players))])
        else:
            outcome = Outcome(1 - lost[0], FORFEIT)
        endings = [charged if seat in lost else outcome.verdict(seat) for seat in range(len(self.players))]
        players = tuple(
            player if player.failed else replace(player, ending=ending)
            for player, ending in zip(self.players, endings, strict=True)
        )
        return replace(self, players=players, outcome=outcome, void="")

    def as_void(self) -> MatchResult:
        """Return the result of a match that an organizer has voided."""
        return replace(self, players=tuple([replace(player, ending=VOID) for player in self.players]))

    def brief(self) -> MatchResult:
        """Return the result as a contest stores it, without most of the bots' output."""
        players = tuple(player.brief() for player in self.players)
        return replace(self, players=players, fault=self.fault[:LONGEST_FAULT], void=self.void[:LONGEST_FAULT])

    def to_document(self) -> dict[str, Any]:
        """Return the result as JSON has it."""
        players = []
        for seat, player in enumerate(self.players):
            document = player.to_document() | {"points": self.points(seat)}
            if place := self.place(seat):
                document["place"] = place
            players.append(document)
        return asdict(self) | {"outcome": self.outcome.to_document(), "players": players}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> MatchResult:
        """Return the result of a document of `to_document`."""
        values = {name: document[name] for name in cls.__dataclass_fields__ if name in document}
        values["players"] = tuple(PlayerResult.from_document(player) for player in document["players"])
        values["outcome"] = Outcome.from_document(document["outcome"])
        values["seconds"] = Seconds(**document["seconds"])
        return cls(**values)


# Matches of two legs: a game with unequal sides is played twice, with swapped seats, and both legs count as one match.


@dataclass(frozen=True, slots=True)
class LegsResult:
    """The result of two legs. Contestant 0 had seat 0 in the first leg.

    Attributes:
        winner: The number of the contestant who won, 0 or 1; None for a draw.
        points: The points of both contestants: 1 for each leg won, 0.5 for each draw, 0 for a void leg.
        scores: The sum of each contestant's scores in the game, without void legs. If the points are equal, the higher
            sum wins.
    """

    winner: int | None
    names: tuple[str, str]
    points: tuple[float, float]
    scores: tuple[float, float]
    void: tuple[int, ...] = ()

    def to_document(self) -> dict[str, Any]:
        return asdict(self)


def decide(first: MatchResult, second: MatchResult) -> LegsResult:
    """Decide a match of two legs: by points, then by the sums of the scores. A void leg does not count."""
    points = (first.points(0) + second.points(1), first.points(1) + second.points(0))
    scores = (_score(first, 0) + _score(second, 1), _score(first, 1) + _score(second, 0))
    # Compare points first. Scores of a game say nothing about winning, but they are better than a draw.
    winner = None
    for first_total, second_total in (points, scores):
        if winner is None and first_total != second_total:
            winner = int(second_total > first_total)
    void = tuple(number for number, leg in enumerate((first, second), 1) if not leg.has_verdict)
    return LegsResult(winner, (first.players[0].name, first.players[1].name), points, scores, void)


def _score(leg: MatchResult, seat: int) -> float:
    return leg.players[seat].score if leg.has_verdict else 0.0


# Repeated games: deterministic bots repeat games, and a repeated game is no new evidence.


def game_key(spec: MatchSpec, result: MatchResult) -> Hashable:
    """Return a key that is equal for two games if the same bots played identical games in the same seats.

    Identical games have the same starting position, actions, random draws and endings. A result without
    a `course` is different from all others.
    """
    endings = tuple(player.ending for player in result.players)
    return (spec.seats, result.course, endings) if result.course else spec.match_id


def different_games(games: Iterable[tuple[MatchSpec, MatchResult]]) -> list[tuple[MatchSpec, MatchResult]]:
    first_of: dict[Hashable, tuple[MatchSpec, MatchResult]] = {}
    for spec, result in games:
        first_of.setdefault(game_key(spec, result), (spec, result))
    return list(first_of.values())
