"""Bots that read and write lines of JSON, as real processes behind the bridge."""

import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from fake_referee import FakeReferee

pytestmark = pytest.mark.process

StartBot = Callable[..., subprocess.Popen[str]]

BOT = """
import json, sys

def say(**message):
    print(json.dumps(message), flush=True)

say(type="hello", protocol=1, client="json bot", schema=None, legal_actions=False)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print(len(message["view"]), "entries", file=sys.stderr)
        say(type="ready", seq=message["seq"])
    elif message["type"] == "turn":
        say(type="log", seq=message["seq"], text="thinking é")
        say(type="act", seq=message["seq"], actions=[{"type": "end_turn"}])
    elif message["type"] == "over":
        print(message["players"][0]["ending"], file=sys.stderr)
"""


def start(start_bot: StartBot, source: str, endpoint: str | None) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "arena_player.bridge", "--", sys.executable, "bot.py"]
    return start_bot(source, endpoint, *command)


def test_a_match_in_lines_of_json(referee: FakeReferee, start_bot: StartBot) -> None:
    def script(fake: FakeReferee) -> None:
        assert fake.enter()["client"] == "json bot"
        assert fake.turn(0)["actions"] == [{"type": "end_turn"}]
        fake.result(your_move=False)
        fake.over("won", "lost")

    referee.run(script)
    bot = start(start_bot, BOT, referee.endpoint)
    assert bot.communicate(timeout=20) == ("", f"{len(referee.view)} entries\nwon\n")
    assert bot.returncode == 0
    assert [message["text"] for message in referee.received if message["type"] == "log"] == ["thinking é"]


@pytest.mark.parametrize(
    ("last", "code"),
    [("sys.exit(7)", 7), ("os.kill(os.getpid(), 11)", 139), ("os.close(0); os.close(1); time.sleep(60)", 0)],
)
def test_a_bot_that_leaves_early(referee: FakeReferee, start_bot: StartBot, last: str, code: int) -> None:
    """The referee receives the bot's last message. The bridge ignores that it cannot pass the answer to the bot."""

    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.turn(0)
        time.sleep(0.3)
        fake.result(your_move=False)

    source = BOT.replace('actions=[{"type": "end_turn"}])', f'actions=[{{"type": "end_turn"}}]); {last}')
    referee.run(script)
    bot = start(start_bot, source.replace("import json, sys", "import json, os, sys, time"), referee.endpoint)
    _, errors = bot.communicate(timeout=20)
    assert bot.returncode == code
    assert "Traceback" not in errors


def test_everything_that_a_shell_starts_ends_with_the_match(referee: FakeReferee, start_bot: StartBot) -> None:
    def script(fake: FakeReferee) -> None:
        fake.enter()
        fake.over("won", "lost")

    referee.run(script)
    # The other process keeps standard error open, so `communicate` returns only after its end.
    shell = f"sleep 77 & {sys.executable} bot.py; exit 5"
    command = [sys.executable, "-m", "arena_player.bridge", "--", "sh", "-c", shell]
    bot = start_bot(BOT, referee.endpoint, *command)
    _, errors = bot.communicate(timeout=20)
    assert bot.returncode == 5, errors


def test_help(start_bot: StartBot) -> None:
    bot = start_bot("", None, sys.executable, "-m", "arena_player.bridge", "--help")
    out, _ = bot.communicate(timeout=20)
    assert bot.returncode == 0
    assert "python -m arena_player.bridge -- COMMAND ARGUMENT..." in out


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("print('hello')", 1, "not a valid message (it is not JSON): 'hello'"),
        ("print('[' * 5000)", 1, "it is not JSON"),
        ("print('\\x1b[2J')", 1, r"'\x1b[2J'"),
        ('print(\'{"type": "act"}\')', 1, "no field actions"),
        (
            'print(\'{"type": "hello", "protocol": NaN, "client": "", "schema": null, "legal_actions": true}\')',
            1,
            "hello: protocol must be an int",
        ),
        (
            r"""print('{"type": "log", "seq": 1, "text": "\\ud800"}')""",
            1,
            "not a valid message (the message cannot be packed",
        ),
        (
            """print('{"type": "act", "seq": 1, "actions": [{"type": "x", "list": [0' + ", 0" * 300_000 + "]}]}")""",
            1,
            "bytes is longer than allowed): ",
        ),
        ("import sys; sys.exit(7)", 7, ""),
    ],
)
def test_bots_that_do_not_keep_to_it(
    referee: FakeReferee, start_bot: StartBot, source: str, code: int, message: str
) -> None:
    bot = start(start_bot, source, referee.endpoint)
    _, errors = bot.communicate(timeout=20)
    assert bot.returncode == code
    assert message in errors
    assert "Traceback" not in errors
    assert errors.count("\n") == bool(message)


def test_bad_commands(start_bot: StartBot) -> None:
    program = [sys.executable, "-m", "arena_player.bridge"]
    for command, endpoint, code, message in (
        (program, "ipc:///tmp/nobody", 2, "usage: "),
        ([*program, "--", "./no-such-program"], "ipc:///tmp/nobody", 2, "Cannot start ./no-such-program"),
        ([*program, "--", "true"], None, 3, "ARENA_ENDPOINT is not set"),
    ):
        bot = start_bot("", endpoint, *command)
        _, errors = bot.communicate(timeout=20)
        assert bot.returncode == code
        assert errors.startswith(message)


def test_the_command_ends_if_no_referee_answers(start_bot: StartBot) -> None:
    """The command keeps standard error open, so `communicate` returns only after its end."""
    bot = start(start_bot, "import time; time.sleep(77)", "ipc:///no/such/folder/seat.sock")
    _, errors = bot.communicate(timeout=40)
    assert bot.returncode == 3
    assert errors == "No referee answered within 10 s.\n"
