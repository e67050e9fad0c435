"""A tournament on the disk: `league.toml`, and the folder beside it with results, replays and bots."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.bots.bot import load_bot
from arena.bots.folders.files import BUILT
from arena.bots.game_files import builtin_path, no_bot
from arena.bots.references import split_reference
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.game.validation import did_you_mean
from arena.match.entrant import Entrant
from arena.match.job import REMOTE
from arena.match.lookup import find_game, usual_table
from arena.matches.copies import check_copies, store_build
from arena.matches.engines.engine import Engine
from arena.matches.folders import folder_of
from arena.matches.referee_match import RefereeMatches, folder_matches
from arena.matches.remote import RemotePlayers
from arena.referee.affinity import usable_processors
from arena.contests.config import TABLE_FORMATS, TournamentConfig
from arena.contests.config import read_config_file
from arena.tournament.run.bots import Broken, Found, enter, find_bots, possible_names, refuse_broken
from arena.tournament.run.names import without_clashes
from arena.tournament.run.organizer import Stored, check_entrants, check_found, read_stored
from arena.tournament.run.sanity import Sanity, sanity_matches

_PARTNER = "partner"
"""In sanity matches, this text replaces the content hash of the game's weakest built-in bot."""


@dataclass(frozen=True, slots=True)
class League:
    """A tournament that can be run.

    Attributes:
        remote: The gateways of the remote bots; None if there are no remote bots, or if no match is played.
    """

    path: Path
    folder: Path
    config: TournamentConfig
    game: GameSpec
    found: Found
    entrants: tuple[Entrant, ...]
    stored: Stored
    unbuilt: Mapping[str, str] = field(default_factory=dict)
    remote: RemotePlayers | None = None

    @property
    def paths(self) -> dict[str, Path]:
        """The paths of the copies (or of their builds) of all bot versions that can play, by content hash."""
        paths = {one.hash: self.folder / one.path for one in (*self.stored.versions, *self.entrants) if one.path}
        return {content: built if (built := path / BUILT).is_dir() else path for content, path in paths.items()}

    def matches(self) -> RefereeMatches:
        paths = {content: str(path) for content, path in self.paths.items()} | self.own_entries()
        return folder_matches(self.config, self.game, self.folder, paths, self.remote)

    def own_entries(self) -> dict[str, str]:
        """Return references by content hash for bots without a copy: remote bots, and the partner in sanity matches."""
        remote = {one.hash: REMOTE for one in self.entrants if one.is_remote}
        return remote | ({_PARTNER: f"builtin:{self.game.bots[0].name}"} if self.game.bots else {})

    def partner(self, entrant: Entrant) -> Entrant:
        """Return the opponent in a sanity match: the game's weakest built-in bot; the entrant if the game has none."""
        if not self.game.bots:
            return entrant
        return Entrant(self.game.bots[0].name, _PARTNER)

    def broken_messages(self) -> dict[str, str]:
        """Return why each unusable bot could not be read or built, by its reference or content hash."""
        base = f"{self.path.parent}{os.sep}"  # the pages show the messages, but must not show the organizer's folders
        broken = {one.reference: f"{one.reference.removeprefix(base)}: {one.reason}" for one in self.found.broken}
        return broken | dict(self.unbuilt)

    def without(self, hashes: Collection[str]) -> "League":
        """Return the league without the entrants that have these content hashes."""
        return replace(self, entrants=tuple(one for one in self.entrants if one.hash not in hashes))


def survey(path: Path, tell_broken: Callable[[tuple[Broken, ...]], None]) -> None:
    """Check the configuration, the game and the bots of a new tournament.

    Run no bot, and write nothing into the tournament's folder.
    """
    config, game = _configured(path)
    found = without_clashes(find_bots(config, path.parent, game), ())
    tell_broken(found.broken)
    if found.broken and config.broken_bots == "refuse":
        refuse_broken(list(found.broken))
    check_found(config, found, (), possible_names(config, found.broken))


def _configured(path: Path) -> tuple[TournamentConfig, GameSpec]:
    config = read_config_file(path)
    game = find_game(config.game)
    check_formats(config, game)
    config.check(game, [name for stage in config.stages for name in stage.maps])
    return replace(config, legs=game.legs, players=(game.player_counts[0], game.player_counts[-1])), game


def check_formats(config: TournamentConfig, game: GameSpec) -> None:
    """Check that the game allows the number of players in the matches of each stage."""
    counts = game.player_counts
    defects = []
    for stage in config.stages:
        if game.state.cooperative and ("elimination" in stage.format or stage.format in ("ladder", "king_of_the_hill")):
            defects.append(
                f"Stage {stage.name!r}: {stage.format} needs winners, and in {game.name} all play together. Use "
                "round_robin, or free_for_all with a table."
            )
            continue
        at_tables = stage.format in TABLE_FORMATS or stage.table
        if not at_tables and 2 not in counts:
            least = f"table = {usual_table(game)}"
            use = (
                f"ladder with {least}"
                if stage.format in ("ladder", "king_of_the_hill")
                else (
                    f"elimination_tables with {least}"
                    if "elimination" in stage.format
                    else f"free_for_all with {least}"
                )
            )
            defects.append(
                f"Stage {stage.name!r}: {stage.format} is for two players, and {game.name} is for "
                f"{game.describe_players()}. Use {use}."
            )
        elif at_tables and counts[-1] < 3:
            use = {"free_for_all": "swiss", "elimination_tables": "single_elimination"}.get(
                stage.format, "ladder without table"
            )
            defects.append(
                f"Stage {stage.name!r}: {stage.format} is for three players or more, and {game.name} is for "
                f"{game.describe_players()}. Use {use}."
            )
        elif at_tables and stage.table not in counts:
            defects.append(
                f"Stage {stage.name!r}: table is {stage.table}, and {game.name} is for {game.describe_players()}."
            )
    if "players" in dict(config.options) and len(counts) > 1:
        defects.append(
            "Remove the option players: each match has as many players as sit at its table. Set `table` in the stages."
        )
    if defects:
        raise ArenaError("\n".join(defects), exit_code=ExitCode.BAD_LEAGUE)


