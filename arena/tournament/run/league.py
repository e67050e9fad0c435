"""A tournament on the disk: `league.toml`, and beside it the folder `league` with everything that came of it."""

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, OptionError
from arena.lookup import builtin_bot, find_game, resolve_options
from arena.referee.client import ForkServers
from arena.tournament.plan.config import Entrant, TournamentConfig
from arena.tournament.plan.config_reader import read_config_file
from arena.tournament.run.bots import Broken, Found, enter, find_bots, refuse_broken
from arena.tournament.run.engines.engine import Engine
from arena.tournament.run.engines.referee_match import RefereeMatches
from arena.tournament.run.journal.files import disk_errors, temporary_replay_path
from arena.tournament.run.journal.store import Journal
from arena.tournament.run.organizer import check_entrants, check_found, excluded
from arena.tournament.run.sanity import Sanity, sanity_matches

_PARTNER = "partner"
"""Stands for the content hash of the game's built-in bot in sanity matches."""


def folder_of(path: Path) -> Path:
    """Return the folder of the tournament that a file configures."""
    return path.with_suffix("")


@dataclass(frozen=True, slots=True)
class League:
    """A tournament that can be run.

    Attributes:
        path: The configuration file.
        folder: The tournament's folder.
        config: The configuration.
        game: The game.
        found: The bots that were found, and those that are broken.
        entrants: Who takes part.
    """

    path: Path
    folder: Path
    config: TournamentConfig
    game: GameSpec
    found: Found
    entrants: tuple[Entrant, ...]

    def matches(self) -> RefereeMatches:
        """Return what starts this tournament's matches."""
        config = self.config
        if config.clock:
            config = replace(config, clock=tuple(sorted((asdict(self.game.clock) | dict(config.clock)).items())))
        paths = {entrant.hash: entrant.path for entrant in self.entrants} | self.own_entries()
        return RefereeMatches(
            config,
            paths,
            lambda match_id: temporary_replay_path(self.folder, match_id),
            self.game.map_option,
            self.game.load_map,
            servers=ForkServers(config.game, environment={"TMPDIR": str(scratch_folder(self.folder))}),
        )

    def own_entries(self) -> dict[str, str]:
        """Return the reference of the game's built-in bot, by the text that stands for its hash."""
        return {_PARTNER: f"builtin:{self.game.bots[0].name}"} if self.game.bots else {}

    def partner(self, entrant: Entrant) -> Entrant:
        """Return an entrant's opponent in a sanity match: the game's weakest built-in bot, or the entrant itself."""
        if not self.game.bots:
            return entrant
        return Entrant(self.game.bots[0].name, _PARTNER)

    def broken_messages(self) -> dict[str, str]:
        """Return the bots that could not be read: what the configuration says, and why they are left out."""
        return {one.reference: f"{one.reference}: {one.reason}" for one in self.found.broken}

    def without(self, hashes: Collection[str]) -> "League":
        """Return the league without some entrants, by content hash: a fixed bot has another hash."""
        return replace(self, entrants=tuple(one for one in self.entrants if one.hash not in hashes))


def open_league(path: Path, tell_broken: Callable[[tuple[Broken, ...]], None] | None = None) -> League:
    """Read and checks the configuration, the game and the bots; starts nothing.

    Args:
        path: The configuration file.
        tell_broken: Told of the bots that cannot take part, also where nothing is left without them.

    Raises:
        ArenaError: With one message for each defect.
    """
    config = read_config_file(path)
    game = find_game(config.game)
    config = replace(config, legs=game.legs)
    check_options(config, game)
    found = find_bots(config, path.parent, lambda name: builtin_bot(game, name))
    folder = folder_of(path)
    if folder.exists() and not folder.is_dir():
        raise ArenaError(f"{folder} is in the way: the tournament's folder must have this name.")
    if tell_broken is not None:
        tell_broken(found.broken)
    league = League(path, folder, config, game, found, ())
    check_found(config, found)
    league = replace(league, entrants=enter(found, folder / "bots"))
    return league.without(excluded(folder)) if has_begun(folder) else league


def has_begun(folder: Path) -> bool:
    """Return whether there are results already."""
    if not (folder / "journal.db").exists():
        return False
    with contextlib.closing(Journal(folder, read_only=True)) as journal:
        return journal.count() > 0


def scratch_folder(folder: Path) -> Path:
    """Return the folder for temporary files of matches, so that those of killed matches can be removed.

    It lies among the system's temporary files, since the path of a socket must be short.

    Raises:
        ArenaError: Somebody else has made a folder of this name.
    """
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:12]
    path = Path(tempfile.gettempdir()) / f"arena-league-{name}"
    with disk_errors(path):
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()
    if status.st_uid != os.getuid() or not stat.S_ISDIR(status.st_mode):
        raise ArenaError(f"{path} belongs to somebody else.", hint="Set TMPDIR to a folder of your own.")
    return path


