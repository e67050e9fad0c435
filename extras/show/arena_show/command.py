"""`arena show`: serve a contest, and hold its results back for a show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extending import CONTEST, needs_contest, serve_contest, serving

if TYPE_CHECKING:
    from arena.web.contests.extending import ServedContest


@click.command()
@CONTEST
@serving("0.0.0.0")
@needs_contest("A show")
def command(contest: Path, **options: Any) -> None:
    """Show CONTEST to an audience: serve it as `arena contest serve` does, and hold its results back from now on.

    The command prints the addresses of the desk, of the presenter's remote control, of displays, and for the phones of
    spectators. Everything else is done there. The same command continues the show after a stop or a crash.
    """
    serve_contest(contest, **options, begin=_begin)


def _begin(contest: ServedContest, address: str) -> Iterator[str]:
    from arena_show.evening import Evening

    evening = Evening(contest)
    evening.begin(lambda: contest.hold(None, "A show begins: its steps release the results."))
    yield f"Desk: {address}/show/desk"
    if not any(evening.show.links.values()):  # the phone of a presenter goes on after a restart
        yield f"Remote control, for one phone: {address}/remote?token={evening.new_link()}"
    yield f"Displays: {address}/display"
    yield f"Phones: {address}/show"
