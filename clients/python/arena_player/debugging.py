"""Stop a bot in a debugger at the start of a turn, for `arena rerun REPLAY@N BOT --debug`."""

import os
import sys

from .ai import AI

STOP_VARIABLE = "ARENA_STOP_AT_TURN"
DEBUGGER_VARIABLE = "ARENA_DEBUGGER"
PORT = 5678


def stop_if_asked(ai: AI) -> None:
    """Make a bot stop at the start of `run_turn`, once, in the turn that ARENA_STOP_AT_TURN names.

    Do nothing if this environment variable is not set.
    """
    turn = os.environ.get(STOP_VARIABLE)
    if turn is None:
        return
    run_turn = ai.run_turn
    stopped = False

    def stop() -> None:
        nonlocal stopped
        if stopped or str(ai.turn) != turn:
            run_turn()
            return
        stopped = True
        if os.environ.get(DEBUGGER_VARIABLE) == "debugpy":
            import debugpy  # type: ignore[import-not-found, unused-ignore]

            debugpy.listen(("127.0.0.1", PORT))
            print(f"Turn {turn}. Attach your debugger to 127.0.0.1:{PORT}.", file=sys.stderr)  # noqa: T201
            debugpy.wait_for_client()
            debugpy.breakpoint()
            run_turn()
        else:
            from pdb import Pdb

            Pdb().runcall(run_turn)

    ai.run_turn = stop  # type: ignore[method-assign]
