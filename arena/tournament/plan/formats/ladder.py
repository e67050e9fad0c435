"""Ladder and king of the hill: as long as they run, paired by rating and uncertainty."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.encounters import Encounter, EncounterResult, Pairings
from arena.tournament.plan.ratings.skill import Skill, updated
from arena.tournament.plan.standings import Row, rank_table


@dataclass(slots=True)
class LadderState:
    """Everybody's skill, and how often they met."""

    skills: dict[str, Skill]
    met: Counter[frozenset[str]] = field(default_factory=Counter)

    def add(self, result: EncounterResult) -> None:
        """Take in one encounter; walkovers say nothing about strength."""
        players = result.encounter.players
        if len(players) < 2 or result.played == 0:
            return
        after = updated([self.skills[name] for name in players], result.points)
        self.skills.update(zip(players, after, strict=True))
        self.met[frozenset(players)] += 1


def _numbers(stage: StageConfig) -> Iterator[int]:
    return iter(range(1, stage.rounds + 1)) if stage.rounds else itertools.count(1)


def _present(stage: StageConfig, names: Sequence[str], number: int, absent: frozenset[str]) -> list[str]:
    late, withdrawn = dict(stage.late), dict(stage.withdrawn)
    return [
        name for name in names
        if late.get(name, 1) <= number and not (name in withdrawn and withdrawn[name] <= number)
        and name not in absent
    ]  # fmt: skip


def ladder(stage: StageConfig, names: tuple[str, ...]) -> Pairings:
    """In each round the most uncertain choose first: somebody near in skill whom they met least."""
    board = LadderState({name: Skill() for name in names})
    absent: frozenset[str] = frozenset()
    for number in _numbers(stage):
        players = _present(stage, names, number, absent)
        if len(players) < 2:
            return
        pairs = _neighbours(players, board)
        report = yield tuple(
            Encounter(stage.name, number, index, pair if number % 2 else pair[::-1], stage.games)
            for index, pair in enumerate(pairs)
        )
        absent = report.absent
        for result in report.results:
            board.add(result)


def _neighbours(players: list[str], board: LadderState) -> list[tuple[str, str]]:
    seeds = {name: seed for seed, name in enumerate(players)}
    waiting = sorted(players, key=lambda name: (-round(board.skills[name].sigma, 9), seeds[name]))
    pairs = []
    while len(waiting) > 1:
        one = waiting.pop(0)
        other = min(waiting, key=lambda name: (round(_distance(board, one, name), 9), seeds[name]))
        waiting.remove(other)
        pairs.append((one, other))
    return pairs


def _distance(board: LadderState, one: str, other: str) -> float:
    """Return a number that grows with the difference in skill and with earlier meetings (one counts as one sigma)."""
    first, second = board.skills[one], board.skills[other]
    spread = math.hypot(first.sigma, second.sigma)
    return abs(first.mu - second.mu) / spread + float(board.met[frozenset((one, other))])


def king_of_the_hill(stage: StageConfig, names: tuple[str, ...]) -> Pairings:
    """Let a challenger meet the king; the winner is king.

    The challenger is the one who might be strongest (skill plus one sigma), but not the one who has just lost, as
    long as there is another one.
    """
    board = LadderState({name: Skill() for name in names})
    absent: frozenset[str] = frozenset()
    king, last = "", ""
    for number in _numbers(stage):
        players = _present(stage, names, number, absent)
        if len(players) < 2:
            return
        if king not in players:
            king = max(players, key=lambda name: (board.skills[name].ordinal, -names.index(name)))
        challengers = [name for name in players if name not in (king, last)] or [
            name for name in players if name != king
        ]
        seeds = {name: seed for seed, name in enumerate(names)}
        challenger = min(challengers, key=lambda name: (-round(_promise(board.skills[name]), 9), seeds[name]))
        report = yield (Encounter(stage.name, number, 0, (king, challenger), stage.best_of, True),)
        absent = report.absent
        result = report.results[0]
        board.add(result)
        winner = result.winner_name or king
        last = challenger if winner == king else king
        king = winner


def _promise(skill: Skill) -> float:
    return skill.mu + skill.sigma


def skills_of(names: Sequence[str], results: Sequence[EncounterResult]) -> Mapping[str, Skill]:
    """Return everybody's skill after these encounters."""
    board = LadderState({name: Skill() for name in names})
    for result in results:
        board.add(result)
    return board.skills


def rank_ladder(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """By what is surely there of everybody's skill; in king of the hill the king stands first."""
    skills = skills_of(names, results)
    rows = {row.name: row for row in rank_table(stage, names, results)}
    king = results[-1].winner_name if results and stage.format == "king_of_the_hill" else None
    seeds = {name: seed for seed, name in enumerate(names)}
    order = sorted(names, key=lambda name: (name != king, -round(skills[name].ordinal, 9), seeds[name]))
    result = []
    for place, name in enumerate(order, 1):
        skill = skills[name]
        values = (("skill", round(skill.mu, 6)), ("uncertainty", round(skill.sigma, 6)))
        text = "king of the hill" if name == king else ""
        result.append(replace(rows[name], place=place, tiebreaks=values, explained=text))
    return tuple(result)
