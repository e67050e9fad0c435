#!/bin/sh
# Checks the types in the viewer's JavaScript (JSDoc) with TypeScript's compiler, where npm is there to fetch it.
set -eu
cd "$(dirname "$0")/javascript"
if ! command -v npm >/dev/null 2>&1; then
    echo "check-javascript: npm is not installed; the JavaScript was not checked." >&2
    exit 0
fi
[ -d node_modules/typescript ] || npm ci --silent --no-audit --no-fund
for project in ../../replays/arena_replays/*/tsconfig.json; do
    npx --no-install tsc -p "$project"
done
