"""Another program is told what happens: signed, tried again, and nobody waits for it."""

import base64
import contextlib
import hashlib
import hmac
import json
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from contests_toys import add_team, add_version, anchor, do, opened, player, record, result_of, write_config
from visitors import add_person, pages_of, visitor
from waiting import until

from arena.contests import webhook
from arena.contests.config import EVENTS, WebhookConfig
from arena.contests.config_file import read_config_file
from arena.contests.journal.store import FILE
from arena.contests.loop import Loop
from arena.contests.values import time_of, utc
from arena.contests.webhook import Event, EventFinder, Webhook
from arena.errors import ArenaError

DEADLINE = ("# deadline = 2027-01-31T18:00:00+01:00", "deadline = 2027-01-31T18:00:00+01:00")
OPENS = ("# opens = 2026-11-30T09:00:00+01:00", "opens = 2027-01-01T09:00:00+01:00")
SECRET = "whsec_" + base64.b64encode(bytes(range(24))).decode()
NOW = time_of("2027-01-15T12:00:00+00:00")
CRASH = result_of(1, ("crashed", "won"))


def hook(url="http://127.0.0.1:9", secret=SECRET, more=""):
    return "# [webhook] ", f'[webhook]\nurl = "{url}"\nsecret = "{secret}"\n{more}#'


@contextlib.contextmanager
def watched(folder, *changes):
    """A contest with two teams that play, and who watches it from then on."""
    with opened(write_config(folder, DEADLINE, *changes)) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
            add_version(contest, team)
        watch = EventFinder(contest.config, NOW)
        assert watch.look(contest.snapshot.state, NOW) == []
        yield contest, lambda now=NOW: watch.look(contest.snapshot.state, now)


# -- what is an event ----------------------------------------------------------------------------------


def test_each_event_is_told_once_and_in_words(tmp_path):
    with watched(tmp_path) as (contest, look):
        add_version(contest, "Red", passes=False)
        match = record(contest, player(contest, "Blue"), anchor(contest), result=CRASH)
        record(contest, player(contest, "Blue"), anchor(contest), result=CRASH)
        do(contest, "stage", "final", format="round_robin")
        told = look()
        assert [(event.kind, event.text, event.path, event.data) for event in told] == [
            ("check_failed", "Version 2 of Red has failed its check.", "/version/Red/2", {"team": "Red", "version": 2}),
            ("stage_begun", "The stage final begins.", "/", {"stage": "final"}),
            (
                "crashed",
                "Blue (version 1) crashed, and lost a match.",
                f"/match/{match}",
                {"name": "Blue", "version": 1, "ending": "crashed", "match": match},
            ),
        ]
        assert len({event.id for event in told}) == 3
        assert look() == []


def test_a_new_name_is_no_news_and_the_real_one_is_not_told(tmp_path):
    with opened(write_config(tmp_path, ("[people]", "[people]\nanonymous = true"))) as contest:
        add_team(contest, "Red")
        shown = contest.state.entrant_named("Red").name
        add_version(contest, shown, passes=False)
        finder = EventFinder(contest.config, NOW)
        (told,) = finder.look(contest.snapshot.state, NOW)
        assert (told.data["team"], shown != "Red") == (shown, True)
        do(contest, "reveal", "Red")
        assert "Red" in contest.snapshot.state.entrants
        assert finder.look(contest.snapshot.state, NOW) == []


def test_the_deadline_is_near_twice(tmp_path):
    with watched(tmp_path) as (contest, look):
        deadline = time_of(contest.config.visible.deadline)
        told = [
            [event.data["hours"] for event in look(deadline - timedelta(hours=hours))]
            for hours in (24.1, 24, 23, 1.1, 0.9, 0, -1)
        ]
        assert told == [[], [24], [], [], [1], [], []]


@pytest.mark.parametrize("kind", ["trial", "challenge"])
def test_what_not_everybody_may_see_is_not_told(tmp_path, kind):
    with watched(tmp_path) as (contest, look):
        record(contest, player(contest, "Blue"), anchor(contest), kind=kind, team="Blue", result=CRASH)
        do(contest, "hold")
        record(contest, player(contest, "Red"), anchor(contest), result=CRASH)
        assert look() == []


def test_before_the_opening_nothing_is_told(tmp_path):
    with watched(tmp_path, OPENS) as (contest, look):
        add_version(contest, "Red", passes=False)
        assert look(time_of("2026-12-01T12:00:00+00:00")) == []
        assert look() == []


def test_the_document_is_for_programs_and_chats(tmp_path):
    config, _ = read_config_file(write_config(tmp_path, ("# address =", "address =")))
    event = Event("1", "stage_begun", "The stage final begins.", "/", NOW, {"stage": "final"})
    text = "Saloon term: The stage final begins. https://arena.example.org/"
    assert event.document(config) == {
        "type": "stage_begun",
        "timestamp": "2027-01-15T12:00:00+00:00",
        "data": {"stage": "final", "contest": "Saloon term", "page": "https://arena.example.org/"},
        "text": text,
        "content": text,
        "allowed_mentions": {"parse": []},
    }


# -- how it is sent ------------------------------------------------------------------------------------


class Receiver(ThreadingHTTPServer):
    """A server that keeps what it gets, and answers with these statuses, the last one again and again."""

    def __init__(self, *statuses):
        self.statuses, self.requests, self.silent = list(statuses), [], threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
                status = receiver.statuses.pop(0) if len(receiver.statuses) > 1 else receiver.statuses[0]
                if not status:
                    receiver.silent.wait(60)
                self.send_response(status or 200)
                self.send_header("location", "/elsewhere")
                self.end_headers()

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        threading.Thread(target=self.serve_forever, daemon=True).start()


