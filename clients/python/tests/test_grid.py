"""Compare path finding with a slow and simple search."""

from hypothesis import given
from hypothesis import strategies as st

from arena_player import FAR_AWAY, Tile, find_path, reachable
from arena_player.grid import board

walls = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 4)))
places = st.tuples(st.integers(0, 5), st.integers(0, 4))


def distances(tiles: dict[tuple[int, int], Tile], start: Tile, blocked: set[tuple[int, int]]) -> dict[Tile, int]:
    """Return the number of steps to each tile. Go over all tiles again and again until no number changes."""
    known = {start: 0}
    changed = True
    while changed:
        changed = False
        for place, tile in tiles.items():
            near = [known[other] + 1 for other in tile.neighbors if other in known]
            if place not in blocked and near and min(near) < known.get(tile, FAR_AWAY):
                known[tile] = min(near)
                changed = True
    return known


@given(walls, places, places)
def test_paths_are_shortest_and_go_only_where_they_may(
    blocked: set[tuple[int, int]], start: tuple[int, int], goal: tuple[int, int]
) -> None:
    tiles = board(6, 5, None, Tile)
    first, last = tiles[start], tiles[goal]
    path = find_path(first, last, lambda tile: (tile.x, tile.y) not in blocked)
    assert path == first.path_to(last, lambda tile: (tile.x, tile.y) not in blocked)
    expected = distances(tiles, first, blocked - {goal}).get(last, 0)
    assert len(path) == expected
    for before, after in zip([first, *path], path, strict=False):
        assert after in before.neighbors
        assert after is last or (after.x, after.y) not in blocked
    if path:
        assert path[-1] is last


@given(walls, places, st.integers(0, 6))
def test_reachable_knows_every_distance(blocked: set[tuple[int, int]], start: tuple[int, int], limit: int) -> None:
    tiles = board(6, 5, None, Tile)
    found = reachable(tiles[start], lambda tile: (tile.x, tile.y) not in blocked, limit)
    expected = {tile: steps for tile, steps in distances(tiles, tiles[start], blocked).items() if steps <= limit}
    assert found == expected
    assert list(found.values()) == sorted(found.values())


def test_the_default_goes_round_things_and_ends_on_one() -> None:
    tiles = board(3, 3, None, Tile)
    tiles[1, 0].things = ["piano"]
    assert tiles[0, 0].path_to(tiles[2, 0]) == [tiles[0, 1], tiles[1, 1], tiles[2, 1], tiles[2, 0]]
    assert tiles[0, 0].path_to(tiles[1, 0]) == [tiles[1, 0]]
    assert tiles[0, 0].path_to(tiles[0, 0]) == []
    assert tiles[1, 0] not in tiles[0, 0].reachable()
    assert len(tiles[0, 0].reachable(limit=1)) == 2


def test_neighbours_are_north_south_east_west() -> None:
    tiles = board(3, 3, None, Tile)
    middle = tiles[1, 1]
    assert middle.neighbors == [tiles[1, 0], tiles[1, 2], tiles[2, 1], tiles[0, 1]]
    assert (middle.north, middle.south, middle.east, middle.west) == tuple(middle.neighbors)
    assert tiles[0, 0].north is tiles[0, 0].west is None
    assert middle.distance_to(tiles[0, 0]) == 2
