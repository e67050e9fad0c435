"""Errors of games. Each class has one cause: the bot, the rules, or the options."""


class IllegalAction(Exception):  # noqa: N818 - the name that authors of rules know from other frameworks
    """An action that the rules refuse. The bot and the replay receive code and message; the match goes on.

    Args:
        code: The specification's code for the reason, for example ``not_adjacent``.
        message: The reason for people.
        item: The number of the wrong item of a list, from 0; None if the action is not a list of orders. The message
            then begins with this number.
    """

    def __init__(self, code: str, message: str = "", item: int | None = None) -> None:
        super().__init__(code, message, item)
        self.code = code
        self.message = message or code.replace("_", " ")
        if item is not None:
            self.message = f"item {item}: {self.message}"

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class MalformedAction(Exception):  # noqa: N818 - becomes an IllegalAction with the game's own message
    """A document that names no action, or has arguments that do not match the action.

    Args:
        kind: ``unknown_action``, ``missing``, ``wrong_kind``, ``unknown_id``, ``off_map`` or ``extra``.
        key: The key with the problem.
    """

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(kind, key)
        self.kind = kind
        self.key = key


class GameError(Exception):
    """A defect in a game's definition or in its rules, which its author has to fix."""


class ScriptError(GameError):
    """The source of randomness cannot provide a draw of the rules: for example, a script has no more values."""


class OptionError(ValueError):
    """A game option has an unknown name or an impossible value. The message names the option and what is allowed."""
