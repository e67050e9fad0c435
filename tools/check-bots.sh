#!/bin/sh
# Check the types of the built-in bots as a student's editor does: each folder of bots alone, with its typed module.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
for folder in "$root"/games/*/arena_*/bots; do
    [ -n "$(ls "$folder"/*.py 2>/dev/null)" ] || continue
    (cd "$folder" && "$root/.venv/bin/mypy" --strict --explicit-package-bases --config-file= --cache-dir "$root/.mypy_cache/bots" *.py)
done
