"""What a command of another distribution shares with the commands of Arena.

A distribution adds a command `arena NAME` by an entry point that names a `click.Command`:

    [project.entry-points."arena.commands"]
    NAME = "package.command:command"

The group ``arena.commands.game`` adds to `arena game` in the same way. A command raises `arena.errors.ArenaError` for
what its user can fix; `arena` prints its message and hint, and exits with its code. What a command prints can come from
untrusted bots and replays. So it prints with `say` and its relatives, which escape what a terminal would obey.

Import what is slow when a command runs, and not at the top of its module: `arena NAME --help` imports the module, too.
"""

from __future__ import annotations

from arena.cli.contest.common import CONTEST
from arena.cli.contest.play import serve_contest, serving
from arena.cli.extras import install_command, need_packages, needs_contest
from arena.cli.new import new_folder, template_files
from arena.cli.options import AS_JSON, LOCAL_PORT, MAPS, NO_BROWSER, OPTIONS, SECONDS
from arena.cli.output import Progress, print_json, say, say_lines, say_status
from arena.cli.output_files import write_text
from arena.cli.settings import game_options
from arena.game.validation import did_you_mean

__all__ = [
    "AS_JSON",
    "CONTEST",
    "LOCAL_PORT",
    "MAPS",
    "NO_BROWSER",
    "OPTIONS",
    "SECONDS",
    "Progress",
    "did_you_mean",
    "game_options",
    "install_command",
    "need_packages",
    "needs_contest",
    "new_folder",
    "print_json",
    "say",
    "say_lines",
    "say_status",
    "serve_contest",
    "serving",
    "template_files",
    "write_text",
]
