"""Download Pyodide into an installation that lacks it, and add packages to it.

python -m arena_playground.fetch                     # Pyodide
python -m arena_playground.fetch numpy               # and a package, from PyPI
python -m arena_playground.fetch numpy-2.4.6-…whl    # or from a file
"""

import sys

from arena_playground import pyodide

if __name__ == "__main__":
    try:
        pyodide.fetch()
        for name in sys.argv[1:]:
            print(f"The playground has {pyodide.add(name).name} now.")  # noqa: T201 - it is a program
    except OSError as error:
        sys.exit(f"{' '.join(sys.argv[1:]) or 'Pyodide'} cannot be added: {error}")
