"""Values that describe a match: the job, the limits of the bots, the policy, and the result.

This package does no input or output. It imports only `arena.game` and `arena.errors`; the other packages import it.
"""
