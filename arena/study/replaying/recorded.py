"""Replay a recorded game (a trace or a replay) with the rules, action by action."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import TypeVar

from arena.game import (
    Chance,
    Document,
    GameSpec,
    IllegalAction,
    OptionError,
    OptionValues,
    Scripted,
    ScriptError,
    Seeded,
    State,
)
from arena.game.kinds import Number
from arena.study.replaying.difference import NOTHING, Difference, first_difference, show

T = TypeVar("T")


class Disagreement(Exception):  # noqa: N818 - a result, not an error of the caller
    """The rules give another result than was recorded.

    Args:
        field: What differs, for example ``state.cowboys[2].focus``.

    Attributes:
        action: Which action of a replay it is, in words; empty outside of an action.
    """

    def __init__(self, field: str, expected: str, found: str) -> None:
        super().__init__(field, expected, found)
        self.field = field
        self.expected = expected
        self.found = found
        self.action = ""

    def __str__(self) -> str:
        where = f"{self.action}, {self.field}" if self.action else self.field
        return f"{where}: recorded is {self.expected}, the rules give {self.found}"


def disagree(difference: Difference | None) -> None:
    if difference is not None:
        raise Disagreement(difference.path, show(difference.expected), show(difference.found))


def ask(field: str, question: Callable[[], T], recorded: object = NOTHING) -> T:
    """Call the rules and return the answer. Turn any exception of the rules into a `Disagreement`."""
    try:
        return question()
    except Disagreement:
        raise
    except OptionError as error:
        found = f"the refusal: {error}"
    except ScriptError as error:
        found = f"another draw: {error}"
    except Exception as error:
        found = f"the exception {describe(error)}"
    raise Disagreement(field, show(recorded), found)


def describe(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].filename}:{frames[-1].lineno} ({frames[-1].name})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def resolve_options(game: GameSpec, values: Mapping[str, object]) -> OptionValues:
    return ask("options", lambda: game.resolve_options(values), values)


def set_up(game: GameSpec, options: OptionValues, draws: Scripted) -> State:
    state = ask("setup_draws", lambda: game.start(options, draws))
    if draws.left:
        raise Disagreement("setup_draws", f"{draws.left} draws more", "a set-up without them")
    return state


def accept(state: State, player: int, action: Document, draws: list[Number], chance: Chance) -> None:
    """Carry out an action that was accepted when it was recorded.

    Args:
        chance: The source of the draws: a script of the recorded draws, or a source with the same seed. Draws from a
            seed are not compared.
    """
    result = _push(state, player, action, chance, draws)
    if isinstance(result, IllegalAction):
        raise Disagreement("ok", "true", f"the refusal {result}")
    if isinstance(chance, Scripted) and chance.left:
        raise Disagreement("draws", show(draws), f"{chance.left} draws less")


def refuse(state: State, player: int, action: Document) -> str:
    """Submit an action that was refused when it was recorded, and return the code of the refusal."""
    chance = Seeded(0)  # used only if the rules make a draw, which is a disagreement
    result = _push(state, player, action, chance, [])
    if not isinstance(result, IllegalAction):
        state.pop(result)
        raise Disagreement("ok", "false", "the action is accepted")
    disagree(first_difference([], [draw.value for draw in chance.draws], "draws"))
    return result.code


def _push(state: State, player: int, action: Document, chance: Chance, draws: list[Number]) -> int | IllegalAction:
    def push() -> int | IllegalAction:
        try:
            return state.push(player, action, chance)
        except IllegalAction as refusal:
            return refusal
        except ScriptError as error:
            raise Disagreement("draws", show(draws), f"another draw: {error}") from None

    return ask("action", push, action)
