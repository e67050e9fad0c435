"""What an action came to."""

from typing import Generic, TypeVar

T = TypeVar("T")

NOT_TRIED = "not_tried"
NOT_YOUR_TURN = "not_your_turn"


class Result(Generic[T]):
    """The answer of the rules to one action: truthy when it was carried out.

    A refused action is falsy and changed nothing; `code` and `message` say why.

    Attributes:
        code: Empty when accepted, else the game's word for the reason, such as "occupied_by_cowboy".
            Two codes come from the kit: "not_tried" (an earlier action of the batch was refused)
            and "not_your_turn" (you had no move any more, nothing was sent).
        message: Empty when accepted, else the reason in one sentence.
        value: The object that the action made, where it makes one.
    """

    __slots__ = ("_pending", "code", "message", "value")

    def __init__(self, value: T | None = None, *, code: str = "", message: str = "") -> None:
        self.value: T | None = value
        self.code = code
        self.message = message
        self._pending = False

    @classmethod
    def pending(cls) -> "Result[T]":
        """A result that a batch fills in when it is sent."""
        result = cls()
        result._pending = True
        return result

    def settle(self, other: "Result[T]") -> None:
        """Takes over what became of the action."""
        self.value, self.code, self.message = other.value, other.code, other.message
        self._pending = False

    @property
    def accepted(self) -> bool:
        """True when the action was carried out."""
        return bool(self)

    def __bool__(self) -> bool:
        if self._pending:
            raise RuntimeError("a batch is sent at the end of its `with` block: ask for its results after that")
        return not self.code

    def __repr__(self) -> str:
        if self._pending:
            return "<Result: not sent yet>"
        return f"<Result: refused, {self.code}: {self.message}>" if self.code else f"<Result: accepted, {self.value!r}>"