def open_league(
    path: Path,
    tell_broken: Callable[[tuple[Broken, ...]], None] | None = None,
    taken: Collection[str] | None = None,
    stored: Stored | None = None,
) -> League:
    """Read and check the configuration, the game and the bots, without starting anything.

    Copy the bots into the tournament's folder.

    Args:
        tell_broken: Called with the broken bots. If the configuration refuses them, `ArenaError` is raised instead.
        taken: The names of the bots to read again. All others use their stored copies. None to read all bots again.
    """
    config, game = _configured(path)
    folder = folder_of(path)
    if folder.exists() and not folder.is_dir():
        raise ArenaError(f"{folder} exists and is not a folder, but the tournament's folder must have this name.")
    stored = read_stored(folder) if stored is None else stored
    found = Found((), ())
    if taken is None or taken:
        lenient = config if taken is None else replace(config, broken_bots="exclude")
        found = find_bots(lenient, path.parent, game)
        found = without_clashes(found, stored.entrants)
        if found.broken and lenient.broken_bots == "refuse":
            refuse_broken(list(found.broken))
    kept = () if taken is None else _kept(folder, stored, found, taken)
    if tell_broken is not None:
        tell_broken(found.broken)
    possible = possible_names(config, found.broken)
    if taken is not None:
        found = Found(tuple(bot for bot in found.bots if bot[0] in taken), ())
    check_found(config, found, kept, possible)
    league = League(path, folder, config, game, found, (*kept, *enter(found, folder)), stored)
    return league.without(stored.excluded) if stored.begun else league


def _kept(folder: Path, stored: Stored, found: Found, taken: Collection[str]) -> tuple[Entrant, ...]:
    known, submitted = [one.name for one in stored.entrants], [name for name, _ in found.bots]
    if not stored.entrants:
        raise ArenaError(f"The tournament in {folder} has not begun: there are no stored copies of bots.")
    for name in taken:
        if name not in submitted and found.broken:
            refuse_broken(list(found.broken))
        if name not in submitted and name not in known:
            raise ArenaError(f"There is no bot {name}{did_you_mean(name, {*known, *submitted})}.")
    kept = tuple(one for one in stored.entrants if one.name not in taken)
    check_copies(folder, kept)
    return kept


def check_references(game: GameSpec, bots: Sequence[str], base: Path) -> None:
    """Check that the bots that the user names exist. Their content is checked later."""
    for bot in bots:
        bot, settings = split_reference(bot)
        if settings:
            raise ArenaError(
                f"{bot} has settings, but a tournament plays a bot as it is.",
                hint="Copy the bot, and write the values into its bot.toml.",
                exit_code=ExitCode.BAD_BOT,
            )
        if bot.startswith("builtin:"):
            builtin_path(game, bot.removeprefix("builtin:"))
        elif not (base / bot).exists():
            raise no_bot(base / bot, game, "Paths start from the folder of the configuration file.")


def build_bots(league: League, report: Callable[[Sanity], None]) -> League:
    from arena.bots.build import NoBuildError

    def build(entrant: Entrant) -> NoBuildError | None:
        try:
            copy = league.folder / entrant.path
            if entrant.path and not (copy / BUILT).exists():
                store_build(load_bot(copy), league.config.least_isolation)
        except NoBuildError as error:
            return error
        return None

    with ThreadPoolExecutor(len(usable_processors())) as pool:
        results = list(zip(league.entrants, pool.map(build, league.entrants), strict=True))
    failures = [(entrant, error) for entrant, error in results if error is not None]
    for entrant, error in failures:
        report(Sanity(entrant.name, False, error.explained))
    if failures and (league.stored.begun or league.config.broken_bots == "refuse"):
        refuse_broken([Broken(entrant.name, f"does not build: {error.reason}") for entrant, error in failures])
    # The pages show these messages, but not the compiler's output, which quotes the source.
    unbuilt = {entrant.hash: f"{entrant.name} does not build: {error.reason}" for entrant, error in failures}
    return replace(league.without(unbuilt), unbuilt=unbuilt)


def try_bots(league: League, engine: Engine, report: Callable[[Sanity], None]) -> tuple[League, dict[str, str]]:
    """Play a sanity match with each bot version that has not taken part yet, and remove bots that do not start.

    Returns:
        The league without these bots, and the reason for each bot that cannot take part, by content hash or reference.
    """
    known = {one.hash for one in league.stored.versions} if league.stored.begun else set()
    tried = [entrant for entrant in league.entrants if entrant.hash not in known]
    if league.remote is None or not league.game.bots:
        for entrant in tried:
            if entrant.is_remote:
                report(Sanity(entrant.name, True, "is remote, and is not tried"))
        tried = [entrant for entrant in tried if not entrant.is_remote]
    results = sanity_matches(league.config, tried, league.partner, engine, report)
    dead = [(entrant, one) for entrant, one in zip(tried, results, strict=True) if not one.starts]
    if dead and (league.stored.begun or league.config.broken_bots == "refuse"):
        refuse_broken([Broken(one.name, one.text) for _, one in dead])
    messages = league.broken_messages() | {entrant.hash: f"{one.name} {one.text}" for entrant, one in dead}
    remaining = league.without({entrant.hash for entrant, _ in dead})
    check_entrants(remaining.config, remaining.entrants, missing=None)
    return remaining, messages
