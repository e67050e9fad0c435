#!/bin/sh
# `make fuzz`: runs all fuzzers for 60 seconds each, or for as many as are given. atheris is no dependency of the
# project: where it is not installed, uv takes it for this run alone.
set -e
cd "$(dirname "$0")/../.."
export PYTHONPATH=tools
if .venv/bin/python -c "import atheris" 2>/dev/null; then
    exec .venv/bin/python tests/fuzz/run.py "$@"
fi
if command -v uv >/dev/null && uv run --quiet --no-sync --with atheris python -c "import atheris" 2>/dev/null; then
    exec uv run --quiet --no-sync --with atheris python tests/fuzz/run.py "$@"
fi
echo "atheris is not installed and cannot be fetched here: nothing was fuzzed (pip install atheris)"
