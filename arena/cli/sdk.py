"""``arena sdk``: write the Python module of a game that bots import."""

from __future__ import annotations

from pathlib import Path

import click

from arena.bots.builtin import module_source
from arena.errors import ArenaError, ExitCode
from arena.lookup import find_game


@click.command()
@click.argument("game")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write this file, or into this folder; ./GAME.py if not given."
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the file is outdated.")
@click.option("--schema", is_flag=True, help="Print the schema of the game as JSON, for other languages.")
def command(game: str, out: Path | None, check: bool, schema: bool) -> None:
    """Write the typed Python module of GAME that bots import."""
    from arena.cli.output import print_json, say

    spec = find_game(game)
    if schema:
        print_json(spec.schema())
        return
    path = out or Path(f"{spec.name}.py")
    if path.is_dir():
        path /= f"{spec.name}.py"
    source = module_source(spec)
    if check:
        there = path.is_file()
        if not there or path.read_bytes() != source.encode():
            raise ArenaError(
                f"{path} is outdated." if there else f"There is no {path}.",
                hint=f"`arena sdk {spec.name} --out {path}` writes it.",
                exit_code=ExitCode.DIFFERENCE,
            )
        say(f"{path} is up to date.")
        return
    write_text(path, source)
    say(f"{path} was written.")


def write_text(path: Path, text: str) -> None:
    """Write a file.

    Raises:
        ArenaError: It cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{path} cannot be written: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE) from None
