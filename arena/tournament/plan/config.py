"""What an organizer configures, as values. `config_reader` makes them from TOML, `check_*` errors included."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.tournament.plan.values import Participant, Scalar

TIEBREAKS = (
    "head_to_head", "buchholz", "buchholz_cut1", "buchholz_median", "sonneborn_berger", "wins", "margin", "seed",
)  # fmt: skip
"""All tie-breaks by name, in the order in which they are used unless the stage says otherwise."""


_NO_MATTER = ("bots", "matches_at_once", "rated")
"""What of the configuration decides neither the schedule nor a result: paths and slots."""


@dataclass(frozen=True, slots=True)
class BotEntry:
    """One line of the list of bots: a bot file, folder or archive, or a folder full of them."""

    path: str
    name: str = ""
    many: bool = False


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part: its name in all tables, its content hash, and where it lies."""

    name: str
    hash: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class StageConfig:
    """One stage of the tournament.

    Attributes:
        name: Unique name, used in the schedule and in all tables.
        format: One of the names in `arena.tournament.plan.formats.FORMATS`.
        advance: How many come over from the stage before (0: all).
        rounds: Rounds of the format; 0 where the format knows the number or runs on.
        games: Games in each pairing of a table format; all of them are played.
        best_of: Games in each pairing of a bracket; stops when it is decided.
        extra_pairs: Pairs of games added when a bracket's pairing is level.
        third_place: Whether the losers of the semi-finals play for the third place.
        reset: Whether the winner of the losers' bracket must win the grand final twice.
        groups: Number of groups.
        champions: Who runs the gauntlet (empty: the first seed).
        points: "game" counts the points of all games, "encounter" one point for each pairing.
        tiebreaks: Ordered tie-breaks.
        late: Name to first round, for those who come late.
        withdrawn: Name to first round that they no longer play.
        maps: Maps of this stage (empty: those of the tournament).
    """

    name: str
    format: str
    advance: int = 0
    rounds: int = 0
    games: int = 2
    best_of: int = 2
    extra_pairs: int = 1
    third_place: bool = False
    reset: bool = True
    groups: int = 0
    champions: tuple[str, ...] = ()
    points: str = "game"
    tiebreaks: tuple[str, ...] = TIEBREAKS
    late: tuple[tuple[str, int], ...] = ()
    withdrawn: tuple[tuple[str, int], ...] = ()
    maps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TournamentConfig:
    """The whole configuration.

    Attributes:
        name: Title on every page.
        game: Name of the game.
        bots: Where the bots are.
        stages: The stages, in order.
        maps: Maps that are played in turn (empty: the game's own choice).
        options: Options of the game.
        clock: Start-up, bank, increment, turn and grace, in seconds (what is missing is the game's default).
        policy: What refusals, time-outs, crashes cost; handed to the referee.
        isolation: The least level of isolation that is accepted.
        broken_bots: "exclude" or "refuse" when a bot cannot play its sanity match.
        suspend_after: Crashes in a row after which a bot plays no more (0: never).
        void_replays: How often a match is replayed when the host was late.
        matches_at_once: 0 for one match on each core.
        rated: Refuse more matches than cores.
        legs: Matches with swapped seats that count as one game; the game tells.
        seed: Text that all dice follow from; drawn by the operating system when empty.
        id: Id of the tournament; drawn when empty.
    """

    name: str
    game: str
    bots: tuple[BotEntry, ...]
    stages: tuple[StageConfig, ...]
    maps: tuple[str, ...] = ()
    options: tuple[tuple[str, Scalar], ...] = ()
    clock: tuple[tuple[str, float | None], ...] = ()
    policy: tuple[tuple[str, Scalar], ...] = ()
    isolation: str = "bwrap"
    broken_bots: str = "exclude"
    suspend_after: int = 0
    void_replays: int = 2
    matches_at_once: int = 0
    rated: bool = True
    legs: int = 1
    seed: str = ""
    id: str = ""

    def fingerprint(self, entrants: tuple[Entrant, ...] = ()) -> str:
        """Return hash of everything that decides the schedule and the results: not the paths, not the slots."""
        document = asdict(self)
        for key in _NO_MATTER:
            del document[key]
        document["entrants"] = [(entrant.name, entrant.hash) for entrant in entrants]
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Tournament:
    """A configuration brought to life.

    Attributes:
        config: The configuration.
        entrants: Who takes part, in order of the seeds.
        id: Id of the tournament, part of all match ids.
        secret: What the dice follow from.
        seats: Each entrant as it sits in a match, by name.
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

    def to_document(self) -> dict[str, Any]:
        """Return what the journal keeps of the configuration (the secret is kept apart)."""
        return {"config": asdict(self.config), "entrants": [asdict(entrant) for entrant in self.entrants]}


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the differences between two documents of a tournament that affect schedule or results, in words."""
    old, new = _plain(before["config"]), _plain(now["config"])
    found = [key for key in new if key not in (*_NO_MATTER, "stages") and old.get(key) != new[key]]
    stages = {stage["name"]: stage for stage in old["stages"]}
    for stage in new["stages"]:
        known = stages.pop(stage["name"], None)
        if known is None:
            found.append(f"the stage {stage['name']} is new")
        else:
            found += [f"{key} of the stage {stage['name']}" for key in stage if known.get(key) != stage[key]]
    found += [f"the stage {name} is gone" for name in stages]
    bots = {entrant["name"]: entrant["hash"] for entrant in before["entrants"]}
    for entrant in now["entrants"]:
        known = bots.pop(entrant["name"], None)
        if known != entrant["hash"]:
            found.append(f"the bot {entrant['name']}" + (" is new" if known is None else ""))
    return found + [f"the bot {name} is gone" for name in bots]


def _plain(document: Any) -> Any:
    """As it comes back from JSON: tuples are lists."""
    return json.loads(json.dumps(document))