def check_options(config: TournamentConfig, game: GameSpec) -> None:
    """Check options and maps against the game.

    Raises:
        ArenaError: Options or maps that the game does not have, one message for each.
    """
    defects = []
    for name, value in config.options:  # one by one, so that each has its message
        try:
            game.resolve_options({name: value})
        except OptionError as error:
            defects.append(str(error))
    for name in dict.fromkeys((*config.maps, *(name for stage in config.stages for name in stage.maps))):
        if game.load_map is None:
            defects.append(f"{game.name} has no maps, and the configuration names {name}.")
            continue
        try:
            game.load_map(name)
        except OptionError as error:
            defects.append(f"The map {name}: {error}")
    if defects:
        hint = f"`arena games {game.name}` shows options and maps."
        raise ArenaError("\n".join(defects), hint=hint, exit_code=ExitCode.BAD_OPTION)
    resolve_options(game, dict(config.options))  # what only their combination can break


def check_references(game: GameSpec, bots: Sequence[str], base: Path) -> None:
    """Check that there is something behind each bot that the user names; whether it is any good is seen later.

    Raises:
        ArenaError: There is nothing.
    """
    for bot in bots:
        if bot.startswith("builtin:"):
            builtin_bot(game, bot.removeprefix("builtin:"))
        elif not (base / bot).exists():
            raise ArenaError(
                f"There is no bot at {base / bot}.",
                hint="Paths start from the folder of the configuration file.",
                exit_code=ExitCode.BAD_BOT,
            )


def try_bots(league: League, engine: Engine, tell: Callable[[Sanity], None]) -> tuple[League, dict[str, str]]:
    """Play a sanity match with each bot, and leaves out those that do not start.

    Returns:
        The league without them; and what was left out, by content hash or reference, with the reason.

    Raises:
        ArenaError: A bot does not start and the configuration refuses that.
    """
    results = sanity_matches(league.config, league.entrants, league.partner, engine, tell)
    dead = [(entrant, one) for entrant, one in zip(league.entrants, results, strict=True) if not one.starts]
    if dead and league.config.broken_bots == "refuse":
        refuse_broken([Broken(one.name, one.text) for _, one in dead])
    messages = league.broken_messages() | {entrant.hash: f"{one.name} {one.text}" for entrant, one in dead}
    remaining = league.without({entrant.hash for entrant, _ in dead})
    check_entrants(remaining.config, remaining.entrants, left_out=True)
    return remaining, messages


def template(game: GameSpec, bots: Sequence[str]) -> str:
    """Return a commented configuration to start from."""
    clock = game.clock
    maps = ", ".join(_quoted(name) for name in game.maps)
    lines = [
        "# A tournament. `arena tournament check` says whether everything is right, `arena tournament run` plays it,",
        "# and goes on where it was when it is run again.",
        "",
        "[tournament]",
        f"name = {_quoted(f'{game.title} league')}",
        f"game = {_quoted(game.name)}",
        f"# maps = [{maps}]  # played in turn; without this line the game chooses" if maps else "",
        'isolation = "bwrap"         # the least that is accepted: none, limits, bwrap, bwrap+cgroup',
        'broken_bots = "exclude"     # or "refuse": start only when every bot works',
        "suspend_after = 5           # crashes in a row after which a bot plays no more; 0: never",
        "# matches_at_once = 2       # without this line: one match on each core",
        '# seed = "..."              # without this line the dice follow from a secret that is drawn once',
        "",
        "[clock]                     # seconds for each player",
        f"bank = {_seconds(clock.bank)}",
        f"increment = {clock.increment:g}",
        f"turn = {_seconds(clock.turn)}",
        "",
        "# [options]                 # options of the game; `arena games " + game.name + "` lists them",
        "# [policy]                  # what violations cost",
        '# timeout = "forfeit"       # or "skip", "strike"',
        "",
        *(line for bot in bots for line in ("[[bots]]", *_bot_lines(bot), "")),
        "[[stages]]",
        'name = "swiss"',
        'format = "swiss"            # round_robin, gauntlet, swiss, single_elimination, double_elimination,',
        "                            # groups, ladder, king_of_the_hill",
        "rounds = 5",
        "games = 2                   # in each pairing; the seats are swapped in every second one",
        'tiebreaks = ["head_to_head", "buchholz", "buchholz_cut1", "sonneborn_berger", "wins", "margin", "seed"]',
        "",
        "[[stages]]",
        'name = "final"',
        'format = "double_elimination"',
        "advance = 8                 # the best of the stage before; all, where there are fewer",
        "best_of = 2                 # games; a level pairing gets another pair of games",
        "",
    ]
    return "\n".join(line for line in lines if line is not None) + "\n"


def _bot_lines(bot: str) -> list[str]:
    path = Path(bot)
    many = path.is_dir() and not (path / "bot.toml").is_file() and not (path / "main.py").is_file()
    return [f"path = {_quoted(bot)}", *(["many = true                 # a folder full of bots"] if many else [])]


def _seconds(value: float | None) -> str:
    return '"none"' if value is None else f"{value:g}"


def _quoted(text: str) -> str:
    quoted: Any = json.dumps(text, ensure_ascii=False)
    return str(quoted)
