"""Groups: snake seeding, a round robin in each, and an order that playoffs can be seeded from."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.encounters import Encounter, EncounterResult, Pairings
from arena.tournament.plan.formats.table import all_play_all
from arena.tournament.plan.standings import Row, rank_table


def divide(names: Sequence[str], count: int) -> list[list[str]]:
    """Return the names dealt out in a snake: 1 2 3 4, then 8 7 6 5, and so on."""
    count = max(1, min(count, len(names) // 2 or 1))
    result: list[list[str]] = [[] for _ in range(count)]
    for index, name in enumerate(names):
        lap, place = divmod(index, count)
        result[place if lap % 2 == 0 else count - 1 - place].append(name)
    return result


def group_name(index: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def groups(stage: StageConfig, names: tuple[str, ...]) -> Pairings:
    """Return a round robin in each of `groups` groups."""
    encounters: list[Encounter] = []
    for number, group in enumerate(divide(names, stage.groups)):
        encounters += all_play_all(stage, group, group_name(number))
    encounters.sort(key=lambda encounter: (encounter.round, encounter.index))
    numbered = []
    for _, same_round in groupby(encounters, key=lambda encounter: encounter.round):
        numbered += [replace(encounter, index=index) for index, encounter in enumerate(same_round)]
    if numbered:
        yield tuple(numbered)


def rank_groups(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """Return all group winners by their results, then all seconds, and so on.

    The seconds are listed in the order of their groups' winners, so that the best winner meets the second of
    another group when the order is used to seed a bracket.
    """
    if not names:
        return ()
    tables = []
    for number, members in enumerate(divide(names, stage.groups)):
        own = [result for result in results if result.encounter.section == group_name(number)]
        tables.append((group_name(number), rank_table(stage, tuple(members), own)))
    seeds = {name: seed for seed, name in enumerate(names)}
    winners = sorted(tables, key=lambda table: (-_rate(table[1][0]), seeds[table[1][0].name]))
    rows: list[Row] = []
    for place in range(max(len(table) for _, table in tables)):
        for group, table in winners:
            if place < len(table):
                row = table[place]
                text = f"place {row.place} of group {group}" + (f"; {row.explained}" if row.explained else "")
                rows.append(replace(row, place=len(rows) + 1, explained=text))
    return tuple(rows)


def _rate(row: Row) -> float:
    return row.points / row.games if row.games else 0.0
