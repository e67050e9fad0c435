"""The player of a model in one match: prompts, answers, retries, budgets, counts and the transcript.

A prompt has two parts. The first is the same in all turns of a match, so that providers can keep it: the rules, how to
write orders, the start. The second is the news, the position, and at last what is asked. Nothing that another player
has written comes into it, but what the rules of the game show, and that as one word or one quoted line. Names of
players are no part of any view: here they are numbers.

What becomes of an answer:

* Its orders go to the referee, who carries them out, or refuses one with a reason: `illegal`.
* It has no order, or was stopped by a filter, and the reason says so: `unreadable`. It was cut off: `truncated`.
* In these three cases the model is asked again, with the reason, a limited number of times in a turn. Then it resigns.
* There is no answer, through no fault of the model: the provider is asked again, after a pause. Then the match is void.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import closing
from typing import Any, Protocol

from arena.game import is_form, spread
from arena.play.seats.waiting import FINISHED, OUTAGE, RESIGNED, SeatClient, SeatOffer, wants_action
from arena.text.form import actions, first, news, order, position, read
from arena.text.printable import printable
from arena_agents.provider import WAIT_MOST, Answer, Message, NoAnswerError, OutageError, line_of
from arena_agents.settings import Aids, Budgets
from arena_player.errors import PlayerError

MOST_SHAPED = 2000
"""Legal actions in a schema or grammar. With more of them, or with choices for many units, the answer is free."""
MOST_REPEATED = 2000
"""Characters of a bad answer that the model sees again: enough to know it, and little of one that has no end."""
KINDS = {"truncated": "cut off", "unreadable": "without an order", "illegal": "with an illegal action"}
COUNTED = ("requests", *KINDS, "outages", "tokens_in", "tokens_out", "seconds", "cost")
ASK = """\

# Your answer

