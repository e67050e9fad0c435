"""The command ``arena`` from its first moment on, also as ``python -m arena``."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C is no traceback either while its modules are still being loaded."""
    try:
        from arena.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
