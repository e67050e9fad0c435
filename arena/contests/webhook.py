"""Tell another program what happens in a contest: each event that the file chooses is one signed JSON document by POST.

A thread of its own looks at snapshots, as pages do, and sends what is new since its last look. So no match, hand-in or
page waits for the receiver, and nothing is queued that could grow: what happens while an event is tried again is found
in the next look. The document and its signature are those of Standard Webhooks (https://www.standardwebhooks.com),
with the words for people also under the keys that chats show.

What must not happen: an event tells a result that is held back, or anything before the contest opens; a text of a bot
is sent, which is for its team only. Events of the time in which nothing runs the contest are not sent.
"""

from __future__ import annotations

import hmac
import json
import logging
import threading
import time
import urllib.request
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

from arena.contests.config import ContestConfig, WebhookConfig
from arena.contests.open_contest import LoadedContest
from arena.contests.state import Contest
from arena.contests.values import Played, time_of, utc
from arena.contests.visibility import visibility_of
from arena.match.ending import CRASHES, ending_phrase
from arena.text.reading import hash_of

_EVERY = 1.0
"""Seconds between two looks. Chosen, not measured: nobody reads a chat faster."""
_PATIENCE = 10.0
"""Seconds for each step of a request. Chosen, not measured: a receiver only has to store the event."""
_LONGEST = timedelta(hours=1)
"""An event that could not be sent for so long is dropped: it is no news any more."""
_WAITS = (1.0, 5.0, 30.0, 120.0, 300.0)
"""Seconds before each further try; the last one again and again."""
_NEAR_HOURS = (24, 1)
"""How many hours before the deadline it is near: when a day is left to do something, and when nobody should begin."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that has happened.

    Attributes:
        id: The same for each try, and after a restart, so that a receiver can tell a repetition.
        kind: One of `arena.contests.config.EVENTS`.
        text: What happened, for people.
        path: The page about it.
        data: What happened, for programs.
    """

    id: str
    kind: str
    text: str
    path: str
    at: datetime
    data: Mapping[str, Any]

    def document(self, config: ContestConfig) -> dict[str, Any]:
        """Return what is sent."""
        page = config.visible.address and config.visible.address + self.path
        text = " ".join(filter(None, (f"{config.name}: {self.text}", page)))
        return {
            "type": self.kind,
            "timestamp": self.at.isoformat(timespec="seconds"),
            "data": {**self.data, "contest": config.name, "page": page or self.path},
            "text": text,  # shown by Matrix
            "content": text,  # shown by Discord
            "allowed_mentions": {"parse": []},  # the name of a team calls nobody in Discord
        }


@dataclass(slots=True)
class EventFinder:
    """Finds what is new in a contest since the last look. It remembers ids, since names can change.

    Attributes:
        at: The time of the last look.
    """

    config: ContestConfig
    at: datetime
    _results: int = 0
    _checked: set[str] = field(default_factory=set)
    _begun: set[str] = field(default_factory=set)
    _crashed: set[str] = field(default_factory=set)

    def look(self, state: Contest, now: datetime) -> list[Event]:
        """Return the events since the last look, which the first one only begins."""
        is_open = self.config.visible.has_opened(now)
        found = [
            *self._deadline(state, now),
            *self._of_checks(state),
            *self._of_stages(state),
            *self._of_matches(state),
        ]
        self.at = now
        if not is_open:
            return []
        return [
            Event(hash_of(f"{state.id} {name} {text}")[:32], name, text, path, now, data)
            for name, text, path, data in found
        ]

    def _deadline(self, state: Contest, now: datetime) -> Iterator[_Found]:
        people = self.config.visible
        for hours in _NEAR_HOURS if people.deadline and not state.orders.frozen else ():
            if self.at < time_of(people.deadline) - timedelta(hours=hours) <= now:
                left = f"in {hours} hours" if hours > 1 else "in an hour"
                text = f"The deadline is {left}: {people.shown_time(people.deadline)}."
                yield "deadline_near", text, "/", {"deadline": people.deadline, "hours": hours}

    def _of_checks(self, state: Contest) -> Iterator[_Found]:
        for version in state.by_player.values():
            key = state.key_of(version)
            if version.report is not None and key not in self._checked:
                self._checked.add(key)
                if not version.report.passed:
                    text = f"Version {version.number} of {version.entrant} has failed its check."
                    data = {"team": version.entrant, "version": version.number}
                    yield "check_failed", text, f"/version/{quote(version.key)}", data

    def _of_stages(self, state: Contest) -> Iterator[_Found]:
        for name in state.stages:
            if name not in self._begun:
                self._begun.add(name)
                yield "stage_begun", f"The stage {name} begins.", "/", {"stage": name}

    def _of_matches(self, state: Contest) -> Iterator[_Found]:
        """Yield the first crash of each version. Its others say nothing new, and can be thousands."""
        visible, new = visibility_of(state), state.played.values()[self._results :]
        self._results += len(new)
        for played in new:
            if played.is_public and not played.is_void and visible.shows(played):
                yield from self._of_match(state, played)

    def _of_match(self, state: Contest, played: Played) -> Iterator[_Found]:
        for player, ending in zip(played.players, played.endings, strict=True):
            key = state.key_of(state.by_player[player])
            if ending in CRASHES and key not in self._crashed:
                self._crashed.add(key)
                name, number = player[0], state.by_player[player].number
                text = f"{name} (version {number}) {ending_phrase(ending)}, and lost a match."
                data = {"name": name, "version": number, "ending": ending, "match": played.id}
                yield "crashed", text, f"/match/{played.id}", data


