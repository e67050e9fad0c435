"""``arena sdk``: write the typed classes of a game that bots use."""

from __future__ import annotations

from pathlib import Path

import click

from arena.bots.builtin import module_source
from arena.cli.options import Choice
from arena.cli.output_files import write_text
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game
from arena.sdk.languages import SDKS, kit_files
from arena.text.printable import command_line


@click.command()
@click.argument("game")
@click.option(
    "--language",
    type=Choice(["python", *SDKS]),
    default="python",
    show_default=True,
    help="The language of the bot.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Write the files into this folder, for example the folder of the bot. The default is the current folder.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with code 1 if a file is outdated or missing.")
@click.option("--schema", is_flag=True, help="Print the schema of the game as JSON, for languages without a kit.")
def command(game: str, language: str, out: Path, check: bool, schema: bool) -> None:
    """Write the typed classes of GAME that bots use.

    For Python this is one module. For other languages the command also writes the kit, which connects the bot to the
    referee.
    """
    from arena.cli.output import print_json, say

    spec = find_game(game)
    if schema:
        print_json(spec.schema())
        return
    files = {f"{spec.name}.py": module_source(spec)} if language == "python" else kit_files(spec, language)
    for name, text in files.items():
        path = out / name
        if not check:
            write_text(path, text)
            say(f"{path} was written.")
            continue
        exists = path.is_file()
        if not exists or path.read_bytes() != text.encode():
            writes = ("arena", "sdk", spec.name, "--language", language, "--out", out)
            raise ArenaError(
                f"{path} is outdated." if exists else f"There is no {path}.",
                hint=f"`{command_line(*writes)}` writes it.",
                exit_code=ExitCode.DIFFERENCE,
            )
        say(f"{path} is up to date.")
