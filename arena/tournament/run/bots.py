"""The bots of a tournament: found, hashed, and copied to where nobody changes them while it runs."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.bots.bot import Bot, load_bot
from arena.bots.folders.files import SKIPPED
from arena.errors import ArenaError, ExitCode
from arena.tournament.plan.config import BotEntry, Entrant, TournamentConfig
from arena.tournament.run.journal.files import disk_errors, make_private

_ARCHIVES = (".zip", ".tar.gz", ".tgz")


@dataclass(frozen=True, slots=True)
class Broken:
    """A bot that cannot take part.

    Attributes:
        reference: What the configuration says, or the bot's name.
        reason: The reason, as one message.
    """

    reference: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """The bots that were found.

    Attributes:
        bots: Name and bot, in the order of the configuration.
        broken: Those that could not be read.
    """

    bots: tuple[tuple[str, Bot], ...]
    broken: tuple[Broken, ...]


def find_bots(config: TournamentConfig, base: Path, builtins: Callable[[str], Path]) -> Found:
    """Read all bots of the configuration; runs nothing of them.

    Args:
        config: The configuration.
        base: Folder that relative paths start from.
        builtins: Returns the path of a game's built-in bot.

    Raises:
        ArenaError: A folder of bots is not there, or a bot is broken and the configuration refuses that.
    """
    bots: list[tuple[str, Bot]] = []
    broken: list[Broken] = []
    for reference, name in _references(config, base):
        try:
            bot = load_bot(reference, builtins=builtins)
            if bot.game and bot.game != config.game:
                raise ArenaError(f"the bot {bot.name} is for {bot.game}, not for {config.game}")
        except ArenaError as error:
            broken.append(Broken(reference, error.message))
            continue
        bots.append((name or bot.name, bot))
    if broken and config.broken_bots == "refuse":
        refuse_broken(broken)
    return Found(tuple(bots), tuple(broken))


def refuse_broken(broken: list[Broken]) -> None:
    """Refuse a tournament with broken bots.

    Raises:
        ArenaError: Always.
    """
    raise ArenaError(
        "\n".join(f"{one.reference} cannot take part: {one.reason}" for one in broken),
        hint='Fix them, or leave them out with broken_bots = "exclude".',
        exit_code=ExitCode.BAD_BOT,
    )


def _references(config: TournamentConfig, base: Path) -> Iterator[tuple[str, str]]:
    for entry in config.bots:
        if entry.many:
            for reference in _inside(entry, base):
                yield reference, ""
        elif entry.path.startswith("builtin:"):
            yield entry.path, entry.name
        else:
            yield str(base / entry.path), entry.name


def _inside(entry: BotEntry, base: Path) -> list[str]:
    """Return the bots in a folder of many: whatever looks like one, in order of the names."""
    folder = base / entry.path
    if not folder.is_dir():
        raise ArenaError(f"The folder of bots {folder} is not there.", exit_code=ExitCode.BAD_BOT)
    return [
        str(path)
        for path in sorted(folder.iterdir())
        if path.name not in SKIPPED
        and not path.name.startswith(".")
        and (path.is_dir() or path.suffix == ".py" or path.name.lower().endswith(_ARCHIVES))
    ]


def copy_bot(bot: Bot, store: Path) -> Path:
    """Copy a bot into the tournament's own folder, once for each content.

    Returns:
        What the copy is entered as: its folder, or its Python file.

    Raises:
        ArenaError: The copy is not what was to be copied, because somebody was changing it.
    """
    target = store / bot.content_hash[:24]
    if not target.exists():
        temporary = store / f".{bot.content_hash[:24]}.{os.getpid()}"
        with disk_errors(target):
            shutil.rmtree(temporary, ignore_errors=True)
            store.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.mkdir(mode=0o700)
            for name in bot.files or sorted(os.listdir(bot.folder)):
                source = bot.folder / name
                (temporary / name).parent.mkdir(parents=True, exist_ok=True)
                if source.is_dir():
                    shutil.copytree(source, temporary / name, dirs_exist_ok=True)
                else:
                    shutil.copy2(source, temporary / name)
            make_private(temporary)
            temporary.rename(target)
    for path in (target, target / bot.entry):
        if _hash_of(path) == bot.content_hash:
            return path
    shutil.rmtree(target, ignore_errors=True)
    raise ArenaError(f"The bot {bot.name} changed while it was being copied.", hint="Start again.")


def _hash_of(path: Path) -> str:
    try:
        return load_bot(path).content_hash
    except ArenaError:
        return ""


def enter(found: Found, store: Path) -> tuple[Entrant, ...]:
    """Copy the bots and makes entrants of them."""
    return tuple(Entrant(name, bot.content_hash, str(copy_bot(bot, store))) for name, bot in found.bots)
