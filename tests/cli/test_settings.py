"""`arena play --settings FILE`: the tables of a contest's file, for one match."""

from pathlib import Path

import pytest

from arena_replays import Reader

PLAY = ("play", "saloon", "builtin:rowdy", "builtin:rowdy", "--settings", "settings.toml")
FILE = """\
[options]
max_turns = 6
width = 14

[clock]
bank = 20
turn = "none"

[policy]
timeout = "strike"
pause_idle = ""

[limits]
memory = "1 GiB"

[remote]
resume = 5
"""


@pytest.mark.process
def test_a_file_sets_a_match_and_the_command_line_wins(arena):
    Path("settings.toml").write_text(FILE)
    ran = arena(*PLAY, "-o", "width=12", "--clock", "increment=3", "--replay", "m.arena")
    assert ran.code == 0, ran.stderr
    header = Reader("m.arena").header
    assert (header["options"]["max_turns"], header["options"]["width"]) == (6, 12)
    clock = header["clock"]
    assert (clock["bank"], clock["turn"], clock["increment"]) == (20, None, 3)
    assert (header["policy"]["timeout"], header["policy"]["pause_idle"]) == ("strike", "")


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("[limits]\nmemry = 3", 14, "settings.toml:2: limits.memry"),
        ("[limits]\nmemry = 3", 14, "did you mean memory?"),
        ("[limits]\nmemory = 'much'", 14, "settings.toml:2: limits.memory must be a number, or a size"),
        ("[clok]\nbank = 3", 14, "did you mean clock?"),
        ("[policy]\ntimeout = 'skp'", 14, "settings.toml:2: policy.timeout must be"),
        ("[remote]\naddress = 'host:1'", 14, "remote.address must be a host name such as"),
        ("[human_clock]\nbank = -1", 14, "human_clock.bank must be"),
        ("[options]\nwidht = 8", 4, "did you mean width?"),
        ("bank = ", 14, "settings.toml is not valid TOML"),
        (None, 14, "There is no settings.toml."),
    ],
)
@pytest.mark.process
def test_a_wrong_file_is_one_message(arena, text, code, message):
    if text is not None:
        Path("settings.toml").write_text(text)
    ran = arena(*PLAY, "--replay", "none")
    assert (ran.code, message in ran.stderr) == (code, True), ran.stderr
