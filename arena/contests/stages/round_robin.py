"""Round robin and gauntlet: all encounters are known at the start, so a round can be paired before others have ended.

After a late entry, the encounters with the new player come in later rounds.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from arena.contests.config import PairingRules, StageConfig
from arena.contests.stages.encounters import Encounter, Pairings, RoundResult


def circle(players: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Yield the rounds of a single round robin by the circle method.

    For each player, the numbers of first and second seats differ by two at most. With an odd number of players, one
    player has no opponent in each round.
    """
    seats: list[str | None] = [*players]
    if len(seats) % 2:
        seats.append(None)
    count = len(seats)
    for number in range(count - 1):
        pairs = []
        for left in range(count // 2):
            player, opponent = seats[left], seats[count - 1 - left]
            swap = number % 2 if left == 0 else left % 2
            if player is not None and opponent is not None:
                pairs.append((opponent, player) if swap else (player, opponent))
        yield pairs
        seats = [seats[0], seats[-1], *seats[1:-1]]


def _balanced(players: Sequence[str], pair: tuple[str, str]) -> tuple[str, str]:
    """Return a pair in the order of its seats. Each player's numbers of first and second seats differ by one at most.

    Imagine the players in a circle, with one empty place if their number is even. Each player has the first seat
    against the players in the next half of the circle.
    """
    places = len(players) + 1 - len(players) % 2
    ahead = (players.index(pair[1]) - players.index(pair[0])) % places
    return pair if ahead <= places // 2 else pair[::-1]


def all_play_all(stage: StageConfig, players: Sequence[str], section: str = "") -> list[Encounter]:
    """Return all encounters of `stage.rounds` round robins, or of one round robin if `stage.rounds` is 0."""
    encounters = []
    number = 0
    for cycle in range(max(1, stage.rounds)):
        for pairs in circle(players):
            number += 1
            for index, pair in enumerate(pairs):
                seats = _balanced(players, pair)
                seats = seats if cycle % 2 == 0 else seats[::-1]
                encounters.append(Encounter(stage.name, number, index, seats, stage.games, section=section))
    return encounters


def _next_round(encounters: Iterable[Encounter], paired: Counter[frozenset[str]], number: int) -> Iterator[Encounter]:
    """Yield the first round that has encounters which have not been paired yet, as the round with this number."""
    met = paired.copy()
    first, index = 0, 0
    for encounter in encounters:
        pair = frozenset(encounter.players)
        if met[pair]:
            met[pair] -= 1
            continue
        first = first or encounter.round
        if encounter.round == first:
            yield replace(encounter, round=number, index=index)
            index += 1


def by_rounds(encounters: Iterable[Encounter]) -> Pairings:
    """Yield encounters round by round, without those that have been paired.

    Args:
        encounters: All encounters, in the order of their rounds. It is iterated once for each round that is looked at.
    """
    every, last = list(encounters), 0
    paired: Counter[frozenset[str]] = Counter()
    while True:
        report: RoundResult = yield _next_round(every, paired, last + 1)
        for encounter in report.encounters:
            paired[frozenset(encounter.players)] += 1
            last = max(last, encounter.round)


def round_robin(stage: StageConfig, names: tuple[str, ...], _rules: PairingRules, _absent: frozenset[str]) -> Pairings:
    """Yield encounters in which any two players meet `rounds` times (0: once)."""
    return by_rounds(all_play_all(stage, names))


def gauntlet(stage: StageConfig, names: tuple[str, ...], _rules: PairingRules, _absent: frozenset[str]) -> Pairings:
    """Yield the encounters of each champion with all players who are not champions, `rounds` times (0: once).

    If no champion is among the players, the first seed is the champion.
    """
    champions = [name for name in names if name in stage.champions] or list(names[:1])
    others = [name for name in names if name not in champions]
    encounters = []
    for number in range(1, max(1, stage.rounds) + 1):
        pairs = itertools.product(enumerate(others), enumerate(champions))
        for index, ((row, name), (column, champion)) in enumerate(pairs):
            seats = (champion, name) if (number + row + column) % 2 else (name, champion)
            encounters.append(Encounter(stage.name, number, index, seats, stage.games))
    return by_rounds(encounters)
