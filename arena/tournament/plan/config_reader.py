"""Read `league.toml`, and report all defects at once, each with its line in the file."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arena.game.validation import (
    NON_EMPTY,
    Defect,
    Flag,
    ListOf,
    Table,
    Validator,
    Whole,
    Word,
)
from arena.match.isolation import KEYS
from arena.match.job import REMOTE
from arena.match.settings import ISOLATION
from arena.match.settings_tables import MATCH_TABLES, NAME, SEED, TEXTS, match_settings, pairs, table_of
from arena.seats.ticket import REMOTE_FIELDS
from arena.text.toml_files import config_text, parsed
from arena.text.variants import Variants
from arena.contests.config import (
    TABLE_FORMATS,
    TABLE_TIEBREAKS,
    TIEBREAKS,
    BotEntry,
    StageConfig,
    TournamentConfig,
)

_Document = Mapping[str, Any]


def _tiebreaks(*names: str) -> ListOf:
    return ListOf(Word(names), "a list, without repeats, of " + ", ".join(names), unique=True)


_ROUNDS_BY_NAME = Table({}, (), "a table of bot name = round", Whole(1, 999))
_TOURNAMENT: Mapping[str, Validator] = {
    "name": NON_EMPTY, "game": NON_EMPTY, "maps": TEXTS, "isolation": Word(KEYS),
    "broken_bots": Word(("exclude", "refuse")), "suspend_after": Whole(0, 999),
    "void_replays": Whole(0, 9), "matches_at_once": Whole(0, 1024), "rated": Flag(),
    "allow_remote": Flag(),
    "seed": SEED, "id": NAME,
}  # fmt: skip
_STAGE_COMMON: Mapping[str, Validator] = {
    "name": NAME, "advance": Whole(2, 4096), "withdrawn": _ROUNDS_BY_NAME, "maps": TEXTS,
}  # fmt: skip
_GAMES = {"games": Whole(1, 1000)}
_RESULTS: Mapping[str, Validator] = {
    **_GAMES, "points": Word(("game", "encounter")), "tiebreaks": _tiebreaks(*TIEBREAKS, "payoffs"),
}  # fmt: skip
_TABLE: Mapping[str, Validator] = {"table": Whole(3, 64)}
_BRACKET: Mapping[str, Validator] = {"best_of": Whole(1, 99), "extra_pairs": Whole(0, 9), "sudden_death": Whole(0, 99)}
_STAGES: Mapping[str, Mapping[str, Validator]] = {
    "round_robin": {**_RESULTS, "rounds": Whole(1, 1000)},
    "gauntlet": {**_RESULTS, "rounds": Whole(1, 1000), "champions": TEXTS},
    "swiss": {**_RESULTS, "rounds": Whole(1, 999), "late": _ROUNDS_BY_NAME},
    "single_elimination": {**_BRACKET, "third_place": Flag()},
    "double_elimination": {**_BRACKET, "reset": Flag()},
    "groups": {**_RESULTS, "rounds": Whole(1, 1000), "groups": Whole(1, 512)},
    "ladder": {**_RESULTS, **_TABLE, "rounds": Whole(0, 1_000_000), "late": _ROUNDS_BY_NAME},
    "king_of_the_hill": {**_BRACKET, "rounds": Whole(0, 1_000_000), "late": _ROUNDS_BY_NAME},
    "free_for_all": {
        **_TABLE, **_GAMES, "rounds": Whole(1, 999), "late": _ROUNDS_BY_NAME, "tiebreaks": _tiebreaks(*TABLE_TIEBREAKS),
    },
    "elimination_tables": {**_TABLE, **_GAMES, "winners": Whole(1, 62), "extra_games": Whole(0, 99)},
}  # fmt: skip
_NEEDED = {
    "groups": ("groups",),
    "swiss": ("rounds",),
    "free_for_all": ("rounds", "table"),
    "elimination_tables": ("table",),
}
_LEAGUE = table_of(
    {
        "tournament": table_of(_TOURNAMENT, "name", "game"),
        **MATCH_TABLES,
        "remote": table_of(REMOTE_FIELDS, "listen"),
        "bots": ListOf(table_of({"path": NON_EMPTY, "name": NAME, "many": Flag()}, "path"), lengths=(1, 1_000_000)),
        "stages": ListOf(Variants("format", _STAGES, _STAGE_COMMON, (), _NEEDED), lengths=(1, 1_000_000)),
    },
    "tournament",
)


def _defects(document: _Document) -> Iterator[Defect]:
    """Find all defects: first in single values, then in combinations of values."""
    tables = {key: document.get(key) for key in ("bots", "stages")}
    unusable = [key for key, value in tables.items() if not isinstance(value, list) or not value]
    yield from _LEAGUE.defects({key: value for key, value in document.items() if key not in unusable})
    for key in unusable:
        yield Defect(key, f"must be given at least once, as [[{key}]].")
    if "bots" not in unusable:
        yield from _bot_defects([bot for bot in document["bots"] if isinstance(bot, dict)])
        yield from _remote_defects(document)
    if "stages" not in unusable:
        yield from _stage_defects(document["stages"])


def _bot_defects(bots: list[_Document]) -> Iterator[Defect]:
    for index, bot in enumerate(bots):
        if bot.get("many") and "name" in bot:
            yield Defect(f"bots[{index}].name", "cannot be given to a folder of many bots.")
    for name in _repeated([bot["name"] for bot in bots if isinstance(bot.get("name"), str)]):
        yield Defect("bots", f"has the name {name!r} twice.")


def _remote_defects(document: _Document) -> Iterator[Defect]:
    top = document.get("tournament")
    top = top if isinstance(top, dict) else {}
    isolation = top.get("isolation", ISOLATION)
    for index, bot in enumerate(document["bots"]):
        if not isinstance(bot, dict) or bot.get("path") != REMOTE:
            continue
        if not top.get("allow_remote"):
            yield Defect(f"bots[{index}].path", "is remote, which needs allow_remote = true under [tournament].")
        elif isolation != KEYS[0]:
            text = f'is remote, so that nobody here isolates it, and isolation = "{isolation}" is required. Set'
            yield Defect(f"bots[{index}].path", f'{text} isolation = "{KEYS[0]}", or let the bot run here.')
        elif "remote" not in document:
            yield Defect(f"bots[{index}].path", 'is remote, which needs [remote] with listen = "tcp://0.0.0.0:5555".')
        if "name" not in bot:
            yield Defect(f"bots[{index}].name", "is missing. A remote bot needs a name.", "missing")


def _stage_defects(stages: list[Any]) -> Iterator[Defect]:
    tables = [stage if isinstance(stage, dict) else {} for stage in stages]
    if "advance" in tables[0]:
        yield Defect("stages[0].advance", "has no meaning in the first stage.")
    names = [stage.get("name", stage.get("format")) for stage in tables]
    for name in _repeated([name for name in names if isinstance(name, str)]):
        yield Defect("stages", f"has the name {name!r} twice; give each stage its own name.")
    for index, stage in enumerate(tables[:-1]):
        if stage.get("format") in ("ladder", "king_of_the_hill") and stage.get("rounds", 0) == 0:
            yield Defect(f"stages[{index}].rounds", "is missing. Only the last stage may have no end.", "missing")
    for index, stage in enumerate(tables):
        size, winners = stage.get("table"), stage.get("winners")
        if isinstance(size, int) and isinstance(winners, int) and winners > max(1, size - 2):
            text = f"must be {max(1, size - 2)} at most: a table of {size} may have one bot less, and one must be out."
            yield Defect(f"stages[{index}].winners", text)


def _repeated(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _stage(table: _Document) -> StageConfig:
    values = {"name": table["format"], **_defaults(table), **table}
    for key in ("late", "withdrawn"):
        values[key] = pairs(values.get(key, {}))
    for key in ("champions", "tiebreaks", "maps"):
        if key in values:
            values[key] = tuple(values[key])
    return StageConfig(**values)


def _defaults(table: _Document) -> dict[str, Any]:
    """Return the defaults of a stage with tables. Elimination tables play `table` games, one for each seat."""
    if table["format"] not in TABLE_FORMATS:
        return {"games": 1} if "table" in table else {}
    if table["format"] == "free_for_all":
        return {"games": 1, "tiebreaks": TABLE_TIEBREAKS}
    return {"games": table["table"], "winners": table["table"] // 2, "extra_games": 3, "tiebreaks": TABLE_TIEBREAKS}


def read_config(text: str, source: str = "league.toml") -> TournamentConfig:
    document = parsed(text, source, _defects, "Nothing was started.")
    top = dict(document["tournament"])
    top["maps"] = tuple(top.get("maps", ()))
    top["seed"] = str(top.get("seed", ""))
    top |= match_settings(document)
    top["remote"] = pairs(document.get("remote", {}))
    bots = tuple(BotEntry(bot["path"], bot.get("name", ""), bot.get("many", False)) for bot in document["bots"])
    return TournamentConfig(bots=bots, stages=tuple(map(_stage, document["stages"])), **top)


def read_config_file(path: Path) -> TournamentConfig:
    return read_config(config_text(path, "Write one with `arena tournament init GAME BOTS...`."), path.name)
