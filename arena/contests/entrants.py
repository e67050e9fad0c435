"""Find the bots of a tournament."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.bots.bot import Bot, load_bot
from arena.bots.folders.child import is_foreign
from arena.bots.game_files import is_typed_module
from arena.bots.outside import bot_outside
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.entrant import Entrant
from arena.match.job import REMOTE, remote_identity
from arena.matches.copies import copy_bot
from arena.contests.config import BotEntry, TournamentConfig

_ARCHIVES = (".zip", ".tar.gz", ".tgz")


@dataclass(frozen=True, slots=True)
class Broken:
    """A bot that cannot take part.

    Attributes:
        reference: The path of the bot, a reference such as `builtin:NAME`, or the name of the bot.
    """

    reference: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """The bots that were found.

    Attributes:
        broken: Bots that cannot take part.
    """

    bots: tuple[tuple[str, Bot], ...]
    broken: tuple[Broken, ...]


def find_bots(config: TournamentConfig, base: Path, game: GameSpec) -> Found:
    """Read all bots of the configuration, without running them."""
    bots: list[tuple[str, Bot]] = []
    broken: list[Broken] = []
    for reference, name in _references(config, base):
        try:
            if reference == REMOTE:
                bots.append((name, bot_outside(REMOTE, "", remote_identity(name))))
                continue
            bot = load_bot(reference, game)
        except ArenaError as error:
            broken.append(Broken(reference, error.message))
            continue
        bots.append((name or bot.name, bot))
    return Found(tuple(bots), tuple(broken))


def possible_names(config: TournamentConfig, broken: Iterable[Broken]) -> set[str]:
    paths = [Path(one.reference) for one in broken]
    names = {part for path in paths for part in (path.name, path.stem, path.parent.name)}
    return names | {entry.name for entry in config.bots if entry.name}


def refuse_broken(broken: list[Broken]) -> None:
    raise ArenaError(
        "\n".join(f"{one.reference} cannot take part: {one.reason}" for one in broken),
        hint='Fix them, or exclude them with broken_bots = "exclude".',
        exit_code=ExitCode.BAD_BOT,
    )


def _references(config: TournamentConfig, base: Path) -> Iterator[tuple[str, str]]:
    for entry in config.bots:
        if entry.many:
            for reference in _inside(entry, base):
                yield reference, ""
        elif entry.path.startswith("builtin:") or entry.path == REMOTE:
            yield entry.path, entry.name
        else:
            yield str(base / entry.path), entry.name


def _inside(entry: BotEntry, base: Path) -> list[str]:
    """Return the paths of all bots in a folder of bots, in order of their names."""
    folder = base / entry.path
    if not folder.is_dir():
        raise ArenaError(f"The folder of bots {folder} does not exist.", exit_code=ExitCode.BAD_BOT)
    return [
        str(path)
        for path in sorted(folder.iterdir())
        if not is_foreign(path.name, folder.name)
        and not path.name.startswith(".")
        and not is_typed_module(path)
        and (path.is_dir() or path.suffix == ".py" or path.name.lower().endswith(_ARCHIVES))
    ]


def enter(found: Found, folder: Path) -> tuple[Entrant, ...]:
    """Copy the bots into the tournament's folder, and return an entrant for each bot. Remote bots are not copied."""
    return tuple(
        Entrant(name, bot.content_hash, "" if bot.is_outside else copy_bot(bot, folder)) for name, bot in found.bots
    )
