"""The configuration of a contest as values: what `contest.toml` can say, with the defaults.

`config_file` reads and checks the file, `config_bots` finds its bots. The journal stores the configuration as it is
here (`ContestConfig.stored`), so that names of fields are a format: a renamed field makes old journals unreadable.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from arena.contests.tiebreaks import FOR_TWO
from arena.contests.values import LADDER
from arena.game.validation import NON_EMPTY, Flag, ListOf, Number, Text, Validator, Whole, Word
from arena.match.settings import (
    NAME,
    TEXTS,
    MatchSettings,
    Scalar,
)
from arena.match.void import RETRIES
from arena.text.reading import address_parts

FILE = "contest.toml"
SECRET = "whsec_"
"""Stands before the secret of a webhook."""
TABLE_FORMATS = ("free_for_all", "elimination_tables")
"""The formats that need tables of more than two players. A ladder can have tables or encounters of two players."""
LOSSES: Mapping[str, int] = {
    "single_elimination": 1,
    "double_elimination": 2,
    "triple_elimination": 3,
    "quadruple_elimination": 4,
}
"""The number of losses after which a bot is out, in formats for two players."""
SUDDEN_DEATH = 3
"""The default of further pairs of games of a tied knockout. Chosen, not measured: bots that are still level after three
more pairs mostly play the same game again, and then the seed decides."""


@dataclass(frozen=True, slots=True)
class BotEntry:
    """One entry of the list of bots. Each field is `Annotated` with what the file can have there.

    Attributes:
        path: A bot: a file, a folder, an archive, ``builtin:NAME``, ``remote``, or a player of another distribution.
            If `many`: a folder of bots. The archive of an earlier contest, a ``.tar`` file, has many bots too: anchors
            with their skills.
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
        exhibition: Whether it stands beside the contest: all who play take part, in the order of the ladder, and
            neither the next stage nor the final order depends on it. Only organizers begin such a stage.
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
    exhibition: bool = False

    def renamed(self, names: Mapping[str, str]) -> StageConfig:
        """Return the stage with other names for entrants: the journal has their ids."""
        return replace(self, champions=tuple([names.get(champion, champion) for champion in self.champions]))


@dataclass(frozen=True, slots=True)
class PeopleConfig:
    """The rules for people who take part. Each field is `Annotated` with what the file can have there.

    Attributes:
        opens: Until this time, only organizers see anything of the game, and nobody hands in; empty if it is open.
        deadline: From this time on, new versions are late; empty for no deadline.
        time_zone: The zone of the times on the pages, and of times without an offset; if empty, the zone of the
            deadline, else that of `opens`, else UTC.
        public: Whether the pages can be read without signing in.
        public_replays: Whether all readers may watch matches.
        anonymous: Whether only organizers and the team itself see the name of a team, until they reveal it.
        address: The server's address in links; if empty, each link gets the address of the request.
        largest_mib: The limit for an upload, in MiB.
        per_day: The number of versions that a team is allowed to hand in within 24 hours.
        refused_per_day: The number of refused uploads within 24 hours after which a team has to wait.
        storage_mib: The limit for all versions of a team and their builds on the disk, in MiB.
        waiting: The number of versions of a team that can wait for their check.
        check_seconds_per_day: The time that the checks of a team can take within 24 hours before further checks wait.
        checks_at_once: The number of checks at the same time; 0 for one for each two cores.
        challenges_per_day: The number of challenges that a team is allowed to start within 24 hours.
        keep_people_days: After so many days without a result or hand-in, everybody but organizers is erased; 0: never.
        keep_sources_days: After so many days without a match, the files of a version are removed; those of an active
            one only when the whole contest has been quiet for as long. 0: never.
    """

    opens: Annotated[str, _TIME] = ""
    deadline: Annotated[str, _TIME] = ""
    time_zone: Annotated[str, _Zone('the name of a time zone such as "Europe/Berlin"')] = ""
    public: Annotated[bool, Flag()] = True
    public_replays: Annotated[bool, Flag()] = True
    anonymous: Annotated[bool, Flag()] = False
    address: Annotated[str, _Address(r"https?://[^/\s]+", 'an address such as "https://arena.example.org"')] = ""
    largest_mib: Annotated[int, Whole(1, 128)] = 16
    per_day: Annotated[int, Whole(1, 1000)] = 20
    refused_per_day: Annotated[int, Whole(1, 1000)] = 50
    storage_mib: Annotated[int, Whole(1, 1_048_576)] = 2048
    waiting: Annotated[int, Whole(1, 100)] = 2
    check_seconds_per_day: Annotated[int, Whole(1, 86_400)] = 1800
    checks_at_once: Annotated[int, Whole(0, 64)] = 0
    challenges_per_day: Annotated[int, Whole(0, 1000)] = 10
    keep_people_days: Annotated[int, Whole(0, 3650)] = 0
    keep_sources_days: Annotated[int, Whole(0, 3650)] = 0

    def shown_time(self, at: str | datetime) -> str:
        """Return a time in the zone of the contest, with the name of the zone, such as "2027-01-31 18:00 CET"."""
        time = datetime.fromisoformat(at) if isinstance(at, str) else at
        zone: tzinfo | None = ZoneInfo(self.time_zone) if self.time_zone else None
        if zone is None:
            given = self.deadline or self.opens
            zone = datetime.fromisoformat(given).tzinfo if given else UTC
        return f"{time.astimezone(zone):%Y-%m-%d %H:%M %Z}"

    def has_opened(self, now: datetime) -> bool:
        return not self.opens or now >= datetime.fromisoformat(self.opens)

    def is_late(self, now: datetime) -> bool:
        return bool(self.deadline) and now >= datetime.fromisoformat(self.deadline)


