"""``arena contest``: leagues, brackets, tables and ladders of bots, for an evening or a term.

The commands are in five modules: `play` sets a contest up and plays it, `results` prints and publishes, `data` checks,
repairs and saves the journal, `acts` is what organizers do, `install` makes a service of it. Each command opens the
contest for itself. Those that only read can run while the contest is played; those that write need it for themselves,
and say who has it.
"""

from __future__ import annotations

import click

from arena.cli.contest import acts, data, install, play, results
from arena.cli.extras import needs_contest


@click.group()
def command() -> None:
    """Run a contest of bots: a league, a bracket, a ladder, for an evening or a term.

    A contest consists of a file, contest.toml, and a folder beside it, contest/, with the journal, the bots and the
    replays. CONTEST is the file, the folder that contains the file, or the folder with the journal; by default
    contest.toml in the current folder.
    """


for _command in (*play.COMMANDS, *results.COMMANDS, *data.COMMANDS, *acts.COMMANDS, *install.COMMANDS):
    assert _command.callback is not None
    _command.callback = needs_contest("A contest")(_command.callback)
    command.add_command(_command)
