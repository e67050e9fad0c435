"""Round robin and gauntlet: everything is known beforehand, so all is yielded at once."""

from collections.abc import Iterator, Sequence

from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.encounters import Encounter, Pairings


def circle(players: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Return the rounds of a single round robin, by the circle method, with first seats spread evenly.

    With an odd number one player rests in each round.
    """
    seats: list[str | None] = [*players]
    if len(seats) % 2:
        seats.append(None)
    count = len(seats)
    for number in range(count - 1):
        pairs = []
        for left in range(count // 2):
            one, other = seats[left], seats[count - 1 - left]
            swap = number % 2 if left == 0 else left % 2
            if one is not None and other is not None:
                pairs.append((other, one) if swap else (one, other))
        yield pairs
        seats = [seats[0], seats[-1], *seats[1:-1]]


def all_play_all(stage: StageConfig, players: Sequence[str], section: str = "") -> list[Encounter]:
    """Return all encounters of `stage.rounds` round robins; the index is to be set by the caller where sections mix."""
    encounters = []
    number = 0
    for cycle in range(max(1, stage.rounds)):
        for pairs in circle(players):
            number += 1
            for index, pair in enumerate(pairs):
                seats = pair if cycle % 2 == 0 else (pair[1], pair[0])
                encounters.append(Encounter(stage.name, number, index, seats, stage.games, section=section))
    return encounters


def round_robin(stage: StageConfig, names: tuple[str, ...]) -> Pairings:
    """Return everybody meets everybody, `rounds` times."""
    if encounters := tuple(all_play_all(stage, names)):
        yield encounters


def gauntlet(stage: StageConfig, names: tuple[str, ...]) -> Pairings:
    """Return the champions (the first seed unless named) meet all others, `rounds` times."""
    champions = [name for name in names if name in stage.champions] or list(names[:1])
    others = [name for name in names if name not in champions]
    encounters = []
    for number in range(1, max(1, stage.rounds) + 1):
        pairs = [(champion, other) for other in others for champion in champions]
        for index, (champion, other) in enumerate(pairs):
            seats = (champion, other) if (number + index) % 2 else (other, champion)
            encounters.append(Encounter(stage.name, number, index, seats, stage.games))
    if encounters:
        yield tuple(encounters)
