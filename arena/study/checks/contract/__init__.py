"""Check a game against the game contract: play random games, and run all checks on many of their positions.

The contract is what the rest of Arena relies on when it calls a game, and what no type can say: a refused action
changes nothing, `pop` restores everything, a player's deltas add up to the player's view, nothing that a player is sent
reveals a secret, the same draws give the same game. `report.RULES` names all of it. A game that breaks a rule works on
most days, and then spoils a match, a replay, or the fairness of a contest. So `arena game check` and
`arena.testing.check_game` look for a position in which a rule is broken.

How it looks: games are played at random, with each set of options in turn. Positions are looked at closely, many at the
beginning of a game and fewer later (`random_games.RandomGame`). One check is one function or class. It gets the state
and a source of random numbers, asks the rules the same question in two ways, and adds a finding to the `Ledger` if the
answers differ. No check knows the game: it takes what to try from the game's classes, its lists of legal actions, and
its views. All random numbers come from the seed, so a finding comes again with the same seed.

What must not happen:

* A check must not change the game that it looks at. One that carries out actions gets a clone, or undoes them; and so
  that a broken `clone` or `pop` cannot hide behind other checks, both have checks of their own.
* A game that keeps the contract must never get a finding. Where only an experiment can tell, as for leaks, the
  agreement must be beyond chance by far; a leak that is too rare for that is missed.
* An exception of the rules must not stop the check: it is a finding too.

Where to look: `definition.py` for declarations, before any game; `random_games.py` for the games and the list of all
checks; `trial.py` for an attempt to act, and for two states in comparison; `actions.py` with `inventor.py` for lists of
legal actions, invented actions and undo; `roster.py` for turns, scores, outcomes and players who leave; `copies.py` for
clones, documents, draws and repeated games; `fields.py` for values; `observers.py` with `fold.py` for what players are
sent; `secrets.py` and `leaks.py` for what they must not learn, with `evidence.py` for whether a value reveals a secret;
`report.py` for rules and findings.
"""
