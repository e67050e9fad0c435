"""Errors of the rules contract: whose fault it is decides the class."""


class IllegalAction(Exception):  # noqa: N818 - the name that authors of rules know from other frameworks
    """An action that the rules refuse. It is data (for the replay and the bot), never a crash.

    Args:
        code: The specification's word for the reason, for example ``not_adjacent``.
        message: The reason for people.
    """

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message or code.replace("_", " ")

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class MalformedAction(Exception):  # noqa: N818 - becomes an IllegalAction of the game's own wording
    """A document that names no action, or whose arguments do not fit its signature.

    Args:
        kind: ``unknown_action``, ``missing``, ``wrong_kind``, ``unknown_id``, ``off_map`` or ``extra``.
        key: The key of the document that is at fault.
    """

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(kind, key)
        self.kind = kind
        self.key = key


class GameError(Exception):
    """A defect in a game's definition or in its rules: the author's to mend."""


class ScriptError(GameError):
    """A scripted chance was asked for another draw than the script holds."""


class OptionError(ValueError):
    """A game option with an unknown name or an impossible value; the message says which and what is allowed."""
