"""Minimum-cost matchings. Fixed random numbers break ties, so that all library versions give the same matching."""

import random
from collections.abc import Iterable

_TIES = 2**40
_CEILING = 10**16 * _TIES


def cheapest_matching(count: int, edges: Iterable[tuple[int, int, int]], seed: int) -> list[tuple[int, int]]:
    """Return the pairs of a matching with as many pairs as possible, at the lowest cost, smaller numbers first.

    Args:
        count: The number of nodes.
        edges: Two nodes and the cost of their pair, below 10**16.
        seed: Seed of the fixed random numbers.
    """
    import rustworkx

    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    dice = random.Random(seed)
    graph.add_edges_from(
        (one, other, _CEILING - cost * _TIES - int(dice.random() * _TIES)) for one, other, cost in edges
    )
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in matching)
