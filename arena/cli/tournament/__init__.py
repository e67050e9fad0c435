"""``arena tournament``: run leagues, brackets and ladders of bots."""

from __future__ import annotations

import click

from arena.cli.extras import needs_tournament
from arena.cli.tournament import checking, playing, publishing, showing


@click.group()
def command() -> None:
    """Run a league, a bracket or a ladder of bots.

    A tournament consists of a file, league.toml, and a folder beside it, league/, with the results. LEAGUE is the file,
    the folder that contains the file, or the folder with the results; by default league.toml in the current folder.
    """


for _one in (
    playing.init,
    playing.check,
    playing.run,
    checking.verify,
    checking.rebuild,
    showing.standings,
    showing.bracket,
    showing.matches,
    showing.show,
    publishing.export,
    publishing.serve,
    publishing.tokens,
):
    assert _one.callback is not None
    _one.callback = needs_tournament("A tournament")(_one.callback)
    command.add_command(_one)
