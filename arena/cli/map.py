"""``arena map``: make, check, show and edit maps."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from arena.cli.options import AS_JSON, LOCAL_PORT, NO_BROWSER
from arena.cli.output import print_json, say, say_lines
from arena.errors import ArenaError, ExitCode
from arena.game.editor import Problem
from arena.match.ending import counted
from arena.match.lookup import find_game
from arena.sdk.maps import (
    blank_map,
    editable,
    editor_of,
    generated_map,
    layout,
    problems_of,
    read_map,
    settings,
    write_map,
)
from arena.text.printable import command_line

_SET = click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Change a setting; can be repeated.")


@click.group()
def command() -> None:
    """Draw, check and edit maps.

    MAP is a map of the game or a JSON file. Play on it with `arena play GAME ... --map FILE`.
    """


@command.command()
@click.argument("game")
@click.argument("file", required=False)
@_SET
def new(game: str, file: str | None, pairs: tuple[str, ...]) -> None:
    """Write a small valid map of GAME to FILE, or print it.

    The settings (--set) are name, ruleset, width and height; some games have more.
    """
    _put(blank_map(find_game(game), settings(pairs)), file)


@command.command()
@click.argument("game")
@click.argument("file", required=False)
@_SET
def generate(game: str, file: str | None, pairs: tuple[str, ...]) -> None:
    """Write a random map of GAME to FILE, or print it.

    The same settings (--set seed=3 --set width=21) always make the same map.
    """
    _put(generated_map(find_game(game), settings(pairs)), file)


@command.command()
@click.argument("game")
@click.argument("maps", nargs=-1, required=True, metavar="MAP...")
@AS_JSON
def check(game: str, maps: tuple[str, ...], as_json: bool) -> None:
    """List the problems of each MAP of GAME with code and place.

    The exit code is 0 if all maps can be played, 1 if a map has errors, and 4 if a map cannot be read.
    """
    spec = find_game(game)
    editor = editor_of(spec)
    problems_of_maps = {name: problems_of(editor, read_map(spec, name)) for name in maps}
    if as_json:
        print_json(
            {name: [problem.to_document() for problem in problems] for name, problems in problems_of_maps.items()}
        )
    else:
        for name, problems in problems_of_maps.items():
            _print_problems(name, problems)
    faulty = any(problem.is_error for problems in problems_of_maps.values() for problem in problems)
    sys.exit(ExitCode.DIFFERENCE if faulty else ExitCode.OK)


@command.command()
@click.argument("game")
@click.argument("map_", metavar="MAP")
def show(game: str, map_: str) -> None:
    """Draw a MAP of GAME as text with a legend."""
    spec = find_game(game)
    editor = editor_of(spec)
    document = read_map(spec, map_)
    errors = [problem for problem in problems_of(editor, document) if problem.is_error]
    if errors:
        raise ArenaError(
            f"{map_} cannot be drawn. {errors[0].message}",
            hint=f"`{command_line('arena', 'map', 'check', game, map_)}` lists all problems.",
            exit_code=ExitCode.BAD_OPTION,
        )
    picture = editor.draw(document)
    say(_title(document, map_), bold=True)
    say("; ".join(editor.facts(document)))
    say()
    say_lines(picture)
    say()
    for letter, meaning in editor.legend:
        if letter in picture:
            say(f"{letter}  {meaning}")


@command.command()
@click.argument("game")
@click.argument("file", required=False)
@LOCAL_PORT
@NO_BROWSER
def edit(game: str, file: str | None, port: int, no_browser: bool) -> None:
    """Edit FILE, or a new map of GAME, in the browser.

    If FILE does not exist, the editor shows a new map. If FILE is the name of a map of the game, you edit a copy. Only
    this machine can reach the page. Ctrl-C stops the command.
    """
    from arena.web.local_pages import LocalPages
    from arena.web.server import serve

    spec = find_game(game)
    editor_of(spec)
    opened: dict[str, Any] | None = None
    target: Path | None = None
    if file is not None:
        if file in spec.maps or Path(file).exists():
            opened = editable(spec, read_map(spec, file), file)
        target = None if file in spec.maps else Path(file)
        if target is not None and not target.parent.is_dir():
            raise ArenaError(f"The folder {target.parent} does not exist.", exit_code=ExitCode.CANNOT_WRITE)
    local = LocalPages()
    page = local.editing.open(spec.name, opened, target)

    def announce(url: str) -> None:
        say(f"Edit at {url}   (Ctrl-C stops it)")

    serve(local.application(), port, announce, page=page, open_browser=not no_browser)


def _put(document: dict[str, Any], file: str | None) -> None:
    if file is None or file == "-":
        say_lines(layout(document))
        return
    write_map(Path(file), document, overwrite=False)
    say(f"Written: {file}", err=True)


def _print_problems(name: str, problems: list[Problem]) -> None:
    errors = sum(problem.is_error for problem in problems)
    verdict = counted(errors, "error") if errors else "no errors"
    warnings = len(problems) - errors
    tail = f", {counted(warnings, 'warning')}" if warnings else ""
    say(f"{name}: {verdict}{tail}", bold=True)
    for problem in problems:
        place = f"{problem.where}" if problem.where else ""
        if problem.cell is not None and "(" not in place:
            place = f"{place} ({problem.cell[0]}, {problem.cell[1]})".strip()
        kind = "" if problem.is_error else "warning: "
        say(f"  {problem.code:<20} {kind}{f'{place}: ' if place else ''}{problem.message}")


def _title(document: dict[str, Any], reference: str) -> str:
    return str(document.get("title") or document.get("name") or reference)
