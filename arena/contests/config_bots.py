"""Find the bots that `contest.toml` lists, and read them without running them.

A bot that cannot be read, or whose name looks like another one's, is `BrokenBot`, with a reason for its author. Whether
that stops the contest is a setting. `roster` compares what was found with the journal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.bots.bot import Bot, bot_outside, load_bot
from arena.bots.builtin import builtin_path, is_typed_module, no_bot
from arena.bots.folders.child import is_foreign
from arena.bots.players import brought_player
from arena.bots.references import split_reference
from arena.contests.archive import SUFFIX, archived_bots
from arena.contests.config import BotEntry, ContestConfig
from arena.contests.open_contest import OpenContest
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.job import REMOTE, remote_identity
from arena.text.printable import look_keys

_ARCHIVES = (".zip", ".tar.gz", ".tgz")


@dataclass(frozen=True, slots=True)
class BrokenBot:
    """A bot that cannot take part.

    Attributes:
        reference: The path of the bot, a reference such as `builtin:NAME`, or the name of the bot.
    """

    reference: str
    reason: str

    @property
    def message(self) -> str:
        return f"{self.reference} cannot take part: {self.reason}"


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    bot: Bot
    entry: BotEntry
    reference: str


def find_bots(
    config: ContestConfig, base: Path, game: GameSpec, entrants: Iterable[str] = ()
) -> tuple[list[Candidate], list[BrokenBot]]:
    """Read all bots of the configuration, without running them.

    Args:
        entrants: The names of entrants, which they keep. A new bot whose name looks like one of them is broken.

    Returns:
        The bots that were found, and those that cannot take part.
    """
    bots: list[Candidate] = []
    broken: list[BrokenBot] = []
    for reference, entry in _references(config, base):
        name = entry.name
        try:
            bot = bot_outside(REMOTE, "", remote_identity(name)) if reference == REMOTE else load_bot(reference, game)
        except ArenaError as error:
            broken.append(BrokenBot(reference, error.message))
            continue
        bots.append(Candidate(name or bot.name, bot, entry, reference))
    distinct, clashing = _without_clashes(bots, set(entrants))
    return distinct, broken + clashing


def names_of_bots(contest: OpenContest) -> list[str]:
    """Return the names of the bots of the file, if they have not entered yet: they enter with the first start."""
    if contest.state.config is not None:
        return []
    bots, _ = find_bots(contest.config, contest.path.parent, contest.game)
    return [bot.name for bot in bots]


def _references(config: ContestConfig, base: Path) -> Iterator[tuple[str, BotEntry]]:
    for entry in config.bots:
        if entry.many:
            for reference in _inside(entry, base):
                yield reference, entry
        elif entry.path.endswith(SUFFIX):
            yield from ((str(file), bot) for file, bot in archived_bots(base / entry.path, entry.groups))
        elif entry.path.startswith("builtin:") or entry.path == REMOTE or brought_player(entry.path):
            yield entry.path, entry
        else:
            yield str(base / entry.path), entry


def _inside(entry: BotEntry, base: Path) -> list[str]:
    """Return the paths of all bots in a folder of bots, in order of their names."""
    folder = base / entry.path
    if not folder.is_dir():
        raise ArenaError(
            f"The folder of bots {folder} does not exist.",
            hint="Paths start from the folder of the configuration file.",
            exit_code=ExitCode.BAD_BOT,
        )
    return [
        str(path)
        for path in sorted(folder.iterdir())
        if not is_foreign(path.name, folder.name)
        and not path.name.startswith(".")
        and not is_typed_module(path)
        and (path.is_dir() or path.suffix == ".py" or path.name.lower().endswith(_ARCHIVES))
    ]


def _without_clashes(bots: list[Candidate], entrants: set[str]) -> tuple[list[Candidate], list[BrokenBot]]:
    """Return the bots with names of their own. If names look alike, the later bots are broken; entrants come first."""
    names_by_look = {look: name for name in entrants for look in look_keys(name)}
    used: set[str] = set()
    distinct: list[Candidate] = []
    broken: list[BrokenBot] = []
    for bot in sorted(bots, key=lambda bot: bot.name not in entrants):
        name, reason = bot.name, ""
        lookalike = next((names_by_look[look] for look in look_keys(name) if look in names_by_look), None)
        if name in used:
            reason = f"its name {name!r} is that of another bot; give it another `name`, in its bot.toml or in [[bots]]"
        elif lookalike is not None and name not in entrants:
            reason = f"its name {name!r} looks like {lookalike!r}, the name of another bot"
        if reason:
            broken.append(BrokenBot(name if bot.bot.is_outside else bot.reference, reason))
            continue
        used.add(name)
        names_by_look |= dict.fromkeys(look_keys(name), name)
        distinct.append(bot)
    return sorted(distinct, key=bots.index), broken


def refuse_broken(broken: Iterable[BrokenBot]) -> None:
    raise ArenaError(
        "\n".join(bot.message for bot in broken),
        hint='Fix them, or exclude them with broken_bots = "exclude".',
        exit_code=ExitCode.BAD_BOT,
    )


def check_enough(config: ContestConfig, names: Sequence[str], broken: Iterable[BrokenBot] = ()) -> None:
    """Check that there are enough bots for a match, in a contest without people, and that champions exist.

    Args:
        broken: The bots that cannot take part. The message names them.
    """
    defects = []
    least = max(2, config.rules.players[0])
    if config.people is None and len(names) < least:
        count = "are none" if not names else "is one" if len(names) == 1 else f"are {len(names)}"
        defects.append(f"A contest needs {'two' if least == 2 else least} bots at least, and there {count}.")
    for stage in config.stages:
        for name in stage.champions:
            if name not in names:
                defects.append(f"Stage {stage.name!r}: champions names {name!r}, which is not a bot of the contest.")
    if defects:
        defects += [bot.message for bot in broken]
        raise ArenaError("\n".join(defects), exit_code=ExitCode.BAD_LEAGUE)


def check_references(game: GameSpec, bots: Sequence[str], base: Path) -> None:
    """Check that the bots that the user names exist. Their content is checked later."""
    for bot in bots:
        bot, settings = split_reference(bot)
        if settings:
            raise ArenaError(
                f"{bot} has settings, but a contest plays a bot as it is.",
                hint="Copy the bot, and write the values into its bot.toml.",
                exit_code=ExitCode.BAD_BOT,
            )
        if bot.startswith("builtin:"):
            builtin_path(game, bot.removeprefix("builtin:"))
        elif player := brought_player(bot):
            player[0].identity(player[1])
        elif not (base / bot).exists():
            raise no_bot(base / bot, game, "Paths start from the folder of the configuration file.")