You are player {player} of {players}, counted from 0. In each turn you get the news and the position. Answer with your
orders, one on each line, in the form above. Only your last answer counts."""
TOO_LONG = "Your answer was cut off, because it was longer than {most} tokens. Answer with your orders only."
STOPPED = "Your answer had no orders, because it was stopped: {what}. Answer with your orders only."


class Ledger:
    """The costs of all matches of one player."""

    def __init__(self, name: str, model: Budgets) -> None:
        self._name = name
        self._model = model
        self._cost = 0.0
        self._lock = threading.Lock()

    def add(self, answer: Answer) -> float:
        """Add the costs of an answer, and return them."""
        model = self._model
        cost = (answer.tokens_in * model.price_in + answer.tokens_out * model.price_out) / 1e6
        with self._lock:
            self._cost += cost
        return cost

    @property
    def problem(self) -> str:
        """Why the model must not be asked any more; empty if it may be."""
        limit = self._model.cost_limit
        if limit is None or self._cost < limit:
            return ""
        return f"the cost limit of {self._name} is reached: {self._cost:.4g} of {limit:g}"


class Answering(Protocol):
    """Who answers for a player: the provider of a model, or an agent."""

    def ask(self, messages: list[Message], shape: dict[str, Any], seconds: float) -> Answer:
        """Return the answer to a conversation; see `Provider.ask`."""
        ...

    def shape(self, kind: str, orders: list[str]) -> dict[str, Any]:
        """Return what `ask` needs so that the answer is one of these orders; see `Provider.shape`."""
        ...


class GivenUpError(Exception):
    """The player's part in the match is over.

    Attributes:
        code: What the seat ends with.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class ModelPlayer:
    """Plays one match.

    Attributes:
        counts: The numbers for the result.
    """

    def __init__(
        self,
        model: Budgets,
        aids: Aids,
        provider: Answering,
        ledger: Ledger,
        rules: str,
        client: SeatClient,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.counts: dict[str, float] = dict.fromkeys(COUNTED, 0)
        self._model = model
        self._aids = aids
        self._provider = provider
        self._ledger = ledger
        self._rules = rules
        self._client = client
        self._sleep = sleep
        self._turn = dict(self.counts)
        self._first = ""
        self._start = self._seen = client.things()
        self._events: list[dict[str, Any]] = []
        self._reason = ""
        self._transcript: list[str] = []

    def play(self) -> tuple[int, str]:
        """Play to the end. Return what the seat ends with, and the reason."""
        try:
            while True:
                message = self._client.receive()
                if message["type"] == "start":
                    self._start = self._seen = self._client.things()
                self._events += message.get("events", ())
                if message["type"] == "turn":
                    self._turn, self._reason = dict.fromkeys(COUNTED, 0), ""
                self._check_results(message.get("results", ()))
                if wants_action(message):
                    self._act(message["legal_actions"])
                elif message["type"] in ("over", "refused"):
                    return FINISHED, ""
        except PlayerError:  # the match ended without a last message
            return FINISHED, ""
        except GivenUpError as error:
            self._write_transcript()
            return error.code, str(error)

    def _check_results(self, results: list[Any]) -> None:
        refusal = next((result for result in results if isinstance(result, dict)), None)
        if refusal is not None:
            self._reason = f"Refused: {refusal['message'].rstrip('.')}. {self._reason}".strip()
            self._note(f"refused: {refusal['message']}")
            self._count("illegal", refusal["message"])

    # -- one answer ----------------------------------------------------------------------------------

    def _act(self, legal: list[dict[str, Any]]) -> None:
        """Ask until an answer has an order, and send the orders of this answer."""
        schema, things = self._client.schema, self._client.things()
        assert schema is not None
        messages = self._prompt(legal, things)
        self._seen, self._events = things, []
        shape: dict[str, Any] = {}
        if self._aids.answer != "free":
            single = spread(legal)
            if len(single) <= MOST_SHAPED and not any(map(is_form, single)):
                orders = list(dict.fromkeys(order(schema, action) for action in single))
                shape = self._provider.shape(self._aids.answer, orders)
        self._note(f"prompt:\n{messages[-1]['content']}")
        while True:
            answer = self._ask(messages, shape)
            if answer.stopped:
                kind, self._reason = "unreadable", STOPPED.format(what=answer.stopped)
            elif answer.truncated:
                kind, self._reason = "truncated", TOO_LONG.format(most=self._model.answer_tokens)
            else:
                reading = read(schema, answer.text, legal)
                self._reason = reading.reason
                if reading.actions:
                    self._write_transcript()
                    self._client.act(*reading.actions)
                    return
                kind = "unreadable"
            self._note(f"{kind}: {self._reason}")
            self._count(kind, self._reason)
            said = answer.text[:MOST_REPEATED].strip() or "(nothing)"
            messages += [{"role": "assistant", "content": said}, {"role": "user", "content": self._reason}]

    def _prompt(self, legal: list[dict[str, Any]], things: Any) -> list[Message]:
        client, schema = self._client, self._client.schema
        assert schema is not None
        if not self._first:
            ask = ASK.format(player=client.player, players=client.players)
            texts = (first(schema, self._start, self._rules), ask, self._model.instructions)
            self._first = "\n".join(filter(None, texts))
            self._note(f"first prompt:\n{self._first}")
        parts = [f"News:\n{told}"] if (told := news(schema, self._seen, things, self._events)) else []
        parts.append(f"Position:\n{position(schema, things, self._start, self._aids.board)}")
        if self._aids.actions:
            parts.append(f"Legal:\n{actions(schema, legal)}")
        parts.append(f"{self._reason}\nYour orders:".lstrip())
        self._reason = ""
        return [{"role": "system", "content": self._first}, {"role": "user", "content": "\n\n".join(parts)}]

    def _count(self, kind: str, reason: str) -> None:
        """Count an answer that cannot be used. The player resigns if the turn has too many of its kind."""
        self._add(kind)
        if self._turn[kind] > getattr(self._model, kind):
            count = self._turn[kind]
            raise GivenUpError(RESIGNED, f"had {count} answers {KINDS[kind]} in one turn; the last: {reason}")

    def _add(self, name: str, number: float = 1) -> None:
        self.counts[name] += number
        self._turn[name] += number

    # -- the provider --------------------------------------------------------------------------------

    def _ask(self, messages: list[Message], shape: dict[str, Any]) -> Answer:
        """Ask the provider, again and again if it fails, within all budgets."""
        model, pause = self._model, self._model.pause
        for tried in range(model.tries + 1):
            self._check_budgets()
            self._add("requests")
            try:
                answer = self._provider.ask(messages, shape, model.seconds_per_turn - self._turn["seconds"])
            except NoAnswerError as error:
                if error.part is not None:
                    self._spend(error.part)
                if not isinstance(error, OutageError):
                    raise GivenUpError(RESIGNED, self._late) from None
                self._add("outages")
                self._note(f"outage: {error}")
                if tried == model.tries or not error.passes:
                    raise GivenUpError(OUTAGE, str(error)) from None
                self._sleep(min(pause, WAIT_MOST) if error.wait is None else error.wait)
                pause *= 2
                continue
            self._spend(answer)
            self._add("seconds", answer.seconds)
            if answer.reasoning:
                self._note(f"reasoning:\n{answer.reasoning}")
            used = f"{answer.tokens_in} + {answer.tokens_out} tokens, {answer.seconds:.2f} s"
            self._note(f"answer ({used}):\n{answer.text}")
            return answer
        raise AssertionError("the last try returns or raises")

    def _spend(self, answer: Answer) -> None:
        self._add("tokens_in", answer.tokens_in)
        self._add("tokens_out", answer.tokens_out)
        self._add("cost", self._ledger.add(answer))

    @property
    def _late(self) -> str:
        return f"took longer than {self._model.seconds_per_turn:g} s for its answers"

    def _check_budgets(self) -> None:
        model, turn, match = self._model, self._turn, self.counts
        if problem := self._ledger.problem:
            raise GivenUpError(OUTAGE, problem)
        if turn["seconds"] >= model.seconds_per_turn:
            raise GivenUpError(RESIGNED, self._late)
        spent = (
            (turn["requests"] - turn["outages"], model.requests_per_turn, "requests of a turn"),
            (match["requests"] - match["outages"], model.requests_per_match, "requests of a match"),
            (turn["tokens_in"] + turn["tokens_out"], model.tokens_per_turn, "tokens of a turn"),
            (match["tokens_in"] + match["tokens_out"], model.tokens_per_match, "tokens of a match"),
        )
        for used, most, what in spent:
            if used >= most:
                raise GivenUpError(RESIGNED, f"has used up its {most} {what}")

    # -- the transcript ------------------------------------------------------------------------------

    def _note(self, text: str) -> None:
        if self._model.transcript:
            self._transcript.append(text)

    def _write_transcript(self) -> None:
        """Write what was said since the last orders into the replay, beside the action that follows."""
        text, self._transcript = "\n\n".join(self._transcript), []
        self._client.log(text)


def play_seat(offer: SeatOffer, make: Callable[[SeatClient], ModelPlayer]) -> None:
    """Play one match. A defect of this program is no loss of the player either."""
    code, reason, counts = OUTAGE, "the player's program failed", dict[str, float]()
    try:
        with closing(SeatClient(offer.link(), forms=True)) as client:
            player = make(client)
            counts = player.counts
            try:
                code, reason = player.play()
            finally:  # before the connection is closed
                offer.end(code, line_of(reason), json.dumps(counts))
    except Exception as error:
        sys.stderr.write(printable("".join(traceback.format_exception(error))))
        offer.end(code, reason, json.dumps(counts))
