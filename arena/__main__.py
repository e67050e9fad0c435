"""The entry point of the command ``arena``, also as ``python -m arena``."""

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # -m has put the current folder first on the search path. Its files may be untrusted.
    del sys.path[0]


def main() -> None:
    """Run the command line. Ctrl-C prints no traceback, even while modules are loading."""
    # Set the same for every Python that starts from here, such as the workers of Dask.
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        from arena.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
