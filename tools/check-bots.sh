#!/bin/sh
# Check the types of the built-in bots as a student's editor does: the bots of each game, with the typed module, which
# contains the game's kit.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
for folder in "$root"/games/*/arena_*/bots; do
    package=$(basename "$(dirname "$folder")")
    game=${package#arena_}
    "$root/.venv/bin/arena" sdk "$game" --out "$modules" >/dev/null
    (cd "$folder" && MYPYPATH=$modules "$root/.venv/bin/mypy" --strict --explicit-package-bases --config-file= \
        --cache-dir "$root/.mypy_cache/bots" ./*.py "$modules/$game.py")
done
