"""The rules of the game as a service, for bots that are not written in Python.

    python -m arena_player.rules

A bot starts the service as a child process and writes messages to the service's standard input. A message is a msgpack
list of requests. The service answers each message on standard output, with one msgpack list that has one result for
each request, in order. A request is a list: the name of an operation, then the arguments. `OPERATIONS` lists the
operations. A result is `[true, VALUE]`, or `[false, CODE, MESSAGE]` if the rules or the service refuse the request. A
refused request changes nothing, and the service still runs the requests after it. The service ends at the end of its
input, or with an error message at an invalid message.

The bot chooses the number of a new state. So one message can make a state and also use it.
"""

import sys
from random import Random
from typing import IO, TYPE_CHECKING, Any

import msgpack

from .errors import BOT_RAISED, FINISHED, PlayerError
from .fork import load_rules, state_of_view
from .wire.limits import REFEREE_BYTES

if TYPE_CHECKING:
    from arena.game import GameSpec, State

    from .helpers import Watched


class Searched:
    """A state, its dice, and one mark for each push that can be undone."""

    def __init__(self, game: "GameSpec", options: dict[str, Any], state: "State", seed: "int | str") -> None:
        from arena.game.chance import Sampled

        self.game = game
        self.options = options
        self.state = state
        self.chance: Sampled = Sampled(Random(seed))
        self.marks: list[int] = []


class Service:
    """The states of one bot. All public methods except `answer` are operations."""

    def __init__(self) -> None:
        from arena.game.errors import GameError, IllegalAction

        self._states: dict[int, Searched] = {}
        self._watched: Watched | None = None
        self._illegal = IllegalAction
        self._wrong = (GameError, ValueError, TypeError, LookupError, AttributeError)

    def answer(self, requests: object) -> list[Any]:
        """Carry out the requests of one message and return their results."""
        if not isinstance(requests, list):
            return [[False, "bad_request", "A message is a list of requests."]]
        return [self._result(request) for request in requests]

    def _result(self, request: Any) -> list[Any]:
        try:
            name, *arguments = request
            return [True, OPERATIONS[name](self, *arguments)]
        except self._illegal as error:
            return [False, error.code, error.message]
        except PlayerError as error:
            return [False, "bad_request", str(error)]
        except self._wrong as error:
            return [False, "bad_request", f"{error!r} in the request {request!r:.200}"]

    def fork(
        self, number: int, game: str, version: str, options: dict[str, Any], view: list[Any], player: int, seed: int
    ) -> None:
        """Make a state that agrees with what a player sees.

        The seed decides the guesses at hidden information, and the dice of the state.
        """
        spec = load_rules(game, version)
        self._states[number] = Searched(spec, options, state_of_view(spec, options, view, player, Random(seed)), seed)

    def clone(self, number: int, new: int, seed: int) -> None:
        """Copy a state. The copy has dice of its own, from the seed, and cannot undo pushes of the old state."""
        old = self._at(number)
        self._states[new] = Searched(old.game, old.options, old.state.clone(), seed)

    def determinize(self, number: int, new: int, player: int, seed: int) -> None:
        """Make a state from what a player sees of another state.

        The seed decides the guesses at hidden information, and the dice of the new state.
        """
        old = self._at(number)
        guess = state_of_view(old.game, old.options, old.state.view(player), player, Random(seed))
        self._states[new] = Searched(old.game, old.options, guess, seed)

    def free(self, number: int) -> None:
        """Remove a state."""
        del self._states[number]

    def push(self, number: int, player: int, action: dict[str, Any]) -> int:
        """Carry out an action and return the number of pushes that can be undone."""
        searched = self._at(number)
        searched.marks.append(searched.state.push(player, action, searched.chance))
        searched.chance.take()
        return len(searched.marks)

    def pop(self, number: int, left: int) -> int:
        """Undo pushes until `left` of them remain, and return the number that remain.

        If `left` is negative, or not less than the number of pushes, undo nothing.
        """
        searched = self._at(number)
        if 0 <= left < len(searched.marks):
            searched.state.pop(searched.marks[left])
            del searched.marks[left:]
        return len(searched.marks)

    def legal_actions(self, number: int, player: "int | None" = None) -> list[Any]:
        """Return all legal actions of a player; of the first player to move if the player is null."""
        return self._at(number).state.legal_actions(player)

    def to_move(self, number: int) -> list[int]:
        """Return the players who are allowed to act; none if the game is over."""
        return list(self._at(number).state.to_move())

    def outcome(self, number: int) -> "dict[str, Any] | None":
        """Return the outcome as in the message ``over``, or null while the game goes on."""
        outcome = self._at(number).state.outcome()
        return None if outcome is None else dict(outcome.to_document())

    def scores(self, number: int) -> list[float]:
        """Return each player's score."""
        return list(self._at(number).state.scores())

    def view(self, number: int, player: "int | None" = None) -> list[Any]:
        """Return what a player sees, in the form of the message ``start``; everything if the player is null."""
        return self._at(number).state.view(player)

    def changes(self, number: int, left: int, player: "int | None" = None) -> list[Any]:
        """Return what a player sees of the changes after the first `left` pushes, as in the message ``turn``.

        Return all these changes if the player is null.
        """
        searched = self._at(number)
        since = searched.marks[left] if 0 <= left < len(searched.marks) else searched.state.mark
        return searched.state.delta(since, player)

    def watch(
        self,
        game: str,
        version: str,
        options: dict[str, Any],
        player: int,
        view: list[Any],
        legal_actions: list[dict[str, Any]],
    ) -> None:
        """Take in what a player sees, for the operation `help`. It replaces the view of an earlier request."""
        from .helpers import Watched  # the import is slow, and not every bot uses helpers

        if self._watched is None:
            self._watched = Watched(game, version)
        self._watched.start(options, player, view, legal_actions)

    def update(self, delta: list[Any], legal_actions: list[dict[str, Any]]) -> None:
        """Take in what has changed of what the player sees."""
        self._seen().update(delta, legal_actions)

    def help(self, target: Any, name: str, arguments: dict[str, Any]) -> Any:
        """Return the result of a helper of the game: a method or property of an object, a tile, or (null) the bot."""
        return self._seen().call(target, name, arguments)

    def _seen(self) -> "Watched":
        if self._watched is None:
            raise PlayerError("The request `watch` comes before `update` and `help`.")
        return self._watched

    def _at(self, number: int) -> Searched:
        if number not in self._states:
            raise LookupError(f"There is no state {number}.")
        return self._states[number]


