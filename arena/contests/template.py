"""The configuration that ``arena contest init`` writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from arena.game import GameSpec
from arena.match.lookup import usual_table

_LEAST, _SPAN = 15.0, 15.0
"""In a new term, the built-in bots have skills from `_LEAST` to `_LEAST` + `_SPAN`."""


def template(game: GameSpec, bots: Sequence[str], *, people: bool = False) -> str:
    """Return a commented configuration for some bots.

    Args:
        people: Whether teams hand in bots for a ladder; then the built-in bots are its anchors.
    """
    maps = ", ".join(_quoted(name) for name in game.maps)
    lines = [
        "# A contest. `arena contest check` checks this file and the bots. `arena contest run` plays it, and continues",
        "# it when it is run again. `arena contest serve` shows its pages meanwhile.",
        "",
        "[contest]",
        f"name = {_quoted(f'{game.title} ' + ('term' if people else 'contest'))}",
        f"game = {_quoted(game.name)}",
        *([f"# maps = [{maps}]  # played in turn; without this line: the game's default"] if maps else []),
        'isolation = "bwrap"         # the lowest accepted level: none, limits, bwrap, bwrap+cgroup',
        'broken_bots = "exclude"     # or "refuse": start only when every bot works',
        "suspend_after = 5           # suspend a bot in a stage after this many crashes in a row; 0: never",
        "# matches_at_once = 2       # without this line: one match on each core",
        '# allow_remote = true       # bots of other machines; needs isolation = "none" and [remote]',
        '# seed = "..."              # without this line: drawn at random, once',
        "",
        "[clock]                     # seconds for each player",
        f"bank = {_seconds(game.clock.bank)}",
        f"increment = {game.clock.increment:g}",
        f"turn = {_seconds(game.clock.turn)}",
        "",
        f"# [options]                 # options of the game; `arena games {game.name}` lists them",
        "# [policy]                  # the cost of violations",
        '# timeout = "forfeit"       # or "skip", "strike"',
        '# crash = "forfeit"         # or "void"; no_start likewise',
        "# [limits]                  # what each bot may use of the machine",
        '# memory = "512 MiB"',
        '# [remote]                  # each remote bot is an entry of [[bots]]: path = "remote", name = "..."',
        '# listen = "tcp://0.0.0.0:5555"',
        "",
        "# [groups]                  # what bots and teams can belong to; `only` limits a stage to a group",
        '# novice = "Novices"',
        "",
        *(_PEOPLE if people else ()),
        *(line for bot in bots for line in ("[[bots]]", *_bot_lines(bot), "")),
        *(_anchors(game) if people else ()),
        *(_ladder(game) if people else _stages(game)),
    ]
    return "\n".join(lines) + "\n"


_PEOPLE = (
    "[people]                    # teams hand in bots on the pages",
    "# deadline = 2027-01-31T18:00:00+01:00     # later versions are kept and marked, but do not play",
    '# time_zone = "Europe/Berlin"              # of the times on the pages; else that of the deadline, or UTC',
    "public = true               # whether the pages can be read without signing in",
    "public_replays = true       # whether all readers may watch matches; logs are always private",
    '# address = "https://arena.example.org"    # the address in links, behind a reverse proxy',
    "largest_mib = 16            # the limits of each team: an upload",
    "per_day = 20                # versions in 24 hours",
    "refused_per_day = 50        # refused uploads after which a team has to wait",
    "storage_mib = 2048          # on the disk, for all versions and their builds",
    "waiting = 2                 # versions that wait for their check",
    "check_seconds_per_day = 1800  # a check takes seconds; beyond this, the checks of a team wait",
    "# checks_at_once = 1        # without this line: one check for each two cores",
    "challenges_per_day = 10",
    "",
)


def _anchors(game: GameSpec) -> list[str]:
    """Return the built-in bots with skills in equal steps."""
    step = _SPAN / max(1, len(game.bots) - 1)
    lines = []
    for index, bot in enumerate(game.bots):
        lines += ["[[bots]]", f"path = {_quoted(f'builtin:{bot.name}')}", f"name = {_quoted(f'{bot.name} built-in')}"]
        note = "                # fixed: it plays only on the ladder; a new team has 25" if index == 0 else ""
        lines += [f"skill = {_LEAST + index * step:.1f}{note}", ""]
    return lines


def _ladder(game: GameSpec) -> list[str]:
    size = f"table = {usual_table(game)}" if 2 not in game.player_counts else ""
    return [
        "[[stages]]",
        'format = "ladder"           # everybody who has a version plays at any time',
        "rated_matches = 200         # a version rests after this many rated matches; 0: never",
        *([f"{size}                   # players of a match"] if size else []),
        "",
        "# The organizer begins a stage like this one on the desk, or with `arena contest stage final`:",
        "# [[stages]]",
        '# name = "final"',
        '# format = "double_elimination"',
        "# advance = 8",
    ]


_PAIRS = (
    "[[stages]]",
    'name = "swiss"',
    'format = "swiss"            # round_robin, gauntlet, swiss, groups, ladder, single_elimination,',
    "                            # double_elimination, triple_elimination, quadruple_elimination",
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
_TOGETHER = (
    "[[stages]]",
    'name = "all"',
    'format = "round_robin"      # each bot plays with each other one; or free_for_all with a table',
    "games = 10                  # in each pairing; the table has the mean of the scores that a bot reached",
)


def _stages(game: GameSpec) -> Sequence[str]:
    if game.state.cooperative:
        return _TOGETHER if 2 in game.player_counts else _tables(usual_table(game))[:7]
    return _PAIRS if game.player_counts[-1] < 3 or game.players == 2 else _tables(usual_table(game))


def _tables(size: int) -> Sequence[str]:
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
    note = "many = true                 # a folder full of bots; typed modules beside them are none"
    return [f"path = {_quoted(bot)}", *([note] if many else [])]


def _seconds(value: float | None) -> str:
    return '"none"' if value is None else f"{value:g}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
