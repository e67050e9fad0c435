"""The file AGENTS.md of a new bot: what a coding agent must know before its first command, in about a thousand tokens.

Agents read this file by themselves, and pay for each word, at the beginning and again with each request. So it has
what saves them commands: what wins, the commands that answer in few lines, and the classes of the game as a card
instead of the typed module, which is four to six times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import Template
from textwrap import indent

from arena.game import GameSpec
from arena.sdk.languages import LANGUAGES, camel_case
from arena.text.form import card
from arena_player import sdk
from arena_player.schema import parse_schema
from arena_player.sdk.helpers import Helper, Kind

AGENTS = "AGENTS.md"
_AGENTS = Template("""\
# A bot for $title: notes for coding agents

Improve `$program`. Run all commands in this folder.

## What wins

$wins

$bots

## Work

$work

    arena play $game . $opponents --log    # one match; what was refused and printed
    arena explain REPLAY    # the mistakes in a match, and what each cost
    arena replay log REPLAY --turn 30-34    # these turns in words
    arena rerun REPLAY@TURN .    # does the bot act otherwise in this turn now?$build

All have `--help`, and `--json` for programs.

## The bot

- `run_turn` is called on each of your turns. Methods of objects are actions, as in `$program`. Each returns whether it
  was accepted, and if not, why: `code` and `message`.
- ${self}`game`, `player`, `index` (your number, from 0), `turn`, `options`, `time_left` are always current.
- `print` and `log` are safe, and shown by `--log`.
- `game.fork(random)` copies the game with its rules: `legal_actions(player)`, `push(player, action)`, `pop(mark)`,
  `to_move()`, `scores()`, `outcome()`. `act(action)` carries out such an action.
- Clock: $clock.
- `$classes` has the classes with all their texts. It is long; what follows is enough.

## Classes

`?` can be null, `[...]` is a list, and `>` is an action: a method of the object. `X,Y` is a tile.

$card

Helpers of the kit; without a type: bool.

$helpers
""")
_VERDICT = """\
1. `arena verdict $game . --against $first` checks the bot, plays until it is clear who is stronger, for a
   minute at most, and names the dearest mistake in a lost game.
2. Change `$program`, and ask again. If it is stronger, go on to the next bot.
3. Before a large change, copy the folder: `arena compare $game . ../old_bot` says which version is stronger."""
_TOGETHER = """\
1. `arena bot check . --game $game` checks the bot. All players play together, for one common score.
2. Copy the folder, change `$program`, and compare both: `arena compare $game . ../old_bot $opponents`."""
_BUILD = "\n    arena bot build .    # the messages of the compiler"
_WINS = re.compile(r"^## (?:Winning|The end)\n+(?P<text>.*?)(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
_PICTURE = re.compile(r"^!\[.*\n*", re.MULTILINE)


def agents_file(game: GameSpec, language: str, words: Mapping[str, str]) -> str:
    """Return the text of AGENTS.md.

    Args:
        language: ``python``, or one of `arena.sdk.languages.LANGUAGES`.
        words: Those of the other files of a new bot.
    """
    kit = LANGUAGES.get(language)
    work = Template(_TOGETHER if game.state.cooperative else _VERDICT)
    named = dict(words) | {
        "program": kit.program if kit else "main.py",
        "first": f"builtin:{game.bots[0].name}" if game.bots else "../old_bot",
    }
    return _AGENTS.substitute(
        named,
        work=work.substitute(named),
        classes=kit.classes.format(game=game.name, Game=camel_case(game.name)) if kit else f"{game.name}.py",
        self="" if kit else "Of `self`: ",
        wins=what_wins(game),
        bots="\n".join(_bots(game)),
        build="" if language in ("python", "javascript") else _BUILD,
        clock=_clock(game),
        card=indent(card(parse_schema(game.schema())), "    "),
        helpers=_helpers(game),
    )


def what_wins(game: GameSpec) -> str:
    """Return the beginning of the rules, and the first paragraph of their section ``Winning`` or ``The end``."""
    schema = game.schema()
    text = _PICTURE.sub("", game.rules_text())
    first = text.partition("\n## ")[0].partition("\n")[2].strip() if text.startswith("# ") else ""
    parts = [first, *(found["text"].strip() for found in _WINS.finditer(text))]
    return "\n\n".join(filter(None, parts)) or str(schema["classes"][schema["root"]]["doc"])


def _bots(game: GameSpec) -> Iterator[str]:
    rules = f"All rules: `arena rules {game.name}`. " if game.rules_text() else ""
    if not game.bots:
        yield f"{rules}There are no built-in bots: play against a copy of an older version."
        return
    yield f"{rules}Built-in bots, the weakest first:\n"
    yield from (f"- `builtin:{bot.name}`: {bot.doc}" for bot in game.bots)


def _clock(game: GameSpec) -> str:
    clock = game.clock
    parts = (
        [] if clock.bank is None else [f"{clock.bank:g} s for the match and {clock.increment:g} s more for each turn"]
    )
    parts += [] if clock.turn is None else [f"{clock.turn:g} s for one turn"]
    return "; ".join(parts) or "none"


def _helpers(game: GameSpec) -> str:
    found = sdk.helpers(game.schema(), sdk.read_extras(game.kit))
    lines = []
    for name, helpers in found.classes.items():
        lines += [f"    {name}: {', '.join(map(_signature, helpers))}"] if helpers else []
    return "\n".join(lines) or "    none"


def _signature(helper: Helper) -> str:
    given = "" if helper.is_property else f"({', '.join(parameter.name for parameter in helper.parameters)})"
    kind = "" if helper.type.name == "bool" else f" {_kind(helper.type)}"
    return f"{helper.name}{given}{kind}"


def _kind(kind: Kind) -> str:
    """Return a type in the words of the card of a game: ``[Cowboy]`` for a list, ``tile?`` for what can be null."""
    parts = [_kind(part) for part in kind.parts]
    names = {"list": f"[{''.join(parts)}]", "map": "{" + ": ".join(parts) + "}", "thing": "|".join(parts)}
    return names.get(kind.name, kind.name) + "?" * kind.nullable
