"""Groups: snake seeding, a round robin in each group, and an order to seed playoffs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from arena.contests.config import PairingRules, StageConfig
from arena.contests.stages.encounters import Encounter, EncounterResult, Pairings
from arena.contests.stages.round_robin import all_play_all, by_rounds
from arena.contests.stages.standings import Row, rank_table


def divide(names: Sequence[str], count: int) -> list[list[str]]:
    """Distribute the names to groups in snake order: 1 2 3 4, then 8 7 6 5, and so on.

    Args:
        count: The number of groups. There are fewer groups if a group would otherwise have fewer than two names.
    """
    count = max(1, min(count, len(names) // 2 or 1))
    result: list[list[str]] = [[] for _ in range(count)]
    for index, name in enumerate(names):
        lap, place = divmod(index, count)
        result[place if lap % 2 == 0 else count - 1 - place].append(name)
    return result


def group_name(index: int) -> str:
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def groups(stage: StageConfig, names: tuple[str, ...], _rules: PairingRules, _absent: frozenset[str]) -> Pairings:
    encounters: list[Encounter] = []
    for number, group in enumerate(divide(names, stage.groups)):
        encounters += all_play_all(stage, group, group_name(number))
    encounters.sort(key=lambda encounter: (encounter.round, encounter.index))
    return by_rounds(encounters)


def rank_groups(stage: StageConfig, names: tuple[str, ...], results: Sequence[EncounterResult]) -> tuple[Row, ...]:
    """Return all group winners, then all seconds, and so on.

    Players with the same place in their groups are ordered by points, then by tie-breaks. All these values are divided
    by the player's number of encounters, since the sizes of groups can differ by one.
    """
    if not names:
        return ()
    seeds = {name: seed for seed, name in enumerate(names)}
    encounters = Counter(name for result in results for name in result.encounter.players)

    def strength(row: Row) -> tuple[float, ...]:
        values = [row.points, *(value for tiebreak, value in row.tiebreaks if tiebreak != "seed")]
        return (*(-round(value / max(1, encounters[row.name]), 9) for value in values), seeds[row.name])

    tables = []
    for number, members in enumerate(divide(names, stage.groups)):
        own = [result for result in results if result.encounter.section == group_name(number)]
        tables.append((group_name(number), rank_table(stage, tuple(members), own)))
    rows: list[Row] = []
    for place in range(max(len(table) for _, table in tables)):
        level = [(group, table[place]) for group, table in tables if place < len(table)]
        level.sort(key=lambda placed: strength(placed[1]))
        for group, row in level:
            text = f"place {row.place} of group {group}" + (f"; {row.explained}" if row.explained else "")
            rows.append(replace(row, place=len(rows) + 1, explained=text))
    return tuple(rows)


def kept_apart(order: Sequence[str], divided: Sequence[Sequence[str]]) -> list[str]:
    """Return an order for a bracket. If possible, no members of the same group meet in its first column.

    The function exchanges only bots with the same place in their groups. It prefers exchanges that leave the fewest
    meetings of group members, then exchanges of bots that are close in the order.
    """
    order, group = list(order), {name: number for number, names in enumerate(divided) for name in names}
    places = [sum(group[other] == group[name] for other in order[:index]) for index, name in enumerate(order)]
    size = 1 << (len(order) - 1).bit_length()

    def clashes() -> list[int]:
        met = ((seed, size - 1 - seed) for seed in range(size - len(order), size // 2))
        return [seed for pair in met for seed in pair if group[order[pair[0]]] == group[order[pair[1]]]]

    def exchange(seed: int, partner: int) -> None:
        order[seed], order[partner] = order[partner], order[seed]

    while bad := clashes():
        best = (len(bad), 0, 0, 0)
        for seed in bad:
            for partner in [number for number, place in enumerate(places) if place == places[seed] and number != seed]:
                exchange(seed, partner)
                best = min(best, (len(clashes()), abs(seed - partner), -seed, partner))
                exchange(seed, partner)
        if best[0] == len(bad):
            break
        exchange(-best[2], best[3])
    return order
