"""What a comparison of two bots has shown, as one value: for `--json`, and as lines for people.

All numbers are rounded when the report is made. So the lines, the document and whoever reads the report say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, isinf
from typing import Any

from arena.contests.ratings.sequential import Sprt, evidence_in_words, games_left, mean_and_margin
from arena.contests.strength.compare import Comparison
from arena.match.ending import counted
from arena.match.result import counts_in_words
from arena.text.reading import rounded

COLUMNS = ("won", "drawn", "lost_by_play", "lost_by_form")


@dataclass(frozen=True, slots=True)
class DuelResult:
    """The two bots have played against each other. The results are those of the first bot.

    Attributes:
        pairs: The numbers of pairs of games with 0, 1/2, 1, 3/2 and 2 points.
        elo: Lower end of the 95 % interval, estimate, upper end; None where it is infinite.
    """

    wins: int
    draws: int
    losses: int
    pairs: list[int]
    score: float
    score_interval: list[float]
    elo: list[float | None]

    @classmethod
    def of(cls, comparison: Comparison) -> DuelResult:
        pairs = comparison.pairs
        return cls(
            comparison.wins,
            comparison.draws,
            comparison.losses,
            pairs.counts,
            round(pairs.score, 6),
            [round(bound, 6) for bound in pairs.interval],
            [None if isinf(elo) else rounded(elo, 2) for elo in pairs.elo],
        )

    def lines(self, report: ComparisonReport) -> list[str]:
        first, second = report.bots
        low, high = self.score_interval
        elo_low, elo, elo_high = ("beyond measure" if elo is None else f"{elo:+z.0f}" for elo in self.elo)
        return [
            f"{first} against {second}: {report.games} games, {self.wins} won, {self.draws} drawn, {self.losses} lost",
            f"Score {100 * self.score:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f} %), "
            f"Elo {elo} (95 %: {elo_low} to {elo_high})",
            f"{first} is stronger with {100 * report.superiority:.1f} % likelihood; "
            f"pairs with 0, ½, 1, 1½, 2 points: {', '.join(map(str, self.pairs))}",
        ]


@dataclass(frozen=True, slots=True)
class AmongOthersResult:
    """Each bot has played with the other players, in the same seats.

    Attributes:
        points: For each bot, the share of opponents that it has beaten.
        difference: The first bot's points minus the second bot's.
    """

    others: list[str]
    points: list[float]
    difference: float
    difference_interval: list[float]

    @classmethod
    def of(cls, comparison: Comparison, others: Sequence[str]) -> AmongOthersResult:
        pairs = comparison.pairs
        return cls(
            list(others),
            [round(2 * points / max(1, comparison.games), 6) for points in comparison.points],
            rounded(2 * pairs.score - 1, 6),
            [rounded(2 * bound - 1, 6) for bound in pairs.interval],
        )

    def lines(self, report: ComparisonReport) -> list[str]:
        first, second = report.bots
        low, high = self.difference_interval
        points, second_points = self.points
        return [
            f"{first} and {second}, each in {report.games // 2} games among {', '.join(self.others)}",
            f"Share of opponents beaten: {first} {100 * points:.1f} %, {second} {100 * second_points:.1f} %, "
            f"difference {100 * self.difference:+z.1f} % (95 %: {100 * low:+z.1f} to {100 * high:+z.1f} %)",
            f"{first} is stronger with {100 * report.superiority:.1f} % likelihood",
        ]


@dataclass(frozen=True, slots=True)
class TogetherResult:
    """Each bot has played with the same other players, all for one common score.

    Attributes:
        common: For each bot, the mean common score of its games.
        difference_interval: None twice after a single pair of games.
    """

    others: list[str]
    common: list[float]
    difference: float
    difference_interval: list[float | None]

    @classmethod
    def of(cls, comparison: Comparison, others: Sequence[str]) -> TogetherResult:
        mean, margin = mean_and_margin(comparison.differences)
        bounds = (mean - margin, mean + margin)
        return cls(
            list(others),
            [round(2 * points / comparison.games, 6) for points in comparison.points],
            rounded(mean, 6),
            [rounded(bound, 6) if isfinite(bound) else None for bound in bounds],
        )

    def lines(self, report: ComparisonReport) -> list[str]:
        first, second = report.bots
        low, high = ("unknown" if bound is None else f"{bound:+z.4g}" for bound in self.difference_interval)
        score, second_score = self.common
        return [
            f"{first} and {second}, each in {report.games // 2} games with {', '.join(self.others)}",
            f"Mean common score: {first} {score:.4g}, {second} {second_score:.4g}, "
            f"difference {self.difference:+z.4g} (95 %: {low} to {high})",
        ]


@dataclass(frozen=True, slots=True)
class SprtReport:
    """How far a sequential test is. Its attributes are those of `Sprt`, and what its methods say."""

    elo0: float
    elo1: float
    ratio: float
    bounds: list[float]
    evidence: dict[str, float]
    games_left: int | None
    decision: str | None
    repeating: bool

    @classmethod
    def of(cls, test: Sprt, comparison: Comparison) -> SprtReport:
        pairs = comparison.pairs
        return cls(
            test.elo0,
            test.elo1,
            rounded(test.ratio(pairs.evidence), 4),
            [round(bound, 4) for bound in test.bounds],
            {hypothesis: round(share, 4) for hypothesis, share in test.progress(pairs).items()},
            None if comparison.decision else games_left(comparison.games, pairs, test.progress),
            comparison.decision or None,
            comparison.repeating,
        )

    def lines(self) -> list[str]:
        verdict = {
            "elo1": f"it is about {self.elo1:g} Elo stronger or more (elo1 accepted)",
            "elo0": f"it is not {self.elo1:g} Elo stronger (elo0 accepted)",
            None: "not decided, since the bots only repeat games" if self.repeating else "not decided yet",
        }[self.decision]
        low, high = self.bounds
        lines = [
            f"SPRT of {self.elo0:g} against {self.elo1:g} Elo: LLR {self.ratio:+z.2f} ({low:.2f} to {high:.2f}): "
            f"{verdict}"
        ]
        if self.decision is None and not self.repeating:
            evidence = {f"to accept {hypothesis}": share for hypothesis, share in self.evidence.items()}
            lines.append(evidence_in_words(evidence, self.games_left))
        return lines


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A comparison in numbers.

    Attributes:
        different_games: Number of games that did not repeat an earlier one.
        endings: For each bot, how often its program failed, by ending.
        record: For each bot, the number of games in each column: won, drawn, lost_by_play, lost_by_form (its program
            failed, or its answers could not be used), finished.
        void: The number of void games, which were played again.
        counts: For each bot, what the program of a player of another distribution has counted, in void games too.
        causes: For each bot, the cause of the first failure; empty without one.
        replayed: How often void and failed matches were played again.
        played: How the games were played, in words.
        positions: Number of positions from which the games started; 0 for the usual start.
    """

    bots: list[str]
    games: int
    different_games: int
    superiority: float
    endings: list[dict[str, int]]
    record: list[dict[str, int]]
    void: int
    counts: list[dict[str, float]]
    causes: list[str]
    replayed: int
    played: str
    result: DuelResult | AmongOthersResult | TogetherResult
    sprt: SprtReport | None = None
    positions: int = 0

    @classmethod
    def of(
        cls, comparison: Comparison, names: Sequence[str], test: Sprt | None = None, positions: int = 0
    ) -> ComparisonReport:
        """Report a comparison.

        Args:
            names: The names of the two bots, and of the other players.
        """
        others = names[2:]
        result: DuelResult | AmongOthersResult | TogetherResult
        if comparison.differences:
            result = TogetherResult.of(comparison, others)
        elif others:
            result = AmongOthersResult.of(comparison, others)
        else:
            result = DuelResult.of(comparison)
        return cls(
            list(names[:2]),
            comparison.games,
            comparison.different,
            round(comparison.pairs.superiority, 6),
            [dict(sorted(endings.items())) for endings in comparison.endings],
            [{**dict.fromkeys(COLUMNS, 0), **record} for record in comparison.record],
            comparison.voids,
            [dict(counts) for counts in comparison.counts],
            comparison.causes,
            comparison.replays,
            comparison.how,
            result,
            SprtReport.of(test, comparison) if test is not None else None,
            positions,
        )

    def to_document(self) -> dict[str, Any]:
        """Return the report as ``--json`` prints it."""
        document = asdict(self)
        result, sprt, positions = (document.pop(name) for name in ("result", "sprt", "positions"))
        document |= result
        if sprt is not None:
            document["sprt"] = sprt
        if positions:
            document["positions"] = positions
        return document

    def lines(self) -> list[str]:
        """Return the report for people."""
        lines = self.result.lines(self)
        if self.played:
            lines.append(f"Played {self.played}.")
        if self.positions:
            lines.append(f"From {counted(self.positions, 'position')}, each both ways.")
        if self.different_games < self.games:
            lines.append(
                f"Only {self.different_games} of the games are different. Identical games count once in "
                "intervals and likelihood."
            )
        for name, endings, cause in zip(self.bots, self.endings, self.causes, strict=True):
            if endings:
                failures = ", ".join(f"{count} {ending}" for ending, count in endings.items())
                lines.append(f"{name}: {failures}" + (f", such as: {cause}" if cause else ""))
        for name, record, counts in zip(self.bots, self.record, self.counts, strict=True):
            if counts:
                columns = [f"{record.get(column, 0)} {column.replace('_', ' ')}" for column in COLUMNS]
                lines.append(f"{name}: {', '.join(columns)}, {self.void} void; {counts_in_words(counts)}")
        if self.sprt is not None:
            lines += self.sprt.lines()
        return lines
