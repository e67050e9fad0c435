"""The formats: each a generator that yields rounds of encounters and is sent their results.

A format knows nothing of time, processes or dice: same results in, same encounters out.
"""

from collections.abc import Callable, Mapping, Sequence

from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.encounters import EncounterResult, Pairings
from arena.tournament.plan.formats import elimination, groups, ladder, swiss, table
from arena.tournament.plan.standings import Row, rank_table

PairingFunction = Callable[[StageConfig, tuple[str, ...]], Pairings]
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
}
"""Format name to the function that pairs and the function that ranks."""


def pairings(stage: StageConfig, names: tuple[str, ...]) -> Pairings:
    """Return the encounters of a stage, with the names in order of their seeds."""
    return FORMATS[stage.format][0](stage, names)


def rank(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """Return the order of a stage so far, best first."""
    return FORMATS[stage.format][1](stage, names, results)
