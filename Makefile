# `make demo` plays a match and shows it; `make test` runs all tests. Both set up what they need.

.DEFAULT_GOAL := help
RUN = .venv/bin/
STAMP = .venv/.set-up
# The parts without I/O. Tests reach each of their lines.
COVERED = arena/game/*,arena/match/*,arena/contests/ratings/*,arena/contests/stages/*,arena/play/referee/match.py,arena/play/referee/standing.py,arena/play/referee/seat.py,arena/play/referee/clock.py,arena/play/referee/outputs.py,clients/python/arena_player/wire/*

.PHONY: help setup demo test lint check docs bench stats fuzz kill-test build clean

help: ## This list
	@grep -h -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP) ## Install what the project needs, into .venv and from the distribution

$(STAMP): tools/setup.sh uv.lock pyproject.toml $(wildcard games/*/pyproject.toml) clients/python/pyproject.toml replays/pyproject.toml $(wildcard extras/*/pyproject.toml)
	@sh tools/setup.sh
	@touch $@

demo: setup ## Play a sandboxed match of Saloon and open its replay in the browser
	@mkdir -p demo
	$(RUN)arena play saloon builtin:sheriff builtin:pianist --seed 7 --replay demo/saloon.arena
	$(RUN)arena replay verify demo/saloon.arena
	$(RUN)arena replay export demo/saloon.arena --html demo/saloon.html
	@echo "The replay is in demo/saloon.html: one file that opens in any browser."
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then $(RUN)python -m webbrowser demo/saloon.html; fi

quick: setup ## Run the tests that start no process, in parallel
	$(RUN)python -m pytest -n auto -m "not process and not browser and not sandbox and not slow" $(PYTEST_ARGS)

test: setup ## Run all tests, in parallel; those that measure time run alone
	$(RUN)python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

coverage: setup ## Which lines the tests do not reach; fails if there are any in the parts without I/O
	$(RUN)python -m pytest -n auto --cov --cov-report=term-missing:skip-covered $(PYTEST_ARGS)
	$(RUN)coverage report --include="$(COVERED)" --fail-under=100 --skip-covered --show-missing

lint: setup ## Style and types, Python and JavaScript
	$(RUN)ruff check .
	$(RUN)ruff format --check .
	$(RUN)mypy
	sh tools/check-bots.sh
	@sh tools/check-javascript.sh

check: lint test docs ## What the continuous integration runs

docs: setup ## The documentation site, into site/
	NO_MKDOCS_2_WARNING=1 $(RUN)mkdocs build --strict --quiet
	@! grep -rnoE '<(script|link|img|iframe)[^>]* (src|href)="?(https?:)?//[^ >]*' site --include='*.html'
	@echo "The site is in site/index.html; for its search, run $(RUN)mkdocs serve."

api: setup ## Write the lists of public names in tests/api again
	$(RUN)python tests/api/test_public_api.py

bench: setup ## Figures, as ratios against floors measured in the same run
	$(RUN)python tests/bench/figures

stats: setup ## Intervals of ratings, matches of all templates, 1,000 forks of each game, 100 reruns of each game, 200 remote matches with cuts, whole matches by clicks, mistakes planted in bots, 10,000 climbs, 49,600 eliminations, 2,000 hostile bots at random (hours)
	$(RUN)python tests/stats/interval_coverage.py
	$(RUN)python tests/stats/kit_templates.py
	$(RUN)python tests/stats/forks.py
	$(RUN)python tests/stats/remote_cuts.py
	$(RUN)python tests/stats/clicked_matches.py
	$(RUN)python tests/stats/reruns.py
	$(RUN)python tests/stats/promotions.py
	$(RUN)python tests/stats/planted_mistakes.py
	$(RUN)python tests/stats/eliminations.py
	$(RUN)python tests/stats/hostile_matches.py 2000 3 1

fuzz: setup ## Fuzz the referee, archives, replays, and the codec guided by coverage (needs atheris); about an hour
	$(RUN)python tests/fuzz/matches.py 100000
	$(RUN)python tests/fuzz/files.py 20000
	sh tests/fuzz/run.sh

kill-test: setup ## Kill contests hundreds of times, one of them with 40 teams; nothing may be lost. Long forms of other tests (an hour)
	$(RUN)python -m pytest tests extras -m kill --timeout 3600 $(PYTEST_ARGS)

build: setup ## Wheels of all distributions into dist/, checked for the package index
	@rm -rf dist
	$$(cat .venv/uv-path) build --all-packages --wheel --out-dir dist
	$(RUN)twine check --strict dist/*.whl

clean: ## Remove what can be made anew
	rm -rf .venv .bootstrap dist site demo artefacts .pytest_cache .mypy_cache .ruff_cache .hypothesis