@contextlib.contextmanager
def sending(folder, receiver, monkeypatch, events=EVENTS):
    monkeypatch.setattr(webhook, "_EVERY", 0.01)
    with opened(write_config(folder)) as contest:
        add_team(contest, "Red")
        sender = Webhook(contest, WebhookConfig(receiver.url, SECRET, events), waits=[0.01])
        sender.start()
        try:
            yield contest, sender
        finally:
            sender.close()
            receiver.silent.set()
            receiver.shutdown()
            receiver.server_close()


def is_signed(headers, body):
    """Verify as the specification of Standard Webhooks says."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    signature = hmac.new(bytes(range(24)), signed, hashlib.sha256).digest()
    recent = abs(utc().timestamp() - int(headers["webhook-timestamp"])) < 300
    return recent and headers["webhook-signature"] == f"v1,{base64.b64encode(signature).decode()}"


def test_an_event_is_signed_and_tried_again_until_it_arrives(tmp_path, monkeypatch):
    receiver = Receiver(500, 429, 200)
    with sending(tmp_path, receiver, monkeypatch) as (contest, sender):
        add_version(contest, "Red", passes=False)
        until(lambda: len(receiver.requests) == 3)
        add_version(contest, "Red", passes=False)
        until(lambda: len(receiver.requests) == 4)
    assert all(is_signed(headers, body) for headers, body in receiver.requests)
    assert [json.loads(body)["data"]["version"] for _, body in receiver.requests] == [1, 1, 1, 2]
    ids = [headers["webhook-id"] for headers, _ in receiver.requests]
    assert ids[0] == ids[1] == ids[2] != ids[3]
    assert sender.problem == ""


@pytest.mark.parametrize("status", [404, 302])
def test_a_refused_event_is_dropped_and_the_desk_says_so(tmp_path, monkeypatch, status):
    receiver = Receiver(status)
    with sending(tmp_path, receiver, monkeypatch, ("check_failed",)) as (contest, sender):
        add_version(contest, "Red")
        do(contest, "announce")
        add_version(contest, "Red", passes=False)
        until(lambda: sender.problem)
        pages, app = pages_of(contest)
        pages.site.loop.webhook = sender
        desk = visitor(app, add_person(contest, "", "organizer")).get("/desk").text
        assert f"The receiver of the webhook answers with status {status}." in desk
        add_version(contest, "Red", passes=False)
        until(lambda: len(receiver.requests) == 2)
    assert [json.loads(body)["data"]["version"] for _, body in receiver.requests] == [2, 3]


def test_nobody_waits_for_a_receiver_that_does_not_answer(tmp_path, monkeypatch):
    receiver = Receiver(0)
    with sending(tmp_path, receiver, monkeypatch) as (contest, sender):
        add_version(contest, "Red", passes=False)
        until(lambda: receiver.requests)
        add_version(contest, "Red")  # the journal writes while the request is open
        assert contest.snapshot.state.active("Red").number == 2
        sender.close()
        assert len(receiver.requests) == 1


def test_an_event_that_is_an_hour_old_is_dropped(tmp_path, monkeypatch):
    receiver = Receiver(500)
    monkeypatch.setattr(webhook, "_LONGEST", timedelta(0))
    with sending(tmp_path, receiver, monkeypatch) as (contest, _):
        for number in (1, 2):
            add_version(contest, "Red", passes=False)
            until(lambda number=number: len(receiver.requests) == number)


def test_a_loop_sends_as_long_as_it_plays(tmp_path, monkeypatch):
    monkeypatch.setattr(webhook, "_EVERY", 0.01)
    receiver = Receiver(200)
    with opened(write_config(tmp_path, hook(receiver.url))) as contest:
        add_team(contest, "Red")
        engine = SimpleNamespace(window=0, kill=lambda: None, close=lambda: None)  # it has no slot for a match
        with contextlib.closing(Loop(contest, engine, stays=True)) as loop:
            loop.start()
            add_version(contest, "Red", passes=False)
            until(lambda: receiver.requests)
    receiver.shutdown()
    receiver.server_close()


# -- the file ------------------------------------------------------------------------------------------


def test_the_secret_is_in_the_file_only(tmp_path):
    with opened(write_config(tmp_path, hook(more='events = ["crashed"]\n'))) as contest:
        assert contest.config.webhook.events == ("crashed",)
        assert contest.config.webhook.key == bytes(range(24))
        assert contest.state.settings.webhook is None
        before = contest.state.number
    with opened(tmp_path / "contest.toml") as contest:
        assert contest.state.number == before, "the file has not changed"
    assert SECRET.encode() not in (tmp_path / "contest" / FILE).read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": "ftp://example.org"}, "webhook.url must be an address such as"),
        ({"secret": "secret"}, 'webhook.secret must be "whsec_" and 24 to 64 random bytes in Base64'),
        ({"secret": "whsec_AAAA"}, "webhook.secret must be"),
        (
            {"more": 'events = ["won"]\n'},
            "webhook.events must be a list, without repeats, of check_failed, deadline_near, ",
        ),
    ],
)
def test_a_webhook_that_cannot_work_is_refused(tmp_path, changes, message):
    with pytest.raises(ArenaError) as refused:
        read_config_file(write_config(tmp_path, hook(**changes)))
    assert message in str(refused.value)
