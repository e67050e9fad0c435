"""``arena tournament``: brackets, leagues and ladders of bots."""

from __future__ import annotations

import click

from arena.cli.tournament import looking, playing, publishing


@click.group()
def command() -> None:
    """Run brackets, leagues and ladders of bots.

    A tournament is a file, league.toml, and a folder beside it, league/, in which the results are. Every command that
    takes LEAGUE means that file; without it, league.toml in this folder.
    """


for _one in (
    playing.init,
    playing.check,
    playing.run,
    looking.standings,
    looking.bracket,
    looking.matches,
    looking.show,
    publishing.export,
    publishing.serve,
    publishing.tokens,
):
    command.add_command(_one)
