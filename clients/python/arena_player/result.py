"""The result of an action."""

from .light import Generic, TypeVar

T = TypeVar("T")

NOT_TRIED = "not_tried"
NOT_YOUR_TURN = "not_your_turn"


class Result(Generic[T]):
    """The result of one action. It is true if the action was carried out.

    Otherwise it is false, and the action has not changed the game. `code` and `message` give the reason.

    Attributes:
        code: Empty if accepted, else the game's code for the reason, such as "occupied_by_cowboy".
            Two codes come from this package: "not_tried" (an earlier action of the batch was refused
            or ended the turn) and "not_your_turn" (your turn was over, so the action was not sent).
        message: Empty if accepted, else the reason.
        value: The object that the action returned, such as a new object; or None.
    """

    __slots__ = ("_pending", "code", "message", "value")

    def __init__(self, value: T | None = None, *, code: str = "", message: str = "") -> None:
        self.value: T | None = value
        self.code = code
        self.message = message
        self._pending = False

    @classmethod
    def pending(cls) -> "Result[T]":
        """Return a result that is still unknown, because its batch has not been sent."""
        result = cls()
        result._pending = True
        return result

    def settle(self, other: "Result[T]") -> None:
        """Copy the content of another result."""
        self.value, self.code, self.message = other.value, other.code, other.message
        self._pending = False

    @property
    def accepted(self) -> bool:
        """True if the action was carried out.

        Raises:
            RuntimeError: The batch of this action has not been sent.
        """
        return bool(self)

    def __bool__(self) -> bool:
        if self._pending:
            raise RuntimeError("A batch is sent at the end of its `with` block. Use its results after the block.")
        return not self.code

    def __repr__(self) -> str:
        if self._pending:
            return "<Result: not sent yet>"
        return f"<Result: refused, {self.code}: {self.message}>" if self.code else f"<Result: accepted, {self.value!r}>"
