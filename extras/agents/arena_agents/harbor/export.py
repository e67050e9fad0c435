"""Write the files of a task: filled templates, the folders of opponents and of a solution, and the wheels of Arena."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from arena.bots.bot import Bot, load_bot, split_reference
from arena.cli.extending import new_folder, template_files, write_text
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.lookup import resolve_options

TASK = Path(__file__).with_name("task")
BUILTIN, OPPONENTS = "builtin:", "opponents"
PLAYERS = ("llm:", "mcp:")
"""What the references of models and agents begin with, which are no bots."""
AGENT, VERIFIER = "/opt/arena", "/opt/verifier"
"""Arena's virtual environments in the two containers. By its path, test.sh tells where it runs."""
GAMES = 40
"""For each opponent. The mean score has a standard error of at most 0.08."""
LONG_MATCH = 300
"""Turns of a long match, for the time limit: no game of a bot that uses all its time may be cut off before that."""
SCRIPT = 0o755


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot that the graded bot meets.

    Attributes:
        name: Its name with its settings: two strengths of one bot are two opponents.
        reference: How the rubric names it, with its settings: ``builtin:NAME``, or its folder or file in ``tests``.
        bot: The bot, if its files must be copied there; None for a bot that is installed with Arena.
        distribution: The distribution that brings it, besides the game's.
    """

    name: str
    reference: str
    bot: Bot | None = None
    distribution: str = ""


def export_task(game: GameSpec, against: Sequence[str], folder: Path, wheels: Path | None = None) -> None:
    """Write a task into a new folder.

    Args:
        against: References of the opponents.
        wheels: A folder with wheels of Arena, which are copied; without it, the containers install from the index.

    Raises:
        ArenaError: An opponent cannot be used, wheels are missing, or the folder cannot be written.
    """
    if game.state.cooperative:
        raise ArenaError(
            f"In {game.name} all play together, so there is no score against opponents.", exit_code=ExitCode.USAGE
        )
    opponents = [read_opponent(game, reference) for reference in against]
    names = [opponent.name for opponent in opponents]
    copies = copies_of(opponents)
    needed = ["arena-referee", distribution_of("arena.games", game.name)]
    needed += filter(None, (opponent.distribution for opponent in opponents))
    copied = list(wheels_of(needed, wheels)) if wheels is not None else []
    version = metadata.version("arena-referee")
    extra = {"arena-referee": "arena-referee[contest]"}
    words = {
        "game": game.name,
        "title": game.title,
        "name": "-".join([game.name, *(re.sub(r"[^A-Za-z0-9.-]+", "-", name) for name in names)]),
        "version": version,
        "opponents": names,
        "references": [opponent.reference for opponent in opponents],
        "games": GAMES,
        "seats": game.players_in(resolve_options(game, {})),
        "seconds": longest_play(game, len(opponents)),
        "requirements": [f"{extra.get(name, name)}=={metadata.version(name)}" for name in dict.fromkeys(needed)],
        "wheels": bool(copied),
        "guide": guide(game),
    }
    with new_folder(folder):
        for path, place, venv in (
            ("task.toml", "", ""),
            ("instruction.md", "", ""),
            ("environment/Dockerfile", "environment", AGENT),
            ("tests/Dockerfile", "tests", VERIFIER),
            ("tests/docker-compose.yaml", "", ""),
            ("tests/rubric.toml", "", ""),
            ("tests/test.sh", "", VERIFIER),
            ("tests/verify.py", "", ""),
            ("solution/solve.sh", "", ""),
        ):
            write_text(folder / path, filled(Path(path).name, words | {"place": place, "venv": venv}))
        for script in ("tests/test.sh", "solution/solve.sh"):
            (folder / script).chmod(SCRIPT)
        write_solution(game, folder / "solution/bot")
        for name, bot in copies.items():
            copy_bot(bot, folder / "tests" / OPPONENTS / name)
        for target in ("environment/wheels", "tests/wheels") if copied else ():
            (folder / target).mkdir()
            for wheel in copied:
                shutil.copy(wheel, folder / target)


def filled(name: str, words: dict[str, object]) -> str:
    """Return the text of a file of the task."""
    plain = TASK / name
    if plain.exists():
        return plain.read_text(encoding="utf-8")
    loader = Environment(
        loader=FileSystemLoader(TASK),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # A text in JSON's form is one in TOML's form, too.
    loader.filters["toml"] = json.dumps
    return loader.get_template(f"{name}.jinja").render(words)


def read_opponent(game: GameSpec, reference: str) -> Opponent:
    """Check an opponent, and say how the verifier gets it."""
    text, _ = split_reference(reference)
    settings = reference.removeprefix(text)
    bot = None if text.startswith(PLAYERS) else load_bot(reference, game)
    if bot is None or not bot.entry or bot.build is not None:
        raise ArenaError(
            f"{reference} cannot be an opponent of a task.",
            hint="The verifier's container has Python alone, and no network. So an opponent is a built-in bot, or one "
            "in Python.",
            exit_code=ExitCode.BAD_BOT,
        )
    if text.startswith(BUILTIN):
        own = any(bot.name == builtin.name for builtin in game.bots)
        distribution = "" if own else distribution_of("arena.bots", bot.name)
        return Opponent(bot.name + settings, reference, None, distribution)
    program = "" if bot.entry == "main.py" or "bot.toml" in entries_of(bot) else f"/{bot.entry}"
    return Opponent(bot.name + settings, f"{OPPONENTS}/{bot.name}{program}{settings}", bot)


def copies_of(opponents: Sequence[Opponent]) -> dict[str, Bot]:
    """Return the bots to copy, by name. The strengths of one bot share a copy."""
    copies: dict[str, Bot] = {}
    names: set[str] = set()
    for opponent in opponents:
        bot = opponent.bot
        is_other = bot is not None and copies.setdefault(bot.name, bot).content_hash != bot.content_hash
        if opponent.name in names or is_other:
            raise ArenaError(
                f"Two opponents have the name {opponent.name if bot is None else bot.name}.",
                hint="Name each opponent once, and give different bots different names.",
                exit_code=ExitCode.BAD_BOT,
            )
        names.add(opponent.name)
    return copies


def distribution_of(group: str, name: str) -> str:
    """Return the distribution whose entry point has a name."""
    points = metadata.entry_points(group=group, name=name)
    return next(canonical(point.dist.name) for point in points if point.dist is not None)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def wheels_of(needed: Sequence[str], folder: Path) -> Iterator[Path]:
    """Yield the wheels of distributions, and of those in the folder that they need in turn.

    Raises:
        ArenaError: The wheel of one that is needed is missing, or not of the version that is installed here.
    """
    found = {canonical(path.name.split("-")[0]): path for path in sorted(folder.glob("*.whl"))}
    pending, seen = list(needed), set[str]()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        version = metadata.version(name)
        if name not in found or found[name].name.split("-")[1] != version:
            raise ArenaError(
                f"{folder} has no wheel of {name} {version}.",
                hint="`make build` in Arena's repository writes all wheels into dist/.",
                exit_code=ExitCode.NOT_INSTALLED,
            )
        yield found[name]
        requirements = [line for line in metadata.requires(name) or () if "extra ==" not in line]
        names = [canonical(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in requirements]
        pending += [other for other in names if other in found or other.startswith("arena-")]


def longest_play(game: GameSpec, opponents: int) -> int:
    """Return the seconds after which the grading is cut off: a bot that uses all its time in each game needs less."""
    clock = game.clock
    bank = clock.bank if clock.bank is not None else LONG_MATCH * (clock.turn or 0.0)
    return round(GAMES * opponents * (clock.startup + bank + LONG_MATCH * clock.increment))


def guide(game: GameSpec) -> str:
    """Return the AGENTS.md of a new bot as a part of the instruction: without its title, one level deeper."""
    text = template_files(game, "bot", "python")["AGENTS.md"]
    return re.sub(r"^#", "##", text.partition("\n")[2].strip(), flags=re.MULTILINE)


def write_solution(game: GameSpec, folder: Path) -> None:
    """Write a bot that works: that of `arena new`, with the program and the modules of the strongest built-in bot."""
    for name, text in template_files(game, "bot", "python").items():
        if "/" not in name:
            write_text(folder / name, text)
    best = load_bot(BUILTIN + game.bots[-1].name, game) if game.bots else None
    if best is not None and best.entry:
        copy_bot(best, folder)
        (folder / best.entry).replace(folder / "main.py")


def entries_of(bot: Bot) -> list[str]:
    return list(bot.files) or [path.name for path in bot.folder.iterdir()]


def copy_bot(bot: Bot, folder: Path) -> None:
    for name in entries_of(bot):
        source, target = bot.folder / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
