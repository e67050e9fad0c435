"""``arena rules``: show the rules of a game."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from arena.cli.options import AS_JSON
from arena.cli.output import print_json, say
from arena.cli.output_files import write_text
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.lookup import find_game

WIDEST = 100
"""The limit for the length of a line, in characters: longer lines of prose are hard to read."""


@click.command()
@click.argument("game")
@click.option("--html", "html_out", type=click.Path(path_type=Path), metavar="OUT", help="Write the rules as one page.")
@click.option("--open", "open_page", is_flag=True, help="Show the rules with pictures in the browser.")
@AS_JSON
def command(game: str, html_out: Path | None, open_page: bool, as_json: bool) -> None:
    """Show the rules of GAME.

    In the terminal, each example is a list of actions. The page of --html and --open shows the positions before and
    after them, drawn by the game's own renderer. It needs no network.
    """
    spec = find_game(game)
    if not spec.rules_text():
        raise ArenaError(f"The game {spec.name} has no text of its rules.", exit_code=ExitCode.NOT_INSTALLED)
    if html_out is not None:
        _write_page(spec, html_out)
        say(f"{html_out} was written: {html_out.stat().st_size} bytes")
    if open_page:
        _open(spec, html_out)
    if as_json:
        print_json({"game": spec.name, "title": spec.title, "version": spec.version, "rules": _text(spec)[0]})
    elif html_out is None and not open_page:
        _print(spec)


def _write_page(spec: GameSpec, path: Path) -> None:
    from arena.web.rulebook import rules_file

    write_text(path, rules_file(spec)[0])


def _open(spec: GameSpec, path: Path | None) -> None:
    from arena.bots.folders.files import cache_folder
    from arena.web.server import show

    if path is None:
        folder = cache_folder() / "rules"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{spec.name}.html"
        _write_page(spec, path)
    show(path.resolve().as_uri())
    say(f"The rules are in {path}")


def _text(spec: GameSpec) -> tuple[str, bool]:
    """Return the rules in Markdown, with each example as a list of orders, and whether there are examples."""
    from arena.study.checks.rulebook import REFERENCE, examples

    book = examples(spec)

    def listed(caption: str, name: str) -> str:
        steps = "\n".join(f"    {line}" for line in book[name].lines(spec))
        return f"Example: {caption}\n\n{steps}\n"

    text = REFERENCE.sub(lambda match: listed(match["caption"], match["name"]), spec.rules_text())
    return text, bool(book)


def _print(spec: GameSpec) -> None:
    from arena.text.terminal import plain_lines

    text, has_examples = _text(spec)
    for line, heading in plain_lines(text, min(shutil.get_terminal_size().columns, WIDEST)):
        say(line, bold=heading)
    say()
    if has_examples:
        say(f"With pictures: arena rules {spec.name} --open")
    say(f"Bots, maps and options: arena games {spec.name}")
