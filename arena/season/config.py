"""The configuration of a season: `season.toml`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.game.validation import NON_EMPTY, Flag, Number, Table, Text, Validator, Whole, Word
from arena.match.isolation import KEYS
from arena.match.lookup import find_game, refuse_cooperative, usual_table
from arena.match.settings import MatchSettings
from arena.match.settings_tables import MATCH_TABLES, TEXTS, match_settings
from arena.text.addresses import address_parts
from arena.text.toml_files import config_text, parsed

FILE = "season.toml"
_LEAST, _SPAN = 15.0, 15.0
"""In a new configuration, the built-in bots have skills from `_LEAST` to `_LEAST` + `_SPAN`."""


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


_FIELDS: Mapping[str, Mapping[str, Validator]] = {
    "season": {
        "name": NON_EMPTY, "game": NON_EMPTY, "maps": TEXTS, "isolation": Word(KEYS),
        "deadline": _Time("an offset date-time such as 2027-01-31T18:00:00+01:00"),
        "public": Flag(), "public_replays": Flag(),
        "time_zone": _Zone('the name of a time zone such as "Europe/Berlin"'),
        "address": _Address(r"https?://[^/\s]+", 'an address such as "https://arena.example.org"'),
    },
    "handing_in": {
        "largest_mib": Whole(1, 128), "per_day": Whole(1, 1000), "refused_per_day": Whole(1, 1000),
        "storage_mib": Whole(1, 1_048_576),
        "waiting": Whole(1, 100), "check_seconds_per_day": Whole(1, 86_400), "checks_at_once": Whole(0, 64),
    },
    "ladder": {
        "matches_at_once": Whole(0, 1024), "rated_matches": Whole(0, 1_000_000), "challenges_per_day": Whole(0, 1000),
        "table": Whole(2, 64),
    },
}  # fmt: skip
_SEASON = Table(
    {
        **{
            key: Table(fields, ("name", "game") if key == "season" else (), "a table")
            for key, fields in _FIELDS.items()
        },
        "anchors": Table({}, (), "a table of built-in bot = skill", Number(-1000, 1000)),
        **MATCH_TABLES,
    },
    ("season",),
    "a table",
)


@dataclass(frozen=True, slots=True)
class SeasonConfig(MatchSettings):
    """The whole configuration of a season: the settings of its matches, and the rules of the season.

    Attributes:
        deadline: From this time on, new versions are late; empty for no deadline.
        time_zone: The zone of the times on the pages; if empty, that of the deadline, or UTC without a deadline.
        public: Whether the pages can be read without signing in.
        address: The server's address in links; if empty, each link gets the address of the request.
        largest_mib: The limit for an upload, in MiB.
        per_day: The number of versions that a team is allowed to hand in within 24 hours.
        refused_per_day: The number of refused uploads within 24 hours after which a team has to wait.
        storage_mib: The limit for all versions of a team and their builds on the disk, in MiB.
        check_seconds_per_day: The time that the checks of a team can take within 24 hours before further checks wait.
        rated_matches: After this number of rated matches, a version plays only as an opponent of others; 0 for no
            limit.
        challenges_per_day: The number of challenges that a team is allowed to start within 24 hours.
        table: The number of players of a match. 0 stands for 2 if the game allows 2, else for the game's usual number.
        anchors: The skills of the built-in bots, which never change.
    """

    name: str
    deadline: str = ""
    time_zone: str = ""
    public: bool = True
    public_replays: bool = True
    address: str = ""
    largest_mib: int = 16
    per_day: int = 20
    refused_per_day: int = 50
    storage_mib: int = 2048
    waiting: int = 2
    check_seconds_per_day: int = 1800
    checks_at_once: int = 0
    matches_at_once: int = 0
    rated_matches: int = 200
    challenges_per_day: int = 10
    table: int = 0
    anchors: tuple[tuple[str, float], ...] = ()

    def to_document(self) -> dict[str, Any]:
        return asdict(self)

    def shown_time(self, at: str | datetime) -> str:
        """Return a time in the zone of the season, with the name of the zone, such as "2027-01-31 18:00 CET"."""
        time = datetime.fromisoformat(at) if isinstance(at, str) else at
        zone: tzinfo | None = ZoneInfo(self.time_zone) if self.time_zone else None
        if zone is None:
            zone = datetime.fromisoformat(self.deadline).tzinfo if self.deadline else UTC
        return f"{time.astimezone(zone):%Y-%m-%d %H:%M %Z}"

    def is_late(self, now: datetime) -> bool:
        return bool(self.deadline) and now >= datetime.fromisoformat(self.deadline).astimezone(UTC)


def read_season(path: Path) -> tuple[SeasonConfig, GameSpec]:
    text = config_text(path, "Write one with `arena season init GAME`.")
    document = parsed(text, path.name, _SEASON.defects, "Nothing was started.")
    values: dict[str, Any] = {key: value for name in _FIELDS for key, value in document.get(name, {}).items()}
    if isinstance(values.get("deadline"), datetime):
        values["deadline"] = values["deadline"].isoformat()
    values["maps"] = tuple(values.get("maps", ()))
    values["anchors"] = tuple((name, float(value)) for name, value in document.get("anchors", {}).items())
    config = SeasonConfig(**values | match_settings(document))
    game = find_game(config.game)
    refuse_cooperative(game, "A season")
    _check(config, game, path.name)
    return config, game


def _check(config: SeasonConfig, game: GameSpec, source: str) -> None:
    known = [bot.name for bot in game.bots]
    defects = [
        f"{source}: anchors.{name} is not a built-in bot of {game.name}. It has {', '.join(known) or 'none'}."
        for name, _ in config.anchors
        if name not in known
    ]
    if config.table and config.table not in game.player_counts:
        defects.append(f"{source}: table is {config.table}, and {game.name} is for {game.describe_players()}.")
    if "players" in dict(config.options) and len(game.player_counts) > 1:
        defects.append(f"{source}: Remove the option players. Set `table` in [ladder].")
    if defects:
        raise ArenaError("\n".join(defects), hint="Nothing was started.", exit_code=ExitCode.BAD_LEAGUE)
    config.check(game)


def table_size(config: SeasonConfig, game: GameSpec) -> int:
    return config.table or (2 if 2 in game.player_counts else usual_table(game))


def template(game: GameSpec) -> str:
    bots = [bot.name for bot in game.bots]
    step = _SPAN / max(1, len(bots) - 1)
    anchors = [f"{name} = {_LEAST + index * step:.1f}" for index, name in enumerate(bots)]
    clock = game.clock
    bank, turn = ('"none"' if value is None else f"{value:g}" for value in (clock.bank, clock.turn))
    return f"""\
