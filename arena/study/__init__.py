"""What can be said about a match after it was played, and about a game before it is played.

Everything here is computed from a replay with the rules of its game, and not while the match is played: the referee
must not know that somebody will ask. So a result here can always be computed again, by anybody who has the replay and
the game in its version.

* `replaying/` carries a record out again: positions, reruns with a bot, pinned turns.
* `checks/` compares: games with their contract, replays with the rules, bots with the protocol.
* `coach/` explains: why a match was lost, which turns decided, and what another choice is worth.

Arrows run from `coach` to `checks` to `replaying`. The room knows matches, bots and the referee, but no contests.
"""
