"""Triple and quadruple elimination: out after exactly so many losses, no rematch that could be avoided, places right.

`tests/stats/eliminations.py` plays 400 random runs of each size from 3 to 64.
"""

import random
from collections import Counter
from itertools import combinations

import pytest
import rustworkx
from contests_toys import by_strength, finished, in_memory, play, run_of, void_result

from arena.contests.config import LOSSES, StageConfig


def fewest_rematches(names, met):
    """The fewest rematches of a round in which all play but one, if their number is odd, by another way of counting.

    As many of those who have not met as possible are matched: the others meet again.
    """
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(names) + len(names) % 2))
    for one, other in combinations(range(len(graph)), 2):
        again = other < len(names) and met[frozenset((names[one], names[other]))]
        graph.add_edge(one, other, 10**6 - again)
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sum(10**6 - graph.get_edge_data(*pair) for pair in matching)


def check(count, form, seed, draws=0.0):
    """Play an elimination with random results, and check everything that it promises."""
    lives, rng = LOSSES[form], random.Random(seed)
    contest = in_memory(count, StageConfig("cup", form, best_of=rng.choice((1, 2, 3))))
    play(contest, lambda spec: void_result() if rng.random() < draws / 3 else by_strength(spec, draws, seed))
    assert finished(contest)
    run = run_of(contest)
    losses, met, byes, out = Counter(), Counter(), Counter(), {}
    results = iter(run.decided())
    for round_number, paired in enumerate(run.rounds, 1):
        left = [name for name in run.names if losses[name] < lives]
        assert sorted(name for one in paired.encounters for name in one.players) == sorted(left)
        pairs = [one.players for one in paired.encounters if not one.is_bye]
        assert len(pairs) == len(left) // 2
        again = sum(met[frozenset(pair)] for pair in pairs)
        assert again == fewest_rematches(left, met), (round_number, "a rematch that could be avoided")
        for encounter in paired.encounters:
            result = next(results)
            if encounter.is_bye:
                name = encounter.players[0]
                # A second bye comes only to avoid a rematch, or where everybody has had one.
                assert not byes[name] or again or not _bye_could_go_elsewhere(left, met, byes, name)
                byes[name] += 1
                continue
            met[frozenset(encounter.players)] += 1
            losses[result.loser_name] += 1
            if losses[result.loser_name] == lives:
                out[result.loser_name] = round_number
    rows = run.rank()
    champion = rows[0].name
    assert losses[champion] < lives
    assert all(losses[name] == lives for name in run.names if name != champion)
    assert (rows[0].place, rows[0].explained.partition(" by ")[0]) == (1, "champion")
    for row in rows[1:]:
        better = sum(out[name] > out[row.name] for name in out)
        assert row.place == 2 + better, "out later is better, and in the same round equal"
        assert row.explained.startswith(f"out in round {out[row.name]}")
    assert sum(row.byes for row in rows) == sum(byes.values())


def _bye_could_go_elsewhere(left, met, byes, name):
    """Whether somebody without a bye could have sat out instead, without a rematch."""
    free = [one for one in left if byes[one] < byes[name]]
    return any(not fewest_rematches([other for other in left if other != one], met) for one in free)


FORMS = ["triple_elimination", "quadruple_elimination"]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 11, 16, 23, 33, 64])
def test_out_after_so_many_losses_and_no_rematch_that_could_be_avoided(count, form):
    for seed in range(6 if count < 20 else 2):
        check(count, form, seed, draws=(seed % 2) * 0.4)


@pytest.mark.parametrize(("form", "lives"), [*LOSSES.items()])
def test_each_elimination_takes_so_many_losses(form, lives):
    contest = in_memory(9, StageConfig("cup", form, best_of=1))
    play(contest)
    losses = Counter(one.loser_name for one in run_of(contest).decided() if one.loser_name)
    champion = run_of(contest).rank()[0].name
    assert losses.pop(champion, 0) < lives
    assert set(losses.values()) == {lives}
    assert len(losses) == 8