# A season. `arena season serve` runs it, and continues it when it is started again.

[season]
name = "{game.title} season"
game = "{game.name}"
# maps = ["NAME"]                           # played in turn; without this line: the game's default
isolation = "bwrap"                         # the lowest accepted level: none, limits, bwrap, bwrap+cgroup
# deadline = "2027-01-31T18:00:00+01:00"    # later versions are kept and marked, but do not play
# time_zone = "Europe/Berlin"               # of the times on the pages; without this line: that of the deadline, or UTC
public = true                               # whether the pages can be read without signing in
public_replays = true                       # whether all readers may watch matches; logs are always private
# address = "https://arena.example.org"     # the address in links, behind a reverse proxy

[handing_in]                                # limits for each team
largest_mib = 16
per_day = 20
refused_per_day = 50                        # refused uploads after which a team has to wait
storage_mib = 2048                          # on the disk, for all versions and their builds
waiting = 2                                 # versions that wait for their check
check_seconds_per_day = 1800                # a check takes seconds; beyond this, the checks of a team wait
# checks_at_once = 1                        # without this line: one check for each two cores

[ladder]
# matches_at_once = 2                       # without this line: one match on each core
rated_matches = 200                         # a version rests after this many rated matches; 0: never
challenges_per_day = 10
# table = 4                                 # players of a match, in games for several numbers of players

[anchors]                                   # skills of the built-in bots, which never change; a new team has 25
{chr(10).join(anchors)}

[clock]                                     # seconds for each player
bank = {bank}
increment = {clock.increment:g}
turn = {turn}

# [options]                                 # options of the game; `arena games {game.name}` lists them
# [policy]                                  # the cost of violations
# timeout = "forfeit"                       # or "skip", "strike"
# [limits]                                  # what each bot may use of the machine
# memory = "512 MiB"
"""
