"""``arena sdk``: write the typed classes of a game that bots use."""

from __future__ import annotations

from pathlib import Path

import click

from arena.authoring.kits import SDKS, kit_files
from arena.bots.game_files import module_source
from arena.cli.output_files import write_text
from arena.errors import ArenaError, ExitCode
from arena.match.lookup import find_game
from arena.text.printable import command_line


@click.command()
@click.argument("game")
@click.option(
    "--language",
    type=click.Choice(["python", *SDKS]),
    default="python",
    show_default=True,
    help="The language of the bot.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write into this folder, or (only for Python) to this file; the current folder if not given.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with code 1 if a file is outdated or missing.")
@click.option("--schema", is_flag=True, help="Print the schema of the game as JSON, for languages without a kit.")
def command(game: str, language: str, out: Path | None, check: bool, schema: bool) -> None:
    """Write the typed classes of GAME that bots use.

    For Python this is one module. For other languages the command also writes the kit, which connects the bot to the
    referee.
    """
    from arena.cli.output import print_json, say

    spec = find_game(game)
    if schema:
        print_json(spec.schema())
        return
    files: dict[Path, str]
    if language == "python":
        path = out or Path(f"{spec.name}.py")
        files = {path / f"{spec.name}.py" if path.is_dir() else path: module_source(spec)}
    else:
        files = {(out or Path()) / name: text for name, text in kit_files(spec, language).items()}
    for path, text in files.items():
        if not check:
            write_text(path, text)
            say(f"{path} was written.")
            continue
        there = path.is_file()
        if not there or path.read_bytes() != text.encode():
            wanted = ("--out", path) if language == "python" else ("--language", language, "--out", path.parent)
            raise ArenaError(
                f"{path} is outdated." if there else f"There is no {path}.",
                hint=f"`{command_line('arena', 'sdk', spec.name, *wanted)}` writes it.",
                exit_code=ExitCode.DIFFERENCE,
            )
        say(f"{path} is up to date.")
