"""The command ``arena`` from its first moment on, also as ``python -m arena``."""

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # -m has put the current folder first on the search path. What lies there may be a stranger's.
    del sys.path[0]


def main() -> None:
    """Run the command line; Ctrl-C is no traceback either while its modules are still being loaded."""
    # The same for every Python that is started from here, such as the workers of Dask.
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        from arena.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
