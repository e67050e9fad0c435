"""Minimum-cost matchings. Fixed random numbers break ties, so that all versions of rustworkx give the same matching."""

import random
from collections.abc import Iterable

_TIES = 2**40
_CEILING = 10**16 * _TIES


def cheapest_matching(count: int, edges: Iterable[tuple[int, int, int]], seed: int) -> list[tuple[int, int]]:
    """Return the cheapest of the matchings with the most pairs, as sorted pairs of node numbers.

    Args:
        edges: The possible pairs: two nodes, and the cost of pairing these nodes. The cost is below 10**16.
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
