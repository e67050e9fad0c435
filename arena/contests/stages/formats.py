"""The formats: generators that yield rounds of encounters and receive their results.

A format uses no clock and no processes, and its random numbers are fixed. So the same results always give the same
encounters.
"""

from collections.abc import Callable, Mapping, Sequence

from arena.contests.config import LOSSES, PairingRules, StageConfig
from arena.contests.stages import elimination, groups, round_robin, swiss, tables
from arena.contests.stages.encounters import Encounter, EncounterResult, Pairings, RoundResult
from arena.contests.stages.standings import Row, rank_table

PairingFunction = Callable[[StageConfig, tuple[str, ...], PairingRules, frozenset[str]], Pairings]
RankFunction = Callable[[StageConfig, tuple[str, ...], Sequence[EncounterResult]], tuple[Row, ...]]

FORMATS: Mapping[str, tuple[PairingFunction, RankFunction]] = {
    "round_robin": (round_robin.round_robin, rank_table),
    "gauntlet": (round_robin.gauntlet, rank_table),
    "swiss": (swiss.swiss, rank_table),
    "single_elimination": (elimination.single_elimination, elimination.rank_losses),
    "double_elimination": (elimination.double_elimination, elimination.rank_losses),
    "triple_elimination": (elimination.by_losses, elimination.rank_losses),
    "quadruple_elimination": (elimination.by_losses, elimination.rank_losses),
    "groups": (groups.groups, groups.rank_groups),
    "free_for_all": (swiss.swiss, rank_table),
    "elimination_tables": (tables.elimination_tables, tables.rank_elimination),
}
"""Maps a format's name to its pairing function and its ranking function."""
KNOWN_FROM_THE_START = ("round_robin", "gauntlet", "groups")
"""The formats whose rounds do not depend on results, so that they can be paired before earlier ones have ended."""


def can_be_entered(stage: StageConfig, count: int) -> bool:
    """Return whether a running stage with `count` entrants accepts more entrants.

    Elimination accepts no more. Groups accept no more if the stage has fewer groups than configured, because more
    entrants could change the number of groups.
    """
    return "elimination" not in stage.format and (stage.format != "groups" or count // 2 >= stage.groups)


def next_round(
    stage: StageConfig,
    names: tuple[str, ...],
    rules: PairingRules,
    past: Sequence[RoundResult],
    absent: frozenset[str] = frozenset(),
) -> tuple[Encounter, ...]:
    """Return the encounters of the next round of a stage; none if the stage has no further round.

    Args:
        names: The entrants in the order of their seeds.
        absent: The entrants who do not play now.
    """
    pairings = FORMATS[stage.format][0](stage, names, rules, absent)
    try:
        proposed = next(pairings)
        for round_result in past:
            proposed = pairings.send(round_result)
    except StopIteration:
        return ()
    return tuple(proposed)


def rank(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """Return the current order of a stage, best first."""
    return FORMATS[stage.format][1](stage, names, results)


def seeded(stage: StageConfig, order: Sequence[str], before: StageConfig, members: Sequence[str]) -> Sequence[str]:
    """Return the entrants of a stage in order of their seeds.

    In a bracket after groups, members of the same group do not meet in the first column, if possible.
    """
    if before.format != "groups" or stage.format not in LOSSES:
        return order
    return groups.kept_apart(order, groups.divide(members, before.groups))
