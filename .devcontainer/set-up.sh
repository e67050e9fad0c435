#!/bin/sh
# Prepare a codespace or a container of Visual Studio Code: what `make setup` does, then a first look at the machine.
set -eu
cd "$(dirname "$0")/.."
make setup
.venv/bin/arena games
# The exit code of doctor is the level of isolation; any level is good enough here.
.venv/bin/arena doctor || true
