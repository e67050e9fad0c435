"""Read and check `contest.toml`: all defects are reported at once, each with its line.

First each value is checked for itself, by the validators of the tables below and those with which the fields of
`config` are annotated; then what values say together. Only then is anything converted, so that `read_config` never
fails. What only the game knows, such as the numbers of players, is checked by `read_config_file` at the end.

A setting of a stage is a field of `StageConfig` and an entry of `_STAGES`. `contest.toml.jinja` is the file that
`arena contest init` writes (`template`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from msgspec import convert

from arena.contests.config import (
    FILE,
    TABLE_FORMATS,
    BotEntry,
    ContestConfig,
    PairingRules,
    PeopleConfig,
    StageConfig,
    WebhookConfig,
    moment_of,
    with_offset,
)
from arena.contests.tiebreaks import AT_TABLES, FOR_TWO
from arena.contests.values import KINDS, LADDER
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.game.validation import NON_EMPTY, Defect, Flag, ListOf, TableOf, Validator, Whole, Word
from arena.match.isolation import KEYS
from arena.match.job import REMOTE
from arena.match.lookup import find_game, usual_table
from arena.match.settings import (
    ISOLATION,
    MATCH_TABLES,
    NAME,
    SEED,
    TEXTS,
    match_settings,
    pairs,
    table_of,
)
from arena.play.seats.ticket import REMOTE_FIELDS
from arena.text.toml_files import Variants, config_text, parsed

_Document = Mapping[str, Any]


def _tiebreaks(*names: str) -> ListOf:
    return ListOf(Word(names), "a list, without repeats, of " + ", ".join(names), unique=True)


def _declared(values: type[Any]) -> dict[str, Validator]:
    """Return what each field of a class accepts in the file."""
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(values, include_extras=True).items()}


_CONTEST: Mapping[str, Validator] = {
    "name": NON_EMPTY,
    "game": NON_EMPTY,
    "maps": TEXTS,
    "isolation": Word(KEYS),
    "broken_bots": Word(("exclude", "refuse")),
    "suspend_after": Whole(0, 999),
    "void_replays": Whole(0, 9),
    "matches_at_once": Whole(0, 1024),
    "rated": Flag(),
    "allow_remote": Flag(),
    "seed": SEED,
    "id": NAME,
}


_STAGE_COMMON: Mapping[str, Validator] = {"name": NAME, "advance": Whole(2, 4096), "only": NAME, "maps": TEXTS}


_GAMES = {"games": Whole(1, 1000)}


_RESULTS: Mapping[str, Validator] = {
    **_GAMES,
    "points": Word(("game", "encounter")),
    "tiebreaks": _tiebreaks(*FOR_TWO, "payoffs"),
}


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
}


_NEEDED = {
    "groups": ("groups",),
    "swiss": ("rounds",),
    "free_for_all": ("rounds", "table"),
    "elimination_tables": ("table",),
}


STAGE = Variants("format", _STAGES, _STAGE_COMMON, (), _NEEDED)


class _Group(Validator):
    """The title of a group, or a table with it."""

    _TABLE = table_of({"title": NON_EMPTY, "prizes": Flag()}, "title")

    def defects(self, value: object, path: str = "") -> Iterator[Defect]:
        if isinstance(value, dict):
            yield from self._TABLE.defects(value, path)
        elif not NON_EMPTY.accepts(value):
            yield from super().defects(value, path)

    def accepts(self, value: object) -> bool:
        return not isinstance(value, dict) and NON_EMPTY.accepts(value)


_PEOPLE = _declared(PeopleConfig)


_FILE = table_of(
    {
        "contest": table_of(_CONTEST, "name", "game"),
        **MATCH_TABLES,
        "remote": table_of(REMOTE_FIELDS, "listen"),
        "people": table_of(_PEOPLE),
        "webhook": table_of(_declared(WebhookConfig), "url", "secret"),
        "groups": TableOf({}, (), "a table of group = title", _Group("a title, or a table with a title")),
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
    if isinstance(document.get("people"), dict):
        yield from _time_defects(document["people"])
    if "stages" not in unusable:
        stages: list[_Document] = [stage if isinstance(stage, dict) else {} for stage in document["stages"]]
        yield from _stage_defects(document, stages)


def _groups_of(document: _Document) -> list[str]:
    groups = document.get("groups")
    return [*groups] if isinstance(groups, dict) else []


def _bot_defects(document: _Document, bots: list[_Document]) -> Iterator[Defect]:
    declared = _groups_of(document)
    for index, bot in enumerate(bots):
        if (bot.get("many") or str(bot.get("path")).endswith(".tar")) and ("name" in bot or "skill" in bot):
            key = "name" if "name" in bot else "skill"
            yield Defect(f"bots[{index}].{key}", "cannot be given to many bots.")
        groups = bot.get("groups")
        for group in groups if isinstance(groups, list) else ():
            if group not in declared:
                yield Defect(f"bots[{index}].groups", f"names {group!r}, which is not in [groups].")
    for name in _repeated([bot["name"] for bot in bots if isinstance(bot.get("name"), str)]):
        yield Defect("bots", f"has the name {name!r} twice.")


def _remote_defects(document: _Document) -> Iterator[Defect]:
    contest = document.get("contest")
    contest = contest if isinstance(contest, dict) else {}
    isolation = contest.get("isolation", ISOLATION)
    for index, bot in enumerate(document["bots"]):
        if not isinstance(bot, dict) or bot.get("path") != REMOTE:
            continue
        if not contest.get("allow_remote"):
            yield Defect(f"bots[{index}].path", "is remote, which needs allow_remote = true under [contest].")
        elif isolation != KEYS[0]:
            text = f'is remote, so that nobody here isolates it, and isolation = "{isolation}" is required. Set'
            yield Defect(f"bots[{index}].path", f'{text} isolation = "{KEYS[0]}", or let the bot run here.')
        elif "remote" not in document:
            yield Defect(f"bots[{index}].path", 'is remote, which needs [remote] with listen = "tcp://0.0.0.0:5555".')
        if "name" not in bot:
            yield Defect(f"bots[{index}].name", "is missing. A remote bot needs a name.", "missing")


_TIMES = ("opens", "deadline")


def _time_defects(people: _Document) -> Iterator[Defect]:
    """Find times without an offset or a zone, and a deadline that comes first."""
    zone = people.get("time_zone", "")
    if zone and not _PEOPLE["time_zone"].accepts(zone):
        return
    times = {key: moment_of(people.get(key)) for key in _TIMES}
    for key, time in times.items():
        if time is not None and with_offset(time, zone) is None:
            yield Defect(f"people.{key}", "has no offset. Write one, such as +01:00, or set time_zone.")
    opens, deadline = (with_offset(time, zone) for time in times.values())
    if opens and deadline and deadline <= opens:
        yield Defect("people.deadline", "must be after opens.")


def _stage_defects(document: _Document, stages: list[_Document]) -> Iterator[Defect]:
    if "advance" in stages[0]:
        yield Defect("stages[0].advance", "has no meaning in the first stage.")
    names = [stage.get("name", stage.get("format")) for stage in stages]
    for name in _repeated([name for name in names if isinstance(name, str)]):
        yield Defect("stages", f"has the name {name!r} twice; give each stage its own name.")
    for index, stage in enumerate(stages):
        yield from _defects_of_stage(f"stages[{index}]", stage, _groups_of(document))


def _defects_of_stage(key: str, stage: _Document, groups: list[str]) -> Iterator[Defect]:
    name, size, winners = stage.get("name", stage.get("format")), stage.get("table"), stage.get("winners")
    if name in KINDS and (name, stage.get("format")) != (LADDER, LADDER):
        yield Defect(f"{key}.name", f"is {name!r}, which is the name of matches of the ladder.")
    elif stage.get("format") == LADDER != name:
        yield Defect(f"{key}.name", f"must be {LADDER!r}: a contest has one ladder.")
    if isinstance(stage.get("only"), str) and stage["only"] not in groups:
        yield Defect(f"{key}.only", f"names {stage['only']!r}, which is not in [groups].")
    if isinstance(size, int) and isinstance(winners, int) and winners > max(1, size - 2):
        text = f"must be {max(1, size - 2)} at most: a table of {size} may have one bot less, and one must be out."
        yield Defect(f"{key}.winners", text)


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
    fields = {**document["contest"], **match_settings(document)}
    fields["seed"] = str(fields.get("seed", ""))
    fields["remote"] = pairs(document.get("remote", {}))
    groups = {
        name: one if isinstance(one, dict) else {"title": one} for name, one in document.get("groups", {}).items()
    }
    fields["groups"] = [(name, group["title"]) for name, group in groups.items()]
    fields["without_prizes"] = [name for name, group in groups.items() if not group.get("prizes", True)]
    fields["webhook"] = document.get("webhook")
    fields["bots"] = document.get("bots", ())
    fields["stages"] = [stage_from(table) for table in document["stages"]]
    if "people" in document:
        people = document["people"]
        times = {key: with_offset(people[key], people.get("time_zone", "")) for key in _TIMES if key in people}
        fields["people"] = people | {key: time.isoformat() for key, time in times.items() if time}
    return convert(fields, ContestConfig)


def read_config_file(path: Path) -> tuple[ContestConfig, GameSpec]:
    """Read and check a file, with its game. No bot is read."""
    config = read_config(config_text(path, "Write one with `arena contest init GAME BOTS...`."), path.name)
    game = find_game(config.game)
    config = replace(config, rules=PairingRules(game.legs, (game.player_counts[0], game.player_counts[-1])))
    defects = [defect_of(stage, game) for stage in config.stages]
    defects = [defect for defect in defects if defect]
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
    return [stage.format for stage in stages if stage.format != LADDER and not defect_of(stage, game)]


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


_LEAST, _SPAN = 15.0, 15.0
"""In a new term, the built-in bots have skills from `_LEAST` to `_LEAST` + `_SPAN`: a new team begins at 25, so that it
is as good as a bot of the upper half. They are a guess, which organizers change; ratings are then computed again."""

# -- the file that ``arena contest init`` writes -----------------------------------------------------------


def template(game: GameSpec, bots: Sequence[str], *, people: bool = False) -> str:
    """Return a commented configuration for some bots.

    Args:
        people: Whether teams hand in bots for a ladder; then the built-in bots are its anchors.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
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
