"""``arena new``: write a new bot that can play at once."""

from __future__ import annotations

import contextlib
import json
import keyword
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Template

import click

from arena.bots.builtin import module_source
from arena.bots.folders.manifest import MANIFEST, check_name
from arena.cli.agents_guide import AGENTS, agents_file
from arena.cli.extras import install_command
from arena.cli.options import Choice
from arena.cli.output import say
from arena.cli.output_files import write_text
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.lookup import find_game
from arena.sdk.languages import LANGUAGES, SDKS, new_files
from arena.text.printable import command_line

GROUP = "arena.new"
"""The entry points of further kinds of bots. Each names a function of the game and the folder with a new bot."""

_MANIFEST = Template("""\
game = "$game"
python = "main.py"
description = "A first bot for $title"
""")

ANY_GAME = Template('''\
"""A first bot for $title. It takes any legal action. Make it better."""

from $game import AI


class $class_name(AI):
    """A bot that plays at random."""

    wants_legal_actions = True

    def run_turn(self) -> None:
        """Send one action. The referee calls this on each of your turns."""
        self.act(self.random_action())
''')

TEST = Template('''\
"""Run with: python -m pytest"""

from pathlib import Path

from arena.testing import play_match

HERE = Path(__file__).parent


def test_it_plays_a_match_to_the_end() -> None:
    result = play_match("$game", [$seats], seed=1)
    mine = result.players[0]
    assert mine.ending in ("won", "lost", "drawn", "finished"), f"{mine.ending}: {mine.detail}\\n{mine.stderr}"
''')

README = Template("""\
# A bot for $title

    arena play $game . $opponents            # play a match; the replay goes to replays/
    arena play $game . $opponents --debug    # the same with breakpoint() and without a clock
    arena rules $game --open        # the rules, with pictures
    python -m pytest                # check that it plays a match to the end (needs pytest)

- `main.py`: the bot. `run_turn` is called on each of its turns.
- `$game.py`: the game's classes with all their fields and actions. Read it, but do not change it:
  `arena sdk $game` writes it again.
- `bot.toml`: the game and the program. The bot has the name of its folder; a line `name = "..."` gives it another.
- `AGENTS.md`: notes for coding agents, with all fields and actions of the game in a short list.
- `.vscode`: Visual Studio Code debugs the bot in a match (F5), plays a match (Ctrl+Shift+B) and recommends extensions.

Next: `arena climb $game .` says what to learn; `arena compare $game . old_bot` finds the better of two versions.
""")

LAUNCH = Template("""\
{
  "version": "0.2.0",
  "configurations": [
    {
      "name": "Debug this bot in a match",
      "type": "debugpy",
      "request": "launch",
      "module": "arena",
      "args": ["play", "$game", "$${workspaceFolder}", $others, "--debug", "--sandbox", "none"],
      "subProcess": true,
      "justMyCode": true,
      "console": "integratedTerminal"
    },
    {
      "name": "Debug a turn of a replay",
      "type": "debugpy",
      "request": "launch",
      "module": "arena",
      "args": ["rerun", "$${input:replay}@$${input:turn}", "$${workspaceFolder}", "--debug"],
      "subProcess": true,
      "console": "integratedTerminal"
    }
  ],
  "inputs": [
    { "id": "replay", "type": "promptString", "description": "The replay", "default": "replays/" },
    { "id": "turn", "type": "promptString", "description": "The turn, as in `arena view`", "default": "1" }
  ]
}
""")

TASKS = Template("""\
{
  "version": "2.0.0",
  "tasks": [
    {
      "label": "Play a match",
      "type": "shell",
      "command": "arena play $game . $opponents --log",
      "group": { "kind": "build", "isDefault": true }
    },
    { "label": "Watch the replays", "type": "shell", "command": "arena view" },
    { "label": "Climb the ladder", "type": "shell", "command": "arena climb $game ." }
  ]
}
""")

SETTINGS = """\
{
  "python.testing.pytestEnabled": true,
  "python.analysis.extraPaths": ["."],
  "files.exclude": { "**/__pycache__": true }
}
"""

EXTENSIONS = {
    "python": ("ms-python.python", "ms-python.debugpy"),
    "cpp": ("ms-vscode.cpptools",),
    "java": ("vscjava.vscode-java-pack",),
    "javascript": ("dbaeumer.vscode-eslint",),
}
"""The extensions of Visual Studio Code that it recommends for a bot, by language."""


