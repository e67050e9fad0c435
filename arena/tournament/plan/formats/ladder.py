"""Ladder and king of the hill: formats that can run without an end. They pair players by skill and uncertainty."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arena.ratings.skill import Skill, updated
from arena.tournament.plan.config import PairingRules, StageConfig
from arena.tournament.plan.encounters import Encounter, EncounterResult, Pairings
from arena.tournament.plan.formats.seats import Seats
from arena.tournament.plan.formats.tables import table_sizes
from arena.tournament.plan.standings import Row, rank_table


@dataclass(slots=True)
class LadderState:
    """The skill of each player, and the number of meetings of each pair."""

    skills: dict[str, Skill]
    met: Counter[frozenset[str]] = field(default_factory=Counter)

    def add(self, result: EncounterResult) -> None:
        players = result.encounter.players
        if len(players) < 2 or result.played == 0:
            return
        if any(outcome.common is not None for outcome in result.outcomes):  # the players did not compete
            self.met.update(map(frozenset, itertools.combinations(players, 2)))
            return
        with_teams = [outcome for outcome in result.outcomes if outcome.teams]
        games = [([one.points(index) for index in range(len(players))], one.teams) for one in with_teams]
        for points, teams in games or [(list(map(float, result.counted("game"))), ())]:
            after = updated([self.skills[name] for name in players], points, teams)
            self.skills.update(zip(players, after, strict=True))
        self.met.update(map(frozenset, itertools.combinations(players, 2)))


def _numbers(stage: StageConfig) -> Iterator[int]:
    return iter(range(1, stage.rounds + 1)) if stage.rounds else itertools.count(1)


def _present(stage: StageConfig, names: Sequence[str], number: int, absent: frozenset[str]) -> list[str]:
    late, withdrawn = dict(stage.late), dict(stage.withdrawn)
    return [
        name for name in names
        if late.get(name, 1) <= number and not (name in withdrawn and withdrawn[name] <= number)
        and name not in absent
    ]  # fmt: skip


def ladder(stage: StageConfig, names: tuple[str, ...], rules: PairingRules) -> Pairings:
    """Yield rounds in which the players with the most uncertain skill get their opponents first.

    The opponents, one or a whole table, are players of similar skill with few earlier meetings. Without tables, each
    player's numbers of matches in the first and in the second seat differ by one at most, if possible.

    The stage ends if fewer than two players are present, or too few for a table.
    """
    board = LadderState({name: Skill() for name in names})
    seats = Seats.of(stage, rules)
    absent: frozenset[str] = frozenset()
    for number in _numbers(stage):
        players = _present(stage, names, number, absent)
        if len(players) < 2:
            return
        if stage.table:
            sizes = table_sizes(len(players), stage.table, rules)
            tables = [seats.placed(names, stage.games) for names in _near_tables(players, board, sizes)]
        else:
            tables = [seats.seated(pair, number + 1) for pair in _neighbours(players, board, seats)]
        if not tables:
            return
        report = yield tuple(
            Encounter(stage.name, number, index, names, stage.games) for index, names in enumerate(tables)
        )
        absent = report.absent
        for result in report.results:
            board.add(result)
            seats.add(result)


def _neighbours(players: list[str], board: LadderState, seats: Seats) -> list[tuple[str, str]]:
    seeds = {name: seed for seed, name in enumerate(players)}
    waiting = sorted(players, key=lambda name: (-round(board.skills[name].sigma, 9), seeds[name]))
    pairs = []
    while len(waiting) > 1:
        one = waiting.pop(0)
        counts = Counter(seats.surplus[name] for name in (one, *waiting))
        uneven = {sign: _stays_uneven(counts, seats.surplus[one], sign) for sign in counts}
        other = min(
            waiting,
            key=lambda name: (uneven[seats.surplus[name]], round(_distance(board, one, name), 9), seeds[name]),
        )
        waiting.remove(other)
        pairs.append((one, other))
    return pairs


def _near_tables(players: list[str], board: LadderState, sizes: Sequence[int]) -> Iterator[list[str]]:
    seeds = {name: seed for seed, name in enumerate(players)}
    waiting = sorted(players, key=lambda name: (-round(board.skills[name].sigma, 9), seeds[name]))
    for size in sizes:
        one = waiting.pop(0)
        near = sorted(waiting, key=lambda name: (round(_distance(board, one, name), 9), seeds[name]))[: size - 1]
        waiting = [name for name in waiting if name not in near]
        yield [one, *near]


def _stays_uneven(counts: Counter[int], one: int, other: int) -> bool:
    """Return whether this pair, or a later pair because of it, must give a player a surplus of two (see `Seats`).

    Args:
        counts: The number of unpaired players with each surplus, including the two players of this pair.
    """
    left = counts.total() - 2
    most = max(counts[sign] - (sign == one) - (sign == other) for sign in (1, -1))
    return one * other > 0 or 2 * most > left + left % 2


def _distance(board: LadderState, one: str, other: str) -> float:
    """Return the difference in skill, divided by its standard deviation, plus the number of meetings."""
    first, second = board.skills[one], board.skills[other]
    spread = math.hypot(first.sigma, second.sigma)
    return abs(first.mu - second.mu) / spread + float(board.met[frozenset((one, other))])


def king_of_the_hill(stage: StageConfig, names: tuple[str, ...], _rules: PairingRules) -> Pairings:
    """Yield encounters of a challenger and the king. The winner becomes king.

    At the start, and if the king is absent, the player with the largest lower bound of skill becomes king. The
    challenger is the player with the largest sum of `Skill.mu` and `Skill.sigma`. The loser of the last encounter is
    the challenger only if there is no other player.
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
    """Return the skill of each player after these encounters."""
    board = LadderState({name: Skill() for name in names})
    for result in results:
        board.add(result)
    return board.skills


def rank_ladder(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """Rank the players by the lower bound of their skill. In king of the hill, the king is first."""
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
