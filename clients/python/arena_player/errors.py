"""Errors that a bot's author sees, and the exit codes of a bot."""


class PlayerError(Exception):
    """A mistake of the bot, or a problem of its environment.

    Args:
        message: What is wrong.
        hint: What to do about it.
        exit_code: The exit code of the bot's process.
    """

    def __init__(self, message: str, *, hint: str = "", exit_code: int = 2) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


FINISHED = 0  # the match is over
BOT_RAISED = 1  # the bot raised an exception; its traceback is on stderr
BOT_UNUSABLE = 2  # the bot's file is wrong, or the bot uses the kit in a wrong way; a message is on stderr
CONNECTION_LOST = 3  # the referee was not reached, the connection broke, or the referee sent an invalid message
REFUSED = 4  # the referee refused the bot (old protocol, or a typed module of another version of the game)