@click.command()
@click.argument("game")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--language",
    type=Choice(["python", *SDKS]),
    default="python",
    show_default=True,
    help="Write the bot in this language.",
)
@click.option("--learn", is_flag=True, help="Write a bot that plays with trained weights. Needs arena-learn.")
def command(game: str, folder: Path, language: str, *, learn: bool) -> None:
    """Write a new bot for GAME into FOLDER, with a test, a README and an AGENTS.md. It can play at once."""
    spec = find_game(game)
    further = _further_files("learn", "arena-learn") if learn else None
    if further is not None and language != "python":
        raise ArenaError("A bot with trained weights is written in Python.", exit_code=ExitCode.USAGE)
    if language == "typescript":
        instead = command_line("arena", "new", spec.name, folder, "--language", "javascript")
        raise ArenaError(
            "Arena does not write bots in TypeScript, because not every machine can run or compile them.",
            hint=f"`{instead}` writes one with types in comments, which TypeScript's compiler checks. "
            "docs/other-languages.md shows how to go on with a main.ts.",
            exit_code=ExitCode.USAGE,
        )
    usual = folder.resolve().name
    bot = _bot_name(usual)
    files = template_files(spec, bot, language)
    if bot != usual:  # without a name, a copy of the folder has a name of its own
        files[MANIFEST] = f'name = "{bot}"\n{files[MANIFEST]}'
    with new_folder(folder):
        write_files(folder, files)
        if further is not None:
            further(spec, folder)
    say(f"{folder} holds a bot for {spec.title}. Try:")
    say()
    say(f"  {command_line('arena', 'play', spec.name, folder, *_opponents(spec, folder))}")
    say(f"  {command_line('arena', 'rules', spec.name, '--open')}")


def _further_files(name: str, distribution: str) -> Callable[[GameSpec, Path], None]:
    """Return the function of another distribution that changes a new bot's folder: an entry point of `GROUP`."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        write: Callable[[GameSpec, Path], None] = point.load()
        return write
    raise ArenaError(
        f"--{name} needs a package that is not installed: {distribution}.",
        hint=f"Install it: {install_command(distribution)}",
        exit_code=ExitCode.NOT_INSTALLED,
    )


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make a folder, or use an existing empty one. If an error occurs within the context, remove everything again.

    Raises:
        ArenaError: The folder is not empty, or cannot be made.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        state = "is not empty" if folder.is_dir() else "is not a folder"
        raise ArenaError(f"{folder} {state}.", hint="Name a new folder.", exit_code=ExitCode.CANNOT_WRITE)
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be made: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE) from None
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            for path in folder.iterdir():
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()
            for path in missing:
                path.rmdir()
        raise


def write_files(folder: Path, files: dict[str, str]) -> None:
    for file, text in files.items():
        write_text(folder / file, text)


def editor_files(words: dict[str, str], language: str) -> dict[str, str]:
    """Return the settings of Visual Studio Code for a bot. Only for Python, it can debug the bot in a match."""
    files = {
        ".vscode/extensions.json": json.dumps({"recommendations": EXTENSIONS[language]}, indent=2) + "\n",
        ".vscode/tasks.json": TASKS.substitute(words),
    }
    if language == "python":
        files |= {".vscode/launch.json": LAUNCH.substitute(words), ".vscode/settings.json": SETTINGS}
    return files


def _bot_name(name: str) -> str:
    """Return a valid bot name. ``_`` replaces all characters except letters, digits, spaces, dots and hyphens."""
    try:
        return check_name(re.sub(r"[^\w .-]", "_", name), "The folder")
    except ArenaError as error:
        error.exit_code = ExitCode.BAD_BOT
        raise


def _opponents(game: GameSpec, bot: str | Path) -> list[str | Path]:
    """Return the opponents of a first match: as few as the game allows, the weakest built-in bot or the bot itself."""
    return [f"builtin:{game.bots[0].name}" if game.bots else bot] * (game.player_counts[0] - 1)


def _class_name(bot: str, game: GameSpec, language: str) -> str:
    name = "".join(word.capitalize() for word in re.findall(r"[A-Za-z0-9]+", bot)).lstrip("0123456789")
    reserved = SDKS[language].reserved.split() if language in SDKS else ["AI", "Tile", *keyword.kwlist]
    return name if name and name not in (*reserved, *game.schema()["classes"]) else f"{name}Bot"


def all_templates(game: GameSpec) -> dict[str, str]:
    """Return the files of new bots in all languages."""
    bots = [template_files(game, "template", language) for language in (*LANGUAGES, "python")]
    return {name: text for bot in bots for name, text in bot.items()}


def template_files(game: GameSpec, bot: str, language: str) -> dict[str, str]:
    """Return the files of a new bot, as `arena new` writes them, by their paths in its folder.

    Args:
        game: The game.
        bot: The name of the bot.
        language: ``python``, or one of `arena.sdk.languages.LANGUAGES`.
    """
    opponents = _opponents(game, ".")
    players = ["HERE" if opponent == "." else f'"{opponent}"' for opponent in opponents]
    arguments = [f'"{"${workspaceFolder}" if opponent == "." else opponent}"' for opponent in opponents]
    words = {
        "game": game.name,
        "title": game.title,
        "opponents": " ".join(map(str, opponents)),
        "seats": ", ".join(["HERE", *players]),
        "class_name": _class_name(bot, game, language),
        "others": ", ".join(arguments),
    }
    if language != "python":
        return {
            **new_files(game, language, words),
            "test_bot.py": TEST.substitute(words),
            AGENTS: agents_file(game, language, words),
            **editor_files(words, language),
        }
    template = ANY_GAME if game.template is None else Template(game.template.read_text(encoding="utf-8-sig"))
    return {
        MANIFEST: _MANIFEST.substitute(words),
        "main.py": template.substitute(words),
        f"{game.name}.py": module_source(game),
        "test_bot.py": TEST.substitute(words),
        "README.md": README.substitute(words),
        AGENTS: agents_file(game, language, words),
        **editor_files(words, language),
    }
