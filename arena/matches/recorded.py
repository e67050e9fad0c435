"""A match with its result as one line of JSON."""

from dataclasses import dataclass
from typing import Any, Self

import msgspec

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec


@dataclass(frozen=True, slots=True)
class Recorded:
    """A match with its result, without most of the bots' output, in the form in which results are stored."""

    spec: MatchSpec
    outcome: MatchResult
    at: str = ""

    @classmethod
    def of(cls, spec: MatchSpec, result: MatchResult, at: str) -> Self:
        return cls(spec, result.brief(), at)

    def to_document(self) -> dict[str, Any]:
        return {"spec": self.spec.to_document(), "outcome": self.outcome.to_document(), "at": self.at}


# Long contests have tens of thousands of results. msgspec reads them five times faster than `from_document`.
_recorded = msgspec.json.Decoder(Recorded)


def parse_result(text: str) -> Recorded:
    found: Recorded = _recorded.decode(text)
    return found
