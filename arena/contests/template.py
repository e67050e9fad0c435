"""The configuration that ``arena tournament init`` writes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.game import GameSpec
from arena.match.lookup import usual_table


def template(game: GameSpec, bots: Sequence[str]) -> str:
    clock = game.clock
    maps = ", ".join(_quoted(name) for name in game.maps)
    lines = [
        "# A tournament. `arena tournament check` checks this file and the bots. `arena tournament run` plays it,",
        "# and continues it when it is run again.",
        "",
        "[tournament]",
        f"name = {_quoted(f'{game.title} league')}",
        f"game = {_quoted(game.name)}",
        f"# maps = [{maps}]  # played in turn; without this line: the game's default" if maps else "",
        'isolation = "bwrap"         # the lowest accepted level: none, limits, bwrap, bwrap+cgroup',
        'broken_bots = "exclude"     # or "refuse": start only when every bot works',
        "suspend_after = 5           # suspend a bot after this many crashes in a row; 0: never",
        "# matches_at_once = 2       # without this line: one match on each core",
        '# allow_remote = true       # bots of other machines; needs isolation = "none" and [remote]',
        '# seed = "..."              # without this line: drawn at random, once',
        "",
        "[clock]                     # seconds for each player",
        f"bank = {_seconds(clock.bank)}",
        f"increment = {clock.increment:g}",
        f"turn = {_seconds(clock.turn)}",
        "",
        "# [options]                 # options of the game; `arena games " + game.name + "` lists them",
        "# [policy]                  # the cost of violations",
        '# timeout = "forfeit"       # or "skip", "strike"',
        '# crash = "forfeit"         # or "void"; no_start likewise',
        "# [limits]                  # what each bot may use of the machine",
        '# memory = "512 MiB"',
        '# [remote]                  # each remote bot is an entry of [[bots]]: path = "remote", name = "..."',
        '# listen = "tcp://0.0.0.0:5555"',
        "",
        *(line for bot in bots for line in ("[[bots]]", *_bot_lines(bot), "")),
        *_stages(game),
        "",
    ]
    return "\n".join(line for line in lines if line is not None) + "\n"


_PAIRS = (
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
    "advance = 8                 # number of bots from the previous stage; all if there are fewer",
    "best_of = 2                 # games; a tied pairing gets another pair of games",
)


def _stages(game: GameSpec) -> tuple[str, ...]:
    if game.state.cooperative:
        return _TOGETHER if 2 in game.player_counts else _tables(usual_table(game))[:7]
    return _PAIRS if game.player_counts[-1] < 3 or game.players == 2 else _tables(usual_table(game))


_TOGETHER = (
    "[[stages]]",
    'name = "all"',
    'format = "round_robin"      # each bot plays with each other one; or free_for_all with a table',
    "games = 10                  # in each pairing; the table has the mean of the scores that a bot reached",
)


def _tables(size: int) -> tuple[str, ...]:
    return (
        "[[stages]]",
        'name = "league"',
        'format = "free_for_all"     # or elimination_tables, ladder',
        "rounds = 6",
        f"table = {size}                   # bots at each table; some have one bot less if the numbers require it",
        "games = 1                   # at each table; the seats rotate",
        'tiebreaks = ["payoffs", "head_to_head", "opponents", "wins", "margin", "seed"]',
        "",
        "[[stages]]",
        'name = "final"',
        'format = "elimination_tables"',
        f"advance = {size}                 # number of bots from the previous stage",
        f"table = {size}",
        f"games = {size}                   # at each table: each bot has each seat once",
        f"winners = {size // 2}                 # of each table advance, until one table is left",
    )


def _bot_lines(bot: str) -> list[str]:
    path = Path(bot)
    many = path.is_dir() and not (path / "bot.toml").is_file() and not (path / "main.py").is_file()
    return [
        f"path = {_quoted(bot)}",
        *(["many = true                 # a folder full of bots; typed modules beside them are none"] if many else []),
    ]


def _seconds(value: float | None) -> str:
    return '"none"' if value is None else f"{value:g}"


def _quoted(text: str) -> str:
    quoted: Any = json.dumps(text, ensure_ascii=False)
    return str(quoted)
