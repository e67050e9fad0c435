"""A search for any game, from its rules and its built-in bots.

    searcher = Searcher(player, players, Budget(playouts=200), rng)
    choice = searcher.choose(fork)

* In a game with built-in bots, `plans` compares whole turns: those of the bots (`bots`), and changes of the best one.
  Each plan is judged by what the position is worth after the next turns of a built-in bot on all seats.
* Without them there is a tree: that of the actions, whatever the dice were (open loop). Each playout starts from a
  guess at what is hidden, and rolls its own dice. `searcher` has the loop, `tree` has the statistics.
* In the tree, players who move at the same time choose from tables of their own (decoupled), so nobody knows another's
  choice. An action is also judged by playouts that took it later in the same turn, and the tree is kept from one action
  to the next.
* `playouts` go on for some turns behind the tree, and take the better one of a few random actions.

This package needs the rules, and the built-in bots of a game that has some. So it runs inside a sandbox, too.
"""

from .budget import BadBudget, Budget
from .searcher import Choice, Fork, Searcher

__all__ = ["BadBudget", "Budget", "Choice", "Fork", "Searcher"]