_Found = tuple[str, str, str, Mapping[str, Any]]
"""The kind of an event, its text, its page and its data."""


class Webhook:
    """Sends what happens from now on, in a thread of its own, from `start` to `close`.

    Attributes:
        problem: Why the last event was not sent; empty if it was.
    """

    def __init__(self, contest: LoadedContest, config: WebhookConfig, waits: Sequence[float] = _WAITS) -> None:
        self.problem = ""
        self._contest = contest
        self._config = config
        self._waits = waits
        self._stopped = threading.Event()
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._finder = EventFinder(contest.config, utc())
        self._finder.look(contest.snapshot.state, utc())

    def start(self) -> None:
        threading.Thread(target=self._follow, name="webhook", daemon=True).start()

    def close(self) -> None:
        """Send nothing more. A request that waits for its answer ends with the process."""
        self._stopped.set()

    def _follow(self) -> None:
        while not self._stopped.wait(_EVERY):
            for event in self._finder.look(self._contest.snapshot.state, utc()):
                if event.kind in self._config.events:
                    self._deliver(event)

    def _deliver(self, event: Event) -> None:
        """Send an event; try again if the receiver cannot take it now, until it is too old."""
        tries = 0
        while not self._stopped.is_set():
            is_final = self._send(event)
            if is_final or utc() - event.at > _LONGEST:
                break
            self._stopped.wait(self._waits[min(tries, len(self._waits) - 1)])
            tries += 1
        if self.problem and not self._stopped.is_set():
            logging.getLogger(__name__).warning("%s Dropped: %s", self.problem, event.text)

    def _send(self, event: Event) -> bool:
        """Send an event once. Return whether it has arrived, or is refused for good."""
        body = json.dumps(event.document(self._contest.config)).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "arena", **self._signed(event.id, body)}
        request = urllib.request.Request(self._config.url, body, headers, method="POST")
        try:
            with self._opener.open(request, timeout=_PATIENCE):
                self.problem = ""
                return True
        except HTTPError as error:
            with error:
                self.problem = f"The receiver of the webhook answers with status {error.code}."
                busy = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
                return error.code < HTTPStatus.INTERNAL_SERVER_ERROR and error.code not in busy
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            self.problem = f"The receiver of the webhook cannot be reached: {str(reason).rstrip('.')}."
            return False

    def _signed(self, name: str, body: bytes) -> dict[str, str]:
        at = str(int(time.time()))
        signature = hmac.digest(self._config.key, b".".join((name.encode(), at.encode(), body)), "sha256")
        return {
            "webhook-id": name,
            "webhook-timestamp": at,
            "webhook-signature": f"v1,{b64encode(signature).decode()}",
        }


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as a GET."""

    def redirect_request(self, *_arguments: Any, **_more: Any) -> None:
        return None
