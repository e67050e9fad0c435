"""The one class of errors that a player's author is meant to see."""


class PlayerError(Exception):
    """A mistake of the bot or of its surroundings: one sentence, a hint, an exit code.

    Args:
        message: What is wrong, in one sentence.
        hint: What to do about it, where that is known.
        exit_code: What the bot's process ends with.
    """

    def __init__(self, message: str, *, hint: str = "", exit_code: int = 2) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


FINISHED = 0
BOT_RAISED = 1
BOT_UNUSABLE = 2
CONNECTION_LOST = 3
REFUSED = 4
EXIT_CODES = {
    FINISHED: "the match is over",
    BOT_RAISED: "the bot raised an exception, its traceback is on stderr",
    BOT_UNUSABLE: "the bot's file or its use of the kit is wrong, one sentence is on stderr",
    CONNECTION_LOST: "no referee: never reached, or gone in mid-match",
    REFUSED: "the referee refused the bot (old protocol, stale module of the game)",
}
