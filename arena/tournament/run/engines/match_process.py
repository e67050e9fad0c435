"""The match process of a tournament: the referee, on a leash that ends it when the organizer dies."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends; does nothing where that is unknown."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        # The parent was gone before the kernel knew.
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> int:
    """Play the match whose job stands on standard input; the organizer's process number is the first argument."""
    # Taken away, since the referee reads arguments of its own.
    die_with(int(sys.argv.pop(1)))
    from arena.referee.__main__ import main as referee

    return referee()


if __name__ == "__main__":
    sys.exit(main())