EVENTS = ("check_failed", "deadline_near", "stage_begun", "crashed")
"""What `arena.contests.webhook` can tell another program."""


@dataclass(frozen=True, slots=True)
class WebhookConfig:
    """Who is told what happens. Each field is `Annotated` with what the file can have there.

    Attributes:
        url: The address to which events are sent.
        secret: Signs what is sent, as Standard Webhooks writes secrets.
        events: Those of `EVENTS` that are sent.
    """

    url: Annotated[str, _Address(r"https?://\S+", 'an address such as "https://example.org/hooks/arena"')]
    secret: Annotated[str, _Secret('"whsec_" and 24 to 64 random bytes in Base64')]
    events: Annotated[
        tuple[str, ...], ListOf(Word(EVENTS), f"a list, without repeats, of {', '.join(EVENTS)}", unique=True)
    ] = EVENTS

    @property
    def key(self) -> bytes:
        """The bytes of the secret."""
        return b64decode(self.secret.removeprefix(SECRET), validate=True)


@dataclass(frozen=True, slots=True)
class ContestConfig(MatchSettings):
    """The whole configuration: the settings of the matches, the bots, the stages, and the rules for people.

    Attributes:
        people: None for a contest without people.
        webhook: None to tell nobody. The journal does not have it.
        groups: The groups that bots and teams can belong to, with their titles.
        without_prizes: Those of them whose members play and win no prize, such as guests.
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
    webhook: WebhookConfig | None = None
    groups: tuple[tuple[str, str], ...] = ()
    without_prizes: tuple[str, ...] = ()
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
        """Return the configuration as the journal stores it: without secrets, and without bots, which have entries."""
        return {key: value for key, value in asdict(self).items() if key not in ("bots", "seed", "webhook")}


_WITHOUT_EFFECT = (
    "bots",
    "matches_at_once",
    "rated",
    "allow_remote",
    "remote",
    "seed",
    "people",
    "groups",
    "without_prizes",
)
"""The keys of the configuration that affect neither who meets whom nor a result."""


def changes(before: ContestConfig, now: ContestConfig) -> list[str]:
    """Describe the differences of two versions of a configuration that affect who meets whom, or results."""
    old, new = before.stored(), now.stored()
    words = [key for key in new if key not in (*_WITHOUT_EFFECT, "stages") and old[key] != new[key]]
    old_stages = {stage["name"]: stage for stage in old["stages"]}
    new_stages = {stage["name"]: stage for stage in new["stages"]}
    for name, stage in new_stages.items():
        if name in old_stages:
            words += [f"{key} of the stage {name}" for key in stage if old_stages[name][key] != stage[key]]
        else:
            words.append(f"the stage {name} is new")
    words += [f"the stage {name} is gone" for name in old_stages if name not in new_stages]
    if not words and [*old_stages] != [*new_stages]:
        words.append("the order of the stages")
    return words


class _Time(Validator):
    """A date with a time: as TOML writes it, or as a text."""

    def accepts(self, value: object) -> bool:
        return moment_of(value) is not None


_TIME = _Time("a date-time such as 2027-01-31T18:00:00+01:00")


def moment_of(value: object) -> datetime | None:
    """Return a date-time of the file, with or without an offset; None if the value is none."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) and len(value) > len("2027-01-31") else value
    except ValueError:
        return None
    return time if isinstance(time, datetime) else None


def with_offset(value: object, time_zone: str) -> datetime | None:
    """Return a date-time of the file with an offset: its own, else that of the time zone. None if it has neither."""
    time = moment_of(value)
    if time is None or time.tzinfo is not None:
        return time
    return time.replace(tzinfo=ZoneInfo(time_zone)) if time_zone else None


class _Secret(Validator):
    def accepts(self, value: object) -> bool:
        try:
            encoded = value.removeprefix(SECRET) if isinstance(value, str) and value.startswith(SECRET) else ""
            return 24 <= len(b64decode(encoded, validate=True)) <= 64
        except ValueError:
            return False


class _Zone(Validator):
    def accepts(self, value: object) -> bool:
        try:
            return isinstance(value, str) and bool(ZoneInfo(value))
        except (ValueError, OSError, ZoneInfoNotFoundError):
            return False


class _Address(Text):
    """An address that can be asked."""

    def accepts(self, value: object) -> bool:
        return super().accepts(value) and address_parts(str(value)) is not None
