"""``arena new-game``: write a new game that passes ``arena game check``."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from importlib import metadata
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from arena.bots.builtin import bots_for_all_games
from arena.cli.extras import install_command
from arena.cli.new import new_folder, write_files
from arena.cli.output import say
from arena.errors import ArenaError, ExitCode
from arena.game import names
from arena.study.checks.contract.definition import name_problem

_SUFFIX = ".txt"


@click.command()
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
def command(name: str, folder: Path | None) -> None:
    """Write a new game NAME: a package with rules, a bot, a renderer and tests.

    The package goes into FOLDER, or into a new folder NAME. It can be installed with pip and passes `arena game
    check`. Replace its rules with your own.
    """
    _check_name(name)
    folder = folder or Path(name)
    words = {
        "name": name,
        "test": "test",  # templates use @test@ in file names, since our wheels leave out files named like tests
        "package": f"arena_{name}",
        "distribution": f"arena-{name.replace('_', '-')}",
        "title": name.replace("_", " ").title(),
    }
    with new_folder(folder):
        write_files(folder, {_filled(path, words): _filled(text, words) for path, text in _templates()})
    say(f"{folder} holds the game {words['title']}. Try:")
    say()
    say(f"  {install_command('-e', folder)}")
    say(f"  arena game check {name}")
    say(f"  arena play {name} builtin:hare builtin:hare")
    search = "" if bots_for_all_games("search") else f"   # after: {install_command('arena-learn')}"
    say(f"  arena play {name} builtin:search builtin:hare{search}")
    say()
    say("With arena-playground, `arena playground` opens it in the browser: write a bot for it, and play by hand.")


def _check_name(name: str) -> None:
    """Refuse the name of an installed game, and names that cannot work for a package or in a bot's folder."""
    if name in names():
        raise ArenaError(f"A game {name} is installed already.", hint="Choose another name.", exit_code=ExitCode.USAGE)
    problem = name_problem(name)
    if problem is None and name in {Path(path).stem for path, _ in _templates() if "/bots/" in path}:
        problem = f"the name {name} is also that of the new game's bot"
    if problem is None and (installed := _installed(name)):
        problem = f"{installed} is installed already"
    if problem is not None:
        raise ArenaError(
            f"A game cannot be named {name!r}: {problem}.",
            hint="Use lower-case letters, digits and underscores, begin with a letter, and choose an unused name.",
            exit_code=ExitCode.USAGE,
        )


def _installed(name: str) -> str:
    """Return the installed package or distribution whose name the new game would need; "" if there is none."""
    distribution, package = f"arena-{name.replace('_', '-')}", f"arena_{name}"
    with contextlib.suppress(PackageNotFoundError):
        metadata.distribution(distribution)
        return f"the distribution {distribution}"
    spec = PathFinder.find_spec(package)
    return f"the package {package}" if spec is not None and spec.origin is not None else ""


def _templates() -> Iterator[tuple[str, str]]:
    """Yield path and text of each file, with placeholders such as ``@name@`` in both."""
    folders: list[tuple[str, Traversable]] = [("", files("arena.cli") / "game_template")]
    while folders:
        path, folder = folders.pop()
        for entry in folder.iterdir():
            if entry.is_dir():
                folders.append((f"{path}{'@package@' if entry.name == 'package' else entry.name}/", entry))
            else:
                yield path + entry.name.removesuffix(_SUFFIX), entry.read_text(encoding="utf-8")


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub(r"@(\w+)@", lambda match: words[match[1]], text)
