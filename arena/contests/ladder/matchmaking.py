"""Choose the players of the next encounter of the ladder: those from whose match most is learned."""

from collections import Counter
from collections.abc import Collection, Sequence

from arena.contests.ladder.board import Board, winning_chance
from arena.contests.ratings.skill import BETA
from arena.contests.values import Player

_WINDOW = 4
"""The encounters of each team that `window` covers. Chosen, not measured: long enough that a team which has just played
does not come again at once, and short enough that a new team need not make up for the whole past."""


def next_players(
    board: Board, recent: Sequence[Player], size: int, rest: int, over: Collection[str] = ()
) -> tuple[Player, ...]:
    """Choose the players of the next encounter of the ladder.

    The first player has the largest value of sigma / (1 + n). Here sigma is the uncertainty of the player's skill, and
    n counts how often the player's team occurs in `recent`. Each further player is the one whose match with the chosen
    players reduces uncertainty most.

    Args:
        recent: The players of the last encounters (see `window`), including unfinished encounters.
        rest: The number of rated matches after which a version is not chosen first; 0 for no limit.
        over: The teams that have used their share of the slots (see `slot_shares`). They are not chosen.

    Returns:
        The players; empty if no version can be chosen first, or if there are too few players.
    """
    orders = board.state.orders
    absent = {*over, *orders.left}
    playing = [
        player for team, player in board.playing().items() if team not in absent and player[1] not in orders.removed
    ]
    count = Counter(name for name, _ in recent)
    due = [player for player in playing if not rest or board.rated[player] < rest]
    candidates = [*playing, *board.state.anchor_players()]
    if not due or len(candidates) < size:
        return ()
    # Equal values are decided by the names, so that a rebuilt journal gives the same match.
    first = max(due, key=lambda player: (board.skills[player[0]].sigma / (1 + count[player[0]]), player))
    chosen = [first]
    while len(chosen) < size:
        left = [player for player in candidates if player not in chosen]
        chosen.append(max(left, key=lambda player: (sum(_gain(board, player, rival) for rival in chosen), player)))
    return tuple(chosen)


def window(teams: int) -> int:
    """Return the number of past encounters in which `next_players` counts how often each team has played."""
    return _WINDOW * max(2, teams)


def _gain(board: Board, player: Player, rival: Player) -> float:
    """Return how much a match of two players reduces the uncertainty of their skills.

    It is largest for equal skills of which little is known. Pairs that have met often come last, so that the ratings
    do not depend on a few pairs.
    """
    first, second = board.skills[player[0]], board.skills[rival[0]]
    variance = first.sigma**2 + second.sigma**2
    chance = winning_chance(first, second)
    learned = chance * (1.0 - chance) * variance / (variance + 2 * BETA**2)
    return learned / (1 + board.pairs.count(player[0], rival[0]))
