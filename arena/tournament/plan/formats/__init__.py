"""The formats: generators that yield rounds of encounters and receive their results.

A format uses no clock and no processes, and its random numbers are fixed. So the same results always give the same
encounters.
"""

from collections.abc import Callable, Mapping, Sequence

from arena.tournament.plan.config import PairingRules, StageConfig
from arena.tournament.plan.encounters import EncounterResult, Pairings
from arena.tournament.plan.formats import elimination, groups, ladder, swiss, table, tables
from arena.tournament.plan.standings import Row, rank_table

PairingFunction = Callable[[StageConfig, tuple[str, ...], PairingRules], Pairings]
RankFunction = Callable[[StageConfig, tuple[str, ...], Sequence[EncounterResult]], tuple[Row, ...]]

FORMATS: Mapping[str, tuple[PairingFunction, RankFunction]] = {
    "round_robin": (table.round_robin, rank_table),
    "gauntlet": (table.gauntlet, rank_table),
    "swiss": (swiss.swiss, rank_table),
    "single_elimination": (elimination.single_elimination, elimination.rank_single),
    "double_elimination": (elimination.double_elimination, elimination.rank_double),
    "groups": (groups.groups, groups.rank_groups),
    "ladder": (ladder.ladder, ladder.rank_ladder),
    "king_of_the_hill": (ladder.king_of_the_hill, ladder.rank_ladder),
    "free_for_all": (swiss.swiss, rank_table),
    "elimination_tables": (tables.elimination_tables, tables.rank_elimination),
}
"""Maps a format's name to its pairing function and its ranking function."""


def can_be_entered(stage: StageConfig, count: int) -> bool:
    """Return whether a running stage with `count` entrants accepts more entrants.

    Elimination accepts no more. Groups accept no more if the stage has fewer groups than configured, because more
    entrants could change the number of groups.
    """
    return "elimination" not in stage.format and (stage.format != "groups" or count // 2 >= stage.groups)


def pairings(stage: StageConfig, names: tuple[str, ...], rules: PairingRules) -> Pairings:
    """Return the generator of a stage's encounters. The names are in order of their seeds."""
    return FORMATS[stage.format][0](stage, names, rules)


def rank(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """Return the current order of a stage, best first."""
    return FORMATS[stage.format][1](stage, names, results)


def seeded(stage: StageConfig, order: Sequence[str], before: StageConfig, members: Sequence[str]) -> Sequence[str]:
    """Return the entrants of a stage in order of their seeds.

    In a bracket after groups, members of the same group do not meet in the first column, if possible.
    """
    if before.format != "groups" or not stage.format.endswith("_elimination"):
        return order
    return groups.kept_apart(order, groups.divide(members, before.groups))
