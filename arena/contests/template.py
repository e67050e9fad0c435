"""The configuration that ``arena contest init`` writes. Its text is `contest.toml.jinja`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from arena.game import GameSpec
from arena.match.lookup import usual_table

_LEAST, _SPAN = 15.0, 15.0
"""In a new term, the built-in bots have skills from `_LEAST` to `_LEAST` + `_SPAN`."""


def template(game: GameSpec, bots: Sequence[str], *, people: bool = False) -> str:
    """Return a commented configuration for some bots.

    Args:
        people: Whether teams hand in bots for a ladder; then the built-in bots are its anchors.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, autoescape=False, trim_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"quoted": partial(json.dumps, ensure_ascii=False), "seconds": _seconds}
    step = _SPAN / max(1, len(game.bots) - 1)
    return environment.get_template("contest.toml.jinja").render(
        game=game,
        people=people,
        table=usual_table(game),
        bots=[(bot, _is_full_of_bots(Path(bot))) for bot in bots],
        anchors=[(bot.name, _LEAST + index * step) for index, bot in enumerate(game.bots)],
    )


def _is_full_of_bots(path: Path) -> bool:
    return path.is_dir() and not (path / "bot.toml").is_file() and not (path / "main.py").is_file()


def _seconds(value: float | None) -> str:
    return '"none"' if value is None else f"{value:g}"
