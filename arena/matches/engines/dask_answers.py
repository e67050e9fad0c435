"""What a worker sends back: one document in msgpack, which the organizer checks field by field.

Nothing of it is a pickle, since a pickle runs code where it is read.
"""

from dataclasses import dataclass

import msgspec

from arena.errors import ArenaError
from arena.match.result import MatchResult
from arena.matches.engines.speed import UnsuitableMachineError
from arena.text.printable import printable


@dataclass(frozen=True, slots=True)
class Failure:
    message: str
    hint: str = ""
    exit_code: int = ArenaError.exit_code
    unsuitable: bool = False

    @classmethod
    def of(cls, error: ArenaError | UnsuitableMachineError) -> "Failure":
        if isinstance(error, ArenaError):
            return cls(error.message, error.hint, int(error.exit_code))
        return cls(str(error), unsuitable=True)

    def error(self, address: str) -> ArenaError | UnsuitableMachineError:
        if self.unsuitable:
            return UnsuitableMachineError(printable(self.message), address)
        return ArenaError(printable(self.message), hint=printable(self.hint), exit_code=self.exit_code)


@dataclass(frozen=True, slots=True)
class RemoteResult:
    """The answer of a worker.

    Attributes:
        worker: The worker's host name and process id, for errors.
        failure: Why the match could not be played; None if it was played or bots are missing.
    """

    result: MatchResult | None
    replay: bytes = b""
    missing: tuple[str, ...] = ()
    worker: str = ""
    address: str = ""
    failure: Failure | None = None

    def packed(self) -> bytes:
        return msgspec.msgpack.encode(self)


def unpacked(data: object) -> RemoteResult:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ValueError("not bytes")
    answer = msgspec.msgpack.decode(data, type=RemoteResult)
    if answer.result is None and not answer.missing and answer.failure is None:
        raise ValueError("neither a result nor a reason")
    return answer
