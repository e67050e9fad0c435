"""The configuration of a tournament, as values. `config_reader` makes them from TOML."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.match.ending import RETRIES
from arena.match.entrant import Entrant
from arena.match.settings import MatchSettings, Scalar
from arena.match.spec import Participant

TIEBREAKS = (
    "head_to_head", "buchholz", "buchholz_cut1", "buchholz_median", "sonneborn_berger", "wins", "margin", "seed",
)  # fmt: skip
"""The default tie-breaks of formats for two players, in the order of their use."""

TABLE_TIEBREAKS = ("payoffs", "head_to_head", "opponents", "wins", "margin", "seed")
"""The default tie-breaks of tables with more than two players, in the order of their use."""

TABLE_FORMATS = ("free_for_all", "elimination_tables")
"""The formats that need tables of more than two players. A ladder can have tables or encounters of two players."""


SUDDEN_DEATH = 3

_NO_MATTER = ("bots", "matches_at_once", "rated", "allow_remote", "remote")
"""The keys of the configuration that affect neither the schedule nor a result."""


@dataclass(frozen=True, slots=True)
class BotEntry:
    """One entry of the list of bots.

    Attributes:
        path: A bot: a file, a folder, an archive, ``builtin:NAME`` or ``remote``. If `many`: a folder of bots.
        name: The name of the bot in the tournament; empty for the bot's own name.
    """

    path: str
    name: str = ""
    many: bool = False


@dataclass(frozen=True, slots=True)
class PairingRules:
    legs: int = 1
    players: tuple[int, int] = (2, 2)


@dataclass(frozen=True, slots=True)
class StageConfig:
    """One stage of the tournament.

    Attributes:
        advance: Number of bots that the previous stage sends to this stage (0: all).
        rounds: Number of rounds; 0 if the format sets the number or has no end. In a round robin, a gauntlet and
            groups: how often two players meet; 0 counts as 1.
        games: Number of games in each pairing or at each table, in formats without `best_of`. All games are played.
        best_of: Number of games in each pairing of a bracket or of king of the hill. A pairing ends early when it is
            decided.
        sudden_death: Limit of further pairs of games, after `extra_pairs`, if the scores in the game are tied as well.
        reset: Whether the winner of the losers' bracket must win the grand final twice.
        groups: Number of groups. If a group would have fewer than two bots, there are fewer groups.
        champions: The bots of a gauntlet that play against all bots that are not champions (empty: the first seed).
        table: Number of bots at each table; 0 for formats of two players. Some tables can have one bot less.
        extra_games: Limit of additional games at an elimination table, if the last place that advances is tied with
            the next place.
        tiebreaks: The tie-breaks, in the order of their use.
    """

    name: str
    format: str
    advance: int = 0
    rounds: int = 0
    games: int = 2
    best_of: int = 2
    extra_pairs: int = 1
    sudden_death: int = SUDDEN_DEATH
    third_place: bool = False
    reset: bool = True
    groups: int = 0
    champions: tuple[str, ...] = ()
    table: int = 0
    winners: int = 0
    extra_games: int = 0
    points: str = "game"
    tiebreaks: tuple[str, ...] = TIEBREAKS
    late: tuple[tuple[str, int], ...] = ()
    withdrawn: tuple[tuple[str, int], ...] = ()
    maps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TournamentConfig(MatchSettings):
    """The whole configuration of a tournament: the settings of its matches, the bots and the stages.

    Attributes:
        broken_bots: What happens if a bot cannot play its sanity match: "exclude" the bot, or "refuse" the tournament.
        suspend_after: Number of crashes in a row after which a bot is suspended (0: never).
        rated: Whether to refuse a run that would play more matches at once than there are cores.
        remote: The settings of the connections to bots on other machines: listen, address, resume, wait.
        legs: The number of matches with swapped seats that count as one game; the game defines it.
        seed: The text from which all seeds are computed. If empty, the operating system draws a random text.
    """

    name: str
    bots: tuple[BotEntry, ...]
    stages: tuple[StageConfig, ...]
    broken_bots: str = "exclude"
    suspend_after: int = 0
    void_replays: int = RETRIES
    matches_at_once: int = 0
    rated: bool = True
    allow_remote: bool = False
    remote: tuple[tuple[str, Scalar], ...] = ()
    legs: int = 1
    players: tuple[int, int] = (2, 2)
    seed: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A configuration with entrants, id and secret.

    Attributes:
        secret: The secret from which the random seeds of all matches are computed.
    """

    config: TournamentConfig
    entrants: tuple[Entrant, ...]
    id: str
    secret: str
    seats: Mapping[str, Participant] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "seats", {one.name: Participant(one.name, one.hash) for one in self.entrants})

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names in order of their seeds."""
        return tuple(entrant.name for entrant in self.entrants)

    @property
    def gone(self) -> frozenset[str]:
        return frozenset(entrant.name for entrant in self.entrants if entrant.gone)

    def to_document(self) -> dict[str, Any]:
        """Return the configuration and the entrants as the journal stores them. The document lacks the secret."""
        return {"config": asdict(self.config), "entrants": [asdict(entrant) for entrant in self.entrants]}


def changes(before: Tournament, now: Tournament) -> list[str]:
    """Describe the differences of two versions of a tournament that affect the schedule or results."""
    old, new = _plain(asdict(before.config)), _plain(asdict(now.config))
    found = [key for key in new if key not in (*_NO_MATTER, "stages") and old[key] != new[key]]
    stages = {stage["name"]: stage for stage in old["stages"]}
    for stage in new["stages"]:
        known = stages.pop(stage["name"], None)
        if known is None:
            found.append(f"the stage {stage['name']} is new")
        else:
            found += [f"{key} of the stage {stage['name']}" for key in stage if known[key] != stage[key]]
    found += [f"the stage {name} is gone" for name in stages]
    if not found and list(old["stages"]) != list(new["stages"]):
        found.append("the order of the stages")
    bots = {one.name: one.hash for one in before.entrants if not one.gone}
    for entrant in now.entrants:
        known_hash = bots.get(entrant.name)
        if entrant.gone and known_hash is not None:
            found.append(f"the bot {entrant.name} is gone")
        elif not entrant.gone and known_hash != entrant.hash:
            found.append(f"the bot {entrant.name}" + (" is new" if known_hash is None else ""))
    return found


def _plain(document: Any) -> Any:
    """Return a value as it is after writing and reading JSON: tuples become lists."""
    return json.loads(json.dumps(document))
