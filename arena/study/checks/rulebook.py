"""Play the examples of a game's rules.

The rules of a game are a Markdown file. A paragraph ``![caption](example:NAME)`` in it shows the example NAME of the
file ``rulebook.json`` beside it: a position, actions, and what holds after them. `rulebook_problems` plays all
examples, so that the rules, their pictures and the code cannot differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import ArenaError
from arena.game import GameSpec, IllegalAction, OptionError, Scripted, State
from arena.game.validation import Anything, ListOf, OrElse, TableOf, Text, Whole
from arena.text.form import order
from arena_player.schema import parse_schema
from arena_replays.state import State as View
from arena_replays.state import fold

FILE = "rulebook.json"
REFERENCE = re.compile(r"!\[(?P<caption>[^\]]*)\]\(example:(?P<name>[\w-]+)\)")

_OBJECT = TableOf({}, others=Anything())
_DRAWS = ListOf(Anything())
_STEP = TableOf(
    {
        "player": Whole(0),
        "action": TableOf({"type": Text()}, ("type",), others=Anything()),
        "draws": _DRAWS,
        "refused": Text(),
    },
    ("action",),
)
_EXAMPLE = TableOf(
    {"options": _OBJECT, "state": OrElse(None, _OBJECT), "draws": _DRAWS, "steps": ListOf(_STEP), "then": _OBJECT},
    ("steps", "then"),
)
_BOOK = TableOf({}, others=_EXAMPLE)


@dataclass(frozen=True, slots=True)
class ExampleStep:
    """An action of an example.

    Attributes:
        refused: The code of the refusal; empty for an accepted action.
    """

    player: int
    action: dict[str, Any]
    draws: tuple[Any, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A position with actions, and what holds after them.

    Attributes:
        state: The document of the position; None for the start of a game with these options.
        draws: The draws of the set-up.
        then: Maps ``ID.FIELD`` to a value after the actions, ``ID`` to false for an object that is gone, and ``winner``
            to the player who has won.
    """

    name: str
    options: dict[str, Any]
    state: dict[str, Any] | None
    draws: tuple[Any, ...]
    steps: tuple[ExampleStep, ...]
    then: dict[str, Any]

    def lines(self, game: GameSpec) -> list[str]:
        """Return its actions in the text form of the game, one on each line."""
        schema = parse_schema(game.schema())
        return [
            f"player {step.player}: {order(schema, step.action)}"
            + (f"  (refused: {step.refused.replace('_', ' ')})" if step.refused else "")
            for step in self.steps
        ]


@dataclass(frozen=True, slots=True)
class PlayedExample:
    """An example that was played.

    Attributes:
        start: What spectators see at the start, as a list of triples.
        before: The same before the last accepted action.
        end: The same after it.
        events: The events of the last accepted action.
        differences: What differs from the example, in words.
    """

    start: list[Any]
    before: list[Any]
    end: list[Any]
    events: list[dict[str, Any]]
    differences: tuple[str, ...]


def examples(game: GameSpec) -> dict[str, Example]:
    """Return the examples of a game's rules by name, in the order of the file; none if the game has no such file."""
    path = None if game.rules is None else game.rules.with_name(FILE)
    if path is None or not path.is_file():
        return {}
    try:
        book = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise ArenaError(f"{path} is not a rule book: {error}.") from None
    defects = [f"{path}: {defect}" for defect in _BOOK.defects(book)]
    if defects:
        raise ArenaError("\n".join(defects))
    return {name: _example(name, document) for name, document in book.items()}


def _example(name: str, document: Mapping[str, Any]) -> Example:
    steps = tuple(
        ExampleStep(step.get("player", 0), step["action"], tuple(step.get("draws", ())), step.get("refused", ""))
        for step in document["steps"]
    )
    draws = tuple(document.get("draws", ()))
    return Example(name, document.get("options", {}), document.get("state"), draws, steps, document["then"])


def play(game: GameSpec, example: Example) -> PlayedExample:
    """Play an example, and compare the result with what the example says."""
    state = _start(game, example)
    start = before = state.view()
    events: list[dict[str, Any]] = []
    differences = []
    for number, step in enumerate(example.steps, 1):
        chance, view, mark = Scripted(step.draws), state.view(), state.mark
        try:
            state.push(step.player, step.action, chance)
        except IllegalAction as refusal:
            if refusal.code != step.refused:
                differences.append(f"step {number} is refused with {refusal.code}, not {step.refused or 'accepted'}")
            continue
        before, events = view, state.events(mark)
        if step.refused:
            differences.append(f"step {number} is accepted, not refused with {step.refused}")
        if chance.left:
            differences.append(f"step {number} leaves {chance.left} draws")
    return PlayedExample(start, before, state.view(), events, (*differences, *_differences(state, example.then)))


def _start(game: GameSpec, example: Example) -> State:
    try:
        options = game.resolve_options(example.options)
        if example.state is None:
            return game.start(options, Scripted(example.draws))
        return game.load(example.state, options)
    except (OptionError, ValueError, KeyError, TypeError) as error:
        raise ArenaError(f"The example {example.name} has no valid start: {error!r}.") from None


def _differences(state: State, then: Mapping[str, Any]) -> Iterator[str]:
    view: View = {}
    fold(view, state.view())
    outcome = state.outcome()
    for key, value in then.items():
        if key == "winner":
            actual: Any = None if outcome is None else outcome.winner
        elif "." in key:
            name, field = key.split(".")
            actual = _plain(view.get(name, {}).get(field, "nothing"))
        else:
            actual = key in view
        if actual != value:
            yield f"{key} is {actual!r}, not {value!r}"


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def rulebook_problems(game: GameSpec) -> list[str]:
    """Return what is wrong in the rules and their examples, in words; an empty list if nothing is."""
    references = [match["name"] for match in REFERENCE.finditer(game.rules_text())]
    book = examples(game)
    problems = []
    if game.rules_text() and not game.rules_text().startswith(f"# {game.title}\n"):
        problems.append(f"The rules do not begin with the line `# {game.title}`.")
    for name in references:
        if name not in book:
            problems.append(f"The rules show the example {name}, which {FILE} does not have.")
    for name in book:
        if references.count(name) != 1:
            problems.append(f"The rules do not show the example {name} exactly once.")
    for example in book.values():
        problems += [f"In the example {example.name}, {difference}." for difference in play(game, example).differences]
    return problems
