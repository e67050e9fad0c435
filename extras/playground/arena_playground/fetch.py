"""Download Pyodide into an installation that lacks it: `python -m arena_playground.fetch`."""

import sys

from arena_playground import pyodide

if __name__ == "__main__":
    try:
        pyodide.fetch()
    except OSError as error:
        sys.exit(f"Pyodide cannot be downloaded: {error}")
