"""When is a match void? Here is the answer, with all reasons; other modules ask the functions of this one.

A void match has no result: nobody gets points, and no table, head-to-head, skill or rating counts it. A knockout that
is still tied after a void match has more games. A match is void exactly if the ending of a player is `VOID`; a player
who failed before keeps their own ending.

The reason is that of the outcome:

* `HOST_LATE`: the machine was too slow for a player to use their time (`Match.on_kept_waiting`).
* `KILLED`: another program killed the sandbox of a bot (`Match.on_killed`).
* `OUTAGE`: what a player of another distribution needs has failed, such as the provider of a model (`Match.on_outage`).
* An ending among `CRASHES`: a program failed, and the policy of the match lets such a match not count (`policy_voids`).
* `FAULT`: the rules or the referee failed (`Host`, `MatchInMemory`). Contests take such a match as failed.
* The text of a signal, such as "interrupted by SIGTERM": somebody stopped the match (`Interruption`).
* `CLOSED`: the caller of a match in memory ended it (`MatchInMemory.close`).

Besides, an organizer can void a match that was played, and correct a void one (`Orders.is_void` in
`arena.contests.orders`, `MatchResult.as_void`). A match whose process ended before its outcome is `UNFINISHED`.

What follows: a void match is played again, `RETRIES` times at most or as often as a contest says. After the last try,
the players lose at whom the reason points (`CHARGED`, `MatchResult.without_void`): otherwise a bot could prevent its
opponent's win by making each match void.

A new reason is a constant here, and a call of `Match.void` where the referee learns of it; of `Match.void_at` if it
happened to one player, and then it is in `AT_A_PLAYER`. It is in `CHARGED` if a bot can cause it. If only the footer of
a replay shows it, `ended_from_outside` must know it, or verification refuses the replay.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from arena.game import Outcome
from arena.match.ending import CRASHES, NO_PROGRAM, Ending
from arena.match.limits import Policy

VOID: Final = "void"
"""The ending of a player whose match does not count through no fault of the player."""
UNFINISHED = Outcome(None, VOID)
"""In the place of the outcome of a match that never had one."""

HOST_LATE = "host_late"
KILLED = "killed_from_outside"
OUTAGE = "outage"
FAULT = "fault"
CLOSED = "closed"

AT_A_PLAYER = (HOST_LATE, KILLED, OUTAGE)
"""The reasons that happen to one player. The replay has an entry that names the player."""

CHARGED: dict[str, Ending] = {HOST_LATE: "timed_out", KILLED: "crashed"}
CHARGED.update((ending, ending) for ending in CRASHES)
"""Maps each reason that a bot can have caused to its player's ending if the match is not played again."""

RETRIES = 2
"""The number of further tries of a void match, and of a match that fails because of Arena or the machine.

Chosen, not measured: a slow moment of the machine is over after one more try, and a second one tells bad luck from a
machine that is always too slow. Such a machine already plays each match three times.
"""


def is_void(endings: Iterable[str]) -> bool:
    """Return whether a match with these endings of all its players is void."""
    return VOID in endings


def policy_voids(policy: Policy, ending: Ending) -> bool:
    """Return whether a match does not count because of the failure of a player's program."""
    if ending not in CRASHES:
        return False
    return (policy.no_start if ending in NO_PROGRAM else policy.crash) == "void"


def ended_from_outside(reason: str, trouble: str) -> bool:
    """Return whether the void match of a replay was ended by the machine, a person or a failure of the rules.

    No entry of the replay shows such an end, only its footer.

    Args:
        trouble: What failed or interrupted the match, as the footer says.
    """
    if trouble:
        return reason in (FAULT, trouble)  # the reason of a signal is its text
    return reason == CLOSED
