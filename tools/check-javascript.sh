#!/bin/sh
# Check the JavaScript: layout and lint with Biome, the types in JSDoc with TypeScript's compiler, the generated type
# declarations, and the length of lines. With the argument `renew`, write the type declarations anew.
set -eu
cd "$(dirname "$0")/.."
tools=tools/javascript
if ! command -v npm >/dev/null 2>&1; then
    echo "check-javascript: npm is not installed; the JavaScript was not checked." >&2
    [ "${CI:-}" = "" ] || exit 1
    exit 0
fi
# npm writes .package-lock.json when it has installed everything.
if [ ! "$tools/node_modules/.package-lock.json" -nt "$tools/package-lock.json" ]; then
    npm ci --prefix "$tools" --silent --no-audit --no-fund
    touch "$tools/node_modules/.package-lock.json"
fi
"$tools/node_modules/.bin/biome" check --error-on-warnings .
for project in replays/arena_replays/*/tsconfig.json games/*/*/viewer/tsconfig.json arena/web/*/tsconfig.json extras/*/*/static/tsconfig.json \
    clients/javascript/tsconfig.json clients/typescript/tsconfig.json; do
    "$tools/node_modules/.bin/tsc" -p "$project"
done
# clients/typescript/arena.d.ts must be what the compiler makes from the comments in the kit for JavaScript.
types=$(mktemp -d)
trap 'rm -rf "$types"' EXIT
"$tools/node_modules/.bin/tsc" -p clients/javascript/tsconfig.json --noEmit false --declaration --emitDeclarationOnly --outDir "$types"
if [ "${1:-}" = renew ]; then cp "$types/arena.d.ts" clients/typescript/; fi
if ! diff "$types/arena.d.ts" clients/typescript/arena.d.ts; then
    echo "check-javascript: clients/typescript/arena.d.ts is outdated: sh tools/check-javascript.sh renew" >&2
    exit 1
fi
# The formatter does not break long comments and strings. So check the length of lines here.
git ls-files '*.js' '*.mjs' | grep -v -e /vendor/ | xargs awk '
    length > 120 { print FILENAME ":" FNR ": the line is longer than 120 characters."; long = 1 }
    END { exit long }'
