"""The configuration of a contest: `contest.toml`. All defects are reported at once, each with its line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_type_hints
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from msgspec import convert

from arena.contests.tiebreaks import AT_TABLES, FOR_TWO
from arena.contests.values import KINDS, LADDER
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.game.validation import NON_EMPTY, Defect, Flag, ListOf, Number, TableOf, Text, Validator, Whole, Word
from arena.match.isolation import KEYS
from arena.match.job import REMOTE
from arena.match.lookup import find_game, usual_table
from arena.match.settings import (
    ISOLATION,
    MATCH_TABLES,
    NAME,
    SEED,
    TEXTS,
    MatchSettings,
    Scalar,
    match_settings,
    pairs,
    table_of,
)
from arena.match.void import RETRIES
from arena.play.seats.ticket import REMOTE_FIELDS
from arena.text.reading import address_parts
from arena.text.toml_files import Variants, config_text, parsed

FILE = "contest.toml"
TABLE_FORMATS = ("free_for_all", "elimination_tables")
"""The formats that need tables of more than two players. A ladder can have tables or encounters of two players."""
LOSSES: Mapping[str, int] = {
    "single_elimination": 1, "double_elimination": 2, "triple_elimination": 3, "quadruple_elimination": 4,
}  # fmt: skip
"""The number of losses after which a bot is out, in formats for two players."""
SUDDEN_DEATH = 3


@dataclass(frozen=True, slots=True)
class BotEntry:
    """One entry of the list of bots. Each field is `Annotated` with what the file can have there.

    Attributes:
        path: A bot: a file, a folder, an archive, ``builtin:NAME`` or ``remote``. If `many`: a folder of bots.
        name: The name of the bot in the contest; empty for the bot's own name.
        skill: The fixed skill of an anchor, which plays only on the ladder and in checks; None for other bots.
        groups: The groups of the bot.
    """

    path: Annotated[str, NON_EMPTY]
    name: Annotated[str, NAME] = ""
    many: Annotated[bool, Flag()] = False
    skill: Annotated[float | None, Number(-1000, 1000)] = None
    groups: Annotated[tuple[str, ...], TEXTS] = ()


@dataclass(frozen=True, slots=True)
class PairingRules:
    """What the game says about matches.

    Attributes:
        legs: The number of matches with swapped seats that count as one game.
        players: The smallest and the largest number of players of a match.
    """

    legs: int = 1
    players: tuple[int, int] = (2, 2)


@dataclass(frozen=True, slots=True)
class StageConfig:
    """One stage.

    Attributes:
        advance: Number of bots that the previous stage sends to this stage (0: all).
        only: The group whose bots take part; empty for all.
        rounds: Number of rounds; 0 if the format sets the number. In a round robin, a gauntlet and groups: how often
            two players meet; 0 counts as 1.
        games: Number of games in each pairing or at each table, in formats without `best_of`. All games are played.
        best_of: Number of games in each pairing of a bracket. A pairing ends early when it is decided.
        sudden_death: Limit of further pairs of games, after `extra_pairs`, if the scores in the game are tied as well.
        reset: Whether the winner of the losers' bracket must win the grand final twice.
        groups: Number of groups. If a group would have fewer than two bots, there are fewer groups.
        champions: The bots of a gauntlet that play against all bots that are not champions (empty: the first seed).
        table: Number of bots at each table; 0 for formats of two players. Some tables can have one bot less.
        extra_games: Limit of additional games at an elimination table, if the last place that advances is tied with
            the next place.
        rated_matches: On the ladder: after so many rated matches, a version plays only as an opponent of others; 0 for
            no limit.
        tiebreaks: The tie-breaks, in the order of their use.
    """

    name: str
    format: str
    advance: int = 0
    only: str = ""
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
    rated_matches: int = 200
    points: str = "game"
    tiebreaks: tuple[str, ...] = FOR_TWO
    maps: tuple[str, ...] = ()

    def renamed(self, names: Mapping[str, str]) -> StageConfig:
        """Return the stage with other names for entrants: the journal has their ids."""
        return replace(self, champions=tuple([names.get(one, one) for one in self.champions]))


@dataclass(frozen=True, slots=True)
class PeopleConfig:
    """The rules for people who take part. Each field is `Annotated` with what the file can have there.

    Attributes:
        deadline: From this time on, new versions are late; empty for no deadline.
        time_zone: The zone of the times on the pages; if empty, that of the deadline, or UTC without a deadline.
        public: Whether the pages can be read without signing in.
        public_replays: Whether all readers may watch matches.
        address: The server's address in links; if empty, each link gets the address of the request.
        largest_mib: The limit for an upload, in MiB.
        per_day: The number of versions that a team is allowed to hand in within 24 hours.
        refused_per_day: The number of refused uploads within 24 hours after which a team has to wait.
        storage_mib: The limit for all versions of a team and their builds on the disk, in MiB.
        waiting: The number of versions of a team that can wait for their check.
        check_seconds_per_day: The time that the checks of a team can take within 24 hours before further checks wait.
        checks_at_once: The number of checks at the same time; 0 for one for each two cores.
        challenges_per_day: The number of challenges that a team is allowed to start within 24 hours.
    """

    deadline: Annotated[str, _Time("an offset date-time such as 2027-01-31T18:00:00+01:00")] = ""
    time_zone: Annotated[str, _Zone('the name of a time zone such as "Europe/Berlin"')] = ""
    public: Annotated[bool, Flag()] = True
    public_replays: Annotated[bool, Flag()] = True
    address: Annotated[str, _Address(r"https?://[^/\s]+", 'an address such as "https://arena.example.org"')] = ""
    largest_mib: Annotated[int, Whole(1, 128)] = 16
    per_day: Annotated[int, Whole(1, 1000)] = 20
    refused_per_day: Annotated[int, Whole(1, 1000)] = 50
    storage_mib: Annotated[int, Whole(1, 1_048_576)] = 2048
    waiting: Annotated[int, Whole(1, 100)] = 2
    check_seconds_per_day: Annotated[int, Whole(1, 86_400)] = 1800
    checks_at_once: Annotated[int, Whole(0, 64)] = 0
    challenges_per_day: Annotated[int, Whole(0, 1000)] = 10

    def shown_time(self, at: str | datetime) -> str:
        """Return a time in the zone of the contest, with the name of the zone, such as "2027-01-31 18:00 CET"."""
        time = datetime.fromisoformat(at) if isinstance(at, str) else at
        zone: tzinfo | None = ZoneInfo(self.time_zone) if self.time_zone else None
        if zone is None:
            zone = datetime.fromisoformat(self.deadline).tzinfo if self.deadline else UTC
        return f"{time.astimezone(zone):%Y-%m-%d %H:%M %Z}"

    def is_late(self, now: datetime) -> bool:
        return bool(self.deadline) and now >= datetime.fromisoformat(self.deadline).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class ContestConfig(MatchSettings):
    """The whole configuration: the settings of the matches, the bots, the stages, and the rules for people.

    Attributes:
        people: None for a contest without people.
        groups: The groups that bots and teams can belong to, with their titles.
        broken_bots: What happens if a bot cannot play its first match: "exclude" the bot, or "refuse" to start.
        suspend_after: Number of crashes in a row after which a bot is suspended (0: never).
        void_replays: How often a void match is played again.
        matches_at_once: The number of matches at the same time; 0 for one on each core.
        rated: Whether to refuse a run that would play more matches at once than there are cores.
        remote: The settings of the connections to bots on other machines: listen, address, resume, wait.
        rules: What the game says about matches.
        seed: The text from which all seeds are computed. If empty, the operating system draws a random text.
    """

    name: str
    bots: tuple[BotEntry, ...] = ()
    stages: tuple[StageConfig, ...] = ()
    people: PeopleConfig | None = None
    groups: tuple[tuple[str, str], ...] = ()
    broken_bots: str = "exclude"
    suspend_after: int = 0
    void_replays: int = RETRIES
    matches_at_once: int = 0
    rated: bool = True
    allow_remote: bool = False
    remote: tuple[tuple[str, Scalar], ...] = ()
    rules: PairingRules = PairingRules()
    seed: str = ""
    id: str = ""

    @property
    def visible(self) -> PeopleConfig:
        """The rules for readers, also of a contest without people."""
        return self.people or PeopleConfig()

    @property
    def ladder(self) -> StageConfig | None:
        return next((stage for stage in self.stages if stage.format == LADDER), None)

    @property
    def table(self) -> int:
        """The number of players of a match of the ladder, and of the matches of checks."""
        ladder, (least, most) = self.ladder, self.rules.players
        return (ladder.table if ladder else 0) or max(least, min(2, most))

    def stored(self) -> dict[str, Any]:
        """Return the configuration as the journal stores it: without the bots, which have entries of their own."""
        return {key: value for key, value in asdict(self).items() if key not in ("bots", "seed")}


_NO_MATTER = ("bots", "matches_at_once", "rated", "allow_remote", "remote", "seed", "people", "groups")
"""The keys of the configuration that affect neither who meets whom nor a result."""


def changes(before: ContestConfig, now: ContestConfig) -> list[str]:
    """Describe the differences of two versions of a configuration that affect who meets whom, or results."""
    old, new = before.stored(), now.stored()
    found = [key for key in new if key not in (*_NO_MATTER, "stages") and old[key] != new[key]]
    stages = {stage["name"]: stage for stage in old["stages"]}
    for stage in new["stages"]:
        known = stages.pop(stage["name"], None)
        if known is None:
            found.append(f"the stage {stage['name']} is new")
        else:
            found += [f"{key} of the stage {stage['name']}" for key in stage if known[key] != stage[key]]
    found += [f"the stage {name} is gone" for name in stages]
    if not found and [one["name"] for one in old["stages"]] != [one["name"] for one in new["stages"]]:
        found.append("the order of the stages")
    return found


# -- contest.toml --------------------------------------------------------------------------------------


class _Time(Validator):
    """A time with an offset: as TOML writes it, or as a text."""

    def accepts(self, value: object) -> bool:
        try:
            time = datetime.fromisoformat(value) if isinstance(value, str) else value
            return isinstance(time, datetime) and time.tzinfo is not None
        except ValueError:
            return False


class _Zone(Validator):
    def accepts(self, value: object) -> bool:
        try:
            return isinstance(value, str) and bool(ZoneInfo(value))
        except (ValueError, OSError, ZoneInfoNotFoundError):
            return False


class _Address(Text):
    """The address of a server, without a path."""

    def accepts(self, value: object) -> bool:
        return super().accepts(value) and address_parts(str(value)) is not None


_Document = Mapping[str, Any]


def _tiebreaks(*names: str) -> ListOf:
    return ListOf(Word(names), "a list, without repeats, of " + ", ".join(names), unique=True)


def _declared(values: type[Any]) -> dict[str, Validator]:
    """Return what each field of a class accepts in the file."""
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(values, include_extras=True).items()}


_CONTEST: Mapping[str, Validator] = {
    "name": NON_EMPTY, "game": NON_EMPTY, "maps": TEXTS, "isolation": Word(KEYS),
    "broken_bots": Word(("exclude", "refuse")), "suspend_after": Whole(0, 999),
    "void_replays": Whole(0, 9), "matches_at_once": Whole(0, 1024), "rated": Flag(), "allow_remote": Flag(),
    "seed": SEED, "id": NAME,
}  # fmt: skip
_STAGE_COMMON: Mapping[str, Validator] = {"name": NAME, "advance": Whole(2, 4096), "only": NAME, "maps": TEXTS}
_GAMES = {"games": Whole(1, 1000)}
_RESULTS: Mapping[str, Validator] = {
    **_GAMES, "points": Word(("game", "encounter")), "tiebreaks": _tiebreaks(*FOR_TWO, "payoffs"),
}  # fmt: skip
_TABLE: Mapping[str, Validator] = {"table": Whole(3, 64)}
_BRACKET: Mapping[str, Validator] = {"best_of": Whole(1, 99), "extra_pairs": Whole(0, 9), "sudden_death": Whole(0, 99)}
_STAGES: Mapping[str, Mapping[str, Validator]] = {
    "round_robin": {**_RESULTS, "rounds": Whole(1, 1000)},
    "gauntlet": {**_RESULTS, "rounds": Whole(1, 1000), "champions": TEXTS},
    "swiss": {**_RESULTS, "rounds": Whole(1, 999)},
    "single_elimination": {**_BRACKET, "third_place": Flag()},
    "double_elimination": {**_BRACKET, "reset": Flag()},
    "triple_elimination": _BRACKET,
    "quadruple_elimination": _BRACKET,
    "groups": {**_RESULTS, "rounds": Whole(1, 1000), "groups": Whole(1, 512)},
    "free_for_all": {**_TABLE, **_GAMES, "rounds": Whole(1, 999), "tiebreaks": _tiebreaks(*AT_TABLES)},
    "elimination_tables": {**_TABLE, **_GAMES, "winners": Whole(1, 62), "extra_games": Whole(0, 99)},
    "ladder": {"table": Whole(2, 64), "rated_matches": Whole(0, 1_000_000)},
}  # fmt: skip
_NEEDED = {
    "groups": ("groups",),
    "swiss": ("rounds",),
    "free_for_all": ("rounds", "table"),
    "elimination_tables": ("table",),
}
STAGE = Variants("format", _STAGES, _STAGE_COMMON, (), _NEEDED)
_FILE = table_of(
    {
        "contest": table_of(_CONTEST, "name", "game"),
        **MATCH_TABLES,
        "remote": table_of(REMOTE_FIELDS, "listen"),
        "people": table_of(_declared(PeopleConfig)),
        "groups": TableOf({}, (), "a table of group = title", NON_EMPTY),
        "bots": ListOf(table_of(_declared(BotEntry), "path"), lengths=(1, 1_000_000)),
        "stages": ListOf(STAGE, lengths=(1, 1_000_000)),
    },
    "contest",
)


def _defects(document: _Document) -> Iterator[Defect]:
    """Find all defects: first in single values, then in combinations of values."""
    needed = ("stages",) if "people" in document else ("bots", "stages")
    tables = {key: document.get(key) for key in ("bots", "stages")}
    unusable = [key for key, value in tables.items() if not isinstance(value, list) or not value]
    yield from _FILE.defects({key: value for key, value in document.items() if key not in unusable})
    for key in unusable:
        if key in needed or key in document:
            yield Defect(key, f"must be given at least once, as [[{key}]].")
    if "bots" not in unusable:
        yield from _bot_defects(document, [bot for bot in document["bots"] if isinstance(bot, dict)])
        yield from _remote_defects(document)
    if "stages" not in unusable:
        yield from _stage_defects(document, [one if isinstance(one, dict) else {} for one in document["stages"]])


def _groups_of(document: _Document) -> list[str]:
    groups = document.get("groups")
    return [*groups] if isinstance(groups, dict) else []


def _bot_defects(document: _Document, bots: list[_Document]) -> Iterator[Defect]:
    known = _groups_of(document)
    for index, bot in enumerate(bots):
        if bot.get("many") and ("name" in bot or "skill" in bot):
            key = "name" if "name" in bot else "skill"
            yield Defect(f"bots[{index}].{key}", "cannot be given to a folder of many bots.")
        for group in bot.get("groups", ()) if isinstance(bot.get("groups"), list) else ():
            if group not in known:
                yield Defect(f"bots[{index}].groups", f"names {group!r}, which is not in [groups].")
    for name in _repeated([bot["name"] for bot in bots if isinstance(bot.get("name"), str)]):
        yield Defect("bots", f"has the name {name!r} twice.")


def _remote_defects(document: _Document) -> Iterator[Defect]:
    top = document.get("contest")
    top = top if isinstance(top, dict) else {}
    isolation = top.get("isolation", ISOLATION)
    for index, bot in enumerate(document["bots"]):
        if not isinstance(bot, dict) or bot.get("path") != REMOTE:
            continue
        if not top.get("allow_remote"):
            yield Defect(f"bots[{index}].path", "is remote, which needs allow_remote = true under [contest].")
        elif isolation != KEYS[0]:
            text = f'is remote, so that nobody here isolates it, and isolation = "{isolation}" is required. Set'
            yield Defect(f"bots[{index}].path", f'{text} isolation = "{KEYS[0]}", or let the bot run here.')
        elif "remote" not in document:
            yield Defect(f"bots[{index}].path", 'is remote, which needs [remote] with listen = "tcp://0.0.0.0:5555".')
        if "name" not in bot:
            yield Defect(f"bots[{index}].name", "is missing. A remote bot needs a name.", "missing")


def _stage_defects(document: _Document, stages: list[_Document]) -> Iterator[Defect]:
    if "advance" in stages[0]:
        yield Defect("stages[0].advance", "has no meaning in the first stage.")
    names = [stage.get("name", stage.get("format")) for stage in stages]
    for name in _repeated([name for name in names if isinstance(name, str)]):
        yield Defect("stages", f"has the name {name!r} twice; give each stage its own name.")
    for index, stage in enumerate(stages):
        yield from _defects_of_stage(f"stages[{index}]", stage, _groups_of(document))


def _defects_of_stage(place: str, stage: _Document, groups: list[str]) -> Iterator[Defect]:
    name, size, winners = stage.get("name", stage.get("format")), stage.get("table"), stage.get("winners")
    if name in KINDS and (name, stage.get("format")) != (LADDER, LADDER):
        yield Defect(f"{place}.name", f"is {name!r}, which is the name of matches of the ladder.")
    elif stage.get("format") == LADDER != name:
        yield Defect(f"{place}.name", f"must be {LADDER!r}: a contest has one ladder.")
    if isinstance(stage.get("only"), str) and stage["only"] not in groups:
        yield Defect(f"{place}.only", f"names {stage['only']!r}, which is not in [groups].")
    if isinstance(size, int) and isinstance(winners, int) and winners > max(1, size - 2):
        text = f"must be {max(1, size - 2)} at most: a table of {size} may have one bot less, and one must be out."
        yield Defect(f"{place}.winners", text)


def _repeated(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def stage_from(table: _Document) -> StageConfig:
    """Return a stage from a table of `contest.toml` without defects."""
    return convert({"name": table["format"], **_defaults(table), **table}, StageConfig)


def _defaults(table: _Document) -> dict[str, Any]:
    """Return the defaults of a stage with tables. Elimination tables play `table` games, one for each seat."""
    if table["format"] not in TABLE_FORMATS:
        return {}
    if table["format"] == "free_for_all":
        return {"games": 1, "tiebreaks": AT_TABLES}
    return {"games": table["table"], "winners": table["table"] // 2, "extra_games": 3, "tiebreaks": AT_TABLES}


def read_config(text: str, source: str = FILE) -> ContestConfig:
    """Return the configuration in a text, without what only the game knows."""
    document = parsed(text, source, _defects, "Nothing was started.")
    top = {**document["contest"], **match_settings(document)}
    top["seed"] = str(top.get("seed", ""))
    top["remote"], top["groups"] = pairs(document.get("remote", {})), [*document.get("groups", {}).items()]
    if "people" in document:
        deadline = document["people"].get("deadline", "")
        written = deadline.isoformat() if isinstance(deadline, datetime) else deadline
        top["people"] = {**document["people"], "deadline": written}
    stages = [stage_from(table) for table in document["stages"]]
    return convert({**top, "bots": document.get("bots", ()), "stages": stages}, ContestConfig)


def read_config_file(path: Path) -> tuple[ContestConfig, GameSpec]:
    """Read and check a file, with its game. No bot is read."""
    config = read_config(config_text(path, "Write one with `arena contest init GAME BOTS...`."), path.name)
    game = find_game(config.game)
    config = replace(config, rules=PairingRules(game.legs, (game.player_counts[0], game.player_counts[-1])))
    defects = [defect for stage in config.stages if (defect := defect_of(stage, game))]
    if "players" in dict(config.options) and len(game.player_counts) > 1:
        defects.append(
            "Remove the option players: each match has as many players as sit at its table. Set `table` in the stages."
        )
    if defects:
        raise ArenaError("\n".join(defects), exit_code=ExitCode.BAD_LEAGUE)
    config.check(game, [name for stage in config.stages for name in stage.maps])
    return config, game


def formats_of(game: GameSpec) -> list[str]:
    """Return the formats in which stages of the game can be played, without the ladder."""
    stages = [StageConfig(name, name, table=usual_table(game) if name in TABLE_FORMATS else 0) for name in _STAGES]
    return [one.format for one in stages if one.format != LADDER and not defect_of(one, game)]


def defect_of(stage: StageConfig, game: GameSpec) -> str:
    """Return why the game does not allow a stage, such as for its number of players; empty if it does."""
    counts, name, usual = game.player_counts, stage.format, f"table = {usual_table(game)}"
    at_tables = name in TABLE_FORMATS or stage.table > 2
    players = f"and {game.name} is for {game.describe_players()}."
    defect = ""
    if game.state.cooperative and ("elimination" in name or name == LADDER):
        use = "round_robin, or free_for_all with a table"
        defect = f"{name} needs winners, and in {game.name} all play together. Use {use}."
    elif not at_tables and 2 not in counts:
        use = LADDER if name == LADDER else "elimination_tables" if "elimination" in name else "free_for_all"
        defect = f"{name} is for two players, {players} Use {use} with {usual}."
    elif at_tables and counts[-1] < 3:
        use = {"free_for_all": "swiss", "elimination_tables": "single_elimination"}.get(name, "ladder without table")
        defect = f"{name} is for three players or more, {players} Use {use}."
    elif at_tables and stage.table not in counts:
        defect = f"table is {stage.table}, {players}"
    return f"Stage {stage.name!r}: {defect}" if defect else ""


# The configuration that ``arena contest init`` writes. Its text is `contest.toml.jinja`.

_LEAST, _SPAN = 15.0, 15.0
"""In a new term, the built-in bots have skills from `_LEAST` to `_LEAST` + `_SPAN`."""


def template(game: GameSpec, bots: Sequence[str], *, people: bool = False) -> str:
    """Return a commented configuration for some bots.

    Args:
        people: Whether teams hand in bots for a ladder; then the built-in bots are its anchors.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, autoescape=False, trim_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"quoted": partial(json.dumps, ensure_ascii=False), "seconds": _seconds}
    step = _SPAN / max(1, len(game.bots) - 1)
    return environment.get_template("contest.toml.jinja").render(
        game=game,
        people=people,
        table=usual_table(game),
        bots=[(bot, _is_full_of_bots(Path(bot))) for bot in bots],
        anchors=[(bot.name, _LEAST + index * step) for index, bot in enumerate(game.bots)],
    )


def _is_full_of_bots(path: Path) -> bool:
    return path.is_dir() and not (path / "bot.toml").is_file() and not (path / "main.py").is_file()


def _seconds(value: float | None) -> str:
    return '"none"' if value is None else f"{value:g}"
