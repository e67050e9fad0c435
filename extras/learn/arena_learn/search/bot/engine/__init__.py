"""A search for any game, from its rules alone.

    searcher = Searcher(player, players, Budget(playouts=200), rng)
    choice = searcher.choose(fork)

* In a game with estimates, `plans` has the turns of several actions: whole turns are compared, each with the reply that
  is worst for the player. `exploring` leads units everywhere, so that `goals` see how a plan goes on.
* In other games and turns there is a tree: that of the actions, whatever the dice were (open loop). Each playout starts
  from a guess at what is hidden, and rolls its own dice. `searcher` has the loop, `tree` has the statistics.
* Players who move at the same time choose from tables of their own (decoupled), so nobody knows another's choice.
* Without estimates, a turn of many actions is many levels of the tree. An action is also judged by playouts that took
  it later in the same turn, and the tree is kept from one action to the next.
* `playouts` go on for some turns behind the tree, and take the better one of a few random actions.
* `goals` see further: where units of each kind gain something, and which places lead there.

This package needs nothing but the rules, so that it runs inside a sandbox, too.
"""

from .budget import BadBudget, Budget
from .searcher import Choice, Fork, Searcher

__all__ = ["BadBudget", "Budget", "Choice", "Fork", "Searcher"]
