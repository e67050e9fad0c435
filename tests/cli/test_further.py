"""Commands of other distributions, and what is said where one is not installed."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from arena.cli import cli
from arena.errors import ExitCode


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tune", "saloon"], "There is no command tune. It comes with arena-learn. Install it:"),
        (["game", "report", "saloon"], "There is no command report. It comes with arena-learn. Install it:"),
        (["game", "rapport", "saloon"], "No such command 'rapport'"),
        (["tone"], "There is no command tone."),
    ],
)
def test_a_command_that_is_not_installed(arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.extras.commands_of", lambda *_: {})
    monkeypatch.setattr("arena.cli.commands_of", lambda *_: {})
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == ExitCode.USAGE
    assert words in done.stderr


def test_each_command_of_another_distribution_says_what_it_does() -> None:
    lines = CliRunner().invoke(cli, ["--help"]).stdout.splitlines()
    said = {
        line.split()[0]: line.split(maxsplit=1)[1] for line in lines if line.startswith("  ") and len(line.split()) > 1
    }
    assert len({said[name] for name in ("cluster", "dataset", "policy", "tune", "playground", "mcp", "task")}) == 7
    assert all(len(said[name]) < 70 for name in ("mcp", "task")), "not the summary of the distribution"