OPERATIONS = {
    operation.__name__: operation
    for operation in (
        Service.fork,
        Service.clone,
        Service.determinize,
        Service.free,
        Service.push,
        Service.pop,
        Service.legal_actions,
        Service.to_move,
        Service.outcome,
        Service.scores,
        Service.view,
        Service.changes,
        Service.watch,
        Service.update,
        Service.help,
    )
}
"""The operations by name. The first argument of each but the last three is the number of a state."""


def serve(source: IO[bytes], target: IO[bytes]) -> None:
    """Answer messages until the input ends.

    Raises:
        ValueError: The input is not msgpack.
        msgpack.BufferFull: A message is too long.
    """
    service = Service()
    unpacker = msgpack.Unpacker(max_buffer_size=REFEREE_BYTES)
    pack = msgpack.Packer().pack
    while data := source.read1(1 << 16):  # type: ignore[attr-defined]
        unpacker.feed(data)
        for requests in unpacker:
            target.write(pack(service.answer(requests)))
        target.flush()


def main() -> int:
    """Run the service and return the exit code of the process."""
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        return FINISHED
    except (ValueError, msgpack.exceptions.UnpackException, msgpack.exceptions.BufferFull) as error:
        print(f"The rules service received an invalid message: {error}.", file=sys.stderr)  # noqa: T201
        return BOT_RAISED
    return FINISHED


if __name__ == "__main__":
    sys.exit(main())
